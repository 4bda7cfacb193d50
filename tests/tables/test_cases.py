"""Kinds of files that people bring, each small: what is read of them, or what must be told."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import distpriv as dp
from distpriv.tables import as_records
from distpriv.tables.guard import read_guarded
from distpriv.tables.rows import proposed
from tests.tables.test_read import parquet

N = 60
K = np.arange(N)
AGE, PAY = 20 + K * 7 % 43, 1500 + K * 17
SEX = np.where(K % 5 < 2, "F", "M")
PEOPLE = pd.DataFrame({"age": AGE, "sex": SEX, "pay": PAY})


class Case(NamedTuple):
    """Hold a file, its number of records, means or (label, share) by column, and what is told."""

    data: bytes
    records: int = N
    figures: Mapping[str, Any] = MappingProxyType({})
    told: str = ""


def text(names, *columns, below="", sep=",", **how):
    """Write columns as delimited text."""
    frame = pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)
    return (frame.to_csv(index=False, sep=sep, **how) + below).encode()


MEAN, F = {"age": AGE.mean()}, ("F", (SEX == "F").mean())
BOTH = {"age": AGE.mean(), "sex": F, "pay": PAY.mean()}
QUALTRICS = 'Age,Sex\nHow old are you?,Your sex?\n"{""ImportId"":""Q1""}","{""ImportId"":""Q2""}"\n'
TICKS = np.where(K % 4 == 0, "", "Coffee"), np.where(K % 4, "", "Tea")
CELLS = [[one, other, 10 + 5 * k] for k, one in enumerate("abc") for other in ("yes", "no")]
DECIMALS = [f"{one / 7:.3f}".replace(".", ",") for one in AGE]
LONG = np.array([str(1_439_403_621_518_935_000 + one) for one in K])
REDCAP = pd.DataFrame(
    {
        "record_id": np.repeat(K, 3),
        "redcap_repeat_instrument": np.tile(["", "visit", "visit"], N),
        "smoker": np.where(np.arange(3 * N) % 3 == 0, np.repeat(K % 3, 3).astype(str), ""),
        "visit_weight": np.where(np.arange(3 * N) % 3 == 0, "", "60"),
    }
)
CASES = {
    "three rows of names": Case(
        text(["a", "b"], AGE, SEX).replace(b"a,b\n", QUALTRICS.encode()),
        figures={"Age": AGE.mean(), "Sex": F},
        told="Row 3",
    ),
    "answers that were ticked": Case(
        text(["a", "b", "c", "d"], K + 900, np.where(K % 2, "Yes", "No"), *TICKS).replace(
            b"a,b,c,d\n", b"ID,Smoke?,Drink?,\n,Response,Coffee,Tea\n"
        ),
        figures={"Drink? Coffee": ("True", 0.75), "Smoke? Response": ("Yes", 0.5)},
        told="ticked",
    ),
    "a source below": Case(
        text(["age", "sex"], AGE, SEX, below="Source: register\n"), figures=MEAN, told="Row 62"
    ),
    "decimals after 200 values": Case(
        text(["x", "sex"], DECIMALS, SEX, sep=";"), figures={"x": np.round(AGE / 7, 3).mean()}
    ),
    "row names of R": Case(
        text(
            ["", "age", "sex"], (K + 1).astype(str), AGE, SEX, sep=" ", quoting=csv.QUOTE_NONNUMERIC
        )[3:],
        figures=MEAN,
    ),
    "JSON in an answer": Case(
        json.dumps({"ok": True, "results": PEOPLE.to_dict("records")}).encode(), figures=BOTH
    ),
    "dates": Case(
        text(["hired", "sex"], pd.date_range("2010-01-01", periods=N), SEX),
        figures={"hired": ("2010-01-01", 1 / N)},
    ),
    "cells": Case(
        text(["Class", "Survived", "Freq"], *zip(*CELLS, strict=True)),
        90,
        {"Survived": ("yes", 0.5)},
        "Freq",
    ),
    "a separator too many": Case(
        text(["age", "sex", "pay"], AGE, SEX, PAY).replace(b"\n", b",\n").replace(b"pay,", b"pay"),
        figures=BOTH,
    ),
    "names of signs": Case(
        text(["cost ($)", "rate [%]", "a*b*", "`c`", "<b>x</b>", "sex: M/F"], *[AGE] * 5, SEX),
        figures=dict.fromkeys(["cost ($)", "rate [%]", "a*b*", "`c`", "<b>x</b>"], AGE.mean()),
    ),
    "twins": Case(
        text(["score", "SCORE", "sex"], AGE, PAY, SEX),
        figures={"score": AGE.mean(), "SCORE": PAY.mean()},
    ),
    "twins in Parquet": Case(parquet({"SCORE": PAY, "score": AGE}), figures={"score": AGE.mean()}),
    "ages to 90 and more": Case(
        text(["age", "sex"], np.where(K > 56, "90+", AGE.astype(str)), SEX),
        figures={"age": np.where(K > 56, 90, AGE).mean()},
        told=r"3.*age.*90\+|90\+.*90",
    ),
    "19 digits": Case(text(["tweet", "age"], LONG, AGE), figures={"tweet": (LONG[7], 1 / N)}),
    "T and F": Case(
        text(
            ["arm", "passed", "sex"],
            np.where(K % 3, "T", "C"),
            np.where(K % 4, "T", "F"),
            ["F"] * N,
        ),
        figures={"passed": ("F", 0.25), "arm": ("C", 20 / N)},
    ),
    "questions as names": Case(
        text(
            ["How old are you?\n(in years)", "Which of these " + "describes you best " * 9],
            AGE,
            SEX,
        ),
        figures={"How old are you? (in years)": AGE.mean()},
    ),
    "a nameless index": Case(text(["", "age", "sex"], K, AGE, SEX), figures=MEAN),
    "types of Arrow": Case(
        parquet(
            {
                "dec": pa.array(AGE).cast(pa.decimal128(21, 2)),
                "half": pa.array(AGE.astype("float16")),
                "flag": pa.array([None if k % 4 == 3 else k % 4 > 0 for k in K]),
                "nested": pa.array([{"a": 1}] * N),
            }
        ),
        figures={"dec": AGE.mean(), "half": AGE.mean(), "flag": ("True", 2 / 3)},
        told="nested",
    ),
    "repeated instruments": Case(
        REDCAP.to_csv(index=False).encode(),
        N,
        {"smoker": 1.0},
        "'smoker' leave 'visit_weight' blank",
    ),
}
GUARDED = ["ages to 90 and more", "JSON in an answer"]
SCANNED = [
    "names of signs",
    "twins",
    "19 digits",
    "ages to 90 and more",
    "T and F",
    "dates",
    "decimals after 200 values",
]


def hold(frame: pd.DataFrame, case: Case) -> None:
    """Hold what was read to what was written."""
    assert len(frame) == case.records
    for name, figure in case.figures.items():
        if isinstance(figure, tuple):
            having = dp.SensitiveProperty(name, figure[0]).mask(frame)
            assert np.nanmean(having) == pytest.approx(figure[1])
        else:
            assert frame[name].mean() == pytest.approx(figure)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case_is_read_right_or_told(case):
    frame = dp.read_table(case.data)
    hold(as_records(frame, proposed(frame)), case)
    notices = " ".join(notice.text for notice in dp.how_read(frame)[1])
    assert pd.Series([notices]).str.contains(case.told)[0]


@pytest.mark.parametrize("name", GUARDED)
def test_case_comes_through_the_upload(name, read_here):
    hold(read_guarded(CASES[name].data, "file"), CASES[name])


@pytest.mark.parametrize("name", SCANNED)
def test_case_is_scanned_alike(name, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CASES[name].data)
    source = dp.scan(path)
    frame = dp.read_table(path)
    assert source.rows == len(frame)
    hold(source.columns(list(frame)), CASES[name])
