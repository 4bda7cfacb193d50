"""Show what attackers reach: a simulated one, live, and the best possible one."""

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from distpriv.analysis import explanations, frames, sentences
from distpriv.attacks import ATTACKERS, PropertyInferenceAttack, audit_attack, worker
from distpriv.charts import attack as charts, style
from distpriv.dashboard import jobs, page

VIEWS = {
    "live": "Live",
    "width": "Against Δp",
    "epsilon": "Against ε",
    "belief": "Belief",
    "recall": "Precision",
}
JOBS = {
    "live": ["attack"],
    "width": ["lines-width", "attack-width"],
    "epsilon": ["lines-epsilon", "attack-epsilon"],
}
TRAINED = {True: "Knows the noise", False: "As in the paper"}
state, now = page.current()
scenario, chosen = now.scenario, st.session_state
best = f"the best possible attacker, {explanations.basis(now)}."
NOTES = {
    "width": f"Lines: {best} The noise stays, the range widens. ",
    "epsilon": f"Lines: {best} Dotted: what the promise allows. ",
}
attackers = [name for name, one in ATTACKERS.items() if now.query.linear or not one.knows_grid]
view = chosen.get("attack-view") or "live"
failing = view == "live" and chosen.get("attack-failing", False) and now.published is not None
classifier = "arithmetic" if failing else chosen.get("attack-classifier", "logistic")
adaptive = chosen.get("attack-adaptive", True)
many = scenario.records is not None and now.n <= 10_000 and ATTACKERS[classifier].seconds < 0.01
ways = {way.key: way for way in now.guaranteed}
if failing and now.published:
    ways = {"as it is": ways["as it is"], "published": now.published} | ways
jobs.only(state.jobs, "law", *JOBS.get(view, ()))


def simulation(releases):
    """Return the chosen attacker on releases of the exposed secret."""
    settings = {"adaptive": adaptive, "classifier": classifier, "seed": scenario.seed}
    return PropertyInferenceAttack.of(now.model, releases, now.exposed, **settings)


def begin(name, attack, calls, function=worker.repetitions):
    """Begin simulations in the workers, or go on with those of this name."""
    key = (scenario, now.source.fingerprint, adaptive, classifier, *attack.noises)
    shared = lambda: worker.packed(attack)  # noqa: E731
    return jobs.begin(state.jobs, name, key, function, shared, calls)


def controls(job):
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
        st.segmented_control(
            "Trained",
            list(TRAINED),
            format_func=TRAINED.__getitem__,
            default=True,
            required=True,
            key="attack-adaptive",
            disabled=ATTACKERS[classifier].knows_grid,
            label_visibility="collapsed",
        )
        st.button("Run again", icon=":material/replay:", on_click=state.reseed)
        st.button("Stop", icon=":material/stop:", on_click=job.cancel, disabled=not job.running)
        if view == "live" and now.published:
            st.toggle("Show it failing", key="attack-failing", help=explanations.FAILING)


def headline(lead, advice=""):
    """Write the answer, and choose the picture."""
    page.headline(sentences.attack_title(now), lead, advice)
    if len(scenario.secrets) > 1:
        secret = scenario.secrets[now.exposed].secret
        st.caption(f"About *{page.escape(secret.label)}*, the most exposed secret.")
    st.segmented_control(
        "Picture",
        list(VIEWS),
        format_func=VIEWS.__getitem__,
        default="live",
        required=True,
        key="attack-view",
        label_visibility="collapsed",
    )


# The live picture: its lines climb towards the best attacker's diamonds
def live() -> None:
    """Draw the attack as it grows."""
    total = 200 if many else 50
    reached = {name: now.exposed_guesses(way) for name, way in ways.items()}
    attack = simulation({name: way.release for name, way in ways.items()})
    job = begin("attack", attack, worker.pieces(attack, total), worker.scores)

    def runs(job: jobs.Job) -> list[dict]:
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
            f"{style.title(row.release)} {row.guesses:.1f} ± {row.high - row.guesses:.1f}"
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
            note=f"Lines: mean so far with its 95 % interval. Diamonds: {best} Seed "
            f"{scenario.seed}. {' '.join(worker.caveats(attack))}",
        )

    jobs.follow(job, draw)
    done = runs(job)
    if not job.running and done and now.epsilon is not None and not failing:
        claim = now.way.key, now.epsilon, scenario.delta
        st.caption(explanations.audit(audit_attack(attack.collect(done), *claim), page.WORDS))
    if not adaptive and not failing and not ATTACKERS[classifier].knows_grid:
        st.caption(
            "The paper's attacker learns from figures without noise; that understates the leak."
        )
    if scenario.known_records:
        st.caption("This attacker knows none of the records. Guarantee shows who knows some.")


# The best attacker's curves, and then simulated attackers as points
def against(across: charts.Across) -> None:
    """Draw right guesses against Δp or ε."""
    lines = now.reach() if across == "width" else now.lines([scenario.mechanism])
    lines = jobs.begin(state.jobs, f"lines-{across}", *lines)
    total = 40 if many else 10

    def curves() -> pd.DataFrame:
        empty = ("mechanism" if across == "epsilon" else "release"), across, "guesses"
        frame = frames.together(lines.results, *empty)
        return now.ceiling(frame) if across == "epsilon" else frame

    headline(explanations.reach_lead(now, curves(), across, page.WORDS))

    def draw(job: jobs.Job) -> None:
        points = frames.points_frame(runs(job) if job is not lines else (), across)
        both = pd.concat([curves(), points]) if len(points) else curves()
        page.show(
            charts.reach(both, across=across, here=here[across], mechanism=now.way.key),
            both.round(2),
            charts.reach_alt(both, across),
            key=f"attack-{across}",
            note=NOTES[across] + f"Points: {total} simulated attacks each, with 95 % intervals.",
        )

    if lines.running or lines.failure:
        controls(lines)
        jobs.follow(lines, draw)
        return
    if across == "width":
        kept = {k: w.release for k, w in ways.items() if k != "BalM"}
        attack, ranges = simulation(kept), now.ranges()
        pieces = [(width, each) for width in ranges for each in worker.pieces(attack, total)]
        job = begin(f"attack-{across}", attack, [(*each, ranges[x]) for x, each in pieces])
    else:
        attack = simulation({f"{x:g}": one for x, one in now.at_epsilons().items()})
        job = begin(f"attack-{across}", attack, worker.pieces(attack, total))
    controls(job)

    def runs(job: jobs.Job) -> Iterator[tuple[str, float, float]]:
        for place, piece in job.placed.items():
            for name, right in (pair for one in piece for pair in one.items()):
                if across == "width":
                    yield name, pieces[place][0], right
                else:
                    yield scenario.mechanism, float(name), right

    jobs.follow(job, draw)


# Precision and recall of the best attacker
def recall() -> None:
    """Draw how sure the best attacker can be."""
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


# What somebody believes after one release
def belief() -> None:
    """Draw beliefs before and after one release."""
    frame, _ = now.beliefs()
    headline(explanations.belief_lead(now, page.WORDS))
    st.button("Draw another", icon=":material/replay:", on_click=state.reseed)
    pair = scenario.secrets[now.exposed]
    page.show(
        charts.belief(frame, shares=(100 * pair.low, 100 * pair.high)),
        frame.round(4),
        charts.belief_alt(frame),
        key="belief",
        note="One simulated table, released each way. Before, all shares in the range are as "
        f"likely; balanced figures change nothing. Seed {scenario.seed}.",
    )


here = {
    "width": {
        "width": 100 * scenario.secrets[now.exposed].width,
        "guesses": now.exposed_guesses(now.way),
    },
    "epsilon": None
    if now.epsilon is None
    else {"epsilon": now.epsilon, "guesses": now.way.guesses},
}
{"live": live, "belief": belief, "recall": recall}.get(view, lambda: against(view))()
