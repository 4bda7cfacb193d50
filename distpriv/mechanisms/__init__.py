"""Ways to release statistics that hide a share, and their calibration."""

# Each module adds its mechanisms to the register, in this order.
from distpriv.mechanisms import shapes  # noqa: F401  isort: skip
from distpriv.mechanisms import wasserstein  # noqa: F401  isort: skip
from distpriv.mechanisms import balanced  # noqa: F401  isort: skip
from distpriv.mechanisms import differential  # noqa: F401  isort: skip
from distpriv.mechanisms import attribute  # noqa: F401  isort: skip
from distpriv.mechanisms.base import MECHANISMS, Mechanism, mechanism_named, register
from distpriv.mechanisms.calibration import calibrate, calibrate_all

__all__ = ["MECHANISMS", "Mechanism", "calibrate", "calibrate_all", "mechanism_named", "register"]
