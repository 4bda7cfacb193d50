"""Calls are kept for everything that they depend on, and for no other table."""

from __future__ import annotations

import pytest
import streamlit as st
from streamlit.runtime.caching import clear_session_resource_cache
from streamlit.testing.v1 import AppTest

from distpriv.dashboard.widgets import recommended
from tests.app.driver import turn_to, upload


def _script() -> None:
    import numpy as np
    import pandas as pd
    import streamlit as st

    import distpriv as dp
    from distpriv.dashboard.shell import cache
    from distpriv.dashboard.shell.dataset import Dataset
    from distpriv.dashboard.shell.uploads import from_upload

    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"age": rng.integers(20, 60, 70_000), "rich": rng.choice(["yes", "no"], 70_000)}
    )
    calls = []

    def counted(source: Dataset, query: dp.Query, secret: dp.SensitiveProperty) -> float:
        calls.append(source.digest)
        return float(source.moments(query, secret).means[1][0])

    def numbered(*arguments: object) -> int:
        calls.append(arguments)
        return len(calls)

    query, secret = dp.Query([dp.Mean("age")]), dp.SensitiveProperty("rich", "yes")
    one = from_upload(table.to_csv(index=False).encode(), "one.csv")
    row = int(np.flatnonzero(table["rich"] == "yes")[-1])
    table.loc[row, "age"] += 1
    other = from_upload(table.to_csv(index=False).encode(), "other.csv")
    means = [cache.computed(counted, source, query, secret) for source in (one, other, one)]
    difference = (means[1] - means[0]) * int((table["rich"] == "yes").sum())
    st.session_state["means"] = (round(difference, 6), means[0] == means[2], len(calls))

    calls.clear()
    large = np.zeros(600_000)
    near = large.copy()
    near[300_000] = 1e-9
    asked = [(large,), (near,), (large,), (1,), (1.0,), (0.1 + 0.2,), (0.3,), ("1",), ((1, 2),),
             ([1, 2],), ({"a": 1},), ({"a": 2},), (query,),
             (dp.Query([dp.Sum("age")]),)]  # fmt: skip
    numbers = [cache.computed(numbered, "a text", *arguments) for arguments in asked]
    numbers.append(cache.computed(numbered, "another text", 1))
    st.session_state["numbers"] = numbers
    try:
        cache.computed(numbered, "a text", object())
    except TypeError as error:
        st.session_state["refusal"] = str(error)


def test_tables_that_differ_in_one_record_and_arguments_in_one_digit_are_told_apart() -> None:
    st.cache_resource.clear()
    app = AppTest.from_function(_script, default_timeout=60).run()
    assert not app.exception
    # One person a year older: another mean, while the first table's is kept.
    assert app.session_state["means"] == (1.0, True, 2)
    assert app.session_state["numbers"] == [1, 2, 1, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    assert "object is no part of a key" in app.session_state["refusal"]
    # A second run of the page computes nothing again.
    app.run()
    assert app.session_state["means"] == (1.0, True, 0)
    assert app.session_state["numbers"][-1] == 13


def _two_sessions() -> None:
    from dataclasses import replace

    import numpy as np
    import pandas as pd
    import streamlit as st

    import distpriv as dp
    from distpriv.dashboard.shell import cache
    from distpriv.dashboard.shell.dataset import Dataset
    from distpriv.dashboard.shell.uploads import from_upload
    from distpriv.tables import digest

    rng = np.random.default_rng(1)
    count = 60_000
    table = pd.DataFrame(
        {"age": rng.integers(20, 60, count), "rich": rng.choice(["yes", "no"], count)}
    )
    one = from_upload(table.to_csv(index=False).encode(), "one.csv")
    query, secret = dp.Query([dp.Mean("age")]), dp.SensitiveProperty("rich", "yes")
    confused = 0
    for row in rng.choice(count, 40, replace=False):
        changed = one.table.copy()
        changed.loc[row, "age"] += 1
        other = replace(one, table=changed, digest=digest(changed))
        for dataset in (one, other):
            told = cache.computed(Dataset.moments, dataset, query, secret)
            true = dataset.moments(query, secret)
            confused += not all(map(np.array_equal, told.means, true.means))
    st.session_state["confused"] = confused


def test_none_of_40_pairs_of_large_tables_that_differ_in_one_cell_is_confused() -> None:
    app = AppTest.from_function(_two_sessions, default_timeout=60).run()
    assert not app.exception
    assert app.session_state["confused"] == 0


@pytest.mark.parametrize("own", [False, True])
def test_what_follows_from_an_example_is_everybodys_and_from_an_upload_the_sessions(
    own, open_app, people, cold, monkeypatch
):
    asked = []

    def noted(view, limit):
        asked.append(view.source.origin)
        return recommend(view, limit)

    recommend = recommended.recommend
    monkeypatch.setattr(recommended, "recommend", noted)

    def visit():
        app = open_app("question")
        app = turn_to(upload(app, people), "answer") if own else open_app("answer")
        assert not app.exception
        clear_session_resource_cache("test session id")  # it leaves
        return asked.count("upload" if own else "example")

    first = visit()
    assert first > 0
    assert visit() == (2 * first if own else first)
