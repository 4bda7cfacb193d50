"""The numbers behind a chart, for download."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from plotly import graph_objects as go

from distpriv.charts import figure_data


def chart(**trace: object) -> go.Figure:
    figure = go.Figure()
    figure.add_scatter(x=[1, 2], y=[-3.5, 4], **trace)
    figure.update_layout(xaxis_title_text="ε", yaxis_title_text="error (years)")
    return figure


def test_columns_are_named_by_the_axes() -> None:
    table = figure_data(chart(name="ExpM"))
    assert table.columns.tolist() == ["series", "ε", "error (years)"]
    assert table.to_numpy().tolist() == [["ExpM", 1, -3.5], ["ExpM", 2, 4]]


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_texts_that_start_a_formula_are_made_inert_and_numbers_are_not(start: str) -> None:
    table = figure_data(chart(name=f"{start}cmd", meta={"x": [f"{start}1+1", "plain"]}))
    assert table["series"].tolist() == [f"'{start}cmd"] * 2
    assert table["ε"].tolist() == [f"'{start}1+1", "plain"]
    assert table["error (years)"].tolist() == [-3.5, 4]


def test_a_title_that_starts_a_formula_is_made_inert() -> None:
    figure = chart(name="a")
    figure.update_layout(xaxis_title_text="=cmd")
    assert figure_data(figure).columns[1] == "'=cmd"


def test_markup_is_undone() -> None:
    table = figure_data(chart(name="<b>a &lt; b &amp; c</b><br>d"))
    assert table["series"].tolist() == ["a < b & c d"] * 2


def test_intervals_become_low_and_high() -> None:
    figure = chart(name="a", error_y={"array": [1, 2], "arrayminus": [0.5, 0.25]})
    table = figure_data(figure)
    assert table["low"].tolist() == [-4, 3.75]
    assert table["high"].tolist() == [-2.5, 6]
    symmetric = figure_data(chart(name="a", error_y={"array": [1, 2]}))
    assert symmetric["low"].tolist() == [-4.5, 2]


def test_equal_titles_do_not_share_a_column() -> None:
    figure = chart(name="a")
    figure.update_layout(yaxis_title_text="ε")
    assert figure_data(figure).columns.tolist() == ["series", "ε", "ε (y)"]


def test_a_title_does_not_replace_a_column_of_the_table() -> None:
    figure = chart(name="a", error_y={"array": [1, 2]})
    figure.update_layout(xaxis_title_text="low")
    assert figure_data(figure).columns.tolist() == [
        *("series", "low (x)", "error (years)"),
        *("low", "high"),
    ]


def test_panels_with_different_axes() -> None:
    figure = chart(name="a")
    figure.add_scatter(x=[5], y=[6], name="b", xaxis="x2", yaxis="y2")
    figure.update_layout(
        xaxis2={"title": {"text": "age"}}, yaxis2={"title": {"text": "error (years)"}}
    )
    table = figure_data(figure)
    assert table.columns.tolist() == ["series", "x axis", "x", "error (years)"]
    assert table.iloc[-1].tolist() == ["b", "age", 5, 6]


def test_entries_of_the_legend_are_left_out() -> None:
    figure = chart(name="a")
    figure.add_scatter(x=[None], y=[None], name="key")
    assert set(figure_data(figure)["series"]) == {"a"}
    assert figure_data(go.Figure()).empty


def test_round_trip_through_a_file() -> None:
    figure = go.Figure(go.Scatter(x=[0.1, 0.2], y=[np.nan, 1 / 3], name="ExpM"))
    figure.update_layout(xaxis_title_text="ε", yaxis_title_text="error")
    text = figure_data(figure).to_csv(index=False)
    read = pd.read_csv(io.StringIO(text))
    assert read["ε"].tolist() == [0.1, 0.2]
    assert np.isnan(read["error"][0])
    assert read["error"][1] == 1 / 3
