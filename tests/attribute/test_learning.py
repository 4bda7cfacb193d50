"""Networks learned from tables: recovered from draws, counted by hand, and refused."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import distpriv as dp


@pytest.fixture(scope="module")
def drawn() -> tuple[dp.BayesianNetwork, pd.DataFrame]:
    """20 000 records of a tree a → b → c, b → d."""
    flip = [[0.85, 0.15], [0.2, 0.8]]
    net = dp.BayesianNetwork(
        [("a", "b"), ("b", "c"), ("b", "d")],
        {"a": [0.4, 0.6], "b": flip, "c": flip, "d": [[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]]},
        {"a": ["n", "y"], "b": ["n", "y"], "c": ["n", "y"], "d": ["x", "y", "z"]},
    )
    rng = np.random.default_rng(11)
    joint = net.joint()
    flat = rng.choice(joint.size, size=20_000, p=joint.ravel())
    codes = np.unravel_index(flat, joint.shape)
    return net, pd.DataFrame(
        {n: np.array(net.names(n))[c] for n, c in zip(net.nodes, codes, strict=True)}
    )


def test_the_tree_and_its_tables_are_found_again(
    drawn: tuple[dp.BayesianNetwork, pd.DataFrame],
) -> None:
    net, table = drawn
    learned = dp.attribute.learn_network(table, net.nodes)
    assert (learned.records, learned.dropped) == (20_000, 0)
    assert set(learned.network.edges) == set(net.edges)
    for node in net.nodes:
        assert learned.network.names(node) == net.names(node)
        assert learned.network.table(node) == pytest.approx(net.table(node), abs=0.02)
    # Directed away from the first column, whichever that is.
    turned = dp.attribute.learn_network(table, ["c", "a", "b", "d"])
    assert set(turned.network.edges) == {("c", "b"), ("b", "a"), ("b", "d")}


def test_given_edges_are_counted(drawn: tuple[dp.BayesianNetwork, pd.DataFrame]) -> None:
    _, table = drawn
    learned = dp.attribute.learn_network(
        table, ["a", "b", "d"], [("d", "b"), ("a", "b")], smoothing=0.5
    )
    assert learned.network.parents("b") == ("d", "a")
    counts = pd.crosstab([table["d"], table["a"]], table["b"]).to_numpy() + 0.5
    expected = (counts / counts.sum(axis=1, keepdims=True)).reshape(3, 2, 2)
    assert learned.network.table("b") == pytest.approx(expected)


def test_numbers_are_cut_and_missing_values_counted(people: pd.DataFrame) -> None:
    table = people[["age", "hours", "income", "remote", "town"]].copy()
    table.loc[:99, "hours"] = np.nan
    learned = dp.attribute.learn_network(table, table.columns, states=3)
    assert (learned.records, learned.dropped) == (1900, 100)
    net = learned.network
    assert len(net.edges) == 4
    assert nx.is_tree(net.graph)
    hours = table["hours"].dropna()
    edges = [float(name.split(" to ")[1]) for name in net.names("hours")[:2]]
    assert edges == pytest.approx(hours.quantile([1 / 3, 2 / 3]), rel=0.01)
    assert net.names("income") == ("high", "low")
    assert net.names("remote") == ("False", "True")
    wide = dp.attribute.learn_network(table, ["age", "income"], cut="widths").network.names("age")
    lengths = [float(b) - float(a) for a, b in (name.split(" to ") for name in wide)]
    assert lengths == pytest.approx([lengths[1]] * 3, rel=0.02)


def test_rare_values_become_one_state(people: pd.DataFrame) -> None:
    learned = dp.attribute.learn_network(people, ["town", "income"], states=2)
    assert learned.network.names("town")[1] == "other"
    commonest = people["town"].value_counts().iloc[0]
    share = learned.network.joint().sum(axis=1)[0]
    assert share == pytest.approx((commonest + 1) / (len(people) + 2), abs=1e-3)


def test_a_column_that_is_mostly_one_number() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"gain": np.where(rng.random(500) < 0.95, 0, rng.integers(1, 90, 500))})
    table["sex"] = rng.choice(["f", "m"], 500)
    learned = dp.attribute.learn_network(table, ["gain", "sex"])
    assert learned.network.names("gain")[-1] == "other"
    assert "0" in learned.network.names("gain")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"columns": ["age"]}, "at least two columns"),
        ({"states": 1}, "at least 2 states"),
        ({"smoothing": 0.0}, "positive number, got 0"),
        ({"smoothing": math.inf}, "positive number, got inf"),
        ({"edges": [("age", "x")]}, "'x', which is not among"),
        ({"edges": [("age", "income"), ("income", "age")]}, "cycle"),
        ({"columns": ["age", "same"]}, "'same' holds one value only"),
        ({"columns": ["age", "nothing"]}, "No record has a value"),
        ({"columns": ["age", "hours", "town", "income"], "states": 60}, "too large"),
    ],
)
def test_what_cannot_be_learned_is_named(people: pd.DataFrame, changes: dict, says: str) -> None:
    table = people.assign(same="x", nothing=np.nan, town=people.index, income=people.index[::-1])
    with pytest.raises(dp.errors.NetworkError, match=says):
        dp.attribute.learn_network(table, **({"columns": ["age", "income"]} | changes))


def test_a_column_that_is_not_there(people: pd.DataFrame) -> None:
    with pytest.raises(dp.errors.QueryError, match="no column 'x'"):
        dp.attribute.learn_network(people, ["age", "x"])
