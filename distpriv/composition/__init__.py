"""Several releases of the same data: rules that add up promises, and what they deliver together."""

from distpriv.composition.counterexample import CompositionExample
from distpriv.composition.releases import Part, Standing, accumulate, joint_noise
from distpriv.composition.rules import (
    JointRelease,
    Promise,
    compose,
    delivered_after,
    joint_release,
    mixture,
    repeated_release,
)

__all__ = [
    "CompositionExample",
    "JointRelease",
    "Part",
    "Promise",
    "Standing",
    "accumulate",
    "compose",
    "delivered_after",
    "joint_noise",
    "joint_release",
    "mixture",
    "repeated_release",
]
