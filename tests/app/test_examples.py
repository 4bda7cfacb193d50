"""The examples take each other's place in the frame."""

from __future__ import annotations

import distpriv as dp
from distpriv.analysis.scenario_file import pack_scenario
from distpriv.tables.examples import EXAMPLES
from tests.app.driver import clean, upload


def test_an_example_is_opened_with_its_own_question(open_app):
    app = open_app("fit", secret="sex = Female", stat=["mean age", "count race = White"])
    titles = {example.key: example.title for example in EXAMPLES}

    def asked() -> tuple[object, ...]:
        clean(app)
        scenario = app.session_state["scenario"]
        return scenario.secret.label, scenario.query.labels, scenario.center, scenario.width

    for key in ("hospital", "school"):
        example = next(example for example in EXAMPLES if example.key == key)
        app.selectbox(key="data").set_value(example.title).run()
        assert asked() == (example.secret, example.statistics, example.center, example.width)
    # The bounds of its columns are public ones, even where they are those of its records.
    app.toggle(key="persons").set_value(True).run()
    assert dict(app.session_state["scenario"].bounds)["maths"] == (0, 100)
    assert "come from the data" not in " ".join(c.value for c in app.caption)
    app.switch_page("../../pages/question.py").run()
    upload(app, b"a,b\n" + b"1,x\n2,y\n3,x\n5,y\n" * 50)
    app.selectbox(key="data").set_value(titles["census-income"]).run()
    assert asked()[0::2] == ("income = >50K", 0.5)
    assert len(asked()[1]) == 5
    # A file or a link is opened on the example that it was made on, whichever is shown.
    bank = next(example for example in EXAMPLES if example.key == "bank")
    scenario = dp.Scenario(
        digest=bank.digest, secret=dp.SensitiveProperty("late", "yes"),
        query=dp.Query([dp.Mean("amount")]), center=0.4, n=200, mechanism="EigM",
    )  # fmt: skip
    linked = open_app(scenario=pack_scenario(scenario))
    clean(linked)
    assert linked.session_state["dataset"].title == bank.title
    assert linked.session_state["scenario"].center == 0.4
