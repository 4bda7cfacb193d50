"""What a release hides and what it does not: right guesses against how far apart two shares are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from distpriv.analysis.basis import figure_laws
from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.fitting import scenario_populations
from distpriv.analysis.verdict import of_hundred, right_of_hundred
from distpriv.arguments import Within, checked
from distpriv.attacks.best_attack import optimal_attack_accuracies
from distpriv.errors import ScenarioError
from distpriv.model.gaussian import GaussianModel, model_from_moments, table_size
from distpriv.model.theta import Theta
from distpriv.privacy.noise import Noise
from distpriv.words import SPACE, number, share

__all__ = ["Hiding", "center_of", "center_reveals", "finding", "hiding", "hiding_unknown", "said"]

FloatArray = NDArray[np.float64]

_COUNT = 36  # distances, a third of them next to none
_SIMULATED = 15  # where each takes a simulation, or an exact law
_COUNTED = 200  # records of a release, of which every distance takes an exact law
_SHOWS, _CERTAIN = 0.75, 0.95  # right guesses


@dataclass(frozen=True, eq=False)
class Hiding:
    """How often the best attacker tells two shares apart, by how far apart they are.

    Every two shares lie on both sides of the scenario's centre.

    Attributes
    ----------
    center : float
    width : float
        Δp, the difference that the scenario is to hide.
    distances : ndarray, shape (k,)
        True distances of the two shares, rising from 0, `width` among them.
    undefended, defended : ndarray, shape (k,)
        Right guesses, in [0.5, 1], without noise and with the scenario's.
    mechanism : str
    hides : bool
        Whether the mechanism promises to hide the share, and arithmetic does not undo its noise.
    exact : bool
        Whether the right guesses are by the exact law of the statistic, not by fitted normals.
    """

    center: float
    width: float
    distances: FloatArray
    undefended: FloatArray
    defended: FloatArray
    mechanism: str
    hides: bool
    exact: bool = False

    @property
    def largest(self) -> float:
        """The largest distance that the centre and the records allow."""
        return float(self.distances[-1])

    def shares(self, distance: float) -> tuple[float, float]:
        """The two shares of that distance."""
        ends = (self.center - distance / 2, self.center + distance / 2)
        return round(ends[0], 9), round(ends[1], 9)

    def accuracy(self, distance: float, *, noise: bool = True) -> float:
        """Right guesses at a distance, in [0.5, 1]; between two that are known, on a line."""
        known = self.defended if noise else self.undefended
        return float(np.interp(distance, self.distances, known))

    def distance(self, accuracy: float) -> float | None:
        """The least distance with that many right guesses despite the noise; None if there is none.

        Parameters
        ----------
        accuracy : float in [0.5, 1]
        """
        reached = np.flatnonzero(self.defended >= accuracy)
        if not len(reached):
            return None
        right = int(reached[0])
        if right == 0:
            return 0.0
        ends = slice(right - 1, right + 1)
        return float(np.interp(accuracy, self.defended[ends], self.distances[ends]))

    @property
    def examples(self) -> tuple[float, ...]:
        """Distances beyond `width` to tell of: where 75 % and 95 % are reached, else the largest.

        Rounded up, the largest down, so that the shares are short numbers.
        """
        step = 2 * 10.0 ** (math.ceil(math.log10(self.largest) - 1e-9) - 2)
        reached = [self.distance(accuracy) for accuracy in (_SHOWS, _CERTAIN)]
        short = [
            min(math.ceil(distance / step - 1e-9) * step, self.largest)
            for distance in reached
            if distance is not None
        ] or [math.floor(self.largest / step + 1e-9) * step]
        beyond = (distance for distance in short if distance > self.width * (1 + 1e-9))
        return tuple(dict.fromkeys(beyond))


def hiding_unknown(evaluation: Evaluation) -> str:
    """Why it is not known what a release hides; empty where it is.

    Raises
    ------
    DistprivError
        Where the scenario has no result.
    """
    scenario = evaluation.scenario
    if not scenario.query.is_linear:
        return (
            "Other distances are not drawn: some of these statistics are simulated, and each "
            "distance would take a simulation of its own."
        )
    if scenario.presenting and _reach(evaluation) < _widest(scenario.center) - 1e-9:
        return (
            "Other distances are not drawn in the presentation view: where the lines end would "
            "tell how many records have the property."
        )
    return ""


@checked(ScenarioError)
def hiding(evaluation: Evaluation) -> Hiding | None:
    """How often the best attacker tells two shares apart, at every distance about the centre.

    By the exact law of a single count or proportion of at most 200 records, else by the fitted
    normals of either share, each with its own covariance, and by the best attacker on these two
    (:func:`distpriv.attacks.optimal.exact_accuracy`); on Laplace noise at few distances, simulated.
    At the scenario's own distance the figures are the evaluation's. Distances are those of whole
    numbers of records.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    Hiding or None
        None where :func:`hiding_unknown` says why.

    Raises
    ------
    DistprivError
        Where the scenario has no result.
    """
    if hiding_unknown(evaluation):
        return None
    scenario, noise = evaluation.scenario, evaluation.noise
    laplace = noise.distribution == "laplace" and not noise.is_zero
    few = laplace or _counts_one(evaluation)
    distances = _distances(evaluation, _SIMULATED if few else _COUNT)
    model = _fitted(evaluation, distances)
    undefended, defended = _accuracies(model, None), _accuracies(model, noise)
    if evaluation.focus == 0:
        promised = 1 + int(np.flatnonzero(distances == scenario.width)[0])
        undefended[promised], defended[promised] = evaluation.undefended, evaluation.accuracy
    return Hiding(
        center=scenario.center,
        width=scenario.width,
        distances=np.append(0.0, distances),
        undefended=undefended,
        defended=defended,
        mechanism=scenario.mechanism,
        hides=evaluation.mechanism.protects and not evaluation.undone,
        exact=_counts_one(evaluation) and evaluation.laws_for(noise) is not None,
    )


def finding(hidden: Hiding) -> str:
    """What is hidden, in a few words: ``Hides differences up to 10 points around 50 %``."""
    about = f"{number(100 * hidden.width)}{SPACE}points around {share(hidden.center)}"
    if not hidden.hides:
        return f"{hidden.mechanism} promises to hide no difference"
    shows = hidden.accuracy(hidden.width) >= _SHOWS
    return f"Hardly hides differences of {about}" if shows else f"Hides differences up to {about}"


def said(hidden: Hiding) -> tuple[str, ...]:
    """What is hidden and what is not, in plain sentences."""
    first = f"{finding(hidden)}: {_told(hidden, hidden.width)}."
    examples = hidden.examples
    if not examples:
        return (first,)
    if hidden.defended.max() < _SHOWS:
        (widest,) = examples
        return first, f"Even {_told(hidden, widest, only='only ')}."
    start, *others = examples
    more = "".join(
        f", {_pair(hidden, each)} in {of_hundred(hidden.accuracy(each))}" for each in others
    )
    return first, f"Larger ones show: {_told(hidden, start)}{more}."


@checked(ScenarioError)
def center_of(
    lowest: Annotated[float, Within(0, 1)],
    highest: Annotated[float, Within(0, 1)],
    width: Annotated[float, Within(0, 1)] = 0.0,
) -> float:
    """The centre of a range that everybody knows the share to lie in.

    Parameters
    ----------
    lowest, highest : float in [0, 1]
        The public range.
    width : float in [0, 1]
        Δp; the centre moves as far inwards as two shares of that distance need.

    Raises
    ------
    ScenarioError
        If the range is empty.
    """
    if not lowest < highest:
        raise ScenarioError(
            f"The public range must rise, got {share(lowest)} to {share(highest)}; choose a lowest "
            "share that is below the highest."
        )
    middle = round((lowest + highest) / 2, 6)
    return min(max(middle, width / 2), 1 - width / 2)


def center_reveals(lowest: float, highest: float) -> str:
    """What a public range tells whoever sees the setting, in a sentence."""
    return (
        f"Whoever sees the setting learns that you find {share(lowest)} to {share(highest)} "
        "plausible; choose a range that everybody knows."
    )


def _widest(center: float) -> float:
    return 2 * min(center, 1 - center)


def _reach(evaluation: Evaluation) -> float:
    """The largest distance about the centre that the shares and the records allow."""
    scenario, model = evaluation.scenario, evaluation.model
    widest = _widest(scenario.center)
    if model.replacement:
        return widest
    without, having = evaluation.groups.moments(scenario.query, scenario.secret).counts
    most, least = min(having / model.n, 1.0), max(1 - without / model.n, 0.0)
    return min(widest, 2 * (most - scenario.center), 2 * (scenario.center - least))


def _distances(evaluation: Evaluation, count: int) -> FloatArray:
    """Rising, above 0, in steps of two records; the scenario's own is one."""
    width, n = evaluation.scenario.width, evaluation.model.n
    # Rounding n·p may ask for a record more than there is.
    longest = max(_reach(evaluation), width)
    even = np.linspace(0, longest, count - count // 3 + 1)[1:]
    close = np.geomspace(longest / 1000, longest / 10, count // 3)
    snapped = 2 / n * np.floor(np.append(even, close) * n / 2 + 1e-9)
    distances = np.unique(np.append(snapped[snapped > 0], width).round(12))
    fits = [_fits(evaluation, distance) for distance in distances]
    return np.asarray(distances[fits])


def _fits(evaluation: Evaluation, distance: float) -> bool:
    """Whether there are records enough for both shares."""
    scenario, model = evaluation.scenario, evaluation.model
    if distance == scenario.width or model.replacement:
        return True
    counts = evaluation.groups.moments(scenario.query, scenario.secret).counts
    table = table_size(model.share_of, counts)
    needs = [
        Theta(
            scenario.secret, min(max(scenario.center + half, 0.0), 1.0), model.n, table=table
        ).needs
        for half in (-distance / 2, distance / 2)
    ]
    return bool((np.array(needs) <= counts).all())


def _fitted(evaluation: Evaluation, distances: FloatArray) -> GaussianModel:
    """Of a pair of shares a distance."""
    scenario, query = evaluation.scenario, evaluation.scenario.query
    moments = evaluation.groups.moments(query, scenario.secret)
    model = model_from_moments(
        {scenario.secret: moments},
        query,
        [scenario.secret.pair(scenario.center, float(distance)) for distance in distances],
        evaluation.model.n,
        replacement=evaluation.model.replacement,
        share_of=evaluation.model.share_of,
        regular=False,  # as the scenario's own model has been checked
    )
    if not _counts_one(evaluation):
        return model
    return model.drawn_from(scenario_populations(scenario, evaluation.groups))


def _counts_one(evaluation: Evaluation) -> bool:
    """Return whether the laws of all distances take a fraction of a second."""
    statistics = tuple(evaluation.scenario.query)
    return len(statistics) == 1 and statistics[0].indicates and evaluation.model.n <= _COUNTED


def _accuracies(model: GaussianModel, noise: Noise | None) -> FloatArray:
    """At distance 0 and at each of the model's."""
    laws = figure_laws(model, noise)
    if laws is None:
        cases = [(model.only(index), noise) for index in range(len(model.pairs))]
        right = optimal_attack_accuracies(cases)
    else:
        right = np.array([law.optimal_attack_accuracy(noise) for law in laws])
    return np.append(0.5, right.clip(0.5, 1.0))


def _told(hidden: Hiding, distance: float, only: str = "") -> str:
    right = right_of_hundred(hidden.accuracy(distance))
    return f"{_pair(hidden, distance)} is told apart in {only}{right} cases"


def _pair(hidden: Hiding, distance: float) -> str:
    lower, upper = map(share, hidden.shares(distance))
    return f"{lower.removesuffix(f'{SPACE}%')} against {upper}"
