"""What the tests of the pages do and read: a dashboard that is opened, its texts, its widgets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.state import SafeSessionState
from streamlit.testing.v1 import AppTest

from distpriv.dashboard.shell.pages import PAGES

# What these show depends on the secret and the statistics of the sidebar.
OF_THE_SCENARIO = tuple(page.name for page in PAGES if page.of_scenario)
# What there is to read or to open there are no curves of.
WITHOUT_CHARTS = ("tour", "classroom", "gallery", "glossary")  # the first two ask first


def turn_to(app: AppTest, page: str) -> AppTest:
    """Go to another page."""
    return app.switch_page(f"../../pages/{page}.py").run()


# Forms of numbers that nobody is to read: 45,222 and 45222, 45% and 45 % that may break, 2e-05, -3.
WRONG_NUMBERS = re.compile(
    r"\d,\d{3}(?!\d)|(?<![\w.#])\d{5,}(?![\w.])|\d ?%|\d\.?\d*e[-+]?\d|(?<![\w)\-–'.*])-\d"
)
# Formulas, code, addresses of papers, and what identifies something and keeps its form for links.
_NO_PROSE = re.compile(r"\$[^$]*\$|`[^`]*`|\b\d{4}\.\d{5}\b|: [\d.]+ % or [\d.]+ %")


def _strings(value: Any) -> Iterator[str]:
    """Every text in what a chart or a table holds."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


def wrong_numbers(app: AppTest) -> list[str]:
    """What of the page's texts, tables and charts shows a number in a form of its own."""
    main = app.main
    said = [*main.markdown, *main.caption, *main.info, *main.warning, *main.error, *main.success]
    found = [str(element.value) for element in [*said, *main.title, *main.header, *main.subheader]]
    found += [text for metric in main.metric for text in (metric.label, metric.value)]
    found += [text for element in said for text in [getattr(element, "help", "") or ""]]
    for frame in main.dataframe:
        found += _strings(frame.value.astype(object).to_numpy().tolist())
    for chart in charts(app):
        layout, drawn = chart["layout"], chart["data"]
        found += _strings([layout.get("title"), layout.get("annotations"), layout.get("meta")])
        axes = [axis for name, axis in layout.items() if name[1:5] == "axis"]
        found += _strings([(axis.get("ticktext"), axis.get("title")) for axis in axes])
        found += _strings([(each.get("name"), each.get("hovertext")) for each in drawn])
    bare = (_NO_PROSE.sub("", text.replace("\\", "")) for text in found)
    return [text for text in bare if WRONG_NUMBERS.search(text)]


def _plain(elements: list[Any], between: str) -> str:
    return between.join(str(element.value) for element in elements).replace("\u00a0", " ")


def texts(app: AppTest) -> str:
    """Every text as it is written, line by line."""
    return _plain([*app.markdown], "\n")


def captions(app: AppTest) -> str:
    """The small print of the page, without what escapes it."""
    return _plain([*app.main.caption], " ").replace("\\", "")


def notes(app: AppTest) -> str:
    """Texts, small print and notes of the page, without what escapes them."""
    main = app.main
    return _plain([*main.markdown, *main.caption, *main.info], "\n").replace("\\", "")


def infos(app: AppTest) -> str:
    """Notes, without what escapes them."""
    return _plain([*app.info], " ").replace("\\", "")


def warnings(app: AppTest) -> str:
    """Warnings, without what escapes them."""
    return _plain([*app.warning], " ").replace("\\", "")


def errors(app: AppTest) -> str:
    """Errors, without what escapes them."""
    return _plain([*app.error], " ").replace("\\", "")


def sound(app: AppTest) -> None:
    """No exception shows."""
    assert not app.exception, [element.value for element in app.exception]


def clean(app: AppTest) -> None:
    """Neither an exception nor an error shows."""
    sound(app)
    assert not app.error, errors(app)


def charts(app: AppTest) -> list[dict[str, Any]]:
    """Every chart as plotly.js gets it."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def titles(app: AppTest) -> list[str]:
    """Titles of the charts."""
    return [chart["layout"]["title"]["text"] for chart in charts(app)]


def table(app: AppTest, column: str) -> pd.DataFrame:
    """The first table with such a column, its texts as they are read."""
    found = next(each.value for each in (*app.dataframe, *app.table) if column in each.value)
    return found.rename(columns=_read).map(_read)


def _read(value: Any) -> Any:
    """A text without what keeps it from being Markdown."""
    return re.sub(r"\\(\W)", r"\1", value) if isinstance(value, str) else value


def button(app: AppTest, label: str) -> Any:
    """The button of a label."""
    return next(button for button in app.button if button.label == label)


def box(app: AppTest, label: str) -> Any:
    """The box for a number of a label."""
    return next(each for each in app.number_input if each.label == label)


def press(app: AppTest, label: str) -> AppTest:
    """Press the button of a label."""
    button(app, label).click().run()
    sound(app)
    return app


def records(size: int, seed: int = 1) -> pd.DataFrame:
    """Somebody's own table."""
    rng = np.random.default_rng(seed)
    active = rng.random(size) < 0.5
    return pd.DataFrame(
        {
            "salary": np.round(rng.normal(3000, 400, size) + 200 * active, 2),
            "hours": rng.integers(20, 60, size),
            "sector": rng.choice(["public", "private", "none of them"], size),
            "active": np.where(active, "true", "false"),
        }
    )


def upload(app: AppTest, table: pd.DataFrame | bytes, name: str = "mine.csv") -> AppTest:
    """Upload a table or a file's content."""
    return _give(app, "file", table, name)


def answer(app: AppTest, table: pd.DataFrame | bytes, name: str = "mine.csv") -> AppTest:
    """Upload the table that is asked for before anything else."""
    return _give(app, "awaited_file", table, name)


def _give(app: AppTest, key: str, table: pd.DataFrame | bytes, name: str) -> AppTest:
    content = table if isinstance(table, bytes) else table.to_csv(index=False).encode()
    app.file_uploader(key=key).set_value((name, content, "text/csv")).run()
    return app


def sampled(app: AppTest, n: int) -> AppTest:
    """Release a sample of an upload, which starts whole."""
    app.toggle(key="whole").set_value(False).run()
    app.number_input(key="n").set_value(n).run()
    return app


def keep(app: AppTest, name: str) -> AppTest:
    """Keep the scenario on the Compare page."""
    app.text_input[0].set_value(name)
    return press(app, "Keep it")


def proposed(
    app: AppTest, name: str = "Ann", why: str = "Enough.", choice: str | None = None
) -> AppTest:
    """Propose a decision."""
    app.text_input(key="who").set_value(name).run()
    if choice is not None:
        app.selectbox(key="proposal_choice").set_value(choice)
    app.text_area(key="proposal_reason").set_value(why)
    return press(app, "Propose")


def agreed(app: AppTest, name: str = "Bob", label: str = "Agree", comment: str = "") -> AppTest:
    """Agree to the decision on the page, or reject it, under a second name."""
    app.text_input(key="who").set_value(name).run()
    app.text_input(key="settling_comment").set_value(comment)
    return press(app, label)


def draw(app: AppTest, reason: str = "A first look.") -> AppTest:
    """Draw a release that was asked for, with a reason if one is asked for."""
    for field in app.text_area:
        if field.label == "Why it goes out all the same":
            field.set_value(reason)
    return press(app, "Draw the noise and release")


def release(app: AppTest, reason: str = "A first look.") -> AppTest:
    """Confirm and draw a release."""
    return draw(press(app, "Release …"), reason)


def run_of(app: AppTest, name: str) -> Any:
    """Work that grows on a page."""
    return app.session_state["runs"][name]


def attack_of(app: AppTest, name: str) -> Any:
    """The attack that a run repeats."""
    return next(run_of(app, name).begin()).result.func.__self__


def finished(app: AppTest, run: Any) -> AppTest:
    """Compute what the page would compute by itself while it is open, then draw it."""
    while run.running:
        run.step(1.0)
    app.run()
    sound(app)
    return app


def clicked_again(
    monkeypatch: pytest.MonkeyPatch, *, after: tuple[Any, str], saying: Any = None
) -> list[str]:
    """A second click that comes right after something was done: what is cut short is noted.

    It ends a run where that next touches the session's state.

    Parameters
    ----------
    monkeypatch : MonkeyPatch
    after : tuple of module and str
        The function that does it.
    saying : WidgetStates, optional
        What the browser says of the controls, as it did when that was done.
    """
    done: list[str] = []
    cut: list[str] = []
    holder, name = after
    act, begin = getattr(holder, name), SafeSessionState.__init__

    def acted(*args: Any, **kwargs: Any) -> Any:
        answer = act(*args, **kwargs)
        done.append(name)
        return answer

    def impatient(self: SafeSessionState, state: Any, yield_callback: Any) -> None:
        def touched() -> None:
            if done and not cut:
                cut.append(name)
                at = get_script_run_ctx()
                assert at is not None
                raise RerunException(RerunData(at.query_string, saying))
            yield_callback()

        begin(self, state, touched)

    monkeypatch.setattr(holder, name, acted)
    monkeypatch.setattr(SafeSessionState, "__init__", impatient)
    return cut
