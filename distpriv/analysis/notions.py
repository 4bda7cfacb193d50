"""What the page about notions of privacy draws and says."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.special import ndtr

from distpriv.analysis.comparison import judge
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.sentences import PLAIN, Style
from distpriv.composition import counterexample
from distpriv.distances import optimal_coupling
from distpriv.hypothesis import (
    FRAMEWORKS,
    DistributionPrivacy,
    RecordTest,
    convert,
    to_pufferfish,
)
from distpriv.mechanisms import calibrate_all
from distpriv.mechanisms.wasserstein import law_distance, normal_distance_moved, single_laws
from distpriv.model import GaussianModel, Promise, Release
from distpriv.privacy import NormalLoss
from distpriv.text import percent, right_of_100, significant, whole

__all__ = ["composition_frame", "costs_table", "density_frame", "laws_frame", "map_frame"]
__all__ += ["moves_frame", "moves_words", "pufferfish", "rates_table", "score_frame"]

_RELEASED = np.linspace(-4, 5, 361)
_EPSILONS = np.geomspace(0.1, 10, 121)
_SHIFT = 1.4  # by which the secret moves the first of two figures, in standard deviations
_BARS, _DEVIATIONS = 60, 4.5
_SEEN = 1e-9  # masses that a coupling heeds
_NAMES = "Wasserstein", "ApproxWasserstein", "BoundedWasserstein", "ExpM(L)"


def density_frame(test: RecordTest) -> pd.DataFrame:
    """Return densities of a noisy count that is 0 without a record and 1 with it."""
    present, absent = test.densities(_RELEASED)
    return pd.DataFrame({"released": _RELEASED, "without": absent, "present": present})


def rates_table(test: RecordTest, threshold: float, beta: float) -> pd.DataFrame:
    """Return what a test reaches at a threshold and at the best one, as people read it."""
    places = [threshold, float(test.threshold(beta))]
    recall, precision, score = test.scores(places, beta)
    rows = {
        "Yes above": ["always" if one == -math.inf else significant(one) for one in places],
        "Recall: found": [percent(one, 2) for one in recall],
        "Precision: right": [percent(one, 2) for one in precision],
        "False alarms": [percent(one, 2) for one in test.rates(places)[1]],
        "F-score": [f"{one:.3f}" for one in score],
    }
    return pd.DataFrame(rows, index=["yours", "best"]).T


def score_frame(test: RecordTest, beta: float) -> pd.DataFrame:
    """Return the largest F_β against ε, of who knows nothing and of this test's attacker."""
    noise, knowledge = (test.delta, test.calibration), (test.prior, test.records, test.time)
    knows = {"knows nothing": (0.0, 0.0, 0.0)} | (
        {"knows more": knowledge} if any(knowledge) else {}
    )
    lines = {name: RecordTest(_EPSILONS, *noise, *one).f_score(beta) for name, one in knows.items()}
    frame = pd.DataFrame({"epsilon": _EPSILONS} | lines)
    return frame.melt("epsilon", var_name="attacker", value_name="f_score")


def map_frame(epsilon: float, framework: str, independent: bool) -> pd.DataFrame:
    """Return what ε can be in each notion, what it protects and which inputs it compares."""
    ends = convert(epsilon, framework, independent=independent)
    rows = [(key, *entry, *ends[key], _range(*ends[key])) for key, entry in FRAMEWORKS.items()]
    columns = ["notion", "name", "protects", "neighbours", "source", "least", "largest", "epsilon"]
    return pd.DataFrame(rows, columns=columns)


def _range(low: float, high: float) -> str:
    least, largest = significant(low), significant(high)
    if low == high:
        return f"ε = {least}"
    if high == math.inf:
        return f"ε ≥ {least}" if low else "any ε"
    return f"{least} to {largest}" if low else f"ε ≤ {largest}"


def composition_frame(correlation: float, noise: float) -> pd.DataFrame:
    """Return right guesses of 100 from two figures of one table, each alone and together."""
    distances = counterexample(_SHIFT, correlation, noise).values()
    names = "First figure, with noise", "Second figure, without noise", "Both together"
    guesses = [100 * NormalLoss(np.array([one]), np.ones(1)).accuracy() for one in distances]
    return pd.DataFrame({"name": names, "guesses": guesses})


def pufferfish(now: Evaluation, style: Style = PLAIN) -> tuple[str, str]:
    """Write the scenario's (Θ, Ψ), and the same as Pufferfish privacy's (S, S_pairs, D)."""
    laws = [
        f"{percent(share)} of {whole(now.n)} records have {style.name(pair.secret.label)}"
        for pair in now.scenario.secrets
        for share in (pair.low, pair.high)
    ]
    pairs = tuple((k, k + 1) for k in range(1, len(laws), 2))
    fish = to_pufferfish(DistributionPrivacy(dict(enumerate(laws, 1)), pairs))
    both = ", ".join(f"({{0}}{a}, {{0}}{b}), ({{0}}{b}, {{0}}{a})" for a, b in pairs)
    mixed = "; ".join(f"the records come from θ{a} or θ{b}, at any odds" for a, b in fish.beliefs)
    thetas = "; ".join(f"θ{k}: {law}" for k, law in enumerate(laws, 1))
    secrets = "; ".join(f"s{k}: the records come from θ{k}" for k in fish.secrets)
    return (
        f"{style.strong('As distribution privacy.')} Θ = {{{thetas}}}. Ψ = {{{both.format('θ')}}}.",
        f"{style.strong('As Pufferfish privacy.')} S = {{{secrets}}}. "
        f"S_pairs = {{{both.format('s')}}}. D: {mixed}.",
    )


def laws_frame(model: GaussianModel) -> pd.DataFrame:
    """Return the laws of one figure at both shares: value, low, high (probabilities).

    The exact laws where they are known, else the fitted normals; at most about 60 values, as one
    for several neighbours where there are more.
    """
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
    promises = [Promise(epsilon, delta if name in _NAMES[1:3] else 0.0) for name in _NAMES]
    rows = []
    releases = calibrate_all([*zip(_NAMES, promises, strict=True)], model)
    for name, one in zip(_NAMES, releases, strict=True):
        if not isinstance(one, Release) or one.promise is None:
            rows.append((name, "–", "–", str(one), "–"))
            continue
        (way,) = judge(model, [one], one.promise)
        error = f"± {significant(way.errors[0])} {unit}".strip()
        rows.append(
            (name, error, significant(one.promise.delta), way.by, right_of_100(way.guesses))
        )
    columns = ["noise", "error", f"δ at ε = {significant(epsilon)}", "proven", "right of 100"]
    return pd.DataFrame(rows, columns=columns).set_index("noise")
