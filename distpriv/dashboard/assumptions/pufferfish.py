"""The scenario's promise in the words of Pufferfish privacy, and a Pufferfish promise in ours."""

from __future__ import annotations

import math
from collections.abc import Hashable

import pandas as pd
import streamlit as st

from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import display
from distpriv.errors import DistprivError
from distpriv.frameworks.pufferfish import (
    DistributionPrivacy,
    Pufferfish,
    distribution_deltas,
    office_example,
    pufferfish_deltas,
    to_distribution_privacy,
    to_pufferfish,
)
from distpriv.model.theta import Theta
from distpriv.words import escape, number, percent, share

__all__ = ["pufferfish"]

_SUBSCRIPT = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def pufferfish(view: View) -> None:
    """The scenario's (Θ, Ψ) as (S, S_pairs, D), and a small Pufferfish promise translated back."""
    prior = st.session_state.get(Key.PUFFERFISH_PRIOR, 0.5)
    privacy = _privacy_of(view)
    st.markdown(_scenario_words(view, prior))
    _translation(privacy, to_pufferfish(privacy, prior))
    pair = view.fit.pair
    st.slider(
        f"How likely the attacker takes {share(pair.p_i)} to be beforehand, if it is one of the "
        "two",
        0.01,
        0.99,
        0.5,
        0.01,
        format="percent",
        key=Key.PUFFERFISH_PRIOR,
        persist_state="session",
    )
    st.header("The other way round")
    _office(view)
    with st.expander("The theorem", icon=":material/function:"):
        st.latex(
            r"\Pr(M(\mathit{Data})\in S\mid s_i,\theta)\le e^{\varepsilon}"
            r"\Pr(M(\mathit{Data})\in S\mid s_j,\theta)+\delta"
        )
        st.markdown(
            "Pufferfish privacy (Kifer & Machanavajjhala 2014; Chen & Ohrimenko 2023, full "
            "version, Definition A.1), for every secret pair and every θ of D under which both "
            "secrets are possible. Theorem 3.1: a distribution of Θ becomes the secret “the data "
            "come from it”, a pair of Ψ becomes a belief in D that mixes the two; the other way "
            "round, each secret s under each θ becomes the distribution θ given s. The weights of "
            "the mixture cancel, because the definition looks at each secret as given."
        )


def _privacy_of(view: View) -> DistributionPrivacy:
    """(Θ, Ψ) of the scenario, the distributions numbered."""
    thetas = list(dict.fromkeys(theta for fit in view.model.pairs for theta in fit.thetas))
    numbers = {theta: index for index, theta in enumerate(thetas, start=1)}
    pairs = (tuple(numbers[theta] for theta in fit.thetas) for fit in view.model.pairs)
    return DistributionPrivacy(
        {numbers[theta]: theta for theta in thetas},
        tuple((first, second) for first, second in dict.fromkeys(pairs)),
    )


def _scenario_words(view: View, prior: float) -> str:
    epsilon, pair = view.scenario.epsilon, view.fit.pair
    factor = math.exp(min(epsilon, 700.0))
    most = prior / (prior + (1 - prior) / factor)
    least = prior / (prior + (1 - prior) * factor)
    return (
        "Hiding which share it is, is the same promise as **Pufferfish privacy** with a secret "
        f"statement for each share. ε\u00a0=\u00a0{epsilon:g} lets an attacker who gives "
        f"{share(pair.p_i)} of **{escape(pair.secret.label)}** (against {share(pair.p_j)}) a "
        f"probability of {percent(prior, 0)} beforehand go no further than **{percent(least)}** or "
        f"**{percent(most)}** after a release, but for what δ excepts. Whatever the probability "
        f"was, its odds change by e^ε\u00a0=\u00a0{number(factor)} at most: the promise does not "
        "depend on it."
    )


def _translation(privacy: DistributionPrivacy, translated: Pufferfish) -> None:
    """Both instantiations side by side, a row for what corresponds."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Distribution privacy** (Θ, Ψ)")
        _table(
            {
                "Θ": [_letter("θ", name) for name in privacy.thetas],
                "what the data may be": [_described(theta) for theta in privacy.thetas.values()],
            }
        )
        _table({"Ψ: not to be told apart": [_against("θ", pair) for pair in privacy.pairs]})
    with right:
        st.markdown(r"**Pufferfish privacy** (S, S\_pairs, D)")
        _table(
            {
                "S": [_letter("s", secret) for secret in translated.secrets],
                "secret statement": [
                    f"the data come from {_letter('θ', secret)}" for secret in translated.secrets
                ],
            }
        )
        _table(
            {
                "S_pairs: not to be told apart": [
                    _against("s", pair) for pair, _ in translated.cases
                ],
                "D: what an attacker believes": [
                    " or ".join(
                        f"{_letter('θ', secret)} with {percent(probability, 0)}"
                        for secret, (probability, _) in translated.distributions[name].items()
                    )
                    for _, name in translated.cases
                ],
            }
        )


def _described(theta: Theta) -> str:
    return f"{share(theta.proportion)} have {theta.secret.label}"


def _letter(letter: str, name: Hashable) -> str:
    return letter + str(name).translate(_SUBSCRIPT)


def _against(letter: str, pair: tuple[Hashable, Hashable]) -> str:
    return f"{_letter(letter, pair[0])} against {_letter(letter, pair[1])}"


def _table(columns: dict[str, list[str]]) -> None:
    display.table(pd.DataFrame(columns))


def _office(view: View) -> None:
    """A small Pufferfish instantiation as distribution privacy."""
    epsilon = view.scenario.epsilon
    sentence, tables = st.container(), st.container()
    prior = st.slider(
        "How likely an attacker takes flu to be",
        0.0,
        1.0,
        0.3,
        0.01,
        format="percent",
        key="pufferfish_flu",
        persist_state="session",
    )
    example, mechanism = office_example(prior)
    with tables:
        left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Pufferfish privacy**: what attackers believe")
        rows = [
            (name, secret, probability)
            for name, secrets in example.distributions.items()
            for secret, (probability, _) in secrets.items()
        ]
        _table(
            {
                "D: a belief": [str(row[0]) for row in rows],
                "S: a secret": [str(row[1]) for row in rows],
                "its probability": [share(row[2]) for row in rows],
            }
        )
    try:
        privacy = to_distribution_privacy(example)
    except DistprivError:
        sentence.warning(
            "Under this belief one secret of each pair is impossible, so there is nothing left to "
            "hide and no pair to translate; take another probability.",
            icon=":material/report:",
        )
        return
    before = pufferfish_deltas(example, mechanism, epsilon)
    after = distribution_deltas(privacy, mechanism, epsilon)
    sentence.markdown(
        "Is there flu in an office of ten? Only how many are ill is released, with noise, and two "
        "kinds of attackers look on. Each secret under each belief becomes a distribution of its "
        "own, unless its probability is 0. By either definition the release delivers "
        f"**δ\u00a0=\u00a0{number(max(after.values()))}** at ε\u00a0=\u00a0{epsilon:g}. Move the "
        "probability of flu: the δ stay as they are, until a secret is certain or impossible and "
        "its pair goes."
    )
    with right:
        st.markdown("**Distribution privacy**: pairs of distributions")
        translated = [after[(first, name), (second, name)] for ((first, second), name) in before]
        _table(
            {
                "Ψ: not to be told apart": [
                    f"{name}: {first} against {second}" for (first, second), name in before
                ],
                "δ": [f"{delta:.6f}" for delta in translated],
                "δ by Pufferfish": [f"{delta:.6f}" for delta in before.values()],
            }
        )
