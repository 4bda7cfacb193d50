"""BalM: statistics of as many records of each group as every share of the range has.

The range of shares to hide is a pair's. Of n records, k with the property, k from lo to hi, it
keeps lo with the property and n − hi without, chosen by a secret key and never again, and publishes
their statistics with the groups weighted to a public reference share. Given k, the records of each
group are independent draws whose laws do not depend on k, and a random subset of draws is as many
random draws: so the kept records, and whatever is computed from them, have one law for every k in
the range, ε = δ = 0. It rests on no bell curve, no equal covariances and no grid.

The promise asks that the range is public (from outside knowledge, or a cell of a fixed grid of
shares, never centred on the table's share), that the reference share is its middle or from outside
knowledge, and that the numbers kept follow from the range alone. The last is so by construction.
"""

from __future__ import annotations

import numpy as np

from distpriv.errors import DistprivError
from distpriv.mechanisms.base import Mechanism, Options, register
from distpriv.model import GaussianModel, Promise, Release

__all__ = ["balanced_release"]


def balanced_release(model: GaussianModel, _promise: Promise, options: Options) -> Release:
    """Return the balanced release of a model with one pair.

    The groups are weighted to a public reference share, the range's middle by default; raises
    DistprivError if that is not between 0 and 1.
    """
    fitted, reference = model.pairs[0], options.reference
    share = fitted.middle if reference is None else reference
    if not 0 <= share <= 1:
        raise DistprivError(f"The reference share must lie between 0 and 1, it is {share:g}.")
    return Release(
        "BalM",
        kept=fitted.numbers.min(axis=0),
        stands_for=model.n * np.array([1 - share, share]),
        promise=Promise(0.0, 0.0),
        reference=share,
    )


def _applies(model: GaussianModel) -> str:
    if len(model.pairs) > 1:
        return "A balanced release hides one secret; choose one, or take OptM."
    if model.pairs[0].numbers.min() < 1:
        return (
            "A balanced release needs records of both kinds at every share of the range; take a "
            "range inside 0 to 100 %, or more records."
        )
    return ""


register(
    Mechanism(
        "BalM",
        "Random subsets of independent draws are independent draws",
        "Balanced",
        "none",
        frozenset({"reference"}),
        "any data",
        make=balanced_release,
        applies=_applies,
    )
)
