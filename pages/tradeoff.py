"""Compare what each mechanism costs, against the attacker, ε or Δp, and from an accepted error."""

import pandas as pd
import streamlit as st

from distpriv.analysis import explanations, frames, sentences
from distpriv.analysis.limits import ErrorLimit
from distpriv.charts import tradeoff
from distpriv.dashboard import jobs, page
from distpriv.dashboard.controls import ask, control
from distpriv.dashboard.fields import number
from distpriv.errors import DistprivError
from distpriv.mechanisms.draws import rounded_up
from distpriv.text import significant

AXES = {
    "guesses": "Against the attacker",
    "epsilon": "Against ε",
    "width": "Against Δp",
    "accepted": "From an error",
}

ENDS = " A line ends at the loosest limit that asks for noise."

state, now = page.current()
scenario = now.scenario
by = f"{explanations.basis(now)}, δ = {scenario.delta:g}".capitalize()
READING = {
    "guesses": f"{by}. Diamonds use no noise.{ENDS * (scenario.by == 'guesses')}",
    "epsilon": f"{by}. Dotted: no noise, ε = 0.",
    "width": "Each line keeps your limit; the range widens around its middle.",
}
if not now.model.exact:  # simulated statistics take minutes for that
    del AXES["width"]
key = f"across-{scenario.by}"
across = st.session_state.get(key)
across = across if across in AXES else scenario.by
names = {"accepted": ["accepted", "lines"], "width": ["widths"]}.get(across, ["lines"])
jobs.only(state.jobs, "law", *names)


def choose_axis() -> None:
    """Draw the choice of picture, and of the mechanism where the sidebar has none."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with left:
        page.choice("Error against", AXES, scenario.by, key)
    with right:
        if scenario.by == "guesses" and across != "accepted":
            control(state, "mechanism", label_visibility="collapsed")


def compare(across: tradeoff.Across) -> None:
    """Draw what the limit costs, and what others would."""
    page.headline(
        sentences.tradeoff_title(now),
        sentences.tradeoff_lead(now, page.WORDS),
        lambda: sentences.tradeoff_advice(now, page.WORDS),
        sentences.warning(now, page.WORDS),
        "error",
    )
    choose_axis()
    quiet = [way for way in now.ways if way.release.kind in ("balanced", "no data")]
    points = [(way.key, way.guesses, way.percent) for way in quiet]
    broken = " ".join(f"✗ {text}" for text in sentences.unseen(quiet, now.limit))
    here = {
        "guesses": now.way.guesses,
        "epsilon": now.epsilon or 20.0,
        "width": 100 * now.pair.width,
        "error": now.way.percent,
    }
    columns = ["mechanism", "guesses", "error"]
    wider = across == "width"
    job = jobs.begin(state.jobs, *(("widths", *now.wider()) if wider else ("lines", *now.lines())))

    def draw(job: jobs.Job) -> None:
        frame = frames.together(job.results, across, *columns)
        page.show(
            tradeoff.picture(
                frame,
                across=across,
                points=None if across == "width" else pd.DataFrame(points, columns=columns),
                here=here,
                mechanism=scenario.mechanism,
                limit=now.limit if scenario.by == "guesses" else None,
            ),
            frame.round(3),
            tradeoff.alt(frame),
            key=f"tradeoff-{across}",
            note=f"{_pending(job)}Lower is better. The dot is your setting. {READING[across]} "
            f"{broken}",
        )

    jobs.follow(job, draw)


def accept() -> None:
    """Ask for the error that is accepted, and draw what it leaves to an attacker."""
    headline = st.container()
    choose_axis()
    figures = {-1: "Every figure"} | dict(enumerate(now.labels))
    with st.container(horizontal=True, vertical_alignment="bottom", key="accept"):
        figure = st.selectbox(
            "What may be off?", list(figures), format_func=figures.__getitem__, width=300
        )
        one = figure >= 0
        unit = now.units[figure] if one else "% of each value"
        usual = significant(0.05 * now.ruler[figure], 2) if one else "5"
        words, name = f"By how much, ± {page.escape(unit)}", f"error-{figure}-{usual}"
        text = ask(words, usual, name, (1e-9, 1e15), percent=unit.startswith("%"), width=220)
    try:
        error = number(text, 1e-9, 1e15)
    except DistprivError as problem:
        with headline:
            page.headline("Which ε for this error?", page.escape(problem))
        return
    labels, places, level = now.query.labels, [*range(len(now.query))], error
    limits = tuple(ErrorLimit(label, error / 100, relative=True) for label in labels)
    if one:
        limits, places = (ErrorLimit(labels[figure], error),), [figure]
        level = 100 * error / now.ruler[figure]
    job = jobs.begin(state.jobs, "accepted", *now.accepting(limits))
    lines = jobs.begin(state.jobs, "lines", *now.lines(by="epsilon"))

    def best(job: jobs.Job) -> pd.DataFrame:
        frame = frames.together(job.results, "mechanism", "epsilon", "guesses", "percent")
        frame = frame.dropna(subset=["epsilon"]).sort_values("guesses")
        return frame.assign(epsilon=rounded_up(frame["epsilon"]))  # as it is taken

    reached = best(job)
    _, points = now.errors_of(reached, places)
    who = page.WORDS.name(figures[figure]) if one else "every figure"
    words = f"{who} may be off by {page.escape(text)} {page.escape(unit) if one else '%'}"
    with headline:
        page.headline(
            explanations.accepted_title(reached),
            explanations.accepted_lead(reached, words, not job.running, page.WORDS),
            explanations.accepted_advice(points, level, page.WORDS),
        )

    def draw(job: jobs.Job) -> None:
        reached = best(job)
        dots = reached[["mechanism", "guesses"]].assign(error=level * (reached["percent"] > 0))
        empty = "mechanism", "guesses", "error"
        frame, points = now.errors_of(frames.together(lines.results, *empty), places)
        page.show(
            tradeoff.picture(
                frame,
                points=points,
                marks=dots,
                accepted=level,
                mechanism=reached["mechanism"].iloc[0] if len(reached) else "",
            ),
            frame.round(3),
            tradeoff.alt(frame),
            key="accepted",
            note=f"{_pending(job)}Dots: where each mechanism just meets your error, or adds no "
            "noise. Diamonds use no noise.",
        )

    left, right = st.columns([5, 3], gap="large", vertical_alignment="center")
    with left:
        jobs.follow(job, draw)
    if job.running or not len(reached):
        return
    with right:
        table = {
            "": reached["mechanism"],
            "least ε": reached["epsilon"].map(significant),
            "right of 100": reached["guesses"].map("{:.1f}".format),
        }
        st.table(pd.DataFrame(table).set_index(""))
        limit = now.as_limit(*reached[["mechanism", "epsilon"]].iloc[0])
        take = f"Take {limit['mechanism']} at ε = {limit['epsilon']:g}"
        st.button(take, icon=":material/check:", on_click=state.change, kwargs=limit)


def _pending(job: jobs.Job) -> str:
    return "More lines are being computed. " if job.running else ""


accept() if across == "accepted" else compare(across)
