"""What an ε means: the attacker's best figure in terms that need no theory."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, NamedTuple

from distpriv.analysis.answer import Wording
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.scenario import Scenario
from distpriv.arguments import Within, checked
from distpriv.attacks.record_equivalent import draws_to_match, leaked_records, records_to_match
from distpriv.attacks.two_shares import ShareBelief, share_belief
from distpriv.errors import PropertyError, ScenarioError
from distpriv.model.theta import Theta
from distpriv.privacy.gaussian_dp import GaussianDP, gaussian_dp
from distpriv.queries.properties import Pair
from distpriv.words import SPACE, exact, number, percent, share

__all__ = ["Meaning", "Said", "in_a_line", "meaning", "reading", "said"]

_DOWN_TO = 1e-3  # where the noise promises no δ


class Said(NamedTuple):
    """One way to say what a release gives away: what, how much, and what that is; plain."""

    title: str
    figure: str
    sentence: str


@dataclass(frozen=True)
class Meaning:
    """What a release tells of a pair of shares, said in several ways.

    Attributes
    ----------
    pair : Pair
    having : tuple of int
        Records with the property under either share, out of n.
    n : int
    replacement : bool
        Whether the n records are drawn with replacement.
    accuracy : float in [0.5, 1]
        Of the best attacker at even odds.
    gaussian : GaussianDP or None
        None for Laplace noise.
    belief : ShareBelief
        From a prior on the second share.
    """

    pair: Pair
    having: tuple[int, int]
    n: int
    replacement: bool
    accuracy: float
    gaussian: GaussianDP | None
    belief: ShareBelief

    @property
    def shares(self) -> tuple[float, float]:
        """The two shares in whole records of n."""
        return self.having[0] / self.n, self.having[1] / self.n

    @property
    def factor(self) -> float:
        """What any attacker's chance to name the right share is multiplied by, at most.

        2 × the accuracy, which is 1 + TV = Σ_y max(P_i(y), P_j(y)): the exponential of the maximal
        leakage of the two shares to the release (Issa, Wagner & Kamath 2020, Theorem 1; for
        statistics of a dataset arXiv 2411.18531). Chances of one share are never multiplied by
        more, whatever the prior, as Σ_y max_k π_k P_k(y) ≤ max_k π_k · Σ_y max_k P_k(y).
        """
        return 2 * self.accuracy

    @cached_property
    def draws(self) -> int | None:
        """Records drawn anew that tell as much; None where no number of them does."""
        return draws_to_match(self.accuracy, *self.shares)

    @cached_property
    def records(self) -> int | None:
        """The same of the n, read without putting any back."""
        return records_to_match(self.accuracy, *self.shares, self.n)

    @property
    def leaked(self) -> float:
        """n_leaked of Suri & Evans (2022), no more than `draws`."""
        return leaked_records(self.accuracy, *self.shares)


@checked(ScenarioError)
def meaning(evaluation: Evaluation, prior: Annotated[float, Within(0, 1)] = 0.5) -> Meaning:
    """What the scenario's noise means, for the pair looked at.

    Parameters
    ----------
    evaluation : Evaluation
    prior : float in (0, 1)
        How likely somebody holds the second share before the release.

    Raises
    ------
    ScenarioError
        If the prior is 0 or 1: whoever is certain learns nothing.
    DistprivError
        Where the scenario has no result.
    """
    if not 0 < prior < 1:
        raise ScenarioError(f"The prior must lie between 0 and 1, got {prior:g}.")
    noise, fit = evaluation.noise, evaluation.fit
    laws = evaluation.laws_for(noise)
    gaussian = None
    if noise.distribution == "gaussian" or noise.is_zero:
        gaussian = gaussian_dp(
            evaluation.focused,
            noise.detached(),
            noise.delta or evaluation.scenario.delta or _DOWN_TO,
            law=None if laws is None else laws[evaluation.focus],
        )
    first, second = (theta.having for theta in fit.thetas)
    return Meaning(
        pair=fit.pair,
        having=(first, second),
        n=evaluation.model.n,
        replacement=evaluation.model.replacement,
        accuracy=evaluation.accuracy,
        gaussian=gaussian,
        belief=share_belief(fit, noise, prior),
    )


def in_a_line(accuracy: float, scenario: Scenario) -> str:
    """What an accuracy means, for figures whose data are gone; plain, see :func:`reading`."""
    told = reading(accuracy, scenario)
    return (
        f"{number(100 * accuracy)} right guesses of 100"
        + ("" if told == "–" else f"; as good as being told the secret of {told}")
        + f"; any chance to name the right share times {_at_most(2 * accuracy)} at most"
    )


def reading(accuracy: float, scenario: Scenario) -> str:
    """How many records tell as much as the best attacker knows, for a table: ``7 records``.

    For figures whose data are gone. ``–`` where it is not known which of several pairs of shares
    they are about.

    Parameters
    ----------
    accuracy : float in [0.5, 1]
    scenario : Scenario
    """
    try:
        pairs = scenario.pairs
    except PropertyError:
        return "–"
    known = [pair for pair in pairs if len(pairs) == 1 or pair.label == scenario.look]
    if not known or math.isnan(accuracy):
        return "–"
    shares = [known[0].p_i, known[0].p_j]
    if not scenario.whole:  # whole numbers of records
        thetas = [Theta(known[0].secret, each, scenario.n) for each in shares]
        shares = [theta.having / theta.n for theta in thetas]
    return _records(draws_to_match(min(max(accuracy, 0.5), 1.0), *shares))


def said(known: Meaning, *, safe: Wording = str) -> tuple[Said, ...]:
    """A meaning in words, each way by itself.

    Parameters
    ----------
    known : Meaning
    safe : callable
        Makes the table's own names safe where the sentences are shown.
    """
    right, factor = number(100 * known.accuracy), _at_most(known.factor)
    first, second = (share(each) for each in (known.pair.p_i, known.pair.p_j))
    ways = [
        Said(
            "Right guesses",
            f"{right} of 100",
            f"Shown a release, the best possible attacker names the right one of {first} and "
            f"{second} of {safe(known.pair.secret.label)} in {right} of 100 cases; guessing names "
            "it in 50.",
        ),
        Said("As good as reading", _records(known.draws), _reading(known)),
        Said(
            "Any chance times, at most",
            factor,
            "Whatever somebody believes of the two shares beforehand, the release multiplies their "
            f"chance to name the right one by at most {factor}, twice the best "
            "attacker's accuracy (statistic maximal leakage, arXiv 2411.18531).",
        ),
    ]
    if known.gaussian is not None:
        ways.append(_gaussian(known.gaussian))
    ways.append(_belief(known, safe))
    return tuple(ways)


def _at_most(value: float) -> str:
    """Two decimals, none of them less than the value."""
    return f"{math.ceil(100 * value - 1e-9) / 100:.2f}"


def _records(count: int | None) -> str:
    if count is None:
        return "no number of records"
    return f"{exact(count)}{SPACE}{'record' if count == 1 else 'records'}"


def _reading(known: Meaning) -> str:
    if known.draws == 0:
        return "The release tells as little of the two shares as no record at all."
    if known.draws is None:
        return (
            "The two shares mean the same number of records, so that no records tell them apart."
            if known.having[0] == known.having[1]
            else "It tells more than any number of records that are drawn anew."
        )
    kept = (
        ""
        if known.records is None
        else f", or {exact(known.records)} of the {exact(known.n)} themselves"
    )
    return (
        f"That is as good as being told the secret of {_records(known.draws)} drawn at "
        f"random{kept}: the least number whose best test is right as often, computed exactly. (The "
        f"bound of Suri & Evans 2022 says that at least {number(known.leaked)} are needed.)"
    )


def _gaussian(known: GaussianDP) -> Said:
    if math.isinf(known.mu):
        return Said(
            "μ of Gaussian DP", "∞", "No two bell curves are as far apart as the release shows."
        )
    start = "It is" if known.whole else f"Down to δ{SPACE}={SPACE}{exact(known.delta)} it is"
    end = (
        f"the release is μ-Gaussian-DP for this pair, with no δ; releases of independent datasets "
        f"add up to √(Σμ²){SPACE}(Dong, Roth & Su 2022)."
        if known.whole
        else "no μ holds without a δ where the two shares make the statistics vary differently "
        "(Gaussian DP of Dong, Roth & Su 2022)."
    )
    return Said(
        "μ of Gaussian DP" if known.whole else f"μ, down to δ{SPACE}={SPACE}{exact(known.delta)}",
        number(known.mu),
        f"{start} no easier to tell the shares from the release than to tell from one draw which "
        f"of two bell curves of width 1 it is from, {number(known.mu)} apart; {end}",
    )


def _belief(known: Meaning, safe: Wording) -> Said:
    belief = known.belief
    low, high = percent(belief.low, 0), percent(belief.high, 0)
    at = f"{share(known.pair.p_j)} rather than {share(known.pair.p_i)}"
    drawn = " (from simulated releases)" if belief.simulated else ""
    right, before = percent(belief.right), percent(belief.right_before)
    more = (
        f"names the right share hardly more often than without it, in {before} of cases"
        if right == before
        else f"names the right share in {right} of cases instead of {before}"
    )
    return Said(
        f"A belief of {share(belief.prior)} becomes",
        f"{low.removesuffix(f'{SPACE}%')} to {high}",
        f"Who holds it for {share(belief.prior)} likely that {at} have "
        f"{safe(known.pair.secret.label)} holds it for {low} to {high} likely after "
        f"{number(100 * belief.confidence)} of 100 releases{drawn}, and {more}.",
    )
