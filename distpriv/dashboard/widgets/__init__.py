"""Pieces that several pages draw."""
