"""Teach step by step: guess first, then see; alone, or in pairs with a link each."""

import math
import time
from typing import Any

import numpy as np
import streamlit as st

from distpriv import lessons
from distpriv.charts import lessons as charts
from distpriv.dashboard import page
from distpriv.dashboard.state import SETTLED
from distpriv.files import PAGES
from distpriv.lessons import ROUNDS, STEPS, Progress, Shown, Step

END = len(STEPS) + 1
session = st.session_state
mine: Progress = session.setdefault("tour", Progress())


def follow_address() -> None:
    """Take the step from the row of steps, a link or the browser's Back; write it."""
    before, at = session.get("tour-address", ("", 0.0))
    target, pair = (st.query_params.get(name, "")[:6] for name in ("step", "pair"))
    late = time.monotonic() - at < SETTLED  # a click may carry an older address
    if session.get("tour-step") not in (None, session.get("tour-drawn")):
        mine.place = session["tour-step"]
    elif target.isdecimal() and target != before and not late:
        mine.place = min(max(int(target), 1), END)
    if pair.isdecimal() and not before:
        mine.pair = int(pair)
    address = {"step": str(mine.place)} | ({"pair": str(mine.pair)} if mine.pair else {})
    if not mine.pair:
        st.query_params.pop("pair", None)
    if any(st.query_params.get(name) != value for name, value in address.items()):
        st.query_params.update(address)
        at = time.monotonic()
    session["tour-address"] = address["step"], at
    session["tour-step"] = session["tour-drawn"] = mine.place


def kept(name: str, value: Any) -> str:
    """Return the key of a control that is drawn next, which has what it had before."""
    session.setdefault(f"tour-{name}", value)
    return f"tour-{name}"


def compare(guess: str, truth: str, names: tuple[str, str]) -> None:
    """Write a guess beside what it was about."""
    with st.container(key="asked"):
        for place, name, text in zip(st.columns(2), names, (guess, truth), strict=True):
            place.metric(name, text)


def show_score() -> None:
    """Write the score of the game beside the best attacker's."""
    if played := len(mine.calls):
        score, best = (f"{right} of {played}" for right in mine.score())
        compare(score, best, ("You", "Best attacker"))


def guess_button(key: str, words: str, guess: float | None, look: Any) -> None:
    """Draw a button that shows the answer; NaN takes what the control has when it is clicked."""
    show: dict[str, Any] = {"on_click": mine.guesses.update, "args": ({key: guess},)}
    st.button(words, key=f"tour-{words}", type=look, **show)


def play(step: Step) -> None:
    """Show one table at a time, and ask which share it has."""
    number = len(mine.calls)
    frame = lessons.released(number, mine.pair)
    shares = [*frame.columns[2:]]
    names = {"table": f"Table {number + 1}"} | {one: f"usual at {one}" for one in shares}
    wide, narrow = st.columns([7, 5], gap="large")
    wide.table(frame.map(page.escape).set_index("figure").rename_axis(None).rename(columns=names))
    with narrow:
        st.markdown(f"**{step.prose['guess']}** Table {number + 1} of {ROUNDS}.")
        with st.container(horizontal=True):
            for place, share in enumerate(shares):
                call: dict[str, Any] = {"on_click": mine.call, "args": (number, place)}
                st.button(share, type="primary", key=f"tour-call-{place}", **call)
            guess_button(step.key, "Show me", None, "tertiary")
        if number:
            last = lessons.rounds(mine.pair)[number - 1]
            words = ["not so", "right"][mine.calls[-1] == last.share]
            best = f"The best attacker said {shares[last.best]}."
            st.markdown(f"Table {number} had **{shares[last.share]}**: {words}. {best}")
            show_score()


def control(step: Step, value: float) -> None:
    """Draw the step's one control."""
    options, form = step.choices(mine.pair), step.prose["form"].format
    key = kept(f"{step.key}-value", value)
    st.select_slider(step.prose["label"], options, format_func=form, key=key)


def ask(step: Step, shown: Shown, value: float) -> None:
    """Ask for a guess: a number, or a value of the control."""
    wide, _ = st.columns([7, 5])
    with wide, st.container(border=True):
        st.markdown(f"**{step.text('guess', shown)}**")
        if scale := step.prose.get("scale"):
            low, high, by, start = scale
            options, key = np.arange(low, high + by, by).tolist(), kept(f"{step.key}-guess", start)
            look: dict[str, Any] = {"format_func": step.write, "label_visibility": "collapsed"}
            st.select_slider("Your guess", options, key=key, **look)
        else:
            control(step, value)
            st.markdown(step.text("try", shown))
        with st.container(horizontal=True):
            guess_button(step.key, "That is my guess", math.nan, "primary")
            guess_button(step.key, "Show me", None, "tertiary")


def answer(step: Step, shown: Shown, value: float) -> None:
    """Show the picture, the guess beside what it was about, the control, and a question."""
    wide, narrow = st.columns([7, 5], gap="large")
    with narrow:
        guess = mine.guesses[step.key]
        if step.key == "attacker":
            show_score()
        else:
            names = "Your guess", step.prose.get("truth", "It is")
            compare("–" if guess is None else step.write(guess), step.write(shown.truth), names)
        control(step, value)
        words = [option for option, _ in step.prose["options"]]
        key = kept(f"{step.key}-option", mine.chosen.get(step.key))
        question = step.text("question", shown), range(len(words))
        picked = st.radio(*question, format_func=words.__getitem__, index=None, key=key)
        if picked is not None:
            mine.chosen[step.key] = picked
            badge = ":green-badge[Right]" if picked == shown.right else ":orange-badge[Not so]"
            st.markdown(f"{badge} {step.text('options', shown, picked)}")
    with wide:
        figure = charts.picture(shown.picture, shown.frame, **shown.look)
        look: dict[str, Any] = {"key": shown.picture, "note": step.text("note", shown)}
        page.show(figure, shown.frame.round(3), charts.alt(shown.picture, shown.frame), **look)
        with st.expander("The formula"):
            st.code(step.prose["formula"], language=None, wrap_lines=True)
            st.caption(step.prose["source"])
        if step is STEPS[-1]:
            label, limit = f"Check, with a limit of {value:g} of 100", {"limit": f"{value:g}"}
            check, icon = PAGES / "check.py", ":material/arrow_forward:"
            st.page_link(check, label=label, icon=icon, query_params=limit)


def lesson(step: Step) -> None:
    """Ask first; once there is a guess, answer."""
    if step.key == "attacker" and len(mine.calls) == ROUNDS:
        mine.guesses.setdefault(step.key, mine.score()[0])
    usual = step.prose.get("start", step.choices(mine.pair)[0])
    value = session.get(f"tour-{step.key}-value", mine.values.get(step.key, usual))
    mine.values[step.key] = value
    if math.isnan(mine.guesses.get(step.key) or 0):
        mine.guesses[step.key] = session.get(f"tour-{step.key}-guess", value)
    shown, revealed = step.show(value, mine.pair), step.key in mine.guesses
    words = ("answer", "sentence") if revealed else ("title", "intro")
    page.headline(*(step.text(name, shown) for name in words))
    if revealed:
        answer(step, shown, value)
    elif step.key == "attacker":
        play(step)
    else:
        ask(step, shown, value)


def handed_in() -> str:
    """Return the file; a text that the click itself ends comes in beside the click."""
    time.sleep(1.0)
    return mine.export()


def take_text(question: str, key: str) -> None:
    """Keep a text, even if the click that ends it leaves the page."""
    mine.texts[question] = session[key]


def finish() -> None:
    """Show what was seen, ask for two answers in writing, and hand out the file."""
    shows, rights = mine.done()
    page.headline(
        "What have you seen?",
        f"You have seen {shows} of {len(STEPS)} answers. Questions answered right: {rights}.",
    )
    wide, narrow = st.columns(2, gap="large")
    wide.markdown("\n".join(f"1. {step.prose['takeaway']}" for step in STEPS))
    with narrow:
        for place, question in enumerate(lessons.QUESTIONS):
            key = kept(f"text-{place}", mine.texts.get(question, ""))
            typed: dict[str, Any] = {"on_change": take_text, "args": (question, key)}
            mine.texts[question] = st.text_area(question, key=key, max_chars=4000, **typed)
        name = f"tour-pair-{mine.pair}.html" if mine.pair else "tour.html"
        look: dict[str, Any] = {"type": "primary", "icon": ":material/download:"}
        file = "Download all as one file", handed_in, name, "text/html"
        st.download_button(*file, on_click="ignore", **look)
        st.caption("Nothing is stored: what you wrote is gone when you close or reload this page.")


follow_address()
st.space("xsmall")
names = {place: str(place) for place in range(1, END)} | {END: "End"}
page.choice("Step", names, None, "tour-step")
if mine.place == END:
    finish()
else:
    lesson(STEPS[mine.place - 1])
with st.container(horizontal=True):
    for words, to in (("Back", mine.place - 1), ("Next", mine.place + 1)):
        go: dict[str, Any] = {"on_click": setattr, "args": (mine, "place", to)}
        st.button(words, key=f"tour-{words}", disabled=not 0 < to <= END, **go)
    with st.popover("For teachers", type="tertiary"):
        pairs = st.slider("Pairs of students", 1, 40, 12)
        address = (st.context.url or "tour").partition("?")[0]
        st.caption("A link for each pair, with its own draws. Pairs hand in the file at the end.")
        st.code("\n".join(lessons.links(address, pairs)), language=None)
