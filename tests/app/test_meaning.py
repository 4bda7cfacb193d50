"""What an ε means, on every page that says it; the label; and what is on record."""

from __future__ import annotations

import pytest

from tests.app.driver import captions, clean, proposed, release, table, texts


def metrics(app) -> dict[str, str]:
    return {each.label.replace("\\", ""): each.value for each in app.main.metric}


@pytest.mark.parametrize("page", ["answer", "compare"])
@pytest.mark.parametrize("view", ["analyst", "presentation"])
def test_the_figures_are_said_where_an_epsilon_is_chosen(open_app, page: str, view: str) -> None:
    app = open_app(page, view=view)
    clean(app)
    found = metrics(app)
    assert found["Right guesses"] == "57.4 of 100"
    assert found["As good as reading"] == "3\u00a0records"
    assert found["Any chance times, at most"] == "1.15"
    assert found["A belief of 50\u00a0% becomes"] == "31 to 69\u00a0%"


def test_the_prior_is_the_visitor_s(open_app) -> None:
    app = open_app("answer")
    app.slider(key="meaning_prior").set_value(0.2).run()
    clean(app)
    told = next(value for label, value in metrics(app).items() if label.startswith("A belief"))
    assert told == "10 to 35\u00a0%"
    assert "Who holds it for 20 % likely" in texts(app)
    app.slider(key="dp").set_value(0.2).run()
    assert any(label.startswith("A belief of 20") for label in metrics(app))


def test_compared_scenarios_say_what_they_are_as_good_as(open_app) -> None:
    assert "As good as reading" in list(table(open_app("compare"), "Result")["Result"])


@pytest.mark.parametrize("mechanism", ["DirM(L)", "DP", "CoupM"])
def test_every_kind_of_noise_has_a_meaning(open_app, mechanism: str) -> None:
    app = open_app("compare", mech=mechanism)
    clean(app)
    assert any("μ" in label for label in metrics(app)) == (mechanism != "DirM(L)")


def opened(open_app, **query: str):
    app = open_app("decide", show="Report", **query)
    app.session_state["report_label"] = True
    return app.run()


def test_the_label_is_there_before_a_report_is_built(open_app) -> None:
    app = opened(open_app)
    clean(app)
    told = texts(app).replace("\\", "")
    for title in (
        "What anybody who sees the release can learn",
        "What is not protected",
        "What this rests on",
    ):
        assert f"## {title}" in told
    assert "No release of these data is on record here" in told
    assert "Single persons: **not promised**" in told
    other = opened(open_app, persons="true").run()
    clean(other)
    assert "Single persons" not in texts(other)
    assert "For each person: **ε = 1, δ = 0.001: kept**" in texts(other).replace("\\", "")


def test_the_label_counts_what_is_on_record(open_app) -> None:
    release(open_app("release"))
    told = texts(opened(open_app)).replace("\\", "")
    assert "One release of these data is on record and counted" in told
    release(open_app("release", stat="mean age"))
    told = texts(opened(open_app))
    assert "1 more on record" in told or "2 releases of these data" in told


def test_a_decision_says_what_its_figures_mean(open_app) -> None:
    app = proposed(open_app("decide"))
    assert "What that means: 57.4 right guesses of 100" in captions(app)
    assert table(app, "As good as reading")["As good as reading"].iloc[0] == "3\u00a0records"
