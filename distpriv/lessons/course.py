"""The data and the setting of the tour."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pandas as pd

from distpriv.analysis.scenario import Scenario
from distpriv.mechanisms import calibrate
from distpriv.model.gaussian import GaussianModel, model_from_moments
from distpriv.model.moments import GroupMoments, group_moments
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty
from distpriv.queries.statistics import Count, Mean, Query

__all__ = [
    "COUNTS",
    "DELTA",
    "EPSILON",
    "EPSILONS",
    "MECHANISMS",
    "NAMES",
    "PAIR",
    "PLAIN",
    "PLANE",
    "QUERY",
    "RECORDS",
    "RELEASES",
    "SECRET",
    "SIZES",
    "Course",
    "course_of",
]

SECRET = SensitiveProperty("income", ">50K")
PAIR = SECRET.pair(center=0.5, width=0.1)
QUERY = Query(
    [
        Mean("age"),
        Mean("education-num"),
        Count("marital-status", "Never-married"),
        Count("sex", "Female"),
        Mean("hours-per-week"),
    ]
)
NAMES = ("age", "schooling", "never married", "women", "working hours")
"""The statistics in plain words, in the order of the query."""

RECORDS = 100
EPSILON, DELTA = 1.0, 1e-3
PLAIN: Calibration = "exact"
"""How steps 3 to 5 calibrate: to the mean of the two covariances, as the papers' theorems do."""
MECHANISMS = ("ExpM", "EigM", "DirM", "DauM", "OptM")
SIZES = (20, 40, 100, 200, 400)
"""Records of a release in the second step."""
PLANE = (0, 1)
"""Statistics that the second step draws: two averages, whose axes do not grow with n."""
COUNTS = (2, 3)
"""Statistics that the third step draws: two counts, which move and are disturbed in one unit."""
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
RELEASES = (1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True, eq=False)
class Course:
    """The data of the tour.

    Attributes
    ----------
    moments : GroupMoments
        Of ``QUERY`` in the records with and without the secret.
    """

    moments: GroupMoments

    def model(self, n: int = RECORDS) -> GaussianModel:
        """The five statistics of n records under the two shares."""
        return model_from_moments({SECRET: self.moments}, QUERY, [PAIR], n)

    def densities(self) -> GaussianModel:
        """The five statistics of 100 records as if they were on no grid."""
        model = self.model()
        return replace(model, pairs=tuple(replace(fit, steps=None) for fit in model.pairs))

    def noise(
        self, mechanism: str, epsilon: float = EPSILON, calibration: Calibration = "guarded"
    ) -> Noise:
        """Noise of a mechanism for the release of 100 records; arithmetic does not undo it."""
        return calibrate(mechanism, self.model(), epsilon, DELTA, calibration)

    def scenario(self, digest: str = "") -> Scenario:
        """The tour's setting as a scenario of the dashboard.

        Parameters
        ----------
        digest : str
            Fingerprint of the embedded table.
        """
        return Scenario(
            secret=SECRET,
            query=QUERY,
            digest=digest,
            center=PAIR.center,
            width=PAIR.width,
            n=RECORDS,
            epsilon=EPSILON,
            delta=DELTA,
        )


def course_of(table: pd.DataFrame) -> Course:
    """The tour on a table with the columns of the embedded example; raises QueryError if not."""
    return Course(group_moments(table, QUERY, SECRET))
