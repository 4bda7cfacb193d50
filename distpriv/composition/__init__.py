"""Several releases of the same data: rules that add up promises, and what they deliver together."""

from distpriv.composition.counterexample import CompositionExample
from distpriv.composition.datasets import Uncounted
from distpriv.composition.joint_per_record import JointPerRecord
from distpriv.composition.joint_releases import JointReleases, joint_releases
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
from distpriv.composition.table_releases import Records, TableRelease

__all__ = [
    "CompositionExample",
    "JointPerRecord",
    "JointRelease",
    "JointReleases",
    "Part",
    "Promise",
    "Records",
    "Standing",
    "TableRelease",
    "Uncounted",
    "accumulate",
    "compose",
    "delivered_after",
    "joint_noise",
    "joint_release",
    "joint_releases",
    "mixture",
    "repeated_release",
]
