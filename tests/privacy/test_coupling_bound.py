"""No release delivers more than the coupling bound says, held against exact laws."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.model.cells import Matching
from distpriv.model.theta import ShareOf
from distpriv.privacy.coupling_bound import bounded_delta, bounded_epsilon

SECRET = dp.SensitiveProperty("s", "yes")
SOME = range(40)
# Of 160 more those in which the exact δ comes closest to the bound.
TIGHT = (
    *(113, 121, 143, 43, 53, 131, 116, 182, 195, 196),
    *(190, 132, 112, 147, 184, 79, 172, 168, 191, 126),
    *(85, 73, 108, 173, 63, 197, 187, 91, 162, 107, 133, 199, 49, 84, 86, 198, 59, 134, 68, 171),
)


def scenario(seed: int) -> tuple[pd.DataFrame, dp.Query, dp.Pair, int, bool]:
    """A small table with one to three counts or shares, a pair of proportions and a size."""
    random = np.random.default_rng(seed)
    count = int(random.integers(30, 160))
    having = random.random(count) < random.uniform(0.3, 0.7)
    columns = int(random.integers(1, 4))
    shares = random.uniform(0.05, 0.95, (2, columns))
    mixed = random.random(count) < 0.3  # columns depend on each other
    values = random.random((count, columns)) < np.where(having[:, None], shares[1], shares[0])
    values[mixed] = values[mixed, :1]
    table = pd.DataFrame(
        {f"c{index}": np.where(values[:, index], "x", "o") for index in range(columns)}
        | {"s": np.where(having, "yes", "no")}
    )
    kinds = [dp.Count if random.random() < 0.7 else dp.Proportion for _ in range(columns)]
    query = dp.Query([kind(f"c{index}", "x") for index, kind in enumerate(kinds)])
    n = int(random.integers(4, 1 + (12 if columns == 3 else 25)))
    n = min(n, int(having.sum()), int((~having).sum()))
    center, width = random.uniform(0.35, 0.65), random.uniform(0.1, 0.6)
    return table, query, SECRET.pair(center, width), n, bool(random.random() < 0.5)


def noise_for(query: dp.Query, n: int, seed: int) -> dp.Noise:
    """Noise of some size and shape, now and then of deficient rank."""
    random = np.random.default_rng((seed, 1))
    size = len(query)
    rank = size if random.random() < 0.8 else max(1, size - 1)
    factors = random.normal(size=(size, rank)) * random.uniform(0.3, 3)
    covariance = factors @ factors.T * np.outer(query.scales(n), query.scales(n))
    return dp.privacy.noise.gaussian_noise("some", covariance, epsilon=1.0, delta=1e-3)


def _check(seed: int, matched: str = "alike", share_of: ShareOf = "release") -> None:
    table, query, pair, n, replacement = scenario(seed)
    noise, epsilon = noise_for(query, n, seed), float(np.random.default_rng(seed).uniform(0, 2))
    bound = dp.coupling_bound(
        table,
        query,
        pair,
        n,
        noise,
        epsilon,
        replacement=replacement,
        share_of=share_of,
        matched=matched,  # type: ignore[arg-type]
        rng=seed,
    )
    law = dp.exact_law(table, query, pair, n, replacement=replacement, share_of=share_of)
    exact = law.delivered_delta(noise, epsilon)
    assert exact <= bound.value * (1 + 1e-3) + 1e-9, seed


@pytest.mark.parametrize("seed", SOME)
def test_the_exact_delta_is_never_above(seed: int) -> None:
    _check(seed)
    if seed % 3 == 0:
        _check(seed, "independent")


@pytest.mark.parametrize("seed", range(300, 316))
def test_the_exact_delta_of_a_table_s_share_is_never_above(seed: int) -> None:
    _check(seed, "independent" if seed % 3 == 0 else "alike", "table")


@pytest.mark.slow
@pytest.mark.parametrize("seed", TIGHT)
def test_the_exact_delta_is_never_above_where_it_is_closest(seed: int) -> None:
    _check(seed)


def test_a_wrong_margin_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever keeps swapped records in their cells draws other datasets, and bounds nothing."""
    shares = {"yes": 0.9, "no": 0.1}
    random = np.random.default_rng(0)
    secret = np.repeat(["yes", "no"], 300)
    marks = random.random(600) < np.array([shares[value] for value in secret])
    table = pd.DataFrame({"c": np.where(marks, "x", "o"), "s": secret})
    query, pair = dp.Query([dp.Count("c", "x")]), SECRET.pair(0.5, 0.4)
    noise = dp.privacy.noise.gaussian_noise("some", np.eye(1) * 9, epsilon=1.0, delta=1e-3)
    exact = dp.exact_law(table, query, pair, 20, replacement=True).delivered_delta(noise, 1.0)
    right = dp.coupling_bound(table, query, pair, 20, noise, 1.0, replacement=True)
    assert exact <= right.value
    pairs = Matching.pairs.func  # type: ignore[attr-defined]

    def stuck(self: Matching) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first, second, masses = pairs(self)
        same = (self.groups[0][first] == self.groups[1][second]).all(axis=1)
        return first[same], second[same], masses[same] / masses[same].sum()

    monkeypatch.setattr(Matching, "pairs", property(stuck))
    wrong = dp.coupling_bound(table, query, pair, 20, noise, 1.0, replacement=True)
    assert wrong.value < exact


def test_it_is_about_what_many_more_draws_say() -> None:
    """Drawn and enumerated bounds of one coupling: two counts, and the same with a third column."""
    table = dp.load_census_income()
    secret = dp.SensitiveProperty("income", ">50K")
    pair = secret.pair(center=0.5, width=0.1)
    counts = dp.Query([dp.Count("marital-status", "Never-married"), dp.Count("sex", "Female")])
    model = dp.fit_gaussian(table, counts, pair, 100, replacement=True)
    noise = dp.calibrate("CoupM", model, 1.0, 1e-3)
    known = bounded_delta(model, noise, 1.0)
    assert (known.draws, known.confidence, known.charged) == (0, 1.0, 0.0)
    # Without replacement the law is drawn, and from so many records about the same.
    drawn = dp.coupling_bound(table, counts, pair, 100, noise, 1.0)
    assert drawn.draws == 200_000
    assert drawn.confidence == pytest.approx(1 - 1e-6)
    assert known.value / 1.1 <= drawn.value <= 1.2 * known.value
    assert drawn.estimate <= drawn.value - drawn.charged


def test_epsilon_at_a_delta(model: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM", model, 1.0, 1e-3)
    epsilon = bounded_epsilon(model, noise, 1e-3)
    assert bounded_delta(model, noise, epsilon).value == pytest.approx(1e-3, rel=0.01)
    assert bounded_delta(model, noise, 2 * epsilon).value < 1e-3
    assert bounded_delta(model, noise, 0.5 * epsilon).value > 1e-3
    assert bounded_epsilon(model, None, 1e-3) == math.inf
    loud = replace(noise, scales=noise.scales * 1e5).detached()
    assert bounded_epsilon(model, loud, 1e-3) == 0


def test_several_pairs_are_all_bounded(several: dp.GaussianModel) -> None:
    noise = dp.calibrate("ExpM", several, 1.0, 1e-3)
    whole = bounded_delta(several, noise, 1.0)
    single = [bounded_delta(several.only(index), noise.detached(), 1.0) for index in range(3)]
    worst = max(range(3), key=lambda index: single[index].value)
    assert whole.pair == worst
    assert whole.value >= single[worst].value


def test_what_it_is_not_for(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    laplace = dp.calibrate("ExpM(L)", model, 1.0)
    with pytest.raises(dp.errors.InapplicableError, match="for Gaussian noise, this is Laplace"):
        bounded_delta(model, laplace, 1.0)
    noise = dp.calibrate("ExpM", model, 1.0, 1e-3)
    with pytest.raises(dp.errors.CalibrationError, match="not negative, got ε = -1"):
        bounded_delta(model, noise, -1.0)
    few = dp.Query([query.statistics[0]])
    with pytest.raises(dp.errors.CalibrationError, match="statistics, the query has 1"):
        dp.coupling_bound(people, few, pair, 60, noise, 1.0)
    with pytest.raises(dp.errors.InapplicableError, match=r"sums over records, which median .* is"):
        dp.coupling_bound(
            people, dp.Query([dp.Median(query.statistics[0].column)]), pair, 60, None, 1.0
        )
    with pytest.raises(dp.errors.CalibrationError, match=r"must be in \(0, 1\), got 2"):
        dp.coupling_bound(people, query, pair, 60, noise, 1.0, confidence=2.0)
    bare = replace(model, pairs=tuple(replace(fit, population=None) for fit in model.pairs))
    with pytest.raises(dp.errors.InapplicableError, match="knows their moments alone"):
        bounded_delta(bare, noise, 1.0)


def test_groups_of_records_will_do(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair, model: dp.GaussianModel
) -> None:
    noise = dp.calibrate("ExpM", model, 1.0, 1e-3)
    groups = dp.record_groups(people, query, pair.secret)
    by_groups = dp.coupling_bound(groups, query, pair, 60, noise, 1.0, rng=4)
    assert by_groups == dp.coupling_bound(people, query, pair, 60, noise, 1.0, rng=4)
    assert by_groups.seed == 4
    other = dp.coupling_bound(people, query, pair, 60, noise, 1.0, rng=5)
    assert other.value == pytest.approx(by_groups.value, rel=0.05)
    assert other.value != by_groups.value
