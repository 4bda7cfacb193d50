"""What is left to vary for an attacker who already knows some of the records."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from distpriv.arguments import checked
from distpriv.errors import ModelError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.theta import Theta
from distpriv.words import exact

__all__ = ["KnownRecords", "conditional_model"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class KnownRecords:
    """How many records of a dataset an attacker knows, under whichever share.

    Attributes
    ----------
    without, having : int
        Without the property and with it.
    """

    without: int
    having: int

    @classmethod
    def of(cls, thetas: tuple[Theta, Theta], count: int) -> KnownRecords:
        """Take half from each group, more from one where a dataset has too few of the other.

        Parameters
        ----------
        thetas : tuple of two Theta
        count : int >= 0
            At most as many as datasets of both distributions have in common.

        Raises
        ------
        ModelError
            If the datasets have fewer records in common.
        """
        most = [
            min(theta.n - theta.having for theta in thetas),
            min(theta.having for theta in thetas),
        ]
        if not 0 <= count <= sum(most) or count % 1:
            raise ModelError(
                f"An attacker can know at most {exact(sum(most))} of the {exact(thetas[0].n)} "
                f"records whichever share it is, got {exact(count)}; take fewer."
            )
        having = min(count // 2, most[1])
        without = min(count - having, most[0])
        return cls(int(without), int(count - without))

    def unknown(self, theta: Theta) -> Theta:
        """Return the distribution of the other records of a dataset.

        Raises
        ------
        ModelError
            If fewer than two are left.
        """
        left = theta.n - self.without - self.having
        if left < 2:
            raise ModelError(
                f"An attacker who knows all but {left} of the records needs no statistics of them; "
                f"take at most {exact(theta.n - 2)} known records."
            )
        if theta.table is None:
            return replace(theta, n=left, proportion=(theta.having - self.having) / left)
        if theta.replacement:
            return replace(theta, n=left)
        table = theta.table - self.without - self.having
        share = (theta.table * theta.proportion - self.having) / table
        return replace(theta, n=left, table=table, proportion=min(max(share, 0.0), 1.0))


@checked(ModelError)
def conditional_model(model: GaussianModel, known: int) -> GaussianModel:
    r"""Return the model for an attacker who knows some of the records and subtracts them.

    The known records are in the dataset under either share, half of them with the property
    (:meth:`KnownRecords.of`). Given them the statistics have the covariance of the n − r others:

    .. math:: \Sigma_\theta = B\bigl((k - r_1) C_1 + (n - k - r_0) C_0\bigr)B^\top

    with the finite-population factors of the groups less the known records, if they are drawn
    without replacement. The difference of the means is that of all the records where the share is
    that of the release, of which the attacker knows that k is one of two numbers; a share of the
    table shows in the unknown records alone. This is outside the framework of Chen & Ohrimenko
    (2023): a promise (ε, δ) says nothing about such an attacker.

    Parameters
    ----------
    model : GaussianModel
        Of statistics that are sums over the records, fitted to records.
    known : int
        r, from 0 to n − 2.

    Raises
    ------
    ModelError
        If a statistic has no closed form, the records are not at hand, or datasets of the two
        shares have fewer records in common.
    """
    if not known:
        return model
    if not model.query.is_linear:
        raise ModelError(
            "Known records can be subtracted from sums over the records only, and a statistic is "
            "none; leave it out."
        )
    pairs = tuple(_conditional(fit, model, known) for fit in model.pairs)
    return replace(model, pairs=pairs)


def _conditional(fit: PairModel, model: GaussianModel, known: int) -> PairModel:
    population = fit.population
    if population is None:
        raise ModelError(
            "What known records leave to vary takes the moments of the two groups of records, and "
            "this model knows those of its statistics only; fit it to a table."
        )
    chosen = list(population.statistics)
    means, covariances = population.groups.moments()
    means, covariances = means[:, chosen], covariances[:, chosen][:, :, chosen]
    records = KnownRecords.of(fit.thetas, known)
    subtracted = np.array([records.without, records.having])
    totals = population.groups.totals
    left = (totals[0] - records.without, totals[1] - records.having)
    scales = model.query.scales(model.n) / population.units
    centers, spreads = [], []
    for theta in fit.thetas:
        unknown = records.unknown(theta)
        mean, total = unknown.sum_moments(totals if theta.replacement else left, means, covariances)
        centers.append(scales * (mean + subtracted @ means))
        spreads.append(total * np.outer(scales, scales))
    return replace(
        fit,
        means=np.array(centers),
        covariances=np.array(spreads),
        jackknife=None,
        outcomes=None,
        population=None,
    )
