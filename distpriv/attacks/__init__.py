"""Whoever wants the share: the best attacker, trained ones, one who knows the grid; beliefs."""
