"""The Attack page: every attacker, the curves and the audit, and what is said of them."""

from __future__ import annotations

import pytest

from distpriv.classifiers import classifier_names
from tests.app.test_pages import charts, sound, texts


def finished(app):
    """Run the page until its repetitions are done."""
    app.selectbox(key="attack_repetitions").set_value(20).run()
    run = app.session_state["attack_run"]
    while run.running:
        run.step(1.0)
    app.run()
    sound(app)
    return app


@pytest.mark.parametrize("classifier", classifier_names())
def test_every_attacker_runs_and_is_audited(open_app, classifier):
    app = open_app("attack")
    app.multiselect(key="attack_mechanisms").set_value(["OptM", "ExpM"]).run()
    app.selectbox(key="attack_classifier").set_value(classifier).run()
    finished(app)
    result = app.session_state["attack_run"].result()
    assert result.classifier == classifier
    assert result.accuracy["none"].mean() > 0.6
    table = next(f.value for f in app.dataframe if "Verdict" in f.value)
    assert list(table["Release"]) == ["no noise", "OptM", "ExpM"]
    assert list(table["Verdict"]) == ["–", "not refuted", "not refuted"]
    assert "proves" in texts(app)
    # By mechanism, ROC, precision-recall, against ε, against Δp.
    assert len(charts(app)) == 5


def test_the_gap_of_training_without_noise_is_explained(open_app):
    app = open_app("attack", mech="ExpM", eps="5")
    assert "In the paper's way, trained on clean statistics" in texts(app)
    app.segmented_control(key="attack_training").set_value("clean data").run()
    finished(app)
    assert app.session_state["attack_run"].result().adaptive is False


def test_laplace_noise_has_a_best_attacker_too(open_app):
    app = open_app("attack", mech="ExpM(L)")
    sound(app)
    assert "With ExpM" in texts(app)
    assert "the best possible attacker in **" in texts(app)


def test_the_attack_is_on_the_pair_that_is_looked_at(open_app):
    app = open_app("attack", also="workclass = Private: 45 % or 55 %")
    app.sidebar.selectbox(key="look").set_value("workclass = Private: 45 % or 55 %").run()
    sound(app)
    assert app.session_state["attack_run"].attack.pair.secret.column == "workclass"
    assert "workclass" in texts(app)
