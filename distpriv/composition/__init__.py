"""Several releases of one table, and promises that add up."""

from distpriv.composition.limits import compose, counterexample, left_of
from distpriv.composition.releases import JointRelease, Part, joint_release, repeated

__all__ = ["JointRelease", "Part", "compose", "counterexample", "joint_release", "left_of"]
__all__ += ["repeated"]
