"""Ways to hide a share, and their calibration."""

from distpriv.mechanisms.calibration import MECHANISMS, Mechanism, calibrate, calibrate_all

__all__ = ["MECHANISMS", "Mechanism", "calibrate", "calibrate_all"]
