"""An upload starts whole; examples stay as they are."""

from __future__ import annotations

import numpy as np

from distpriv.tables.examples import EXAMPLES
from distpriv.words import number
from tests.app.driver import (
    OF_THE_SCENARIO,
    clean,
    records,
    release,
    sampled,
    table,
    texts,
    turn_to,
    upload,
)

SIZE = 1800


def size(app):
    """The whole, n, and what the box says."""
    scenario = app.session_state["scenario"]
    key = "n_whole" if scenario.whole else "n"
    return scenario.whole, scenario.n, app.number_input(key=key).value


def test_an_upload_starts_with_all_of_its_records(open_app):
    mine = records(SIZE)
    mine.loc[:24, "salary"] = np.nan
    app = upload(open_app("question"), mine)
    clean(app)
    assert size(app) == (True, 100, SIZE - 25)
    assert app.number_input(key="n_whole").disabled
    assert f"statistics of {number(SIZE - 25)} records" in texts(app)
    # The number of records follows the columns in use, and is none of the address's business.
    app.multiselect(key="own_stat").set_value(["mean hours"]).run()
    assert size(app) == (True, 100, SIZE)
    assert str(SIZE) not in str(app.query_params)


def test_every_page_takes_the_whole_table(open_app):
    app = upload(open_app("question"), records(300))
    for page in OF_THE_SCENARIO:
        clean(turn_to(app, page))


def test_what_is_released_is_the_whole_table(open_app):
    app = release(turn_to(upload(open_app("question"), records(SIZE)), "release"))
    clean(app)
    assert "statistics of all of **mine\\.csv**" in texts(app)


def test_a_sample_of_an_upload_is_a_switch_away(open_app):
    app = sampled(upload(open_app("question"), records(SIZE)), 70)
    clean(app)
    assert size(app) == (False, 70, 70)
    app.toggle(key="whole").set_value(True).run()
    assert size(app) == (True, 70, SIZE)
    app.toggle(key="whole").set_value(False).run()
    assert size(app) == (False, 70, 70)


def test_examples_keep_their_size(open_app):
    app = open_app("question", n="300")
    assert size(app) == (False, 300, 300)
    upload(app, records(SIZE))
    assert size(app)[0]
    app.selectbox(key="data").set_value(EXAMPLES[0].title).run()
    clean(app)
    assert size(app) == (False, 300, 300)
    app.selectbox(key="data").set_value("Your file").run()
    clean(app)
    assert size(app) == (True, 100, SIZE)


def test_the_size_set_for_an_upload_is_there_again(open_app):
    app = sampled(upload(open_app("question"), records(SIZE)), 70)
    app.selectbox(key="data").set_value(EXAMPLES[0].title).run()
    assert size(app) == (False, 100, 100)
    app.selectbox(key="data").set_value("Your file").run()
    assert size(app) == (False, 70, 70)
    upload(turn_to(app, "question"), records(900), "another.csv")
    assert size(app) == (True, 100, 900)


def test_a_link_to_a_whole_example_keeps_its_n(open_app):
    app = open_app("question", whole="true", n="300")
    clean(app)
    assert size(app) == (True, 300, 45222)
    app.toggle(key="whole").set_value(False).run()
    assert size(app) == (False, 300, 300)
    assert not open_app(whole="true", n="nonsense").exception


def test_the_errors_are_those_of_the_whole_table(open_app):
    app = upload(open_app("question"), records(SIZE))
    whole = table(app, "Noise")["Noise"].tolist()
    assert whole != table(sampled(app, 70), "Noise")["Noise"].tolist()
