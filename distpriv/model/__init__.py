"""The normal model of released statistics, and everything that can be released."""

from distpriv.model.fit import GaussianModel, PairModel, fit_groups
from distpriv.model.groups import Groups
from distpriv.model.release import (
    AS_IT_IS,
    Error,
    Promise,
    Release,
    best_estimate,
    check_release,
    joint_law,
    no_data,
    release_error,
)

__all__ = ["AS_IT_IS", "Error", "GaussianModel", "Groups", "PairModel", "Promise", "Release"]
__all__ += ["best_estimate", "check_release", "fit_groups", "joint_law", "no_data", "release_error"]
