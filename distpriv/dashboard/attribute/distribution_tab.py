"""The Attribute privacy page's tab *Distribution*: the network, its quilts, and the noise."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from distpriv.analysis.scenario import Scenario
from distpriv.attribute.files import NetworkFile, QuiltQuery, save_network
from distpriv.attribute.influence import find_quilts
from distpriv.attribute.network import BayesianNetwork
from distpriv.attribute.quilt import QuiltResult, ScaledQuilt, scale_quilts
from distpriv.charts.network import network_graph
from distpriv.dashboard.attribute import editors
from distpriv.dashboard.attribute.draft import Draft, draft_of
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.widgets import code, display
from distpriv.errors import DistprivError
from distpriv.words import escape, number, percent

__all__ = ["distribution_tab"]

_MOST_ROWS = 200
_PAPER_QUILT = frozenset({"gender"})


def distribution_tab(dataset: Dataset, scenario: Scenario) -> None:
    """What the release needs, the network drawn, and everything about it to be edited."""
    draft = draft_of()
    if draft.origin == "table" and scenario.presenting:
        st.info(
            "The network was learned from records, and what is computed from those is left out of "
            "the presentation view.",
            icon=":material/visibility_off:",
        )
        editors.files(draft)
        return
    result_first = st.container()
    st.header("The release")
    query = editors.choose_query(draft)
    st.header("The network")
    if draft.description:
        st.caption(escape(draft.description))
    editors.edit_network(draft)
    with result_first:
        try:
            networks = draft.networks()
            result = _result(draft, networks, query, scenario.epsilon)
        except DistprivError as error:
            st.error(escape(error), icon=":material/error:")
        else:
            code.note("attribute", network=save_network(draft.file()), query=query)
            _show(draft, networks[0], query, result)
    editors.files(draft)
    editors.learn(dataset, scenario)
    _formulas()


def _result(
    draft: Draft, networks: tuple[BayesianNetwork, ...], query: QuiltQuery, epsilon: float
) -> QuiltResult:
    content = save_network(NetworkFile("", "", networks, draft.protected, ()))
    quilts = cache.computed(
        lambda: {node: find_quilts(networks, node) for node in draft.protected},
        content,
        saying="Looking for quilts …",
    )
    return scale_quilts(quilts, query.attributes, query.sensitivity, epsilon)


def _show(draft: Draft, network: BayesianNetwork, query: QuiltQuery, result: QuiltResult) -> None:
    st.markdown(
        _sentence(query, result),
        help="Distributional attribute privacy (Zhang et al. 2022, Definition 5): from the "
        "released value nobody can tell two parameters of the protected attribute apart better "
        "than ε allows. ε is the sidebar's; there is no δ.",
    )
    picture, figures = st.columns(2, gap="large")
    with picture:
        display.chart(network_graph(network, result.binding, query.attributes), "quilt_network")
    with figures:
        _table(result)
        infinite = sum(math.isinf(quilt.influence) for quilt in result.quilts)
        if infinite:
            st.caption(
                f"{infinite} quilts have an infinite influence: a probability of 0 in the tables "
                "rules out one of their values under one value of the protected attribute and not "
                "under another, so that seeing it would settle the matter. Put a small number "
                "there unless it is impossible indeed."
            )
        if draft.origin == "school":
            _paper(result)
    _accuracy(result)


def _names(nodes: frozenset[str]) -> str:
    return ", ".join(sorted(nodes)) or "–"


def _sentence(query: QuiltQuery, result: QuiltResult) -> str:
    binding = result.binding
    names = list(dict.fromkeys(quilt.protected for quilt in result.quilts))
    hidden = " and ".join(f"**{escape(name)}**" for name in names)
    start = (
        f"Does releasing **{escape(query.name)}** give away how {hidden} "
        f"{'are' if len(names) > 1 else 'is'} distributed? Not more than "
        f"ε\u00a0=\u00a0{result.epsilon:g} allows, "
    )
    through = escape(_names(binding.quilt))
    if not result.scale:
        why = (
            f"whatever it could tell shows in **{through}**, which changes the odds by a factor "
            f"of {number(math.exp(binding.influence))} at most "
            f"(e^{number(binding.influence)}, within e^ε)"
            if binding.quilt
            else "it does not depend on it"
        )
        return f"{start}and **no noise is needed**: {why}."
    least = f"if noise moves it by **{number(result.scale)}** on average"
    if not binding.quilt:
        return f"{start}{least}; no quilt does better than hiding all that depends on it."
    alone = next(q for q in result.quilts if q.protected == binding.protected and not q.quilt)
    return (
        f"{start}{least}. Without the quilt **{through}** it would have to be "
        f"{number(alone.scale)}."
    )


def _table(result: QuiltResult) -> None:
    st.markdown(
        f"**All quilts** with up to 4 attributes: {len(result.quilts)}",
        help="Of every protected attribute, those of least noise first. The influence e bounds "
        "how far the protected parameter shifts the odds of the quilt's; what is computed from "
        "nearby attributes needs noise Δ/(ε − e), which only helps where e is below ε.",
    )
    several = len({quilt.protected for quilt in result.quilts}) > 1
    rows = [
        ({"Hides": quilt.protected} if several else {})
        | {
            "Chosen": quilt.chosen,
            "Quilt": _names(quilt.quilt),
            "Noise b": "no use" if math.isinf(quilt.scale) else number(quilt.scale),
            "Influence e": number(quilt.influence),
            "Remote": _names(quilt.remote),
            "Nearby": _names(quilt.nearby),
            "Δ nearby": number(quilt.sensitivity),
        }
        for quilt in result.quilts[:_MOST_ROWS]
    ]
    display.table(pd.DataFrame(rows), "quilts", height=320)


def _paper(result: QuiltResult) -> None:
    """What Example 1 says of this release, beside what Algorithm 2 finds."""
    paper = next((quilt for quilt in result.quilts if quilt.quilt == _PAPER_QUILT), None)
    if paper is None or paper.protected != "family income":
        return
    sentence = f"Zhang et al. (2022), Example 1, take the quilt gender: {_paper_noise(paper)}. "
    if result.quilt == _PAPER_QUILT:
        sentence += "Algorithm 2 finds the same."
    elif result.quilt:
        sentence += (
            f"Algorithm 2 looks at every quilt and finds {_ours(result)}, which leaves the same "
            "nearby and shifts the odds by less."
        )
    else:
        sentence += (
            f"Algorithm 2 looks at every quilt and finds {_ours(result)}, which shifts nothing: a "
            "quilt helps only where what is nearby moves the answer less than all together do."
        )
    st.caption(sentence)


def _paper_noise(paper: ScaledQuilt) -> str:
    if not paper.scale:
        return "no noise"
    if math.isinf(paper.scale):
        return f"its influence {number(paper.influence)} takes up all of ε, so it is of no use"
    return (
        f"Laplace noise Δ/(ε − e) = {number(paper.sensitivity)}/(ε − {number(paper.influence)}) "
        f"= {number(paper.scale)}"
    )


def _ours(result: QuiltResult) -> str:
    noise = f"{number(result.scale)}" if result.scale else "no noise"
    return f"{noise} with the " + (
        f"quilt {escape(_names(result.quilt))}" if result.quilt else "empty quilt"
    )


def _accuracy(result: QuiltResult) -> None:
    """(α, β) both ways, and the paper's tail."""
    with st.expander("How far can a single release be off?", icon=":material/straighten:"):
        left, right = st.columns(2)
        beta = left.number_input(
            "β: accepted probability of a larger error",
            1e-6,
            0.999999,
            0.05,
            0.01,
            format="%g",
            key="quilt_beta",
            persist_state="session",
        )
        alpha = right.number_input(
            "α: accepted error",
            0.0,
            1e12,
            100.0,
            format="%g",
            key="quilt_alpha",
            persist_state="session",
        )
        st.markdown(
            f"The answer stays within ± **{number(result.accuracy(beta))}** in "
            f"{percent(1 - beta, 4 if beta < 0.001 else 1)} of releases, and is off by more than "
            f"{number(alpha)} in **{percent(result.failure(alpha), 2)}**."
        )
        if result.scale and beta < 0.5:
            printed = result.paper_accuracy(beta)
            st.caption(
                f"The paper's Theorem 4 prints the tail of one side, α = b ln(1/(2β)) = "
                f"{number(printed)}; errors on both sides pass that with probability "
                f"{percent(result.failure(printed), 1)}, twice β. The tail of both is b ln(1/β)."
            )


def _formulas() -> None:
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"e(Q\mid i)=\sup_{\theta}\max_{a,b}\max_{\varphi_Q}\ln\frac{P(\varphi_Q\mid"
            r"\varphi_i=a,\theta)}{P(\varphi_Q\mid\varphi_i=b,\theta)},\qquad"
            r"b=\max_i\min_{Q:\,e(Q\mid i)<\varepsilon}\frac{\Delta_{A\cap N}F}"
            r"{\varepsilon-e(Q\mid i)},\qquad F(X)+\mathrm{Lap}(b)"
        )
        st.markdown(
            "Definitions 5 to 7 and Algorithm 2 of Zhang et al. (2022). Each attribute has a "
            "parameter φ that says how it is distributed; the parameters form the network. A "
            "quilt Q leaves the nearby attributes N connected to the protected one and separates "
            "the remote ones R from it (d-separation). A is what the release is computed from. "
            "The empty quilt always counts. Influences are exact, by going through all "
            "combinations of states, which limits a network to 16 attributes and 2 000 000 "
            "combinations. The promise is (ε, 0)."
        )
