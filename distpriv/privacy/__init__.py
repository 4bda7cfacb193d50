"""Noise and what it guarantees: calibration, privacy loss, delivered δ and ε, exact laws."""
