"""Show what attackers reach: a simulated one, live, and the best possible one."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from distpriv.analysis import explanations, frames, sentences
from distpriv.attacks import ATTACKERS, PropertyInferenceAttack, audit_attack, worker
from distpriv.charts import attack as charts, style
from distpriv.dashboard import jobs, page
from distpriv.model import Release

VIEWS = {"live": "Live", "width": "Against Δp", "epsilon": "Against ε"}
VIEWS |= {"belief": "Belief", "recall": "Precision"}
TERMS = {"live": "simulated attacker", "recall": "precision", "belief": "belief"}
TRAINED = {True: "Knows the noise", False: "As in the paper"}
state, now = page.current()
scenario, chosen = now.scenario, st.session_state
best = f"the best possible attacker, {explanations.basis(now)}."
sample = (sentences.SAMPLED,) if now.sampled else ()
NOTES = {
    "width": f"Lines: {best} The noise stays, the range widens. ",
    "epsilon": f"Lines: {best} Dotted: what the promise allows. ",
}
attackers = [name for name, one in ATTACKERS.items() if now.query.linear or not one.knows_grid]
view: Any = chosen.get("attack-view") or "live"
failing = view == "live" and chosen.get("attack-failing", False) and now.published is not None
classifier = "arithmetic" if failing else chosen.get("attack-classifier", "logistic")
attacker, adaptive = ATTACKERS[classifier], chosen.get("attack-adaptive", True)
many = scenario.records is not None and now.n <= 10_000 and attacker.seconds < 0.01
ways = {way.key: way for way in now.guaranteed}
if failing and now.published:
    ways = {"as it is": ways["as it is"], "published": now.published} | ways
jobs.only(state.jobs, "law", f"lines-{view}", f"attack-{view}")


def simulate(
    total: int,
    releases: Mapping[str, Release],
    function: Callable[..., Any] = worker.repetitions,
    ranges: Mapping[float, Any] | None = None,
) -> tuple[PropertyInferenceAttack, jobs.Job]:
    """Begin the chosen attacker's simulations in the workers, or go on with those of this view."""
    settings = {"adaptive": adaptive, "classifier": classifier, "seed": scenario.seed}
    attack = PropertyInferenceAttack.of(now.drawn, releases, now.exposed, **settings)
    calls: list[tuple[Any, ...]] = [*worker.pieces(attack, total)]
    if ranges:
        calls = [(*call, numbers) for numbers in ranges.values() for call in calls]
    key = (scenario, now.source.fingerprint, adaptive, classifier, *attack.noises)
    shared = lambda: worker.packed(attack)  # noqa: E731
    return attack, jobs.begin(state.jobs, f"attack-{view}", key, function, shared, calls)


def controls(job: jobs.Job) -> None:
    """Draw whose attack it is, and buttons."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.selectbox(
            "Attacker",
            attackers,
            attackers.index(classifier),
            lambda name: ATTACKERS[name].title,
            key="attack-failing-classifier" if failing else "attack-classifier",
            disabled=failing,
            label_visibility="collapsed",
            width=230,
        )
        page.choice("Trained", TRAINED, True, "attack-adaptive", disabled=attacker.knows_grid)
        st.button("Run again", icon=":material/replay:", on_click=state.reseed)
        st.button("Stop", icon=":material/stop:", on_click=job.cancel, disabled=not job.running)
        if view == "live" and now.published:
            st.toggle("Show it failing", key="attack-failing", help=page.tip("arithmetic"))


def headline(lead: str, advice: str = "") -> None:
    """Write the answer, and choose the picture."""
    title = sentences.attack_title(now, now.published if failing else None)
    page.headline(title, lead, advice, term=TERMS.get(view, "best attacker"))
    page.about(now)
    page.choice("Picture", VIEWS, "live", "attack-view")


def live() -> None:
    """Draw the attack as it grows: lines climb towards the best attacker's diamonds."""
    total = 200 if many else 50
    reached = {name: now.exposed_guesses(way) for name, way in ways.items()}
    releases = {name: way.release for name, way in ways.items()}
    attack, job = simulate(total, releases, worker.scores)

    def runs(job: jobs.Job) -> list[dict[str, Any]]:
        return [one for piece in job.results for one in piece]

    def results(job: jobs.Job) -> pd.DataFrame:
        some = runs(job)
        return frames.attack_frame(attack.collect(some).accuracy if some else {})

    if failing:
        headline(*explanations.failing(now, page.WORDS))
    else:
        headline(sentences.attack_lead(now, results(job), now.way.key, page.WORDS))
    controls(job)

    def draw(job: jobs.Job) -> None:
        frame = results(job)
        done = int(frame["simulations"].max()) if len(frame) else 0
        ends = style.rows(frame.groupby("release", sort=False).tail(1))
        score = ", ".join(
            f"{style.title(row.release)} {row.guesses:.1f}\u00a0±\u00a0{row.high - row.guesses:.1f}"
            for row in ends
            if done > 1
        )
        begun = "Stopped after" if job.stopped else "After" if done else "Starting:"
        st.progress(done / total, f"{begun} {done} of {total} simulations. {score}")
        page.show(
            charts.picture(frame, best=reached, total=total),
            frame,
            charts.alt(frame),
            key="attack",
            note=f"Lines: mean so far with its 95\u00a0% interval. Diamonds: {best} Seed "
            f"{scenario.seed}. {' '.join(worker.caveats(attack) + sample)}",
        )

    jobs.follow(job, draw)
    done = runs(job)
    if not job.running and done and now.epsilon is not None and not failing:
        claim = now.way.key, now.epsilon, scenario.delta
        st.caption(explanations.audit(audit_attack(attack.collect(done), *claim), page.WORDS))
    if not adaptive and not failing and not attacker.knows_grid:
        st.caption(
            "The paper's attacker learns from figures without noise; that can understate the leak."
        )
    if scenario.known_records:
        st.caption(
            "This attacker knows none of the records. Guarantee shows attackers who know some."
        )


def against(across: charts.Across) -> None:
    """Draw the best attacker's curves against Δp or ε, and then simulated attackers as points."""
    work = now.reach() if across == "width" else now.lines([scenario.mechanism], by="epsilon")
    lines = jobs.begin(state.jobs, f"lines-{across}", *work)
    total, ranges = 40 if many else 10, now.ranges() if across == "width" else {}
    here = None
    if across == "width":
        own = 100 * scenario.secrets[now.exposed].width
        here = {"width": own, "guesses": now.exposed_guesses(now.way)}
    elif now.epsilon is not None:
        here = {"epsilon": now.epsilon, "guesses": now.way.guesses}

    def curves() -> pd.DataFrame:
        empty = ("mechanism" if across == "epsilon" else "release"), across, "guesses"
        frame = frames.together(lines.results, *empty)
        return now.ceiling(frame) if across == "epsilon" else frame

    def runs(job: jobs.Job) -> Iterator[tuple[str, float, float]]:
        pieces = len(job.futures) // max(len(ranges), 1)  # at each range
        for place, piece in job.placed.items():
            for name, right in (pair for one in piece for pair in one.items()):
                if ranges:
                    yield name, [*ranges][place // pieces], right
                else:
                    yield scenario.mechanism, float(name), right

    def draw(job: jobs.Job) -> None:
        points = frames.points_frame(runs(job) if job is not lines else (), across)
        both = pd.concat([curves(), points]) if len(points) else curves()
        page.show(
            charts.reach(both, across=across, here=here, mechanism=now.way.key),
            both.round(2),
            charts.reach_alt(both, across),
            key=f"attack-{across}",
            note=f"{NOTES[across]}Points: {total} simulated attacks each, with 95\u00a0% "
            "intervals. " + " ".join(sample),
        )

    headline(explanations.reach_lead(now, curves(), across, page.WORDS))
    job = lines
    if not lines.running and not lines.failure:
        releases = {key: way.release for key, way in ways.items() if key != "BalM"}
        if across == "epsilon":
            releases = {f"{epsilon:g}": one for epsilon, one in now.at_epsilons().items()}
        _, job = simulate(total, releases, ranges=ranges)
    controls(job)
    jobs.follow(job, draw)


def recall() -> None:
    """Draw how sure the best attacker can be: precision against recall."""
    frame, high = now.recalls(), now.exposed_shares[1]
    headline(explanations.recall_lead(frame, now.way.key, high, page.WORDS))
    page.show(
        charts.recall(frame),
        frame.round(2),
        charts.recall_alt(frame),
        key="recall",
        note=f"{best.capitalize()} At even odds, always guessing {high} has a precision of 50 % "
        "and an F-score of 0.67.",
    )


def belief() -> None:
    """Draw what somebody believes before and after one release."""
    (frame, _), pair = now.beliefs(), scenario.secrets[now.exposed]
    headline(explanations.belief_lead(now, page.WORDS))
    st.button("Draw another", icon=":material/replay:", on_click=state.reseed)
    page.show(
        charts.belief(frame, shares=(100 * pair.low, 100 * pair.high)),
        frame.round(4),
        charts.belief_alt(frame),
        key="belief",
        note="One simulated table, released in each way. Before, all shares in the range are "
        f"equally likely. Balanced figures change nothing. Seed {scenario.seed}.",
    )


{"live": live, "belief": belief, "recall": recall}.get(view, lambda: against(view))()
