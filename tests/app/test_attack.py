"""The Attack page: every attacker, the curves and the audit, and what is said of them."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from distpriv.attacks.property_inference import attacker_names
from distpriv.dashboard.serving import rates
from tests.app.driver import (
    attack_of,
    charts,
    finished,
    press,
    records,
    run_of,
    sampled,
    sound,
    texts,
    upload,
    warnings,
)


def values(drawn) -> list[float]:
    """Numbers of a trace, which plotly may pack."""
    if isinstance(drawn, dict):
        return np.frombuffer(base64.b64decode(drawn["bdata"]), drawn["dtype"]).tolist()
    return [each for each in drawn if each is not None]


def attacked(app):
    """Run the page until its repetitions are done."""
    app.selectbox(key="attack_repetitions").set_value(20).run()
    return finished(app, run_of(app, "attack"))


@pytest.mark.slow
@pytest.mark.parametrize("classifier", attacker_names())
def test_every_attacker_runs_and_is_audited(open_app, classifier):
    app = open_app("attack")
    app.multiselect(key="attack_mechanisms").set_value(["OptM", "ExpM"]).run()
    app.selectbox(key="attack_classifier").set_value(classifier).run()
    attacked(app)
    result = run_of(app, "attack").result()
    assert result.classifier == classifier
    assert result.accuracy["none"].mean() > 0.6
    table = next(f.value for f in app.dataframe if "Verdict" in f.value)
    assert list(table["Release"]) == ["no noise", "OptM", "ExpM"]
    assert list(table["Verdict"]) == ["–", "not refuted", "not refuted"]
    assert "proves" in texts(app)
    # By mechanism, ROC, precision-recall, against ε, against Δp; published and grid-safe.
    assert len(charts(app)) == 6


def test_long_work_that_is_asked_for_too_often_has_to_wait(open_app, monkeypatch):
    app = open_app("attack")
    app.selectbox(key="attack_repetitions").set_value(20).run()
    before = run_of(app, "attack")
    finished(app, before)
    monkeypatch.setattr(rates, "allow", lambda _kind, _address: rates.Answer(90))
    press(app, "Run again")
    sound(app)
    assert "try again in 90 seconds" in warnings(app)
    assert run_of(app, "attack") is before
    monkeypatch.undo()
    press(app, "Run again")
    assert "try again" not in warnings(app)
    assert run_of(app, "attack") is not before


def test_the_gap_of_training_without_noise_is_explained(open_app):
    app = open_app("attack", mech="ExpM", eps="5")
    assert "In the paper's way, trained on clean statistics" in texts(app)
    app.segmented_control(key="attack_training").set_value("clean data").run()
    attacked(app)
    assert run_of(app, "attack").result().adaptive is False


def test_laplace_noise_has_a_best_attacker_too(open_app):
    app = open_app("attack", mech="ExpM(L)")
    sound(app)
    assert "With ExpM" in texts(app)
    assert "the best possible attacker in **" in texts(app)


def test_the_attack_is_on_the_pair_that_is_looked_at(open_app):
    app = open_app("attack", also="workclass = Private: 45 % or 55 %")
    app.selectbox(key="look").set_value("workclass = Private: 45 % or 55 %").run()
    sound(app)
    assert attack_of(app, "attack").pair.secret.column == "workclass"
    assert "workclass" in texts(app)


def test_protection_of_single_records_claims_nothing_about_the_share(open_app):
    app = open_app("attack", mech="DP")
    app.multiselect(key="attack_mechanisms").set_value(["DP", "OptM"]).run()
    attacked(app)
    table = next(f.value for f in app.dataframe if "Verdict" in f.value).set_index("Release")
    assert table.loc["DP", "Claimed"] == "nothing"
    assert table.loc["OptM", "Claimed"] == "ε = 1, δ = 0.001"
    assert "this release claims none" in texts(app)


def test_other_reference_data_are_another_attack(open_app):
    app = open_app("question")
    upload(app, records(1200))
    app.switch_page("../../pages/attack.py").run()
    before = run_of(app, "attack")
    app.switch_page("../../pages/question.py").run()
    key = next(u.key for u in app.file_uploader if u.key.startswith("reference_"))
    content = records(900, seed=3).to_csv(index=False).encode()
    app.file_uploader(key=key).set_value(("public.csv", content, "text/csv")).run()
    app.switch_page("../../pages/attack.py").run()
    sound(app)
    assert run_of(app, "attack") is not before
    assert sum(attack_of(app, "attack").groups.counts) == 900


def test_curves_are_those_of_the_pair_that_is_looked_at(open_app):
    label = "workclass = Private: 45 % or 55 %"
    app = open_app("attack", also=label, mech="DirM(L)", look=label)
    sound(app)
    scenario = app.session_state["scenario"]
    assert scenario.look == label
    curves = charts(app)
    by_epsilon = next(c for c in curves if "against ε" in c["layout"]["title"]["text"])
    names = [trace["name"] for trace in by_epsilon["data"]]
    # Laplace noise in two directions takes long to attack, so there is no line to draw.
    assert "DirM(L)" not in names
    undefended = next(t for t in by_epsilon["data"] if t["name"] == "without noise")
    optimal = next(t for t in by_epsilon["data"] if t["name"] == "OptM")
    assert max(values(optimal["y"])) <= max(values(undefended["y"])) + 1e-9
    assert max(values(undefended["y"])) < 0.7


def undone(app):
    """Run what arithmetic undoes to its end; the sentences about it."""
    finished(app, run_of(app, "undoing"))
    return [line for line in texts(app).splitlines() if line.startswith("**")]


def test_what_the_published_mechanisms_give_away(open_app):
    app = open_app("attack", cal="exact")
    lines = undone(app)
    for name in ("DirM", "DauM", "OptM"):
        line = next(each for each in lines if each.startswith(f"**{name}**"))
        assert "undone by arithmetic" in line
        assert "as without noise (simulated: 7" in line
        # The paper's figure belongs to the picture alone.
        assert "published: up to **76.2 %** right" in line
        assert "Grid-safe it is **57." in line
    run = run_of(app, "undoing")
    assert run.done == run.wanted == 20
    assert run.result().recovered["OptM, published"].mean() > 0.99
    assert not run.result().recovered["OptM, grid-safe"].any()


@pytest.mark.slow
def test_the_simulation_of_what_is_undone_stops_and_runs_again(open_app):
    app = open_app("attack", cal="exact")
    first = run_of(app, "undoing")
    assert first.running
    app.button(key="undoing_stop").click().run()
    assert run_of(app, "undoing").stopped
    app.button(key="undoing_start").click().run()
    assert run_of(app, "undoing") is first
    first.step(1e9)
    app.run()
    app.button(key="undoing_start").click().run()
    assert run_of(app, "undoing") is not first
    app.number_input(key="eps").set_value(2.0).run()
    assert attack_of(app, "undoing").noises["DirM, published"].epsilon == 2.0
    sound(app)


def test_a_mechanism_that_cannot_be_guarded_says_so(open_app):
    app = open_app("attack", cal="guarded", eps="0.1")
    sound(app)
    lines = [line for line in texts(app).splitlines() if line.startswith("**DauM**")]
    assert "cannot be calibrated *guarded* here and stands with the *exact* one" in lines[0]


def test_without_noise_there_is_nothing_to_undo(open_app):
    app = open_app("attack", cal="exact", eps="10", dp="0.02")
    sound(app)
    for name in ("DauM", "OptM"):
        assert f"**{name}** needs no noise at this ε and δ: there is nothing to undo" in texts(app)
    assert set(attack_of(app, "undoing").noises) == {"DirM, published", "DirM, grid-safe"}


def test_statistics_on_no_grid_leave_arithmetic_nothing(open_app):
    rng = np.random.default_rng(1)
    table = records(12_000).assign(weight=lambda each: rng.normal(size=len(each)))
    app = open_app("question")
    upload(app, table[["weight", "active"]])
    app.switch_page("../../pages/attack.py").run()
    sound(app)
    assert "arithmetic has nothing to hold on to" in texts(app)


def test_uploads_and_several_pairs_are_undone_too(open_app):
    app = open_app("question")
    sampled(upload(app, records(1200)), 10)
    app.switch_page("../../pages/attack.py").run()
    sound(app)
    assert run_of(app, "undoing").done
    assert not run_of(app, "undoing").failure
    app = open_app("attack", also="workclass = Private: 45 % or 55 %", cal="exact")
    sound(app)
    run = run_of(app, "undoing")
    assert not run.failure
    assert len(attack_of(app, "undoing").noises["DirM, published"].scales) == 2


def test_arithmetic_needs_no_training(open_app):
    app = open_app("attack")
    app.selectbox(key="attack_classifier").set_value("arithmetic").run()
    assert app.segmented_control(key="attack_training").disabled
    assert attack_of(app, "attack").classifier == "arithmetic"
    sound(app)


@pytest.mark.parametrize("whole", [False, True])
def test_what_the_simulated_attacker_knows_stands_beside_its_figure(open_app, whole):
    app = open_app("attack", whole=str(whole).lower(), stat=["mean age"])
    assert app.session_state["scenario"].whole is whole
    run = run_of(app, "attack")
    run.step(0.0)
    app.run()
    sound(app)
    said = "knows all the records" if whole else "knows 10\u202f000 of the records"
    told = next(each.value for each in app.markdown if "the simulated one in" in each.value)
    assert said in told.replace("\u00a0", " ")
    assert ("may be right less often for that alone" in told) is not whole
