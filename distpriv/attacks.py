"""Property-inference attacks: how often an attacker names the right proportion."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from scipy.special import log_ndtr, ndtr

from distpriv.errors import AttackError
from distpriv.models import GaussianModel, PairModel, RandomState, Theta, simulate
from distpriv.moments import RecordGroups, record_groups
from distpriv.noise import Noise
from distpriv.properties import Pair
from distpriv.queries import Query

__all__ = [
    "AttackResult",
    "Interval",
    "PropertyInferenceAttack",
    "linear_attack_accuracy",
    "optimal_attack_accuracy",
    "run_attack",
]

FloatArray = NDArray[np.float64]

LARGEST_PART = 10_000
SHARE = 0.4


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
    confidence : float in (0, 1)
    """

    estimate: float
    low: float
    high: float
    confidence: float = 0.95


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Accuracies of an attack, repetition by repetition.

    Attributes
    ----------
    accuracy : dict of name to ndarray, shape (repetitions,)
    tests : int
        Datasets guessed in each repetition.
    adaptive : bool
    seed : int
        Entropy that reproduces the run.
    """

    accuracy: dict[str, FloatArray]
    tests: int
    adaptive: bool
    seed: int

    @property
    def repetitions(self) -> int:
        """How many repetitions there are."""
        return len(next(iter(self.accuracy.values()), ()))

    def interval(self, name: str, confidence: float = 0.95) -> Interval:
        """Mean accuracy with its interval.

        Student's t from the spread between repetitions, whose test sets share a classifier and
        records; Wilson's interval on the pooled guesses for a single repetition, or when all
        repetitions agree exactly.
        """
        accuracies = self.accuracy[name]
        mean = float(accuracies.mean())
        spread = float(stats.sem(accuracies)) if len(accuracies) > 1 else 0.0
        if spread > 0:
            low, high = stats.t.interval(confidence, len(accuracies) - 1, mean, spread)
        else:
            guesses = self.tests * len(accuracies)
            wilson = stats.binomtest(round(mean * guesses), guesses).proportion_ci(
                confidence, method="wilson"
            )
            low, high = wilson.low, wilson.high
        return Interval(mean, max(0.0, float(low)), min(1.0, float(high)), confidence)


@dataclass(frozen=True, eq=False)
class PropertyInferenceAttack:
    """A meta-classifier attack on one pair, ready to repeat.

    A repetition splits the complete records at random into auxiliary, testing and modelling
    parts, trains logistic regression on the statistics of shadow datasets drawn from the
    auxiliary part, half under each proportion, and guesses the proportion of datasets drawn
    from the testing part and released with noise (Chen & Ohrimenko 2023, Section 5.3).

    Erratum: the paper trains on clean statistics and tests on noisy ones, which understates
    the leak; ``adaptive`` trains on noisy statistics too.

    Attributes
    ----------
    groups : RecordGroups
    query : Query
    pair : Pair
    n : int
        Records in a dataset.
    noises : mapping of name to Noise or None
        None is an undefended release.
    adaptive : bool
    shadows, tests : int
        Shadow and test datasets a repetition, both even.
    replacement : bool
    seed : int
        Every repetition and every noise has a random stream of its own, derived from this
        seed, the repetition, the mechanism and ε: neither order nor company moves a figure.
    """

    groups: RecordGroups
    query: Query
    pair: Pair
    n: int
    noises: Mapping[str, Noise | None]
    adaptive: bool = True
    shadows: int = 200
    tests: int = 200
    replacement: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, number in (("shadow", self.shadows), ("test", self.tests)):
            if number < 2 or number % 2:
                raise AttackError(
                    f"The number of {name} datasets must be even and at least 2, got {number}."
                )
        for name, noise in self.noises.items():
            if noise is not None and noise.dimension != len(self.query):
                raise AttackError(
                    f"The noise {name!r} is for {noise.dimension} statistics, but the query "
                    f"has {len(self.query)}; calibrate it on a model of this query."
                )

    @cached_property
    def _thetas(self) -> tuple[Theta, Theta]:
        return (
            Theta(self.pair.secret, self.pair.p_i, self.n, self.replacement),
            Theta(self.pair.secret, self.pair.p_j, self.n, self.replacement),
        )

    @cached_property
    def _records(self) -> FloatArray:
        """All records, those without the property first, row by row as drawing reads them."""
        return np.ascontiguousarray(np.vstack([self.groups.without, self.groups.having]))

    @property
    def part_size(self) -> int:
        """Records in the auxiliary part, and in the testing part."""
        return min(LARGEST_PART, int(SHARE * sum(self.groups.counts)))

    def repetition(self, index: int) -> dict[str, float]:
        """Accuracy of one repetition against each noise.

        Parameters
        ----------
        index : int >= 0
            Which repetition; the same index gives the same figures.

        Raises
        ------
        AttackError
            If a part has too few records.
        """
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index,)))
        auxiliary, testing = self._split(rng)
        shadow = self._statistics(auxiliary, self.shadows, rng)
        test = self._statistics(testing, self.tests, rng)
        shadow_labels = np.repeat([0, 1], self.shadows // 2)
        test_labels = np.repeat([0, 1], self.tests // 2)
        clean = None
        accuracies = {}
        for name, noise in self.noises.items():
            stream = self._noise_stream(index, noise)
            noisy = test if noise is None else test + noise.sample(self.tests, stream)
            if self.adaptive and noise is not None:
                trained = shadow + noise.sample(self.shadows, stream)
                classifier = _LogisticAttacker(trained, shadow_labels)
            else:
                clean = clean or _LogisticAttacker(shadow, shadow_labels)
                classifier = clean
            accuracies[name] = float(np.mean(classifier.guess(noisy) == test_labels))
        return accuracies

    def _split(self, rng: np.random.Generator) -> tuple[RecordGroups, RecordGroups]:
        """Random auxiliary and testing parts of equal size, disjoint."""
        records, first_having = self._records, len(self.groups.without)
        chosen = rng.choice(len(records), 2 * self.part_size, replace=False)
        parts = []
        for members in np.split(chosen, 2):
            is_having = members >= first_having
            parts.append(
                RecordGroups(
                    without=records.take(members[~is_having], axis=0),
                    having=records.take(members[is_having], axis=0),
                    dropped=0,
                )
            )
        return parts[0], parts[1]

    def _statistics(
        self, part: RecordGroups, datasets: int, rng: np.random.Generator
    ) -> FloatArray:
        """Statistics of datasets drawn from a part, half under each proportion."""
        for theta in self._thetas:
            needs = (theta.without, theta.having)
            for need, count, kind in zip(needs, part.counts, ("without", "with"), strict=True):
                if (count == 0 and need) or (need > count and not self.replacement):
                    raise AttackError(
                        f"The attack splits the {sum(self.groups.counts)} records, and its part "
                        f"of {self.part_size} holds only {count} {kind} the property "
                        f"{self.pair.secret.label!r} where a dataset needs {need}; take a "
                        "smaller n or Δp, or draw with replacement."
                    )
        return np.vstack(
            [simulate(part, self.query, theta, datasets // 2, rng) for theta in self._thetas]
        )

    def _noise_stream(self, index: int, noise: Noise | None) -> np.random.Generator:
        if noise is None:
            return np.random.default_rng(0)
        bits = struct.unpack("<Q", struct.pack("<d", noise.epsilon))[0]
        key = (index, zlib.crc32(noise.mechanism.encode()), bits)
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


class _LogisticAttacker:
    """Logistic regression on standardised statistics."""

    def __init__(self, features: FloatArray, labels: NDArray[np.int_]) -> None:
        import sklearn  # costs a second to import, so only where it is used
        from sklearn.linear_model import LogisticRegression

        self._center = features.mean(axis=0)
        self._spread = features.std(axis=0)
        self._spread[self._spread == 0] = 1.0
        # Its input is made here, so that scikit-learn need not validate it 50 times over.
        with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
            self._model = LogisticRegression(solver="liblinear").fit(
                self._standardise(features), labels
            )

    def _standardise(self, features: FloatArray) -> FloatArray:
        return (features - self._center) / self._spread

    def guess(self, features: FloatArray) -> NDArray[np.int_]:
        return np.asarray(self._model.predict(self._standardise(features)))


def run_attack(
    table: pd.DataFrame,
    query: Query,
    pair: Pair,
    n: int,
    noises: Mapping[str, Noise | None],
    *,
    adaptive: bool = True,
    repetitions: int = 50,
    shadows: int = 200,
    tests: int = 200,
    replacement: bool = False,
    rng: RandomState = None,
) -> AttackResult:
    """Run the property-inference attack against several noises on the same subsets.

    Parameters
    ----------
    table : DataFrame
    query : Query
    pair : Pair
        The two proportions the attacker tries to tell apart.
    n : int
        Records in a dataset.
    noises : mapping of name to Noise or None
        None is an undefended release.
    adaptive : bool
        Train on noisy statistics too (stronger); False is the paper's way.
    repetitions : int, at least 1
    shadows, tests : int
        Shadow and test datasets a repetition, both even.
    replacement : bool
        Draw records with replacement within a dataset.
    rng : Generator, int or None

    Returns
    -------
    AttackResult

    Raises
    ------
    QueryError, PropertyError
        If the statistics or the property do not fit the table.
    AttackError
        If the data are too few, or a number is outside its domain.
    """
    if repetitions < 1:
        raise AttackError(f"An attack needs at least one repetition, got {repetitions}.")
    seed = rng if isinstance(rng, int) else _fresh_seed(rng)
    attack = PropertyInferenceAttack(
        groups=record_groups(table, query, pair.secret),
        query=query,
        pair=pair,
        n=n,
        noises=dict(noises),
        adaptive=adaptive,
        shadows=shadows,
        tests=tests,
        replacement=replacement,
        seed=seed,
    )
    runs = [attack.repetition(index) for index in range(repetitions)]
    accuracy = {name: np.array([run[name] for run in runs]) for name in noises}
    return AttackResult(accuracy, tests, adaptive, seed)


def _fresh_seed(rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return int(rng.integers(2**63))


def optimal_attack_accuracy(model: GaussianModel, noise: Noise | None = None) -> float:
    """Accuracy of the best possible attacker at equal priors, for the worst pair.

    With Gaussian noise S and the pooled covariance Σ of a pair the Neyman–Pearson test is
    linear and right with probability Φ(d_M/2), d_M the Mahalanobis distance of the two means
    under Σ + S. With Laplace noise along the difference of the means the test is a threshold
    on one coordinate, a normal plus a Laplace variable.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.

    Returns
    -------
    float in [0.5, 1]

    Raises
    ------
    AttackError
        For Laplace noise in several directions, which has no closed form.
    """
    return max(_optimal_accuracy(fit, noise) for fit in model.pairs)


def _optimal_accuracy(fit: PairModel, noise: Noise | None) -> float:
    difference = fit.difference
    if noise is None or noise.is_zero or noise.distribution == "gaussian":
        covariance = fit.pooled if noise is None else fit.pooled + noise.covariance
        squared = float(difference @ np.linalg.solve(covariance, difference))
        return float(ndtr(math.sqrt(max(squared, 0.0)) / 2))
    shift = float(np.linalg.norm(difference))
    direction = noise.directions[:, 0]
    if noise.directions.shape[1] > 1 or abs(direction @ difference) < (1 - 1e-9) * shift:
        raise AttackError(
            f"The best attack on {noise.mechanism} has no closed form: its Laplace noise is not "
            "along the difference of the means."
        )
    spread = 1 / math.sqrt(float(direction @ np.linalg.solve(fit.pooled, direction)))
    return _normal_laplace_cdf(shift / 2, spread, float(noise.scales[0]))


def _normal_laplace_cdf(x: float, sigma: float, b: float) -> float:
    """Distribution function of N(0, σ²) + Lap(b) (Reed 2006, Equation 3)."""
    ratio, z = sigma / b, x / sigma
    upper = math.exp(ratio**2 / 2 - x / b + log_ndtr(z - ratio))
    lower = math.exp(ratio**2 / 2 + x / b + log_ndtr(-z - ratio))
    return float(ndtr(z) - (upper - lower) / 2)


def linear_attack_accuracy(
    model: GaussianModel, noise: Noise | None = None, weights: FloatArray | None = None
) -> float:
    """Accuracy of the attacker who thresholds a fixed linear score, at equal priors.

    Φ(wᵀd / (2√(wᵀ(Σ+S)w))), for the worst pair. The default w = Σ⁻¹d is what logistic
    regression on clean statistics tends to: the paper's attacker.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    weights : ndarray, shape (m,), optional

    Raises
    ------
    AttackError
        For Laplace noise.
    """
    if noise is not None and noise.distribution != "gaussian" and not noise.is_zero:
        raise AttackError(
            f"The linear attack on {noise.mechanism} has no closed form: its noise is Laplace."
        )
    added = np.zeros((len(model.query),) * 2) if noise is None else noise.covariance
    worst = 0.5
    for fit in model.pairs:
        score = np.linalg.solve(fit.pooled, fit.difference) if weights is None else weights
        spread = math.sqrt(float(score @ (fit.pooled + added) @ score))
        if spread > 0:
            worst = max(worst, float(ndtr(float(score @ fit.difference) / (2 * spread))))
    return worst
