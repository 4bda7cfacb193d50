"""Frames of how far one figure's laws at two shares are apart, and what hiding that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from distpriv.analysis.comparison import judge
from distpriv.analysis.sentences import PLAIN, Style
from distpriv.distances import optimal_coupling
from distpriv.mechanisms import calibrate_all
from distpriv.mechanisms.wasserstein import law_distance, normal_distance_moved, single_laws
from distpriv.model import GaussianModel, Promise, Release
from distpriv.text import percent, significant

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["costs_table", "laws_frame", "moves_frame", "moves_words"]

_BARS, _DEVIATIONS = 60, 4.5
_SEEN = 1e-9  # masses that a coupling heeds
_NAMES = "Wasserstein", "ApproxWasserstein", "BoundedWasserstein", "ExpM(L)"


def laws_frame(model: GaussianModel) -> pd.DataFrame:
    """Return the laws of one figure at both shares: value, low, high (probabilities).

    The exact laws where they are known, else the fitted normals; at most about 60 values, as one
    for several neighbours where there are more.
    """
    import pandas as pd

    pair, laws = model.pairs[0], single_laws(model)
    deviation = np.sqrt(pair.covariances[:, 0, 0])
    if laws is None:
        reach = _DEVIATIONS * deviation.max()
        edges = np.linspace(pair.means.min() - reach, pair.means.max() + reach, _BARS + 1)
        masses = np.diff(ndtr((edges - pair.means) / deviation[:, None]), axis=1)
        values = np.asarray((edges[1:] + edges[:-1]) / 2)
    else:
        masses, step = laws[0].probabilities, float(laws[0].steps[0])
        places = np.arange(masses.shape[1])
        values = pair.means[0, 0] + step * (places - masses[0] @ places)
        seen = np.flatnonzero(masses.max(axis=0) > _SEEN)
        part = slice(seen[0], seen[-1] + 1)
        masses, values = masses[:, part], values[part]
        starts = np.arange(0, len(values), -(-len(values) // _BARS))
        counts = np.diff(starts, append=len(values))
        masses = np.add.reduceat(masses, starts, axis=1)
        values = np.add.reduceat(values, starts) / counts
    low, high = masses / masses.sum(axis=1, keepdims=True)
    return pd.DataFrame({"value": values.round(9), "low": low, "high": high})


def moves_frame(laws: pd.DataFrame, delta: float, most: int = 4) -> pd.DataFrame:
    """Return the heaviest of the longest moves that turn the first law into the second.

    Columns start, end, mass, beyond: whether a move is beyond the W of (W, δ)-closeness.
    """
    import pandas as pd

    values = laws["value"].to_numpy()
    coupling = optimal_coupling(values, values, delta, laws["low"], laws["high"])
    columns = {"start": values[coupling.sources], "end": values[coupling.targets]}
    frame = pd.DataFrame(columns | {"mass": coupling.masses, "beyond": coupling.beyond})
    far = frame[coupling.distances > max(coupling.reach * (1 - 1e-9), 1e-12)]
    return far.sort_values("mass", ascending=False).head(most).sort_values("start")


def moves_words(
    model: GaussianModel, shares: tuple[str, str], delta: float, unit: str, style: Style = PLAIN
) -> tuple[str, str]:
    """Return how far mass moves as a title, and that without the furthest δ in a sentence."""
    laws, names = single_laws(model), _NAMES[:2]
    if laws is None:
        both = [normal_distance_moved(name, model.pairs[0], delta) for name in names]
    else:
        both = [law_distance(name, laws[0], delta) for name in names]
    far, close = (f"{significant(one)} {unit}".strip() for one in both)
    by = "By equal bell curves" if laws is None else "By the exact law"
    return f"Up to {far} apart", (
        f"{by}, mass moves by up to {style.strong(far)} between {shares[0]} and {shares[1]}; "
        f"without the furthest {percent(delta)}, by {style.strong(close)}."
    )


def costs_table(model: GaussianModel, epsilon: float, delta: float, unit: str) -> pd.DataFrame:
    """Return what Wasserstein noise and ExpM(L) cost at one ε, as people read it."""
    import pandas as pd

    promises = [Promise(epsilon, delta if name in _NAMES[1:3] else 0.0) for name in _NAMES]
    rows = []
    releases = calibrate_all([*zip(_NAMES, promises, strict=True)], model)
    for name, one in zip(_NAMES, releases, strict=True):
        if not isinstance(one, Release) or one.promise is None:
            rows.append((name, "–", "–", str(one), "–"))
            continue
        (way,) = judge(model, [one], one.promise)
        error = f"± {significant(way.errors[0])} {unit}".strip()
        rows.append((name, error, significant(one.promise.delta), way.by, f"{way.guesses:.0f}"))
    columns = ["noise", "error", f"δ at ε = {significant(epsilon)}", "proven", "right of 100"]
    return pd.DataFrame(rows, columns=columns).set_index("noise")
