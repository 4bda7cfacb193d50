"""What every page begins with, how it shows a picture, and how errors become sentences."""

from __future__ import annotations

import logging
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from distpriv.analysis import Evaluation, Way
from distpriv.analysis.sentences import Style
from distpriv.dashboard.state import State
from distpriv.errors import DistprivError
from distpriv.lessons.words import first_sentence, glossary
from distpriv.text import significant

__all__ = ["WORDS", "about", "choice", "current", "errors", "escape", "fault", "headline"]
__all__ += ["readable", "sentences", "session", "show", "tip"]

CONFIG = {"displaylogo": False, "displayModeBar": False, "typesetMath": False}
IN_PIXELS = {"size", "l", "r", "t", "b", "xshift", "yshift", "ax", "ay"}
PROJECTED = 1.34
"""How much larger words in pictures are while presenting; style.css enlarges all else, and gives
pictures the height that the window leaves."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=^\"'])")
# Streamlit makes links of bare addresses, and icons and arrows of signs, after it has read the
# Markdown; a joiner ends that.
_LATE = r"(?<=:)(?=//|[\w+-][\w+/-]*:)|(?<=www)(?=\.)|(?<=@)|(?<=[<>~-])(?=[=>-])"
_JOINED = re.compile(_LATE, re.IGNORECASE)


def session() -> State:
    """Return this session's state."""
    if "state" not in st.session_state:
        asked = st.query_params
        st.session_state["asked"] = asked.get("words", "")
        dialog = "words" if asked.get("words") else ""
        present = asked.get("present") == "1"
        st.session_state["state"] = State(wait=st.spinner, dialog=dialog, present=present)
    state: State = st.session_state["state"]
    return state


def current() -> tuple[State, Evaluation]:
    """Return state and results, for a page's first line."""
    state = session()
    return state, state.evaluation()


def escape(text: object, letters: int = 1000) -> str:
    """Make text that comes from a table or a user stand for itself in Markdown, its first letters.

    Without formatting, links, pictures, mathematics and Streamlit's own ``:signs:``.
    """
    line = " ".join(str(text).split())
    line = line if len(line) <= letters else f"{line[: letters - 1]}…"
    return _MARKDOWN.sub(r"\\\1", _JOINED.sub("\u2060", line))


def readable(titles: Mapping[Any, str], most: int = 60) -> dict[Any, str]:
    """Return titles of what can be chosen, long ones without their middle, if they still differ."""
    half = most // 2
    cut = {one: f"{text[:half]} … {text[-half:]}" for one, text in titles.items()}
    times = Counter(cut.values())
    return {
        one: cut[one] if len(text) > most + 3 and times[cut[one]] == 1 else text
        for one, text in titles.items()
    }


WORDS = Style(name=lambda text: f"*{escape(text)}*", strong=lambda text: f"**{text}**")
"""How `analysis.sentences` are written on a page."""


def tip(term: str) -> str:
    """Return what a term means, for the `help` of a control or a heading."""
    return first_sentence(glossary()[term])


def headline(
    title: str,
    lead: str,
    advice: str | Callable[[], str] = "",
    warning: str = "",
    term: str = "",
) -> None:
    """Write the page's answer: a title of few words, one sentence, and what to do (or do first).

    Advice that takes longer to compute is a function, called when the sentence is there. The term
    is one of the sentence that not everybody knows.
    """
    session().answered = True
    st.title(title, anchor=False)
    with st.container(key="lead"):
        st.markdown(lead, help=tip(term) if term else None)
    if callable(advice):
        advice = advice()
    if warning or advice:
        with st.container(key="warning" if warning else "advice"):
            st.markdown(warning or advice)


def about(now: Evaluation) -> None:
    """Say which of several secrets the page is about."""
    if len(now.scenario.secrets) > 1:
        label = escape(now.scenario.secrets[now.exposed].secret.label)
        st.caption(f"About *{label}*, the most exposed secret.")


def choice(label: str, names: Mapping[Any, str], first: Any, key: str, **options: Any) -> Any:
    """Draw a choice of one, such as the picture, from values to their names, and return it."""
    return st.segmented_control(
        label,
        list(names),
        format_func=names.__getitem__,
        default=first,
        required=True,
        key=key,
        label_visibility="collapsed",
        wrap=True,
        **options,
    )


def fault(error: BaseException) -> str:
    """Log an error of the program, without its message, which may quote a table; return words."""
    remote = [line for line in str(error.__cause__).splitlines() if line.startswith("  File")]
    where = "\n".join([*traceback.format_tb(error.__traceback__), *remote])
    logging.getLogger("distpriv").error("%s\n%s", type(error).__name__, where)
    return "Something went wrong in the program. Your choices are kept; undo the last one."


@contextmanager
def sentences() -> Iterator[None]:
    """Show an error inside as one sentence: the page's answer, if it has none yet."""
    try:
        yield
        return
    except DistprivError as error:
        text, todo = escape(error), "**Change the figures or the secret** on the left."
    except Exception as error:  # noqa: BLE001  # no traceback ever reaches a page
        text, todo = fault(error), ""
    if session().answered:
        st.error(text, icon=":material/error:")
    else:
        headline("No answer for this", text, warning=todo)


def errors(now: Evaluation, way: Way) -> pd.DataFrame:
    """Return value and expected error of each figure, as people read them, escaped."""
    labels = [label[:1].upper() + label[1:] for label in now.labels]
    return pd.DataFrame(
        {
            "": [escape(label, 60) for label in labels],
            "value": [significant(value, 4) for value in now.values],  # noqa: PD011
            "error": [
                f"± {significant(error, 2)} {escape(unit)}"
                for error, unit in zip(way.errors, now.units, strict=True)
            ],
            "%": [f"{percent:.1f}" for percent in 100 * way.errors / now.ruler],
        }
    ).set_index("")


def _larger(part: Any, name: str = "") -> Any:
    """Return part of a figure with words, marks and margins as large as a projector needs."""
    if isinstance(part, dict):
        return {key: _larger(value, key) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [_larger(value) for value in part]
    return PROJECTED * part if name in IN_PIXELS and isinstance(part, (int, float)) else part


def show(
    figure: go.Figure | list[go.Figure],
    frame: pd.DataFrame,
    alt: str,
    *,
    key: str,
    note: str = "",
    title: str = "",
    term: str = "",
    columns: int = 3,
) -> None:
    """Draw a chart; below it how to read it, and its numbers as a table and a file.

    Several figures stand side by side in rows of some columns, on a phone below each other. The
    frame that they were made from is the table and the CSV, the alt text what a screen reader says,
    the note how to read it, and the title stands above, where the page has several, with what a
    term in it means. The key is constant over reruns, and also names the file.
    """
    config: dict[str, Any] = CONFIG | {"toImageButtonOptions": {"filename": key}}
    figures = figure if isinstance(figure, list) else [figure]
    if session().present:
        figures = [type(one)(_larger(one.to_dict())) for one in figures]
    if title:
        st.header(title, anchor=False, help=tip(term) if term else None)
    fits = session().present and figures[0].layout.bargap is None  # bars need their height
    with st.container(key=f"{key}-panels{'-fit' if fits else ''}"):
        for begin in range(0, len(figures), columns):
            row = st.columns(min(columns, len(figures)))
            for place, panel in enumerate(figures[begin : begin + columns]):
                row[place].plotly_chart(
                    panel,
                    height="stretch" if fits else "content",
                    key=f"{key}-{begin + place}",
                    alt=alt if begin + place == 0 else f"Panel {begin + place + 1} of the picture.",
                    config=config,
                )
    foot = f"{key}-foot{'' if figures else '-bare'}"
    with st.container(horizontal=True, vertical_alignment="center", key=foot):
        if note:
            st.caption(note, width="stretch")
        with st.popover("Numbers", icon=":material/table:", type="tertiary"):
            st.dataframe(frame, hide_index=True)
            st.download_button(
                "CSV",
                lambda: frame.to_csv(index=False),
                f"{key}.csv",
                "text/csv",
                on_click="ignore",
                key=f"{key}-csv",
            )
