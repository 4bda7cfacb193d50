"""The embedded example against Adult, the files behind it, and the loaders."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import FrozenInstanceError
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

import distpriv as dp
from data import make_census_income
from data.binned import histogram, latent_correlation, quota
from distpriv.tables import examples

QUERY = dp.Query(
    [
        dp.Mean("age"),
        dp.Mean("education-num"),
        dp.Count("marital-status", "Never-married"),
        dp.Count("sex", "Female"),
        dp.Mean("hours-per-week"),
    ]
)
PAIRS = {
    "income": dp.SensitiveProperty("income", ">50K").pair(center=0.5, width=0.1),
    "workclass": dp.SensitiveProperty("workclass", "Private").pair(center=0.5, width=0.04),
}
MECHANISMS = ("ExpM(L)", "DirM(L)", "ExpM", "EigM", "DauM")
EPSILONS = (0.2, 1.0, 5.0)
TOLERANCE = 0.05

# The figures below are Adult's own, from the exact model with n = 100 drawn without replacement.
REFERENCE_L1 = {"income": 7.3550, "workclass": 1.2427}
REFERENCE_L2 = {"income": 4.2913, "workclass": 0.6935}
REFERENCE_MAHALANOBIS = {"income": 1.4225, "workclass": 0.2568}
REFERENCE_VARIANCES = {
    "income": [
        (1.4896, 0.05731, 15.8972, 18.6567, 1.3099),
        (1.4121, 0.05705, 14.0690, 17.5568, 1.2825),
    ],
    "workclass": [
        (1.6670, 0.06483, 19.8529, 21.1075, 1.5850),
        (1.6671, 0.06461, 20.0982, 21.2170, 1.5603),
    ],
}
# Expected L2 errors for income, δ = 0.001, classical calibration; DirM(L) at scale Δ_{E,2}/ε.
REFERENCE_ERRORS = {
    "ExpM(L)": (105.4, 21.08, 4.22),
    "DirM(L)": (21.46, 4.29, 0.86),
    "ExpM": (172.4, 34.47, 6.90),
    "EigM": (172.3, 34.00, 4.96),
    "DauM": (64.65, 12.71, 0.946),
}

needs_adult = [
    pytest.mark.adult,
    pytest.mark.skipif("ADULT_DIR" not in os.environ, reason="ADULT_DIR is not set"),
]


@pytest.fixture(scope="module")
def synthetic() -> pd.DataFrame:
    return examples.load_census_income()


@pytest.fixture(scope="module")
def adult() -> pd.DataFrame:
    return examples.load_adult()


@pytest.fixture(scope="module")
def summary() -> make_census_income.Model:
    return json.loads(make_census_income.MODEL.read_text(encoding="utf-8"))


def fitted(table: pd.DataFrame, secret: str) -> dp.GaussianModel:
    return dp.fit_gaussian(table, QUERY, PAIRS[secret], n=100)


def distance(pair: dp.PairModel) -> float:
    return float(np.sqrt(pair.difference @ np.linalg.solve(pair.pooled, pair.difference)))


def errors(model: dp.GaussianModel) -> np.ndarray:
    """Expected L2 error for each of `MECHANISMS` and `EPSILONS`."""
    return np.array(
        [
            [
                dp.calibrate(
                    name, model, epsilon, 1e-3, "classical", grid_safe=False
                ).expected_error()
                for epsilon in EPSILONS
            ]
            for name in MECHANISMS
        ]
    )


class TestAgainstPublishedFigures:
    @pytest.mark.parametrize("secret", PAIRS)
    def test_shift(self, synthetic, secret):
        difference = fitted(synthetic, secret).pairs[0].difference
        assert np.abs(difference).sum() == pytest.approx(REFERENCE_L1[secret], rel=TOLERANCE)
        assert np.linalg.norm(difference) == pytest.approx(REFERENCE_L2[secret], rel=TOLERANCE)

    @pytest.mark.parametrize("secret", PAIRS)
    def test_mahalanobis_distance(self, synthetic, secret):
        pair = fitted(synthetic, secret).pairs[0]
        assert distance(pair) == pytest.approx(REFERENCE_MAHALANOBIS[secret], rel=TOLERANCE)

    @pytest.mark.parametrize("secret", PAIRS)
    def test_variances(self, synthetic, secret):
        covariances = fitted(synthetic, secret).pairs[0].covariances
        variances = np.diagonal(covariances, axis1=1, axis2=2)
        np.testing.assert_allclose(variances, REFERENCE_VARIANCES[secret], rtol=TOLERANCE)

    def test_expected_errors(self, synthetic):
        reference = [REFERENCE_ERRORS[name] for name in MECHANISMS]
        np.testing.assert_allclose(errors(fitted(synthetic, "income")), reference, rtol=TOLERANCE)


class TestAgainstAdult:
    pytestmark = needs_adult

    @pytest.mark.parametrize("secret", PAIRS)
    def test_shift(self, synthetic, adult, secret):
        ours, theirs = (fitted(table, secret).pairs[0] for table in (synthetic, adult))
        length = np.linalg.norm(theirs.difference)
        assert np.linalg.norm(ours.difference) == pytest.approx(length, rel=TOLERANCE)
        assert distance(ours) == pytest.approx(distance(theirs), rel=TOLERANCE)
        np.testing.assert_allclose(ours.means, theirs.means, rtol=TOLERANCE)

    @pytest.mark.parametrize("secret", PAIRS)
    def test_covariances(self, synthetic, adult, secret):
        ours, theirs = (fitted(table, secret).pairs[0] for table in (synthetic, adult))
        deviations = np.sqrt(np.diag(theirs.pooled))
        scale = np.outer(deviations, deviations)
        np.testing.assert_allclose(ours.pooled / scale, theirs.pooled / scale, atol=TOLERANCE)
        for covariance, reference in zip(ours.covariances, theirs.covariances, strict=True):
            np.testing.assert_allclose(covariance / scale, reference / scale, atol=TOLERANCE)

    @pytest.mark.parametrize("secret", PAIRS)
    def test_expected_errors(self, synthetic, adult, secret):
        ours, theirs = (errors(fitted(table, secret)) for table in (synthetic, adult))
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE)

    @pytest.mark.parametrize("secret", PAIRS)
    def test_reference_figures_are_those_of_adult(self, adult, secret):
        pair = fitted(adult, secret).pairs[0]
        variances = np.diagonal(pair.covariances, axis1=1, axis2=2)
        np.testing.assert_allclose(variances, REFERENCE_VARIANCES[secret], rtol=1e-3)
        assert np.linalg.norm(pair.difference) == pytest.approx(REFERENCE_L2[secret], abs=1e-4)
        assert np.abs(pair.difference).sum() == pytest.approx(REFERENCE_L1[secret], abs=1e-4)
        assert distance(pair) == pytest.approx(REFERENCE_MAHALANOBIS[secret], abs=1e-4)

    def test_group_sizes(self, synthetic, adult):
        for column in ("income", "sex"):
            pd.testing.assert_series_equal(
                synthetic[column].value_counts(), adult[column].value_counts()
            )
        private = [(table["workclass"] == "Private").sum() for table in (synthetic, adult)]
        assert private[0] == private[1] == 33_307

    @pytest.mark.parametrize("column", ["occupation", "relationship", "race", "education"])
    def test_shares_of_labels(self, synthetic, adult, column):
        ours, theirs = (table[column].value_counts(normalize=True) for table in (synthetic, adult))
        gaps = (ours.astype(float).reindex(theirs.index).fillna(0) - theirs).abs()
        assert gaps.max() < 0.005

    def test_records_of_adult_recur_no_more_than_by_chance(self, synthetic, adult):
        columns = list(synthetic.columns)
        order = np.random.default_rng(0).permutation(len(adult))
        half, other = (adult.iloc[part][columns] for part in np.array_split(order, 2))
        unique = half[~half.duplicated(keep=False)].astype(str).agg("|".join, axis=1)

        def recurring(records: pd.DataFrame) -> int:
            return int(unique.isin(records.astype(str).agg("|".join, axis=1)).sum())

        assert recurring(synthetic.iloc[: len(other)]) <= recurring(other)

    def test_summary_is_the_fit(self, adult, summary):
        assert json.loads(json.dumps(make_census_income.fit(adult))) == summary


class TestCommittedFiles:
    def test_records_are_a_fresh_draw(self, synthetic, summary):
        pd.testing.assert_frame_equal(synthetic, make_census_income.draw(summary))

    def test_sizes(self):
        assert make_census_income.RECORDS.stat().st_size < 600_000
        assert make_census_income.MODEL.stat().st_size < 200_000

    def test_no_count_stands_for_few_records(self, summary):
        numbers = make_census_income.NUMBERS
        counts = [bin_[2] for stratum in summary["strata"] for n in numbers for bin_ in stratum[n]]
        assert min(counts) >= 10
        assert min(stratum["count"] for stratum in summary["strata"]) >= 10

    def test_histograms_count_every_record(self, summary):
        for stratum in summary["strata"]:
            for name in make_census_income.NUMBERS:
                assert sum(bin_[2] for bin_ in stratum[name]) == stratum["count"]
        assert sum(stratum["count"] for stratum in summary["strata"]) == 45_222

    def test_drawing_writes_the_same_table(self, synthetic, tmp_path, monkeypatch):
        monkeypatch.setattr(make_census_income, "RECORDS", tmp_path / "again.parquet")
        make_census_income.main(["draw"])
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "again.parquet"), synthetic)


class TestSyntheticRecords:
    def test_columns_and_types(self, synthetic):
        assert tuple(synthetic.columns) == make_census_income.COLUMNS
        assert synthetic.shape == (45_222, 11)
        assert not synthetic.isna().any(axis=None)
        for name, dtype in synthetic.dtypes.items():
            numeric = name in make_census_income.NUMBERS
            assert str(dtype) == ("int64" if numeric else "category")

    def test_every_category_occurs(self, synthetic):
        for name in synthetic.select_dtypes("category"):
            assert synthetic[name].value_counts().min() >= 50

    def test_labels_are_those_of_adult(self, synthetic):
        assert set(synthetic["income"].cat.categories) == {"<=50K", ">50K"}
        assert {"Private", "Self-emp-inc"} < set(synthetic["workclass"].cat.categories)
        assert {"Never-married", "Widowed"} < set(synthetic["marital-status"].cat.categories)

    def test_education_and_its_years_agree(self, synthetic):
        assert (synthetic.groupby("education", observed=True)["education-num"].nunique() == 1).all()
        assert synthetic["education-num"].nunique() == 16

    def test_relationship_fits_sex_and_marital_status(self, synthetic):
        husbands = synthetic[synthetic["relationship"] == "Husband"]
        wives = synthetic[synthetic["relationship"] == "Wife"]
        assert (husbands["sex"] == "Male").all()
        assert (wives["sex"] == "Female").all()
        spouses = pd.concat([husbands, wives])
        assert (spouses["marital-status"] == "Married-civ-spouse").all()

    def test_nobody_is_too_young_for_their_schooling(self, synthetic):
        assert (synthetic["age"] >= synthetic["education-num"] + 6).all()


class TestHistogram:
    def test_frequent_values_keep_their_bin(self):
        values = np.repeat([1, 2, 5], 10)
        assert histogram(values, (0, 9), 10) == [(1, 1, 10, 1), (2, 2, 10, 2), (5, 5, 10, 5)]

    def test_few_between_two_values_go_to_the_nearer(self):
        values = np.repeat([10, 13, 20], [30, 4, 30])
        assert histogram(values, (0, 99), 10) == [(10, 10, 34, 10), (20, 20, 30, 20)]

    def test_an_end_does_not_tell_the_extreme_value(self):
        values = np.repeat([40, 80], [30, 1])
        assert histogram(values, (1, 99), 10) == [(40, 40, 21, 40), (40, 99, 10, 44)]

    @pytest.mark.parametrize("seed", range(20))
    def test_counts(self, seed):
        rng = np.random.default_rng(seed)
        values = np.round(rng.normal(40, 12, rng.integers(10, 600))).clip(1, 99).astype(np.int64)
        bins = histogram(values, (1, 99), 10)
        assert min(bin_[2] for bin_ in bins) >= 10
        assert len(quota(bins)) == len(values)
        assert quota(bins).mean() == pytest.approx(values.mean(), abs=1)

    def test_latent_correlation(self):
        rng = np.random.default_rng(1)
        normals = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=200_000)
        x, y = (np.round(3 * normals).astype(np.int64) // 2).T
        bins = [histogram(values, (-20, 20), 10) for values in (x, y)]
        wanted = float(np.corrcoef(x, y)[0, 1])
        assert latent_correlation(*bins, wanted) == pytest.approx(0.6, abs=0.01)


class TestLoaders:
    def test_missing_embedded_file(self, monkeypatch, tmp_path):
        monkeypatch.setattr(examples, "_CENSUS_INCOME", tmp_path / "census_income.parquet")
        with pytest.raises(dp.errors.DatasetError, match=r"data/census_income\.parquet"):
            examples.load_census_income()

    def test_damaged_embedded_file(self, monkeypatch, tmp_path):
        damaged = tmp_path / "damaged.parquet"
        damaged.write_bytes(b"PAR1 and nothing else")
        monkeypatch.setattr(examples, "_CENSUS_INCOME", damaged)
        with pytest.raises(dp.errors.DatasetError, match="make_census_income draw"):
            examples.load_census_income()

    def test_directory_without_adult(self, tmp_path):
        with pytest.raises(dp.errors.DatasetError, match=r"adult\.data"):
            examples.load_adult(tmp_path)

    def test_directory_with_other_tables(self, tmp_path):
        for name in ("adult.data", "adult.test"):
            Path(tmp_path, name).write_text("age,size\n1,2\n3,4\n", encoding="utf-8")
        with pytest.raises(dp.errors.DatasetError, match="not UCI Adult"):
            examples.load_adult(tmp_path)

    def test_directory_with_part_of_adult(self, tmp_path):
        line = (
            "39, Private, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Female, 2174, 0, 40, "
        )
        for name, end in (("adult.data", ""), ("adult.test", ".")):
            text = f"{line}United-States, <=50K{end}\n{line}?, >50K{end}\n" * 20
            Path(tmp_path, name).write_text(text, encoding="utf-8")
        with pytest.raises(dp.errors.DatasetError, match="40 complete records instead of 45222"):
            examples.load_adult(tmp_path)

    @pytest.mark.parametrize(
        "failure",
        [URLError("no route"), TimeoutError(), ConnectionResetError(), socket.gaierror()],
    )
    def test_offline(self, monkeypatch, failure):
        def fetch(*_, **__):
            raise failure

        monkeypatch.delenv("ADULT_DIR", raising=False)
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        with pytest.raises(
            dp.errors.DatasetError, match=r"offline.*adult\.data and adult\.test.*ADULT_DIR"
        ):
            examples.load_adult()

    @pytest.mark.adult
    @pytest.mark.skipif("ADULT_DIR" not in os.environ, reason="ADULT_DIR is not set")
    def test_adult_from_files(self, adult):
        assert adult.shape == (45_222, 15)
        assert not adult.isna().any(axis=None)
        assert adult.iloc[0][["age", "fnlwgt"]].tolist() == [39, 77_516]
        assert adult["income"].value_counts().to_dict() == {"<=50K": 34_014, ">50K": 11_208}
        assert (adult["workclass"] == "Private").sum() == 33_307
        kinds = adult.dtypes.astype(str).value_counts().to_dict()
        assert kinds == {"int64": 6, "category": 9}
        for name in adult.select_dtypes("category"):
            assert adult[name].value_counts().min() > 0

    @pytest.mark.adult
    @pytest.mark.skipif("ADULT_DIR" not in os.environ, reason="ADULT_DIR is not set")
    def test_adult_from_openml(self, adult, monkeypatch):
        class Bunch:
            frame = adult.rename(columns={"income": "class"}).astype({"age": "float64"})

        incomplete = Bunch.frame.head(3).copy()
        incomplete["workclass"] = pd.NA
        Bunch.frame = pd.concat([incomplete, Bunch.frame])
        monkeypatch.delenv("ADULT_DIR")
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *_, **__: Bunch)
        pd.testing.assert_frame_equal(examples.load_adult(), adult)


class TestExamples:
    def test_embedded_one_comes_first(self, synthetic):
        first = examples.EXAMPLES[0]
        assert first.load is examples.load_census_income
        assert "synthetic" in first.title
        assert "no real person" in first.attribution
        assert set(first.units) <= set(synthetic.columns)

    def test_those_of_adult_are_attributed(self):
        ours, theirs = (e for e in examples.EXAMPLES if e.key in ("census-income", "adult"))
        for example in (ours, theirs):
            assert "CC BY 4.0" in example.attribution
            assert example.units["hours-per-week"] == "hours"

    def test_each_is_loaded_by_its_key(self, synthetic):
        pd.testing.assert_frame_equal(examples.load_example("census-income"), synthetic)
        with pytest.raises(dp.errors.DatasetError, match="'nobody'; take one of census-income, "):
            examples.load_example("nobody")

    def test_keys_differ(self):
        assert len({example.key for example in examples.EXAMPLES}) == len(examples.EXAMPLES)

    def test_frozen(self):
        with pytest.raises(FrozenInstanceError):
            examples.EXAMPLES[0].key = "other"
