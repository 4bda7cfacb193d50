"""The classroom: a room on the projector, and the phones in it."""
