"""The Gallery: a card for every example, a way in, and files for teachers."""

from __future__ import annotations

from data.problems import SETS
from distpriv.dashboard.gallery.corner import FILES
from distpriv.tables.examples import EXAMPLES
from tests.app.driver import captions, clean, texts

TOLD = [example for example in EXAMPLES if example.story]


def test_a_card_opens_its_example_on_the_first_page(open_app):
    app = open_app("gallery", view="presentation")
    clean(app)
    assert len(TOLD) == 5
    told, small = texts(app).replace("\\", ""), captions(app)
    for example in TOLD:
        assert example.story in told
        assert example.attribution in small
    for name, example in (("school", TOLD[4]), ("hospital", TOLD[1])):
        app.switch_page("../../pages/gallery.py").run()
        app.button(key=f"gallery_{name}").click().run()
        clean(app)
        assert app.title[0].value == "Is it safe to publish?"
        assert app.session_state["dataset"].title == example.title
        scenario = app.session_state["scenario"]
        assert (scenario.secret.label, scenario.center) == (example.secret, example.center)
        assert example.title in app.query_params["data"]


def test_every_file_of_the_problem_sets_is_offered(open_app):
    app = open_app("gallery")
    keys = {button.key for button in app.get("download_button")}
    offered = {f"problems_{each.key}_{label}" for each in SETS
               for label in ("Notebook", "Scenario", "Solutions")}  # fmt: skip
    assert offered <= keys
    kinds = ("questions.ipynb", "scenario.json", "solutions.ipynb")
    assert {path.name for path in FILES.iterdir()} == {
        f"{each.key}-{kind}" for each in SETS for kind in kinds
    }
