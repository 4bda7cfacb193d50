"""Tables and figures of the papers: what is shipped, what is computed anew, and the verdicts."""

import math

import numpy as np
import pandas as pd
import pytest

from distpriv import papers
from distpriv.errors import DistprivError
from distpriv.papers.run import SECRETS
from tests.adult import GROUPS

ADULT = papers.Run({name: GROUPS[secret] for name, secret in SECRETS.items()})


@pytest.mark.parametrize("key", papers.ITEMS)
def test_shipped_rows_are_what_is_computed_anew(key):
    # By tests/adult.py's moments of UCI's Adult: without attacks and refits, which need records or
    # seconds, and without draws, which turn with an eigenvector's sign.
    shipped, anew = papers.frame(key), papers.recompute(key, ADULT, wait=False)
    assert len(shipped) == len(anew) > 0
    for column in ("series", "at", "printed", "panel", "note"):
        assert [*shipped[column]] == [*anew[column]]
    exact = anew["ours"].notna() & (not papers.ITEMS[key].marks)
    for column in ("ours", "x", "value", "tolerance", "low", "high", "erratum"):
        some = (
            exact
            if column in ("ours", "x", "value", "tolerance")
            else exact & (not papers.ITEMS[key].tasks)
        )
        np.testing.assert_allclose(shipped[column][some], anew[column][some], rtol=1e-6, atol=1e-12)
    assert exact.all() or papers.ITEMS[key].tasks or papers.ITEMS[key].marks


def test_every_printed_figure_agrees_or_has_an_erratum():
    assert papers.shipped().attrs["records"] == 45_222
    every = papers.shipped()
    assert len(every) == sum(len(papers.frame(key)) for key in papers.ITEMS)
    counts = papers.tally(every["verdict"])
    assert counts == {
        "agrees": 93,
        "within sampling error": 24,
        "erratum 1": 3,
        "erratum 11": 1,
        "erratum 6": 1,
    }
    for key, item in papers.ITEMS.items():
        used = {int(one.split()[-1]) for one in papers.frame(key)["verdict"] if "erratum" in one}
        assert used <= {*item.errata} <= {*papers.ERRATA}


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (papers.Row("a", ours=1.0), ""),
        (papers.Row("a", printed="1.00"), "not simulated yet"),
        (papers.Row("a", printed="1.00", ours=1.005), "agrees"),
        (
            papers.Row("a", printed="near 1", ours=1.1, value=1, low=0.9, high=1.2, erratum=3),
            "within sampling error",
        ),
        (papers.Row("a", printed="1.00", ours=1.1, low=1.05, high=1.2, erratum=3), "erratum 3"),
        (papers.Row("a", printed="1.00", ours=1.1, low=1.05, high=1.2), "differs"),
        (papers.Row("a", printed="1.00", ours=0.9, low=0.8, high=0.95), "differs"),
        (papers.Row("a", printed="1.30", ours=1.28, tolerance=0.02), "agrees"),
        (papers.Row("a", printed="1.00", ours=math.inf), "differs"),
    ],
)
def test_verdict_takes_tolerance_before_chance_before_errata(row, verdict):
    assert row.verdict == verdict


def test_attack_and_refits_on_the_example_come_near_the_papers():
    # A few repetitions on the example census, whose moments are close to Adult's; seed 2023.
    run = papers.Run(papers.on_example().groups, repetitions=4)
    for task in (*run.tasks("attack", "income", 0.1), *run.tasks("refits")[:1]):
        run.results[task] = run.perform(task)
    table = papers.recompute("table-4", run)
    assert (table["verdict"] == "agrees").mean() > 0.7
    assert "differs" not in set(table["verdict"])
    errors = papers.recompute("table-3", run, wait=False)
    assert (errors["low"] < errors["ours"]).all()
    assert (errors["ours"] < errors["high"]).all()
    # the same seed gives the same, another one does not
    again, other = (papers.Run(run.groups, 4, seed) for seed in (2023, 2024))
    task = run.tasks("attack", "income", 0.1)[0]
    same = run.results[task][0]["none"]
    assert np.array_equal(again.perform(task)[0]["none"], same)
    assert not np.array_equal(other.perform(task)[0]["none"], same)


RAW = "39, State-gov, 77516, Bachelors, 13, Never-married, x, y, White, Male, 0, 0, 40, US, "


def test_uci_files_are_read_as_one_table(tmp_path):
    data, test, other = (tmp_path / name for name in ("adult.data", "adult.test", "other.csv"))
    data.write_text((RAW + "<=50K\n") * 3 + (RAW + ">50K\n").replace("x,", "?,") * 2)
    test.write_text("|1x3 Cross validator\n" + (RAW + ">50K.\n") * 3)
    table = papers.read_adult([data, test])
    assert [*table["income"]] == ["<=50K"] * 3 + [">50K"] * 5
    assert len(table.dropna()) == 6
    other.write_text("a,b\n1,2\n2,3\n")
    with pytest.raises(DistprivError, match=r"has no column 'age', which UCI's Adult has"):
        papers.read_adult([other])
    with pytest.raises(DistprivError):
        papers.Run.of(pd.DataFrame({"age": [1, 2]}))


def test_unknown_item_is_answered_by_the_nearest():
    for ask in (papers.frame, lambda key: papers.frame(key, ADULT)):
        with pytest.raises(DistprivError, match=r"no item 'tabel-3'. Did you mean 'table-3'"):
            ask("tabel-3")
