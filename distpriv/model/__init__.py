"""What is known of the statistics at each share: moments, normals, their grid, simulations."""

from distpriv.model.fit import fit_gaussian
from distpriv.model.gaussian import GaussianModel, PairModel, model_from_moments
from distpriv.model.moments import GroupMoments, RecordGroups, group_moments, record_groups
from distpriv.model.monte_carlo import SimulatedFit, simulate
from distpriv.model.partial_knowledge import KnownRecords, conditional_model
from distpriv.model.sampling import Interval
from distpriv.model.theta import Theta

__all__ = [
    "GaussianModel",
    "GroupMoments",
    "Interval",
    "KnownRecords",
    "PairModel",
    "RecordGroups",
    "SimulatedFit",
    "Theta",
    "conditional_model",
    "fit_gaussian",
    "group_moments",
    "model_from_moments",
    "record_groups",
    "simulate",
]
