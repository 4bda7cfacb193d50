"""One set of tests for every engine: what a table in memory gives, theirs gives."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import distpriv as dp
from distpriv.errors import (
    DistprivError,
    InapplicableError,
    ModelError,
    PropertyError,
    QueryError,
    SourceError,
)
from distpriv.model.source import SampledGroups
from distpriv.sources.table import EngineSource
from tests.sources.tables import ENGINES, NAMES, VALUES, case, hostile, in_memory

ELSEWHERE = ("parquet", "csv", "postgres", "spark")
QUERY = dp.Query([dp.Mean("age"), dp.Mean("hours-per-week"), dp.Count("sex", "Female")])
RICH = dp.SensitiveProperty("income", ">50K")
PAIR = RICH.pair(center=0.5, width=0.1)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except DistprivError as error:
        return error


def assert_same(found: Any, known: Any) -> None:
    """Moments that are the same, or errors of the same kind."""
    if isinstance(known, DistprivError):
        assert type(found) is type(known), (found, known)
        return
    assert not isinstance(found, DistprivError), found
    assert (found.counts, found.dropped) == (known.counts, known.dropped)
    deviations = np.sqrt(np.einsum("gjj->gj", known.covariances))
    size = np.abs(known.means).max(axis=0) + deviations.max(axis=0) + 1e-300
    np.testing.assert_allclose(found.means / size, known.means / size, atol=1e-10)
    spread = np.maximum(deviations, 1e-12 * size) + 1e-150
    scale = spread[:, :, None] * spread[:, None, :]
    np.testing.assert_allclose(found.covariances / scale, known.covariances / scale, atol=1e-9)
    # Arrow reads a decimal number as a whole one times a power of ten, which rounds twice.
    np.testing.assert_allclose(found.minima, known.minima, rtol=3e-16)
    np.testing.assert_allclose(found.maxima, known.maxima, rtol=3e-16)
    np.testing.assert_allclose(found.steps, known.steps, rtol=1e-9)


@pytest.mark.parametrize(
    ("engine", "seeds"),
    [
        ("parquet", range(60)),
        ("csv", range(60, 80)),
        ("postgres", range(80, 110)),
        ("spark", range(8)),
    ],
)
def test_random_tables_give_what_they_give_in_memory(
    opened: Callable[..., EngineSource], tmp_path: Path, engine: str, seeds: range
) -> None:
    failed = []
    for seed in seeds:
        made = case(seed)
        table = in_memory(made.table, tmp_path)
        source = opened(engine, made.table)
        try:
            profile, types = source.profile(), dp.column_types(table)
            if engine != "csv":  # where a column of nothing but blanks and codes has no type
                assert profile.types == types
            assert profile.records == len(table)
            missing = {name: int(table[name].isna().sum()) for name in table}
            assert {name: each.missing for name, each in profile.columns.items()} == missing
            known = outcome(lambda: dp.group_moments(table, made.query, made.secret))  # noqa: B023
            found = outcome(lambda: source.group_moments(made.query, made.secret))  # noqa: B023
            assert_same(found, known)
        except AssertionError as error:
            failed.append(f"{seed}: {made.query.labels} {made.secret.label}\n{error}"[:600])
    assert not failed, "\n".join(failed[:5]) + f"\n{len(failed)} of {len(seeds)}"


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_and_values_are_names_and_values(
    opened: Callable[..., EngineSource], tmp_path: Path, engine: str
) -> None:
    made = hostile()
    table, source = in_memory(made, tmp_path), opened(engine, made)
    assert source.profile().types == dp.column_types(table)
    for index in range(0, len(NAMES), 10 if engine == "spark" else 2):
        number, label = NAMES[index], NAMES[index - 1 if index else 1]
        value = VALUES[index % len(VALUES)]
        query = dp.Query([dp.Mean(number), dp.Count(label, value)])
        for secret in (
            dp.SensitiveProperty(NAMES[(index + 2) % 22], above=4),
            dp.SensitiveProperty(label, values=[VALUES[index % 3], VALUES[3 + index % 4]]),
        ):
            assert_same(source.group_moments(query, secret), dp.group_moments(table, query, secret))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_sample_repeats_for_its_seed(
    opened: Callable[..., EngineSource], census: Any, engine: str
) -> None:
    source = opened(engine, census, **({} if engine == "memory" else {"size": 60}))
    first, again = (source.sample(QUERY, RICH, 60, seed=3) for _ in range(2))
    if isinstance(source, EngineSource):
        source._samples.clear()
        again = source.sample(QUERY, RICH, 60, seed=3)
    assert isinstance(first, SampledGroups)
    assert isinstance(again, SampledGroups)
    other = source.sample(QUERY, RICH, 60, seed=4)
    assert isinstance(other, SampledGroups)
    assert first.digest == again.digest != other.digest
    assert first.counts == (60, 60)
    moments = source.group_moments(QUERY, RICH)
    assert first.totals == moments.counts
    np.testing.assert_array_equal(first.steps, moments.steps)
    errors = np.sqrt(np.einsum("gjj->gj", moments.covariances) / 60)
    for values, mean, error in zip(
        (first.without, first.having), moments.means, errors, strict=True
    ):
        assert (np.abs(values.mean(axis=0) - mean) < 5 * error).all()
    assert "random sample of 120 of the" in first.in_words


@pytest.mark.parametrize("engine", ENGINES)
def test_all_records_are_no_sample(
    opened: Callable[..., EngineSource], census: Any, engine: str
) -> None:
    source = opened(engine, census)
    groups = source.sample(QUERY, RICH)
    assert not isinstance(groups, SampledGroups)
    assert groups.counts == groups.totals == source.group_moments(QUERY, RICH).counts
    known = dp.exact_law(source, dp.Query([dp.Count("sex", "Female")]), PAIR, 20)
    small = source.sample(dp.Query([dp.Count("sex", "Female")]), RICH, 50)
    assert isinstance(small, SampledGroups)
    for found, cells in zip(small.cells(), groups.of_columns([2]).cells(), strict=True):
        np.testing.assert_array_equal(found, cells)
    assert known.probabilities.sum() == pytest.approx(2)


@pytest.mark.parametrize("engine", ELSEWHERE)
def test_the_package_takes_a_source_for_a_table(
    opened: Callable[..., EngineSource], tmp_path: Path, census: Any, engine: str
) -> None:
    table, source = in_memory(census, tmp_path), opened(engine, census)
    models = [dp.fit_gaussian(data, QUERY, PAIR, 50) for data in (table, source)]
    noises = [dp.calibrate("OptM", model, 1.0, 1e-3) for model in models]
    np.testing.assert_allclose(noises[1].covariance, noises[0].covariance, rtol=1e-6)
    scenario = dp.Scenario(secret=RICH, query=QUERY, whole=True, replacement=True)
    here, there = (dp.evaluate(scenario, data) for data in (table, source))
    assert there.scenario.n == here.scenario.n == len(table)
    assert there.accuracy == pytest.approx(here.accuracy, abs=1e-9)
    assert there.undefended == pytest.approx(here.undefended, abs=1e-9)
    entropy = random.Random(1)
    answers = [
        dp.sources.source_of(data).answer(QUERY, RICH, entropy=entropy) for data in (table, source)
    ]
    np.testing.assert_allclose(answers[1][0], answers[0][0], rtol=1e-12)
    release = dp.draw_release(source, QUERY, RICH, there.noise)
    assert release.n == len(table)
    drawn = dp.draw_release(source, QUERY, RICH, noises[1], n=50)
    assert drawn.n == 50
    attack = dp.run_attack(source, QUERY, PAIR, 20, {"none": None}, repetitions=2, rng=1)
    assert attack.accuracy["none"].shape == (2,)
    simulated = dp.fit_gaussian(source, QUERY, PAIR, 50, method="monte-carlo", rng=2)
    np.testing.assert_allclose(
        simulated.pairs[0].means,
        models[0].pairs[0].means,
        atol=6 * simulated.pairs[0].mean_errors.max(),
    )


@pytest.mark.parametrize("engine", ["parquet", "postgres"])
@pytest.mark.parametrize("replacement", [False, True])
def test_records_are_drawn_alike(
    opened: Callable[..., EngineSource], census: Any, engine: str, replacement: bool
) -> None:
    source = opened(engine, census)
    known = source.group_moments(QUERY, RICH)
    count = sum(known.counts)
    entropy = random.Random(5)
    answers = np.array(
        [
            source.answer(QUERY, RICH, 30, replacement=replacement, entropy=entropy)[0]
            for _ in range(40)
        ]
    )
    shares = np.array(known.counts) / count
    mean = shares @ known.means
    spread = np.einsum("g,gjj->j", shares, known.covariances) + shares @ (known.means - mean) ** 2
    scales = QUERY.scales(30)
    errors = np.sqrt(30 * spread) * scales / np.sqrt(40)
    assert (np.abs(answers.mean(axis=0) - 30 * mean * scales) < 4.5 * errors).all()
    with pytest.raises(ModelError, match="there are only"):
        source.answer(QUERY, RICH, count + 1, entropy=entropy)


def test_some_of_known_statistics_are_no_scan(
    opened: Callable[..., EngineSource], census: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = opened("parquet", census)
    everything = source.group_moments(QUERY, RICH)

    def never(_: object) -> None:
        raise AssertionError("a scan")

    monkeypatch.setattr(source.engine, "rows", never)
    some = dp.Query([dp.Count("sex", "Female"), dp.Mean("age")])
    found = source.group_moments(some, RICH)
    np.testing.assert_array_equal(found.means, everything.means[:, [2, 0]])
    np.testing.assert_array_equal(found.steps, everything.steps[:, [2, 0]])
    assert found.counts == everything.counts
    again = source.group_moments(QUERY, RICH)
    np.testing.assert_array_equal(again.covariances, everything.covariances)


def test_small_groups_are_not_told_of(opened: Callable[..., EngineSource], census: Any) -> None:
    engine = opened("parquet", census).engine
    source = EngineSource(engine, least_group=10_000)
    for call in (source.group_moments, source.sample):
        with pytest.raises(PropertyError, match="Fewer than 10000 records"):
            call(QUERY, RICH)


def test_what_does_not_fit_is_refused_as_in_memory(
    opened: Callable[..., EngineSource], census: Any
) -> None:
    source = opened("parquet", census)
    cases = (
        (dp.Query([dp.Mean("sex")]), RICH, QueryError),
        (dp.Query([dp.Mean("nowhere")]), RICH, QueryError),
        (QUERY, dp.SensitiveProperty("sex", above=3), PropertyError),
        (QUERY, dp.SensitiveProperty("income", "nobody's"), PropertyError),
        (dp.Query([dp.Median("age")]), RICH, ModelError),
    )
    for query, secret, kind in cases:
        with pytest.raises(kind):
            source.group_moments(query, secret)
    with pytest.raises(QueryError, match="is no sum"):
        source.answer(dp.Query([dp.Median("age")]), RICH, entropy=random.Random(1))
    assert source.answer(dp.Query([dp.Median("age")]), RICH, 9, entropy=random.Random(1))[1] == 9


def test_more_records_than_the_sample_has_are_refused(
    opened: Callable[..., EngineSource], census: Any
) -> None:
    source = opened("parquet", census, size=100)
    with pytest.raises(ModelError, match="the random sample that is simulated with has only 100"):
        dp.fit_gaussian(source, dp.Query([dp.Median("age")]), PAIR, 300, method="monte-carlo")
    exactly = dp.fit_gaussian(source, QUERY, PAIR, 300)
    assert exactly.n == 300


def test_bounds_from_records_rest_on_the_sample_or_are_refused(
    opened: Callable[..., EngineSource], tmp_path: Path, census: Any
) -> None:
    """All records give the bound of memory; a sample one of its own, for no more than it has."""
    table, source = in_memory(census, tmp_path), opened("parquet", census)
    noise = dp.calibrate("OptM", dp.fit_gaussian(table, QUERY, PAIR, 20), 1.0, 1e-3)
    here, there = (
        dp.coupling_bound(data, QUERY, PAIR, 20, noise, 1.0, rng=1) for data in (table, source)
    )
    # The records come in another order, and with them other draws.
    assert there.value == pytest.approx(here.value, rel=0.5)
    some = EngineSource(source.engine, size=100)
    model = dp.fit_gaussian(some, QUERY, PAIR, 20)
    assert 0 < dp.coupling_bound(some, QUERY, PAIR, 20, noise, 1.0, rng=1).value < 1
    assert dp.calibrate("CoupM", model, 1.0, 1e-3).expected_error() > 0
    large = dp.fit_gaussian(some, QUERY, PAIR, 300)
    with pytest.raises(InapplicableError, match=r"the random sample .* has only 100"):
        dp.calibrate("CoupM", large, 1.0, 1e-3)
    with pytest.raises(ModelError, match=r"the random sample .* has only 100"):
        dp.coupling_bound(some, QUERY, PAIR, 300, None, 1.0)


def test_the_bootstrap_of_a_sample_is_as_wide_as_the_table_s(
    opened: Callable[..., EngineSource], tmp_path: Path, census: Any
) -> None:
    source = opened("parquet", census)
    replicates = [
        dp.robustness.bootstrap_moments(source.sample(QUERY, RICH, size), 400, rng=1)
        for size in (None, 60)
    ]
    everything, some = replicates
    assert some.counts == everything.counts
    np.testing.assert_allclose(some.means[0], everything.means[0], rtol=1e-12)
    np.testing.assert_allclose(some.covariances[0], everything.covariances[0], rtol=1e-9)
    widths = [each.means.std(axis=0) for each in replicates]
    np.testing.assert_allclose(widths[1], widths[0], rtol=0.45)


def test_datasets_from_a_sample_vary_as_those_of_the_table(
    opened: Callable[..., EngineSource], census: Any
) -> None:
    """Without replacement: half of a sample is a tenth of the table, and varies as that does."""
    source = opened("parquet", census, size=60)
    model = dp.fit_gaussian(source, QUERY, PAIR, 60)
    simulated = dp.fit_gaussian(source, QUERY, PAIR, 60, method="monte-carlo", rng=3, subsets=4000)
    groups = source.sample(QUERY, RICH)
    assert isinstance(groups, SampledGroups)
    own = np.array([np.cov(values.T) for values in (groups.without, groups.having)])
    parts = np.array([33, 27])  # of the 60 records at a share of 45 %
    left = 1 - parts / np.array(groups.totals)
    scales = QUERY.scales(60)
    expected = np.einsum("g,gij->ij", parts * left, own) * np.outer(scales, scales)
    found = simulated.pairs[0].covariances[0]
    np.testing.assert_allclose(np.diag(found), np.diag(expected), rtol=0.12)
    assert model.n == simulated.n


def test_a_report_of_more_records_than_the_sample_leaves_out_what_is_simulated(
    opened: Callable[..., EngineSource], census: Any
) -> None:
    source = opened("parquet", census, size=60)
    scenario = dp.Scenario(secret=RICH, query=QUERY, whole=True, replacement=True)
    there = dp.evaluate(scenario, source)
    assert "the random sample that is simulated with has only 60" in there.unsimulated
    held = {verdict.assumption.name: verdict.holds for verdict in there.verdicts.values()}
    assert held["GAUSSIAN"] == "not measured"
    report = dp.export.build_report(there, data="people")
    assert "No attacker is simulated: a subset of 1" in report.to_markdown()
    assert "not simulated" in report.to_html()
    known = dp.evaluate(scenario, opened("memory", census).table)  # type: ignore[attr-defined]
    assert not known.unsimulated
    assert there.accuracy == pytest.approx(known.accuracy, abs=1e-9)


def test_a_changed_table_is_told_of(
    opened: Callable[..., EngineSource], tmp_path: Path, census: Any
) -> None:
    source = opened("parquet", census)
    source.profile()
    before = source.fingerprint()
    assert source.fingerprint() == before
    opened("parquet", census.slice(0, 400))
    assert source.fingerprint() != before
    with pytest.raises(SourceError, match="has changed since it was opened"):
        source.group_moments(QUERY, RICH)
