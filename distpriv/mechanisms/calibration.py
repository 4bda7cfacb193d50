"""Register of mechanisms and calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from distpriv.errors import DistprivError
from distpriv.model import GaussianModel, Promise, Release
from distpriv.model.grid import log_ratio
from distpriv.privacy.delivered import optimal_attack_accuracy, verdict
from distpriv.privacy.least_noise import Promises, least_along, least_noise, positive_part
from distpriv.privacy.loss import normal_delta, normal_distance

# ---------------------------------------------------------------- shapes

Model = list


def differences(model: Model):
    return np.array([pair.difference for pair in model])


def sensitivity(model: Model, order: int) -> float:
    return float(np.linalg.norm(differences(model), ord=order, axis=1).max())


def span(d) -> np.ndarray:
    """Orthonormal basis of the span of differences (K, m), shape (m, d)."""
    rows, sizes, _ = np.linalg.svd(d.T, full_matrices=False)
    return rows[:, sizes > 1e-9 * sizes[0]]


def _sizes(d, mu):
    return (np.linalg.norm(d, axis=1).max() / mu) ** 2


def expm(d, pooled, mu):
    return _sizes(d, mu)[:, None, None] * np.eye(d.shape[1])


def dirm(d, pooled, mu):
    basis = span(d)
    return _sizes(d, mu)[:, None, None] * (basis @ basis.T)


def eigm(d, pooled, mu):
    vectors = np.linalg.eigh(pooled.mean(1))[1]
    own = np.einsum("bin,bkij,bjn->bkn", vectors, pooled, vectors)
    size = np.maximum(_sizes(d, mu)[:, None] - own.min(1), 0)
    return (vectors * size[:, None]) @ np.swapaxes(vectors, 1, 2)


def daum(d, pooled, mu):
    basis = span(d)
    if basis.shape[1] > 1:
        return np.full((len(mu), len(basis), len(basis)), np.nan)
    v = basis[:, 0]
    free = 1 / (np.linalg.solve(pooled, v[:, None])[..., 0] @ v)
    size = np.maximum((d @ v) ** 2 / mu[:, None] ** 2 - free, 0).max(1)
    return size[:, None, None] * np.outer(v, v)


def optm(d, pooled, mu):
    scaled = d[None] / mu[:, None, None]
    return positive_part(scaled[..., :, None] * scaled[..., None, :] - pooled).sum(1)


GAUSSIAN = {"ExpM": expm, "DirM": dirm, "EigM": eigm, "DauM": daum, "OptM": optm}
LAPLACE = {"ExpM(L)": 1, "DirM(L)": 2}
ALWAYS = ("ExpM", "DirM")  # add noise where none is needed, too


# ---------------------------------------------------------------- calibration


def distance_allowed(epsilon, delta, calibration) -> float:
    if calibration == "classical":
        return epsilon / np.sqrt(2 * np.log(1.25 / delta))
    return normal_distance(epsilon, delta)


def gaussian_noise(jobs, model: Model, calibration="guarded", grid_safe=True):
    """Noises for jobs (name, ε, δ) side by side, on the grid of the statistics if `grid_safe`.

    None where no amount of a mechanism's noise keeps the promise.
    """
    made = [None] * len(jobs)
    todo = [i for i, job in enumerate(jobs) if job[0] not in LAPLACE]
    if not todo:
        return made
    names, epsilon, delta = zip(*(jobs[i] for i in todo))
    names, epsilon, delta = np.array(names), np.array(epsilon, float), np.array(delta, float)
    d = differences(model)
    covariances = np.array([pair.covariances for pair in model])
    if calibration != "guarded":
        covariances = np.repeat(covariances.mean(1, keepdims=True), 2, axis=1)
    case = names, d, covariances, epsilon, delta, calibration
    if grid_safe and _own(model).any():
        result = _above_floor(model, *case)
        none = ~np.isin(names, ALWAYS) & (not any(pair.apart for pair in model))
        none &= _none_needed(*case[1:])  # no noise needed is none on the grid either
        result = result * ~none[:, None, None]
    else:
        result = _covariances(
            names, d, np.broadcast_to(covariances, (len(todo), *covariances.shape)), *case[3:]
        )
    for i, noise in zip(todo, result):
        if np.isfinite(noise).all():
            made[i] = noise
    return made


def _above_floor(model, names, d, covariances, epsilon, delta, calibration):
    """Noise with a floor on all that has a grid, as wide as it has to be for what is above it, (B, m, m)."""
    result = np.full((len(names), *covariances.shape[-2:]), np.nan)
    allowed = np.maximum(np.minimum(epsilon, 1.0), delta) * _SHOWN
    grid = np.diag(_own(model) ** 2)
    wide = np.broadcast_to(
        covariances.mean(1) + _WIDER[0] ** 2 * grid, (len(names), len(d), *grid.shape)
    )
    guess = _shapes(names, d, wide, distance_allowed(epsilon, delta, calibration))
    todo = np.arange(len(names))
    for last in (False, False, True):  # at last a floor that does by itself: more noise shows less
        width, shown = _widths(
            model, guess * (not last), grid, allowed[todo] * (1.0 if last else 0.8)
        )
        floors = width[:, None, None] ** 2 * grid
        # What the grid shows is taken off ε and, by 1 + θ and where ε is less, off δ.
        room = np.where(last, shown, np.minimum(allowed[todo], 10 * shown + 1e-3 * allowed[todo]))
        less, left = np.maximum(epsilon[todo] - room, 0.0), np.minimum(epsilon[todo] - room, 0.0)
        charged = delta[todo] / (1 + np.tanh(room / 2)) + np.expm1(left)
        above = _covariances(
            names[todo], d, covariances + floors[:, None, None], less, charged, calibration
        )
        some = np.isfinite(above).all((1, 2))
        released = np.where(some[:, None, None], above, 0.0) + floors
        kept = some & (last | (_shows(model, released) <= room))
        result[todo[kept]] = (above + floors)[kept]
        todo, guess = todo[some & ~kept], above[some & ~kept]
        if not len(todo):
            break
    return result


_SHOWN = 1e-3  # of ε, or of δ where that is more: what the grid may show
_WIDER = 0.5 * 1.02 ** np.arange(60)  # steps


def _widths(model, above, grid, allowed):
    """The least width of the floor below noises (B, m, m) with which no more than allowed is shown."""
    width, shown = np.full(len(above), _WIDER[0]), _shows(model, above + _WIDER[0] ** 2 * grid)
    for i in np.flatnonzero(shown > allowed):
        every = _shows(model, above[i] + _WIDER[:, None, None] ** 2 * grid)
        enough = every <= allowed[i]
        if not enough.any():
            raise ValueError(
                "The statistics vary by so few steps that normal curves do not describe them."
            )
        width[i], shown[i] = _WIDER[enough.argmax()], every[enough.argmax()]
    return width, shown


def _shows(model, noise):
    return np.max([log_ratio(pair.smoothness(noise)) for pair in model], axis=0)


def _own(model: Model):
    return np.max([pair.steps for pair in model], axis=0)


def promises(d, covariances, epsilon, delta) -> Promises:
    """Of pairs (K, ...) at B pairs of ε and δ; covariances (K, 2, m, m) or (B, K, 2, m, m)."""
    shape = (len(epsilon), len(d))
    wide = lambda x, *more: np.broadcast_to(x, (*shape, *more))
    m = d.shape[1]
    return Promises(
        wide(d, m), wide(covariances, 2, m, m), wide(epsilon[:, None]), wide(delta[:, None])
    )


def _none_needed(d, covariances, epsilon, delta, calibration):
    if calibration == "classical":
        mu = distance_allowed(epsilon, delta, calibration)
        return (_distances(d, covariances.mean(1)) <= mu[:, None]).all(1)
    kept = promises(d, covariances, epsilon, delta)
    return kept.excess(np.zeros((len(epsilon), *covariances.shape[-2:]))).max(1) <= 0


def _distances(d, pooled):
    """Mahalanobis distances of pairs, (..., K)."""
    unit = np.sqrt(np.maximum(np.diagonal(pooled, axis1=-2, axis2=-1), 1e-300))
    scaled = pooled / (unit[..., :, None] * unit[..., None, :]) + 1e-13 * np.eye(d.shape[1])
    d = d / unit
    return np.sqrt((d * np.linalg.solve(scaled, d[..., None])[..., 0]).sum(-1))


def _covariances(names, d, covariances, epsilon, delta, calibration):
    """As if the statistics were densities; one case a row, covariances (B, K, 2, m, m)."""
    mu = distance_allowed(epsilon, delta, calibration)
    if calibration == "classical":  # the δ at which the exact distance is the classical one
        delta = normal_delta(mu, epsilon)
    kept = promises(d, covariances, epsilon, delta)
    pooled = covariances.mean(2)
    result = np.zeros((len(names), *pooled.shape[-2:]))
    best = names == "OptM"
    if best.any():
        result[best] = least_noise(kept.of(best))

    at = lambda rows, c: _shapes(names[rows], d, pooled[rows], mu[rows] / np.sqrt(c))
    rest = np.flatnonzero(~best)
    if calibration == "guarded" and len(rest):
        of = kept.of(rest)
        factor = least_along(of, lambda rows, c: at(rest[rows], c), least=1.0, most=1e6)
        result[rest] = np.where(
            np.isnan(factor)[:, None, None], np.nan, at(rest, np.nan_to_num(factor, nan=1.0))
        )
    elif len(rest):
        none = (_distances(d, pooled[rest]) <= mu[rest, None]).all(1) & ~np.isin(
            names[rest], ALWAYS
        )
        result[rest] = at(rest, np.ones(len(rest))) * ~none[:, None, None]
    return result


def _shapes(names, d, pooled, mu):
    """What each mechanism adds if the covariances agree, (B, m, m)."""
    result = np.empty((len(names), *pooled.shape[-2:]))
    for name in set(names):
        of = names == name
        result[of] = GAUSSIAN[name](d, pooled[of], mu[of])
    return result


Shape = Callable[
    [np.ndarray, np.ndarray, np.ndarray], np.ndarray
]  # d (K,m), pooled (B,K,m,m), mu (B,) -> (B,m,m)


@dataclass(frozen=True)
class Mechanism:
    """What a mechanism says of itself."""

    name: str
    title: str
    noise: str  # "gaussian" | "laplace" | "none"
    takes: frozenset[str]  # of epsilon, delta, guesses, units, bounds, persons, reference
    rests: str  # "model" | "any data"
    theorem: str
    shape: Shape | None = None
    always: bool = False  # adds noise where none is needed, too
    least: bool = False  # guarded by least_noise, not by scaling its shape
    papers: bool = True
    applies: Callable[[GaussianModel], str] = lambda model: (
        ""
    )  # "" or why it does not, in a sentence


MECHANISMS: dict[str, Mechanism] = {}


def register(one: Mechanism) -> None:
    MECHANISMS[one.name] = one


def _one_direction(model) -> str:
    d = differences(list(model.pairs))
    return (
        ""
        if span(d).shape[1] == 1
        else "DauM adds noise along one direction; these secrets differ along several."
    )


_BOTH = frozenset({"epsilon", "delta", "guesses"})
for name, theorem in {
    "ExpM": "Theorem 4.2",
    "DirM": "Section 4.2",
    "EigM": "Theorem 4.5",
    "DauM": "Algorithm 1",
    "OptM": "Corollary A.1",
}.items():
    register(
        Mechanism(
            name,
            name,
            "gaussian",
            _BOTH | ({"units", "persons"} if name == "OptM" else set()),
            "model",
            theorem,
            GAUSSIAN[name],
            name in ALWAYS,
            name == "OptM",
            name != "OptM",
            **({"applies": _one_direction} if name == "DauM" else {}),
        )
    )
for name, theorem in {"ExpM(L)": "Theorem 4.1", "DirM(L)": "Theorem 4.3"}.items():
    register(Mechanism(name, name, "laplace", frozenset({"epsilon"}), "model", theorem))
register(
    Mechanism(
        "BalM", "Balanced", "none", frozenset({"reference"}), "any data", "SPEC 14", papers=False
    )
)


def calibrate_all(
    jobs: Sequence[tuple[str, Promise]], model: GaussianModel, calibration="guarded", units=None
) -> list[Release | None]:
    """Releases for jobs (mechanism, promise) side by side; None where a mechanism cannot keep it."""
    units = np.ones(len(model.query)) if units is None else np.asarray(units, float)
    plain = [(name, promise.epsilon, promise.delta) for name, promise in jobs]
    todo = [i for i, (name, _) in enumerate(jobs) if not MECHANISMS[name].applies(model)]
    laplace = [i for i in todo if MECHANISMS[jobs[i][0]].noise == "laplace"]
    todo = [i for i in todo if i not in laplace]
    made = gaussian_noise(
        [plain[i] for i in todo], [pair.in_units(units) for pair in model.pairs], calibration
    )
    result: list[Release | None] = [None] * len(jobs)
    for i in laplace:
        result[i] = _laplace(*jobs[i], model)
    for i, noise in zip(todo, made):
        if noise is not None:
            result[i] = Release(
                jobs[i][0],
                noise * np.outer(units, units),
                promise=jobs[i][1],
                calibration=calibration,
                floor=None,
            )
    return result


def _laplace(name: str, promise: Promise, model: GaussianModel) -> Release:
    """At an ε, or at the ε that a limit on guesses leaves: no closed form, so by search."""

    def at(epsilon):
        d = differences(list(model.pairs))
        basis = np.eye(len(model.query)) if name == "ExpM(L)" else span(d)
        floor = None if name == "ExpM(L)" else np.diag((0.5 * model.steps) ** 2)
        return Release(
            name, floor, basis, float(np.abs(d @ basis).sum(1).max() / epsilon), promise=promise
        )

    if promise.guesses is None:
        return at(promise.epsilon)
    excess = lambda x: optimal_attack_accuracy(model, at(math.exp(x))) - promise.guesses / 100
    share = promise.guesses / 100
    low = math.log(
        0.5 * math.log(share / (1 - share))
    )  # the guarantee's ceiling; far below it quadrature explodes
    high = low + 1.0
    while excess(high) < 0 and high < math.log(100):
        low, high = high, high + 1.0
    if excess(high) <= 0:
        return at(100.0)
    return at(math.exp(brentq(excess, low, high, xtol=2e-3) - 2e-3))


def calibrate(
    name: str,
    model: GaussianModel,
    promise: Promise | None = None,
    reference: float | None = None,
    units=None,
) -> Release:
    if name == "BalM":
        numbers = model.pairs[0].numbers
        if len(model.pairs) > 1 or numbers.min() < 1:
            raise DistprivError(
                "A balanced release needs one secret, and records of both groups at every share of the range."
            )
        share = numbers.mean(0)[1] / model.n if reference is None else reference
        return Release(
            "BalM",
            kept=numbers.min(0),
            stands_for=model.n * np.array([1 - share, share]),
            promise=Promise(0.0, 0.0),
            reference=share,
        )
    found = calibrate_all([(name, promise)], model, units=units)[0]
    if found is None:
        raise DistprivError(
            f"No amount of {name} noise keeps this limit; take OptM or balanced figures."
        )
    if not verdict(model, found, promise).kept:
        raise AssertionError("calibration broke its promise")
    return found
