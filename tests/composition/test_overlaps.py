"""A table and samples of it, against tables that are drawn and sampled."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

import distpriv as dp
from distpriv.composition import TableRelease, joint_releases
from distpriv.composition.joint_loss import JointLoss
from distpriv.composition.overlaps import DrawnPart, moments_of_parts, simulated_parts
from distpriv.errors import InapplicableError
from distpriv.model.theta import ShareOf
from distpriv.privacy.noise import Noise, gaussian_noise

PAIR = dp.SensitiveProperty("member", "yes").pair(center=0.5, width=0.2)
A, B = dp.Query([dp.Mean("a")]), dp.Query([dp.Mean("b")])
N = 400


@pytest.fixture(scope="module")
def reference() -> pd.DataFrame:
    """Two columns that are nearly the same, but for the members."""
    rng = np.random.default_rng(1)
    member = rng.random(20_000) < 0.5
    both = 10 * rng.normal(size=20_000)
    return pd.DataFrame(
        {
            "a": both + rng.normal(0, 0.5, 20_000),
            "b": both + 2.0 * member + rng.normal(0, 0.5, 20_000),
            "member": np.where(member, "yes", "no"),
        }
    )


def normal(deviation: float = 0.05) -> Noise:
    return gaussian_noise("ExpM", np.array([[deviation**2]]), epsilon=1.0, delta=1e-3)


def whole(query: dp.Query = A) -> TableRelease:
    return TableRelease(query, normal(), N, True, True)


def sample(n: int, share_of: ShareOf = "release", query: dp.Query = B) -> TableRelease:
    return TableRelease(query, normal(), n, share_of=share_of)


def drawn(
    reference: pd.DataFrame, share_of: ShareOf, sizes: list[int], count: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Mean a of tables and mean b of samples of them, noised, under both shares."""
    rng = np.random.default_rng(seed)
    groups = [
        reference.loc[reference.member == label, ["a", "b"]].to_numpy() for label in ("no", "yes")
    ]
    found = []
    for share in (PAIR.p_i, PAIR.p_j):
        having = round(N * share)
        for _ in range(count // 1000):
            values = np.concatenate(
                [
                    group[rng.integers(len(group), size=(1000, size))]
                    for group, size in zip(groups, (N - having, having), strict=True)
                ],
                axis=1,
            )
            columns = [values[:, :, 0].mean(axis=1)]
            for n in sizes:
                order = rng.permuted(np.tile(np.arange(N), (1000, 1)), axis=1)
                if share_of == "release":  # the first k members, and the first n - k others
                    yes = order >= N - having
                    k = round(n * share)
                    kept = np.where(yes, yes.cumsum(1) <= k, (~yes).cumsum(1) <= n - k)
                    chosen = order[kept].reshape(1000, n)
                else:
                    chosen = order[:, :n]
                columns.append(np.take_along_axis(values[:, :, 1], chosen, axis=1).mean(axis=1))
            found.append(np.column_stack(columns))
    noised = np.vstack(found)
    noised = noised + rng.normal(0, 0.05, noised.shape)
    return noised, np.repeat([0, 1], count)


def reached(reference: pd.DataFrame, share_of: ShareOf, sizes: list[int]) -> float:
    """How often an attacker is right who has learned the joint law from 20 000 tables."""
    attacker = QuadraticDiscriminantAnalysis()
    attacker.fit(*drawn(reference, share_of, sizes, 10_000))
    return float(attacker.score(*drawn(reference, share_of, sizes, 10_000, seed=1)))


@pytest.mark.parametrize(
    ("share_of", "sizes"), [("release", [360]), ("table", [360]), ("release", [300, 300])]
)
def test_no_attacker_exceeds_what_is_counted(reference, share_of, sizes) -> None:
    releases = [whole(), *(sample(n, share_of) for n in sizes)]
    found = joint_releases(releases, reference, PAIR, table=reference.iloc[:N])
    independent = JointLoss(tuple(each.told[0] for each in found.datasets)).accuracy
    right = reached(reference, share_of, sizes)
    assert independent < right - 0.1
    assert found.accuracy == pytest.approx(right, abs=0.01)  # 20 000 tests: ± 0.005
    assert found.exact


def test_samples_of_a_table_from_reference_data_overlap(reference) -> None:
    """If the table is drawn, samples of different statistics tell more than independent ones."""
    releases = [sample(360, query=A), sample(360, query=B)]
    found = joint_releases(releases, reference, PAIR, table=reference.iloc[:N])
    independent = JointLoss(tuple(each.told[0] for each in found.datasets)).accuracy
    assert found.accuracy > independent + 0.02
    assert found.promise is None


def test_samples_of_a_table_that_is_fixed_are_independent(reference) -> None:
    """Whoever knows its records knows more than whoever has the table drawn beside."""
    table = reference.iloc[:N]
    for queries in ((A, B), (B, B)):
        found = joint_releases([sample(300, query=query) for query in queries], table, PAIR)
        independent = JointLoss(tuple(each.told[0] for each in found.datasets)).accuracy
        assert found.overlap
        assert found.accuracy == pytest.approx(independent, abs=1e-12)


def parts_of(*releases: TableRelease) -> list[DrawnPart]:
    return [DrawnPart.of(release.query, release, N) for release in releases]


def closed_form(reference: pd.DataFrame, *releases: TableRelease) -> dp.model.PairModel:
    both = dp.Query([dp.Mean("a"), dp.Mean("b")])
    moments = dp.group_moments(reference, both, PAIR.secret)
    shared = np.full((len(releases),) * 2, float(N))
    return moments_of_parts(moments, both, PAIR, parts_of(*releases), shared)


def test_covariances_are_those_of_simulated_tables(reference) -> None:
    releases = (
        whole(),
        sample(300),
        sample(200, "table"),
        TableRelease(A, normal(), 250, replacement=True),
        TableRelease(B, normal(), 250, replacement=True, share_of="table"),
    )
    fit = closed_form(reference, *releases)
    both = dp.Query([dp.Mean("a"), dp.Mean("b")])
    groups = dp.record_groups(reference, both, PAIR.secret)
    again = simulated_parts(groups, both, PAIR, parts_of(*releases), 6000, 3)
    deviations = np.sqrt(fit.covariances.diagonal(axis1=1, axis2=2))
    across = deviations[:, :, None] * deviations[:, None, :]
    assert (np.abs(fit.covariances - again.covariances) / across).max() < 5 * np.sqrt(2 / 6000)
    assert (np.abs(fit.means - again.means) / deviations).max() < 5 / np.sqrt(6000)
    assert fit.steps == pytest.approx(again.steps)


def test_a_random_sample_has_the_tables_own_covariance_with_it(reference) -> None:
    fit = closed_form(reference, whole(), sample(100, "table", A))
    for covariance in fit.covariances:  # of means: (n/N) Cov over the scales n and N
        assert covariance[0, 1] == pytest.approx(covariance[0, 0], rel=1e-12)


def test_records_that_lack_values_overlap_less(reference) -> None:
    holes = reference.iloc[:N].copy()
    holes.loc[holes.index[:150], "b"] = np.nan
    full, short = whole(), sample(200)
    found = joint_releases([full, short], reference, PAIR, table=holes)
    complete = joint_releases([full, short], reference, PAIR, table=reference.iloc[:N])
    assert found.count == complete.count == 2
    assert found.accuracy < complete.accuracy + 0.2
    assert found.overlap


def test_statistics_without_closed_form_are_simulated(reference) -> None:
    median = TableRelease(dp.Query([dp.Median("b")]), normal(), 360)
    found = joint_releases([whole(), median], reference, PAIR, table=reference.iloc[:N])
    alone = [
        joint_releases([each], reference, PAIR, table=reference.iloc[:N]).accuracy
        for each in (whole(), median)
    ]
    assert found.count == 2
    assert found.accuracy >= max(alone) - 1e-6


def test_what_rests_on_independence_is_refused(reference) -> None:
    found = joint_releases([whole(), sample(360)], reference, PAIR, table=reference.iloc[:N])
    assert found.promise is None
    with pytest.raises(InapplicableError, match="overlap"):
        found.bounded_delta(1.0)


def test_laplace_noise_among_overlapping_datasets_is_bounded(reference) -> None:
    laplace = Noise("DirM(L)", "laplace", np.eye(1), np.array([0.05]), 1.0, 0.0)
    table = reference.iloc[:N]
    found, bare = (
        joint_releases([whole(), TableRelease(B, noise, 360)], reference, PAIR, table=table)
        for noise in (laplace, normal(1e-6))
    )
    assert not found.exact
    # Laplace noise of this scale has twice the variance: the best attacker is right less often.
    twice = joint_releases(
        [whole(), TableRelease(B, normal(0.05 * np.sqrt(2)), 360)], reference, PAIR, table=table
    )
    assert twice.accuracy < found.accuracy < bare.accuracy
    assert twice.delta(0.5) < found.delta(0.5) < bare.delta(0.5)


def test_many_samples_are_counted_as_few_are(reference) -> None:
    """The lattice of more than forty statistics is bounded block by block."""
    noise = gaussian_noise("ExpM", np.diag([(0.55 / 60) ** 2, 0.55**2]), epsilon=1.0, delta=1e-3)
    whole_numbers = reference.assign(a=reference.a.round(), b=reference.b.round())
    query = dp.Query([dp.Mean("a"), dp.Sum("b")])
    found = [
        joint_releases(
            [TableRelease(query, noise, 60)] * count,
            whole_numbers,
            PAIR,
            table=whole_numbers.iloc[:4000],
        ).overlap[0][0][1]
        for count in (2, 10, 30)
    ]
    few, some, many = (math.log1p(each.theta) for each in found)
    assert few > 1e-3
    assert some == pytest.approx(5 * few, rel=0.2)
    assert many == pytest.approx(15 * few, rel=0.2)
