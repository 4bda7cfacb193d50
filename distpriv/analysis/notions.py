"""What the page about notions of privacy draws and says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from distpriv.analysis.sentences import PLAIN, Style
from distpriv.composition import counterexample
from distpriv.hypothesis import (
    FRAMEWORKS,
    DistributionPrivacy,
    RecordTest,
    convert,
    to_pufferfish,
)
from distpriv.privacy import NormalLoss
from distpriv.text import percent, significant, whole

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.analysis.evaluation import Evaluation

__all__ = ["composition_frame", "density_frame", "map_frame", "pufferfish", "rates_table"]
__all__ += ["score_frame"]

_RELEASED = np.linspace(-4, 5, 361)
_EPSILONS = np.geomspace(0.1, 10, 121)
_SHIFT = 1.4  # by which the secret moves the first of two figures, in standard deviations


def density_frame(test: RecordTest) -> pd.DataFrame:
    """Return densities of a noisy count that is 0 without a record and 1 with it."""
    import pandas as pd

    present, absent = test.densities(_RELEASED)
    return pd.DataFrame({"released": _RELEASED, "without": absent, "present": present})


def rates_table(test: RecordTest, threshold: float, beta: float) -> pd.DataFrame:
    """Return what a test reaches at a threshold and at the best one, as people read it."""
    import pandas as pd

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
    import pandas as pd

    noise, knowledge = (test.delta, test.calibration), (test.prior, test.records, test.time)
    knows = {"knows nothing": (0.0, 0.0, 0.0)} | (
        {"knows more": knowledge} if any(knowledge) else {}
    )
    lines = {name: RecordTest(_EPSILONS, *noise, *one).f_score(beta) for name, one in knows.items()}
    frame = pd.DataFrame({"epsilon": _EPSILONS} | lines)
    return frame.melt("epsilon", var_name="attacker", value_name="f_score")


def map_frame(epsilon: float, framework: str, independent: bool) -> pd.DataFrame:
    """Return what ε can be in each notion, what it protects and which inputs it compares."""
    import pandas as pd

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
    import pandas as pd

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
