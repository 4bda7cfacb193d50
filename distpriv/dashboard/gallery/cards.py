"""A card for every example with a story: what is published, what is hidden, and a way in."""

from __future__ import annotations

import streamlit as st

from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.dashboard.shell import cache, selecting
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.pages import PAGES, link
from distpriv.errors import DistprivError
from distpriv.glossary import hover
from distpriv.model.gaussian import model_from_moments
from distpriv.queries.statistics import Query
from distpriv.tables.examples import EXAMPLES
from distpriv.tables.gallery import Example
from distpriv.words import escape, listed, number, percent, share

__all__ = ["draw"]

_SAMPLE = 100


def draw() -> None:
    """All of them, and a place for the reader's own table."""
    told = [example for example in EXAMPLES if example.story]
    columns = [*st.columns(3, gap="medium"), *st.columns(3, gap="medium")]
    for column, example in zip(columns, told, strict=False):
        with column.container(border=True, height="stretch"):
            _card(example)
    with columns[len(told)].container(border=True, height="stretch"):
        st.header("Your own table", anchor=False)
        st.markdown(
            "A file of yours is read in this session only and goes when you close the page. The "
            "same question, sentence and figures then stand for your records."
        )
        link(PAGES[0].name, "Open it on the first page")


def _card(example: Example) -> None:
    name = escape(example.title.removesuffix(" (synthetic)"))
    st.header(name, anchor=False)
    st.markdown(escape(example.story))
    try:
        dataset = cache.example(example.key)
    except DistprivError as error:
        st.error(escape(error), icon=":material/error:")
        return
    low, high = example.center - example.width / 2, example.center + example.width / 2
    size = len(dataset.table)
    few, all_ = (cache.computed(_undefended, dataset, n) for n in (_SAMPLE, size))
    st.markdown(
        f"Do {share(low)} or {share(high)} have *{escape(example.secret)}*? "
        f"Without noise an attacker is right in **{percent(few)}** of the cases if {_SAMPLE} "
        f"records are published, in **{percent(all_)}** with all {number(size)}.",
        help=hover("best attacker's accuracy"),
    )
    st.caption(f"Published: {escape(listed(example.statistics))}. {escape(example.attribution)}.")
    opened = st.button(
        f"Open {name}",
        key=f"gallery_{example.key}",
        icon=":material/arrow_forward:",
        on_click=selecting.begin,
        args=(example.title,),
        width="stretch",
    )
    if opened:
        st.switch_page(PAGES[0].file, query_params={})  # those of widgets cannot be cleared


def _undefended(dataset: Dataset, n: int) -> float:
    """Accuracy of the best attacker on n records of an example, without noise."""
    query, pair = Query(dataset.query), dataset.secret.pair(dataset.center, dataset.width)
    moments = {dataset.secret: dataset.moments(query, dataset.secret)}
    whole = n == len(dataset.table)
    return optimal_attack_accuracy(model_from_moments(moments, query, [pair], n, replacement=whole))
