"""The exact law of counts against enumeration, simulation, quadrature and Adult's figures."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import distpriv as dp
from distpriv.model.gaussian import thetas_of
from distpriv.privacy.exact_laws import ExactLaw, exact_law

RICH = dp.SensitiveProperty("rich")
PAIR = dp.Pair(RICH, 0.25, 0.75)
TABLE = pd.DataFrame(
    {
        "sex": list("FFMFMMMF"),
        "town": list("ABABCAAC"),
        "old": [True, False, True, True, False, False, True, False],
        "rich": [True] * 4 + [False] * 4,
    }
)
STATISTICS = (dp.Count("sex", "F"), dp.Proportion("town", "A"), dp.Count("old", True))
EPSILONS = np.array([0.0, 0.5, 1.0, 2.0, 4.0])


@dataclass(frozen=True, eq=False)
class Added:
    """The least that noise has to be."""

    covariance: np.ndarray[Any, np.dtype[np.float64]]
    distribution: str = "gaussian"

    @property
    def is_zero(self) -> bool:
        return not self.covariance.any()

    @property
    def scales(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.sqrt(np.diag(self.covariance))


def _added(covariance: Any) -> Added:
    return Added(np.array(covariance, dtype=np.float64))


def _along(*direction: float) -> Any:
    unit = np.array(direction) / np.linalg.norm(direction)
    return np.outer(unit, unit)


def _draws(members: range, size: int, replacement: bool) -> Iterator[tuple[int, ...]]:
    if replacement:
        return itertools.product(members, repeat=size)
    return itertools.combinations(members, size)


@pytest.fixture(scope="module")
def laws(people: pd.DataFrame, pair: dp.Pair) -> dict[int, ExactLaw]:
    """Of one, two and three statistics of people."""
    statistics = [dp.Count("status", "married"), dp.Count("remote", True), dp.Count("town", "A")]
    statistics[2] = dp.Count("town", "Ahausen")
    return {m: exact_law(people, dp.Query(statistics[:m]), pair, 30) for m in (1, 2, 3)}


def _densities(law: ExactLaw, noise: Added, y: Any) -> Any:
    """Of both releases at y, shape (2, len(y)), bell by bell."""
    shape = law.probabilities.shape[1:]
    points = np.indices(shape).reshape(len(shape), -1).T * law.steps
    bells = stats.multivariate_normal(cov=noise.covariance)
    found = np.zeros((2, len(y)))
    for point, masses in zip(points, law.probabilities.reshape(2, -1).T, strict=True):
        if masses.max() > 1e-14:
            found += masses[:, None] * bells.pdf(y - point)
    return found


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_law_against_every_dataset(m: int, replacement: bool) -> None:
    query = dp.Query(STATISTICS[:m])
    law = exact_law(TABLE, query, PAIR, 4, replacement=replacement)
    assert law.probabilities.shape == (2,) + (5,) * m
    records = query.values(TABLE)
    for found, theta in zip(law.probabilities, thetas_of(PAIR, 4, replacement), strict=True):
        ways = np.zeros_like(found)
        for one in _draws(range(4), theta.having, replacement):
            for other in _draws(range(4, 8), theta.without, replacement):
                ways[tuple(records[[*one, *other]].sum(axis=0).astype(int))] += 1
        np.testing.assert_allclose(found, ways / ways.sum(), atol=1e-15)


@pytest.mark.parametrize("replacement", [False, True])
def test_statistics_of_one_column(replacement: bool) -> None:
    """No record is in two towns, so the counts never exceed n together."""
    query = dp.Query([dp.Count("town", "A"), dp.Count("town", "B")])
    law = exact_law(TABLE, query, PAIR, 4, replacement=replacement)
    total = np.add.outer(np.arange(5), np.arange(5))
    assert not law.probabilities[:, total > 4].any()
    assert law.probabilities.sum(axis=(1, 2)) == pytest.approx(1)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize(("m", "n"), [(1, 400), (2, 250), (3, 60)])
def test_the_law_has_the_model_s_moments(
    people: pd.DataFrame, pair: dp.Pair, m: int, n: int, replacement: bool
) -> None:
    statistics = (dp.Count("status", "married"), dp.Proportion("town", "Ahausen"))
    query = dp.Query([*statistics, dp.Count("remote", True)][:m])
    law = exact_law(people, query, pair, n, replacement=replacement)
    model = dp.fit_gaussian(people, query, pair, n, replacement=replacement).pairs[0]
    grids = np.indices(law.probabilities.shape[1:]).reshape(m, -1) * law.steps[:, None]
    for index, masses in enumerate(law.probabilities.reshape(2, -1)):
        assert (masses >= 0).all()
        assert masses.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(grids @ masses, model.means[index], rtol=1e-9)
        spread = np.cov(grids, aweights=masses, ddof=0).reshape(m, m)
        np.testing.assert_allclose(spread, model.covariances[index], rtol=1e-7, atol=1e-9)


def test_convolutions_by_fourier_transform_agree(
    people: pd.DataFrame, pair: dp.Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = dp.Query([dp.Count("status", "married"), dp.Count("remote", True)])
    summed = exact_law(people, query, pair, 40).probabilities
    monkeypatch.setattr("distpriv.privacy.count_laws._DIRECT", 0)
    transformed = exact_law(people, query, pair, 40).probabilities
    np.testing.assert_allclose(transformed, summed, atol=1e-15)


def test_nothing_is_added(laws: dict[int, ExactLaw]) -> None:
    p, q = laws[2].probabilities
    for noise in (None, _added(np.zeros((2, 2))), _added(np.diag([1e-3, 1e-3]))):
        deltas = laws[2].delivered_deltas(noise, EPSILONS)
        for index, epsilon in enumerate(EPSILONS):
            expected = [np.clip(a - np.exp(epsilon) * b, 0, 1).sum() for a, b in ((p, q), (q, p))]
            assert deltas[:, index] == pytest.approx(expected, abs=1e-12)
        assert laws[2].optimal_attack_accuracy(noise) == pytest.approx(
            0.5 + 0.25 * np.abs(p - q).sum()
        )


@pytest.mark.parametrize("deviation", [0.08, 0.3, 0.5, 1.0, 5.0, 40.0])
@pytest.mark.parametrize("statistic", [dp.Count, dp.Proportion])
def test_one_count_against_quadrature(
    people: pd.DataFrame, pair: dp.Pair, deviation: float, statistic: type[dp.Count]
) -> None:
    law = exact_law(people, dp.Query([statistic("status", "married")]), pair, 50)
    noise = _added([[(deviation * law.steps[0]) ** 2]])
    mesh = np.linspace(-8 * deviation, 50 + 8 * deviation, 400_001)
    p, q = _densities(law, noise, mesh[:, None] * law.steps[0]) * law.steps[0]
    width = mesh[1] - mesh[0]
    factors = np.exp(EPSILONS)[:, None]
    expected = [width * np.maximum(a - factors * b, 0).sum(axis=1) for a, b in ((p, q), (q, p))]
    found = law.delivered_deltas(noise, EPSILONS)
    np.testing.assert_allclose(found, expected, rtol=3e-4, atol=1e-9)


@pytest.mark.parametrize(
    "covariance",
    [
        np.diag([0.3, 0.3]),
        np.diag([0.04, 9.0]),
        [[6.0, 2.0], [2.0, 1.0]],
        0.25 * np.eye(2) + 60 * _along(0.8, 0.6),
        0.0025 * np.eye(2) + 60 * _along(0.8, 0.55),
        [[80.0, -30.0], [-30.0, 90.0]],
    ],
)
def test_two_counts_against_a_fine_mesh(laws: dict[int, ExactLaw], covariance: Any) -> None:
    law, noise = laws[2], _added(covariance)
    values, vectors = np.linalg.eigh(noise.covariance)
    deviations = np.sqrt(values)
    ends = (np.array(list(itertools.product((0, 30), repeat=2))) @ vectors).T
    axes = [
        np.arange(end.min() - 7 * deviation, end.max() + 7 * deviation, width)
        for end, deviation, width in zip(
            ends, deviations, np.minimum(deviations / 3, [0.1, 0.4]), strict=True
        )
    ]
    area = float(np.prod([axis[1] - axis[0] for axis in axes]))
    y = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    # In the noise's own coordinates the bells are products, which makes the direct sum quick.
    points = np.indices(law.probabilities.shape[1:]).reshape(2, -1).T @ vectors
    bells = [
        stats.norm.pdf(axis[:, None] - points[:, index], scale=deviations[index])
        for index, axis in enumerate(axes)
    ]
    p, q = ((bells[0] * masses) @ bells[1].T for masses in law.probabilities.reshape(2, -1))
    assert p.size == len(y)
    found = law.delivered_deltas(noise, EPSILONS)
    for index, epsilon in enumerate(EPSILONS):
        expected = [
            area * np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p))
        ]
        np.testing.assert_allclose(found[:, index], expected, rtol=2e-3, atol=2e-9)


@pytest.mark.parametrize(
    "covariance",
    [np.diag([0.5, 2.0, 4.0]), 0.25 * np.eye(3) + 30 * _along(0.7, 0.6, -0.2), 4 * np.eye(3)],
)
def test_three_counts_against_simulation(
    laws: dict[int, ExactLaw], covariance: Any, rng: np.random.Generator
) -> None:
    """A mean of (1 − e^ε q/p)₊ under p."""
    law, noise, size = laws[3], _added(covariance), 1500
    masses = law.probabilities[0].ravel()
    drawn = np.array(np.unravel_index(rng.choice(masses.size, size, p=masses), (31,) * 3)).T
    y = drawn + rng.multivariate_normal(np.zeros(3), noise.covariance, size)
    p, q = _densities(law, noise, y)
    found = law.delivered_deltas(noise, EPSILONS[:3])[0]
    for epsilon, delta in zip(EPSILONS, found, strict=False):
        lost = np.maximum(1 - np.exp(epsilon) * q / p, 0)
        assert abs(lost.mean() - delta) < 4 * lost.std() / np.sqrt(size) + 1e-6


def test_a_box_is_worth_what_its_bells_are(
    laws: dict[int, ExactLaw], monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = _added(np.diag([0.5, 1.5, 3.0]))
    boxed = laws[3].delivered_deltas(noise, EPSILONS)
    monkeypatch.setattr("distpriv.privacy.bell_mixtures.BellMixture._box", lambda self: None)
    np.testing.assert_allclose(
        laws[3].delivered_deltas(noise, EPSILONS), boxed, rtol=1e-4, atol=1e-9
    )


def test_noise_along_a_generic_direction_is_none(laws: dict[int, ExactLaw]) -> None:
    for m, direction in ((2, (0.8, np.sqrt(0.5))), (3, (0.7, np.sqrt(0.5), np.pi / 10))):
        found = laws[m].delivered_deltas(_added(90 * _along(*direction)), EPSILONS)
        np.testing.assert_allclose(found, laws[m].delivered_deltas(None, EPSILONS), atol=1e-9)


def test_noise_on_some_counts_leaves_the_others(laws: dict[int, ExactLaw]) -> None:
    """With one count drowned the release tells what the others do."""
    noise = _added(np.diag([0.0, 1e8]))
    found = laws[2].delivered_deltas(noise, EPSILONS)
    alone = laws[1].delivered_deltas(None, EPSILONS)
    # What the drowned one tells beside is in the order of its steps over the noise.
    np.testing.assert_allclose(found, alone, atol=2e-3)
    for tiny in (0.0, 1e-6):
        three = laws[3].delivered_deltas(_added(np.diag([2.0, 1.0, tiny])), EPSILONS)
        expected = np.zeros((2, len(EPSILONS)))
        for value in range(31):
            part = ExactLaw(
                dp.Query(tuple(laws[3].query)[:2]),
                laws[3].pair,
                30,
                False,
                laws[3].probabilities[..., value],
            )
            expected += part.delivered_deltas(_added(np.diag([2.0, 1.0])), EPSILONS)
        np.testing.assert_allclose(three, expected, rtol=2e-3, atol=1e-8)


def test_noise_along_the_diagonal_tells_the_difference(laws: dict[int, ExactLaw]) -> None:
    """Of rank one, and points with the same difference of counts are mixed."""
    variance = 9.0
    found = laws[2].delivered_deltas(_added(2 * variance * _along(1, 1)), EPSILONS)
    mesh = np.arange(-25, 55, 0.01)
    expected = np.zeros((2, len(EPSILONS)))
    for difference in range(-30, 31):
        p, q = np.zeros((2, len(mesh)))
        for first in range(max(0, difference), min(30, 30 + difference) + 1):
            bell = stats.norm.pdf(mesh - first, scale=np.sqrt(variance)) * 0.01
            p += laws[2].probabilities[0, first, first - difference] * bell
            q += laws[2].probabilities[1, first, first - difference] * bell
        for index, factor in enumerate(np.exp(EPSILONS)):
            expected[0, index] += np.maximum(p - factor * q, 0).sum()
            expected[1, index] += np.maximum(q - factor * p, 0).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-8)


def test_units_do_not_matter(people: pd.DataFrame, pair: dp.Pair) -> None:
    counts = dp.Query([dp.Count("status", "married"), dp.Count("remote", True)])
    mixed = dp.Query([dp.Count("status", "married"), dp.Proportion("remote", True)])
    covariance = np.array([[6.0, 2.0], [2.0, 3.0]])
    units = np.diag([1, 1 / 30])
    np.testing.assert_allclose(
        exact_law(people, counts, pair, 30).delivered_deltas(_added(covariance), EPSILONS),
        exact_law(people, mixed, pair, 30).delivered_deltas(
            _added(units @ covariance @ units), EPSILONS
        ),
        rtol=1e-6,
        atol=1e-12,
    )


@given(
    st.floats(0, np.pi),
    st.floats(0.15, 20),
    st.floats(0.15, 20),
    st.lists(st.floats(0, 6), min_size=2, max_size=5).map(sorted),
)
def test_more_epsilon_less_delta_and_never_more_than_bare(
    laws: dict[int, ExactLaw], angle: float, first: float, second: float, epsilons: list[float]
) -> None:
    law = laws[2]
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    noise = _added(turn @ np.diag([first**2, second**2]) @ turn.T)
    deltas = law.delivered_deltas(noise, epsilons)
    assert ((deltas >= 0) & (deltas <= 1)).all()
    assert (np.diff(deltas, axis=1) <= 1e-9).all()
    assert (deltas <= law.delivered_deltas(None, epsilons)).all()
    more = law.delivered_deltas(_added(2 * noise.covariance), epsilons)
    assert (more <= deltas * (1 + 2e-3) + 2e-9).all()
    assert 0.5 <= law.optimal_attack_accuracy(noise) <= law.optimal_attack_accuracy()


def test_very_large_epsilon(laws: dict[int, ExactLaw]) -> None:
    for noise in (None, _added(np.eye(2))):
        assert laws[2].delivered_delta(noise, 1e4) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("statistics", "n", "message"),
    [
        ([dp.Median("age"), *STATISTICS[:1]], 4, "'median age' is none of these"),
        ([*STATISTICS, dp.Count("town", "B")], 4, "at most 3 counts"),
        (STATISTICS, 200, "at most 150 records, got n = 200"),
    ],
)
def test_what_is_refused(statistics: list[dp.Statistic], n: int, message: str) -> None:
    with pytest.raises(dp.errors.ModelError, match=message):
        exact_law(TABLE, dp.Query(statistics), PAIR, n)


def test_too_few_records() -> None:
    with pytest.raises(dp.errors.ModelError):
        exact_law(TABLE, dp.Query(STATISTICS[:1]), PAIR, 8)


def test_noise_that_is_refused(laws: dict[int, ExactLaw]) -> None:
    with pytest.raises(dp.errors.CalibrationError, match="Laplace"):
        laws[2].delivered_delta(Added(np.eye(2), "laplace"), 1.0)
    with pytest.raises(dp.errors.CalibrationError, match="of 3 statistics, the law of 2"):
        laws[2].delivered_delta(_added(np.eye(3)), 1.0)
    for epsilon in (-1.0, np.nan, np.inf):
        with pytest.raises(dp.errors.CalibrationError, match="at least 0"):
            laws[2].delivered_delta(_added(np.eye(2)), epsilon)
    with pytest.raises(dp.errors.ModelError, match=r"deviation of 0\.01 steps"):
        laws[3].delivered_deltas(
            _added(1e-4 * np.eye(3) + 40 * _along(0.7, 0.6, 0.2)), np.arange(30.0)
        )


@pytest.fixture(scope="module")
def adult_law(adult: pd.DataFrame) -> ExactLaw:
    query = dp.Query([dp.Count("marital-status", "Never-married"), dp.Count("sex", "Female")])
    pair = dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1)
    return exact_law(adult, query, pair, 100, replacement=True)


@pytest.mark.adult
def test_adult_without_noise(adult_law: ExactLaw) -> None:
    assert adult_law.optimal_attack_accuracy() == pytest.approx(0.690919, abs=5e-7)
    assert adult_law.delivered_delta(None, 1.0) == pytest.approx(0.135318, abs=5e-7)


@pytest.mark.adult
def test_adult_with_noise_along_one_direction(adult: pd.DataFrame, adult_law: ExactLaw) -> None:
    """Algorithm 1 as published promises δ(1) = 0.001."""
    fit = dp.fit_gaussian(adult, adult_law.query, adult_law.pair, 100, replacement=True).pairs[0]
    # Of two statistics it hides the direction of the difference alone.
    direction = fit.difference / np.linalg.norm(fit.difference)
    noise = 98.1058 * np.outer(direction, direction)
    assert adult_law.delivered_delta(_added(noise), 1.0) == pytest.approx(0.1353, abs=5e-5)
    floored = _added(noise + 0.25 * np.eye(2))
    assert np.trace(floored.covariance) == pytest.approx(98.606, abs=1e-3)
    assert adult_law.optimal_attack_accuracy(floored) == pytest.approx(0.57754, abs=5e-5)
    assert adult_law.delivered_delta(floored, 1.0) == pytest.approx(1.62e-3, abs=1e-5)


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_law_of_a_random_sample_is_a_mixture_over_the_count(
    people: pd.DataFrame, pair: dp.Pair, m: int, replacement: bool
) -> None:
    statistics = [dp.Count("status", "married"), dp.Count("remote", True)]
    query = dp.Query([*statistics, dp.Count("town", "Ahausen")][:m])
    n = 12
    drawn = exact_law(people, query, pair, n, replacement=replacement, share_of="table")
    for law, theta in zip(
        drawn.probabilities, thetas_of(pair, n, replacement, len(people)), strict=True
    ):
        expected = np.zeros((n + 1,) * m)
        for having, mass in zip(*theta.count_law(), strict=True):
            fixed = dp.Pair(pair.secret, having / n, 0.5 if having != n / 2 else 0.25)
            one = exact_law(people, query, fixed, n, replacement=replacement)
            expected += mass * one.probabilities[0 if fixed.p_i == having / n else 1]
        np.testing.assert_allclose(law, expected, rtol=1e-6, atol=1e-14)
