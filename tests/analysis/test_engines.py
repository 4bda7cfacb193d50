"""Tables that stay where they are answer as those in memory do, or say in a sentence why not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from distpriv import exact_law, run_attack
from distpriv.analysis import evaluate, sentences, tables
from distpriv.errors import DistprivError, NotApplicable
from distpriv.queries import Count, Mean, Median, Pair, Query, SensitiveProperty
from distpriv.sources import FrameSource, scan

N = 3000
LATE = Pair(SensitiveProperty("late", "yes"), 0.25, 0.35)
HIRED = Pair(SensitiveProperty("hired", above="2010-12-14"), 0.45, 0.55)
DRINKS = Pair(SensitiveProperty("drinks", contains="Coffee"), 0.7, 0.8)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same records in memory and in a file of which too many would be read."""
    rng = np.random.default_rng(7)
    late, days = rng.random(N) < 0.3, pd.to_timedelta(rng.integers(0, 8000, N), unit="D")
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N) + 2 * late,
            "pay": np.round(rng.lognormal(8, 0.5, N), 2),
            "score": np.where(rng.random(N) < 0.05, np.nan, rng.normal(size=N)),
            "member": rng.random(N) < 0.2,
            "late": np.where(late, "yes", "no"),
            "hired": (pd.Timestamp("2000-01-01") + days).astype("datetime64[us]"),
            "drinks": rng.choice(["Tea;Coffee", "Tea", "Coffee", "Water, Coffee"], N),
            "job": rng.choice([f"job {place}" for place in range(40)], N),
        }
    )
    path = tmp_path_factory.mktemp("tables") / "people.parquet"
    table.to_parquet(path)
    return FrameSource("people", "People", table), replace(scan(path), key="people", most=1000)


@pytest.mark.parametrize(
    ("secrets", "statistics", "records"),
    [
        ((LATE,), (Mean("age"), Mean("score"), Count("member", True)), None),
        ((LATE, HIRED), (Mean("age"), Count("job", "job 3")), 100),
        ((DRINKS,), (Mean("pay"), Count("member", True), Count("job", "job 3")), 60),
    ],
)
def test_answers_are_those_of_a_table_in_memory(both, secrets, statistics, records):
    changes = {"secrets": secrets, "statistics": statistics, "records": records}
    here, there = (evaluate(replace(tables.start(one), **changes), one) for one in both)
    assert there.sampled
    assert not here.sampled
    assert there.complete == here.complete
    for figure in ("undefended", "limit", "values", "ruler", "law_pending"):
        assert getattr(there, figure) == pytest.approx(getattr(here, figure), rel=1e-6)
    for frame in ("costs", "contributions", "profiles", "repeated", "knowing", "exposure"):
        one, other = (getattr(now, frame)() for now in (here, there))
        if frame == "exposure":  # some are as exposed but for rounding
            one, other = (x.sort_values("label", ignore_index=True) for x in (one, other))
        pd.testing.assert_frame_equal(one, other, rtol=1e-5, atol=1e-7)
    assert {*here.ranges()} == {*there.ranges()}
    assert sentences.check_lead(here) == sentences.check_lead(there)
    assert sentences.SAMPLED in sentences.caveats(there)
    assert sentences.SAMPLED not in sentences.caveats(here)


def test_simulations_draw_from_a_sample(both):
    changes = {"secrets": (LATE,), "statistics": (Mean("age"), Mean("pay")), "records": 100}
    here, there = (evaluate(replace(tables.start(one), **changes), one) for one in both)
    assert there.model.pairs[0].groups.records is None
    assert there.drawn.pairs[0].means == pytest.approx(here.model.pairs[0].means)  # all records
    for frame in ("fit", "tests", "fit_draws"):
        one, other = getattr(here, frame)(), getattr(there, frame)()
        pd.testing.assert_frame_equal(one, other, rtol=1e-6)
    assert there.beliefs()[0].shape == here.beliefs()[0].shape
    attack = run_attack(both[1], here.query, LATE, 100, repetitions=2, rng=1)
    assert attack.accuracy["as it is"].tolist() == pytest.approx(
        run_attack(both[0], here.query, LATE, 100, repetitions=2, rng=1).accuracy["as it is"]
    )


def test_what_needs_all_records_is_one_sentence(both):
    query, table = Query([Median("pay")]), both[1]
    with pytest.raises(DistprivError, match=r"median pay needs all 3\u202f000 records"):
        evaluate(replace(tables.start(table), statistics=query.statistics), table).plain  # noqa: B018
    with pytest.raises(NotApplicable, match="a table in memory"):
        exact_law(table, Query([Count("member", True)]), LATE, 100)


def test_what_a_table_offers_is_the_same(both):
    assert tables.secrets(both[0]) == tables.secrets(both[1])
    assert tables.statistics(both[0]) == tables.statistics(both[1])
    assert tables.start(both[0]) == tables.start(both[1])
    for item in (LATE.secret, HIRED.secret, DRINKS.secret, Mean("age"), Count("job", "job 3")):
        assert tables.fits(both[1], item)
    for item in (SensitiveProperty("job", "none"), Mean("late"), Count("hired", "2050-01-01")):
        assert not tables.fits(both[1], item)
