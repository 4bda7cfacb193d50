"""As code: a page's script gives the numbers that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest

from distpriv.dashboard.shell.pages import PAGES as SPECS
from distpriv.words import number, percent, share
from tests.app.driver import finished, records, release, run_of, sound, upload

CHOICES = {"eps": "1.7", "mech": "DauM", "dp": "0.2", "n": "150", "seed": "5", "delta": "0.005"}


def shown(app) -> str:
    """Everything a page says, tables among it."""
    told = [each.value for each in [*app.markdown, *app.caption]]
    told += [each.value.to_csv(index=False) for each in (*app.dataframe, *app.table)]
    told += [f"{metric.label} {metric.value}" for metric in app.metric]
    return "\n".join(told).replace("\u00a0", " ").replace("\\", "")


def script(app) -> str:
    """The page's script, which is written when its place is opened."""
    assert not app.get("code") or "import distpriv" not in app.get("code")[-1].value
    app.session_state["as_code"] = True
    app.run()
    sound(app)
    return app.get("code")[-1].value


def result(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "script"}
    with redirect_stdout(StringIO()):
        exec(compile(text, "script.py", "exec"), names)
    return names["result"]


def whole(value: float) -> str:
    return f"{value:.0f}"


def signed(value: float) -> str:
    return f"± {number(value)}"


def _tradeoff(app) -> None:
    app.selectbox(key="tradeoff_measure").set_value(2).run()
    app.multiselect(key="tradeoff_mechanisms").set_value(["EigM", "GroupDP"]).run()


def _guarantee(app) -> None:
    app.select_slider(key="releases").set_value(30).run()
    finished(app, run_of(app, "brackets"))


def _attack(app) -> None:
    app.selectbox(key="attack_repetitions").set_value(20)
    app.selectbox(key="attack_classifier").set_value("lda")
    app.multiselect(key="attack_mechanisms").set_value(["ExpM"]).run()
    app.session_state["runs"]["attack"].step(60)
    app.run()


def _belief(app) -> None:
    app.segmented_control(key="belief_prior").set_value("Beta(a, b)").run()
    app.number_input(key="belief_a").set_value(9.0).run()
    app.button(key="belief_again").click().run()


def _choosing(app) -> None:
    app.selectbox(key="limit_kind").set_value("precision").run()
    app.slider(key="limit_recall").set_value(30).run()
    app.number_input(key="limit_precision").set_value(80.0).run()
    while app.session_state["runs"]["bell_curve"].running:
        app.run()


def _frameworks(app) -> None:
    app.selectbox(key="framework").set_value("MP").run()


def _wasserstein(app) -> None:
    app.select_slider(key="wasserstein_datasets").set_value(250).run()
    app.session_state["runs"]["wasserstein"].step(60)
    app.run()


def _release(app) -> None:
    """One release of other records is on the ledger already."""
    app.number_input(key="n").set_value(200).run()
    app.text_input(key="who").set_value("Ann")
    release(app)
    app.number_input(key="n").set_value(150).run()


def _tour(app) -> None:
    app.segmented_control(key="lesson").set_value("2").run()
    app.button(key="tour_show_2").click().run()
    app.select_slider(key="tour_records").set_value(400).run()


def _classroom(app) -> None:
    app.button(key="room_open").click().run()
    app.button(key="room_start").click().run()


def _papers(app) -> None:
    app.session_state["runs"]["paper"].step(120)
    app.run()


def _nothing(app) -> None:
    pass


# What to do on each page, and how its script's numbers are written there.
PAGES: dict[str, tuple[Callable[[Any], None], dict[str, Callable[[float], str]]]] = {
    "question": (_nothing, {
        "best attacker right, without noise": percent,
        "best attacker right, with the noise": percent,
        "expected error of count sex = Female": signed,
        "delivered δ": number,
        "records with the property at 0.4": whole,
        "mean age at p_i": number,
        "count sex = Female at p_j": number,
        "mean hours-per-week, standard deviation": number,
        "mean education-num, shift in standard deviations": number,
    }),
    "fit": (_nothing, {
        "accuracy that the normal curves lead to expect": percent,
        "accuracy on the simulated datasets": percent,
        "95 % interval from": percent,
        "mean age, mean at share 2": number,
        "count sex = Female, standard deviation at share 1": number,
        "distance of the means, from": number,
        "delivered ε, to": number,
    }),
    "directions": (_nothing, {
        "shift in L2": number,
        "share of the squared shift in count marital-status = Never-married":
            lambda value: percent(value, 0),
        "share of the noise variance along the shift": lambda value: percent(value, 0),
        "delivered δ": number,
    }),
    "tradeoff": (_tradeoff, {
        "DauM: expected error": number,
        "EigM: expected error": signed,
        "GroupDP: expected error": signed,
        "EigM: best attacker right": percent,
        "EigM: delivered δ": number,
    }),
    "guarantee": (_guarantee, {
        "DauM: delivered δ": number,
        "DauM: best attacker after the releases": percent,
        "DauM: ε after the releases": number,
        "at least: ε": number,
        "at most: δ": number,
    }),
    "attack": (_attack, {
        "DauM: best possible attacker": percent,
        "DauM: simulated attacker": percent,
        "DauM: 95 % interval from": percent,
        "DauM: 95 % interval to": percent,
        "ExpM: the attack proves ε of at least": number,
        "none: the attack proves ε of at least": number,
    }),
    "belief": (_belief, {
        "before, from": lambda value: share(round(value, 3)),
        "before, to": lambda value: share(round(value, 3)),
        "after, from": lambda value: share(round(value, 3)),
        "after, to": lambda value: share(round(value, 3)),
    }),
    "answer": (_choosing, {
        "EigM: expected L2 error": number,
        "DauM: expected L2 error": number,
        "CoupM: expected L2 error": number,
        "CoupM: expected L2 error at the current ε": number,
        "GroupDP: expected L2 error at the current ε": number,
        "CoupM: ε of the error of DauM": number,
        "no noise from ε": number,
        "right of 100, with the noise": whole,
        "reached in the limit's measure": percent,
    }),
    "assumptions": (_nothing, {
        "only a shift, deviation in standard deviations": number,
        "equal covariances, deviation in %": number,
        "normal curves, deviation in percentage points": number,
        "delivered δ": number,
    }),
    "compare": (_nothing, {
        "now: best attacker with noise": percent,
        "half the ε: best attacker with noise": percent,
        "twice the ε: expected L2 error": number,
        "twice the ε: delivered δ": number,
    }),
    "decide": (_nothing, {
        "now: best attacker with noise": percent,
        "twice the ε: expected L2 error": number,
        "half the ε: delivered δ": number,
    }),
    "release": (_release, {
        "best attacker after them": percent,
        "delivered ε": number,
    }),
    "tour": (_tour, {
        "step 2, accuracy": percent,
        "step 2, together": percent,
    }),
    "classroom": (_classroom, {"no noise: best attacker right": percent}),
    "gallery": (_nothing, {
        "census-income, 100 records: attacker right without noise": percent,
        "bank, 15000 records: attacker right without noise": percent,
        "school, 100 records: attacker right without noise": percent,
    }),
    "glossary": (_nothing, {"terms": whole}),
    "papers": (_papers, {
        "figures with the verdict 'agrees'": whole,
        "figures with the verdict 'within sampling error'": whole,
    }),
    "wasserstein": (_wasserstein, {
        "some have to move by": number,
        "without δ of them, by": number,
        "the fitted normals are apart by": number,
        "Wasserstein: Laplace scale": number,
    }),
    "attribute": (_nothing, {
        "average weight: noise moves it by": number,
        "average blood pressure: noise moves it by": number,
        "average weight: the share moves it by": number,
    }),
    "frameworks": (_frameworks, {"DDP, to": lambda value: f"{value:g}"}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_script_gives_the_numbers_of_the_page(open_app, page):
    prepare, expected = PAGES[page]
    app = open_app(None if page == "question" else page, **CHOICES)
    prepare(app)
    sound(app)
    text = script(app)
    found, told = result(text), shown(app)
    for name, written in expected.items():
        assert written(found[name]).replace("\u00a0", " ") in told, (name, found[name])


def test_every_page_has_a_script_with_its_own_numbers():
    assert {spec.name for spec in SPECS} == set(PAGES)


def test_the_script_of_an_upload_reads_its_file(open_app, tmp_path, monkeypatch):
    table = records(900)
    app = upload(open_app(), table)
    text = script(app)
    assert 'dp.read_table("mine.csv")' in text
    table.to_csv(tmp_path / "mine.csv", index=False)
    monkeypatch.chdir(tmp_path)
    found = result(text)
    assert percent(found["best attacker right, with the noise"]).replace("\u00a0", " ") in shown(
        app
    )


def test_the_other_tabs_of_two_pages_have_scripts_of_their_own(open_app):
    app = open_app("attribute", attribute_tab="Distribution", **CHOICES)
    found, told = result(script(app)), shown(app)
    assert f"**{number(found['noise moves it by'])}**" in told
    assert f"attributes: {found['quilts']}" in told
    app = open_app()
    app.session_state["wasserstein_tab"] = "A small example"
    app.switch_page("../../pages/wasserstein.py").run()
    app.slider(key="example_delta").set_value(0.2).run()
    found, told = result(script(app)), shown(app)
    assert f"by **{number(found['W'])}**; if 20 % may be left out" in told
    assert f"**{number(found['Laplace scale with δ'])}** with δ = 0.2" in told
