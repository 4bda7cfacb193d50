"""Meta-classifiers that guess the proportion of a dataset, and the curves of their scores."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv.attacks.optimal import PrecisionRecallCurve, RocCurve
from distpriv.attacks.pair_normals import PairNormals
from distpriv.errors import AttackError
from distpriv.model.sampling import Interval
from distpriv.registry import Registry

__all__ = [
    "Attacker",
    "Classifier",
    "Trained",
    "attacker_names",
    "classifier_names",
    "get_attacker",
    "get_classifier",
    "precision_recall_curve",
    "register",
    "roc_curve",
    "train",
    "unregister",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]
Scorer = Callable[[FloatArray], FloatArray]
Fit = Callable[[FloatArray, IntArray, np.random.Generator], Scorer]

_TREES = 50
_LEAST_LEAF = 10
_HIDDEN = 8
_DECAY = 10.0


@dataclass(frozen=True)
class Attacker:
    """One kind of attacker.

    Attributes
    ----------
    name : str
        Short name, unique.
    title, summary : str
        For selectors and tooltips.
    """

    name: str
    title: str
    summary: str


_ATTACKERS: Registry[Attacker] = Registry("classifier", AttackError)
attacker_names, get_attacker = _ATTACKERS.names, _ATTACKERS.get
unregister = _ATTACKERS.remove
_A = TypeVar("_A", bound=Attacker)


def register(attacker: _A) -> _A:
    """Make an attacker known under its short name; those who are trained come first."""
    _ATTACKERS.add(attacker.name, attacker, position=0 if isinstance(attacker, Classifier) else 1)
    return attacker


@dataclass(frozen=True)
class Classifier(Attacker):
    """An attacker who is a meta-classifier, trained on datasets alone.

    Attributes
    ----------
    fit : callable (features, labels, rng) -> scorer
        Trains on standardised features of shape (rows, m) and labels 0 and 1; the scorer turns
        standardised features into scores, positive where label 1 is the likelier one.
    fewest : int
        Shadow datasets it needs.
    """

    fit: Fit
    fewest: int = 2


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained meta-classifier.

    Attributes
    ----------
    center, spread : ndarray, shape (m,)
        What the features are standardised with.
    scorer : callable
    """

    center: FloatArray
    spread: FloatArray
    scorer: Scorer

    def scores(self, features: FloatArray) -> FloatArray:
        """Score of each row, shape (rows,): the larger, the likelier is label 1."""
        return self.scorer((features - self.center) / self.spread)

    def guess(self, features: FloatArray) -> IntArray:
        """The likelier label of each row, shape (rows,); 0 for a score of 0."""
        return (self.scores(features) > 0).astype(np.int_)


def train(name: str, features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Trained:
    """Train a meta-classifier on the statistics of shadow datasets.

    Parameters
    ----------
    name : str
        One of :func:`classifier_names`.
    features : ndarray, shape (rows, m)
        Finite.
    labels : ndarray of 0 and 1, shape (rows,)
        Both must occur.
    rng : Generator
        Forest and perceptron take one number from it, the others none.

    Raises
    ------
    AttackError
        If there is no classifier of that name, or the rows are too few for it.
    """
    chosen = get_classifier(name)
    if len(features) < chosen.fewest:
        raise AttackError(
            f"The classifier {name!r} needs at least {chosen.fewest} shadow datasets, got "
            f"{len(features)}."
        )
    import sklearn  # costs a second to import, so only where it is used

    center = features.mean(axis=0)
    spread = features.std(axis=0)
    spread[spread == 0] = 1.0
    # Its input is made here, so that scikit-learn need not validate it at every fit.
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        scorer = chosen.fit((features - center) / spread, labels, rng)
    return Trained(center, spread, scorer)


def classifier_names() -> tuple[str, ...]:
    """Short names of the meta-classifiers, the default one first."""
    return tuple(name for name in attacker_names() if isinstance(get_attacker(name), Classifier))


def get_classifier(name: str) -> Classifier:
    """Return the meta-classifier of that short name.

    Raises
    ------
    AttackError
        If there is none.
    """
    attacker = get_attacker(name)
    if isinstance(attacker, Classifier):
        return attacker
    raise AttackError(f"{attacker.title} is not trained; choose another classifier than {name!r}.")


def _logistic(features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Scorer:
    from sklearn.linear_model import LogisticRegression

    return _linear(LogisticRegression(solver="liblinear").fit(features, labels))


def _discriminant(features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Scorer:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    with warnings.catch_warnings():
        # Statistics that always agree are left out by its singular value decomposition.
        warnings.filterwarnings("ignore", "Variables are collinear")
        return _linear(LinearDiscriminantAnalysis().fit(features, labels))


def _quadratic(features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Scorer:
    """As scikit-learn's, but that a statistic which does not vary is known, not an error."""
    return PairNormals.of_datasets(features, labels).log_ratios


def _linear(model: Any) -> Scorer:
    weights, intercept = model.coef_[0], float(model.intercept_[0])
    return lambda features: features @ weights + intercept


def _neighbours(features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Scorer:
    """As many neighbours as twice the root of the rows; an odd number, so that none tie."""
    from sklearn.neighbors import KNeighborsClassifier

    wanted = min(int(2 * math.sqrt(len(features))), len(features))
    model = KNeighborsClassifier(wanted - 1 + wanted % 2).fit(features, labels)
    return _by_probability(model)


def _forest(features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Scorer:
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(
        _TREES, min_samples_leaf=_LEAST_LEAF, random_state=_seed(rng), n_jobs=1
    ).fit(features, labels)
    return _by_probability(model)


def _perceptron(features: FloatArray, labels: IntArray, rng: np.random.Generator) -> Scorer:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier(
        (_HIDDEN,), activation="tanh", solver="lbfgs", alpha=_DECAY, random_state=_seed(rng)
    )
    with warnings.catch_warnings(), _blas().limit(limits=1):
        # Stopping early is as good as a little more decay.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(features, labels)
    (inner, outer), (bias, last) = model.coefs_, model.intercepts_
    return lambda rows: np.tanh(rows @ inner + bias) @ outer[:, 0] + last[0]


@cache
def _blas() -> Any:
    """Control of the linear algebra's threads, which only hinder where matrices are small."""
    # scikit-learn brings it along.
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController().select(user_api="blas")


def _by_probability(model: Any) -> Scorer:
    """Probability of label 1 above one half."""
    return lambda features: np.asarray(model.predict_proba(features)[:, 1] - 0.5)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))


for _classifier in (
    Classifier(
        "logistic",
        "Logistic regression",
        "A weighted sum of the statistics; the attacker of Chen & Ohrimenko (2023).",
        _logistic,
    ),
    Classifier(
        "lda",
        "Linear discriminant",
        "A weighted sum too, from means and the common covariance of the statistics.",
        _discriminant,
        fewest=4,
    ),
    Classifier(
        "qda",
        "Quadratic discriminant",
        "Weighs products of the statistics too, from the covariance under either share; in the "
        "limit the best possible attacker where the statistics are normal.",
        _quadratic,
        fewest=4,
    ),
    Classifier(
        "knn",
        "Nearest neighbours",
        "A vote among the most similar shadow datasets.",
        _neighbours,
    ),
    Classifier(
        "forest",
        "Random forest",
        f"A vote among {_TREES} decision trees.",
        _forest,
    ),
    Classifier(
        "mlp",
        "Neural network",
        f"A multi-layer perceptron with one layer of {_HIDDEN} neurons.",
        _perceptron,
    ),
):
    register(_classifier)


def roc_curve(scores: FloatArray, labels: IntArray, confidence: float = 0.95) -> RocCurve:
    """True against false positive rate of the scores of all repetitions together.

    Scores of several repetitions come from several classifiers; pooling reads them on one
    scale, which log-odds and probabilities have.

    Parameters
    ----------
    scores : ndarray, shape (repetitions, tests)
    labels : ndarray of 0 and 1, shape (tests,)
        The same in every repetition; both must occur.
    confidence : float in (0, 1)
        Of the interval of the area: the spread between repetitions, whose test sets share a
        classifier and records, by the jackknife and Student's t. For a single repetition, or
        where all agree, Wilson's interval on the smaller class, whose variance bounds that of
        the area (Birnbaum & Klose 1957).

    Returns
    -------
    RocCurve
        With the score above which a dataset is guessed to have label 1 at every point.
    """
    from sklearn import metrics

    pooled = _pool(scores, labels)
    false_rate, true_rate, thresholds = metrics.roc_curve(*pooled)
    return RocCurve(false_rate, true_rate, _area(scores, labels, 0, confidence), thresholds)


def precision_recall_curve(
    scores: FloatArray, labels: IntArray, confidence: float = 0.95
) -> PrecisionRecallCurve:
    """Precision against recall of the scores of all repetitions together.

    The area is the average precision, Σ precision · Δrecall; pooling and interval are those of
    :func:`roc_curve`, Wilson's on the datasets of label 1 (Boyd, Eng & Page 2013).

    Parameters
    ----------
    scores : ndarray, shape (repetitions, tests)
    labels : ndarray of 0 and 1, shape (tests,)
    confidence : float in (0, 1)
    """
    from sklearn import metrics

    pooled = _pool(scores, labels)
    precision, recall, thresholds = metrics.precision_recall_curve(*pooled)
    area = _area(scores, labels, 1, confidence)
    return PrecisionRecallCurve(recall, precision, area, thresholds)


def _pool(scores: FloatArray, labels: IntArray) -> tuple[IntArray, FloatArray]:
    return np.tile(labels, len(scores)), scores.ravel()


def _area(scores: FloatArray, labels: IntArray, kind: int, confidence: float) -> Interval:
    """Area under the pooled curve, ROC (kind 0) or precision–recall (1), with its interval."""
    truth, values = _pool(scores, labels)
    order = np.argsort(-values, kind="stable")
    truth, values = truth[order], values[order]
    ends = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    repetition = order // len(labels)
    area = _areas(truth, ends, np.ones(len(truth)))[kind]
    count = len(scores)
    without = np.array(
        [_areas(truth, ends, repetition != index)[kind] for index in range(count * (count > 1))]
    )
    if without.size and np.ptp(without) > 1e-12:
        error = math.sqrt((count - 1) * float(without.var()))
        half = float(stats.t.ppf((1 + confidence) / 2, count - 1)) * error
        return Interval(area, max(0.0, area - half), min(1.0, area + half), confidence)
    positives = int(truth.sum())
    guesses = positives if kind else min(positives, len(truth) - positives)
    wilson = stats.binomtest(round(area * guesses), guesses).proportion_ci(confidence, "wilson")
    return Interval(area, min(area, float(wilson.low)), max(area, float(wilson.high)), confidence)


def _areas(truth: IntArray, ends: IntArray, kept: NDArray[Any]) -> tuple[float, float]:
    """Areas under both curves of the kept scores, sorted from the highest down.

    ``ends`` are the last positions of equal scores.
    """
    positives = np.cumsum(truth * kept)[ends]
    negatives = np.cumsum((1 - truth) * kept)[ends]
    recall = positives / positives[-1]
    gained = np.diff(recall, prepend=0.0)
    missed = np.diff(negatives / negatives[-1], prepend=0.0)
    precision = positives / np.maximum(positives + negatives, 1)
    return float(missed @ (recall - gained / 2)), float(gained @ precision)
