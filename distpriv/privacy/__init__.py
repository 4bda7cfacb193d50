"""Noise and what it guarantees: calibration, privacy loss, coupling bound, exact laws."""

from distpriv.privacy.calibrated_for import CalibratedFor
from distpriv.privacy.calibration import gaussian_distance
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.coupling_bound import (
    CouplingBound,
    bounded_delta,
    bounded_epsilon,
    coupling_bound,
)
from distpriv.privacy.delivered import (
    delivered_delta,
    delivered_epsilon,
    privacy_profile,
    worst_case,
)
from distpriv.privacy.exact_laws import ExactLaw, exact_law
from distpriv.privacy.gaussian_dp import GaussianDP, gaussian_dp
from distpriv.privacy.known_laws import known_law, known_laws, model_laws
from distpriv.privacy.noise import Noise
from distpriv.privacy.per_record import PerRecord
from distpriv.privacy.persons import Persons
from distpriv.privacy.record_moves import RecordMoves

__all__ = [
    "CalibratedFor",
    "CouplingBound",
    "ExactLaw",
    "GaussianDP",
    "Noise",
    "PerRecord",
    "Persons",
    "RecordMoves",
    "accuracy_ceiling",
    "bounded_delta",
    "bounded_epsilon",
    "coupling_bound",
    "delivered_delta",
    "delivered_epsilon",
    "exact_law",
    "gaussian_distance",
    "gaussian_dp",
    "known_law",
    "known_laws",
    "model_laws",
    "privacy_profile",
    "worst_case",
]
