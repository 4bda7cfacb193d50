"""Logistic regression of our own against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from distpriv.attacks.classifiers import ATTACKERS, train


def statistics(kind, seed):
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1], 100)
    features = rng.normal(size=(200, 4)) + 0.4 * labels[:, None]
    if kind == "apart":
        features[:, 0] += 20 * labels
    elif kind == "tied":
        features[:, 3] = 2 * features[:, 0] - features[:, 1]
    elif kind == "constant":
        features[:, 1] = 0.1 + 0.2
    elif kind == "scales":
        features *= [1e-6, 1.0, 1e6, 1e9]
    return (
        features,
        labels,
        rng.normal(size=(300, 4)) * features.std(axis=0) + features.mean(axis=0),
    )


@pytest.mark.parametrize("kind", ["bells", "apart", "tied", "constant", "scales"])
@pytest.mark.parametrize("seed", range(4))
def test_logistic_regression_agrees_with_liblinear(kind, seed):
    features, labels, others = statistics(kind, seed)
    center, spread = features.mean(axis=0), features.std(axis=0)
    spread[spread < 1e-12] = 1
    model = LogisticRegression(solver="liblinear", tol=1e-10, max_iter=1000)
    model.fit((features - center) / spread, labels)
    expected = model.decision_function((others - center) / spread)
    scores = train("logistic", features, labels, 0)(others)
    assert scores == pytest.approx(expected, abs=1e-5)
    assert ((scores > 0) == model.predict((others - center) / spread)).all()


def test_attackers_say_what_they_are():
    assert next(iter(ATTACKERS)) == "logistic"
    assert all(one.title and one.summary.endswith(".") for one in ATTACKERS.values())
