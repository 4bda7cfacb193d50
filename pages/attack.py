"""Run a simulated attack, live, beside the best possible attacker."""

import pandas as pd
import streamlit as st

from distpriv.analysis import frames, sentences
from distpriv.attacks import PropertyInferenceAttack, worker
from distpriv.charts import attack as charts, style
from distpriv.dashboard import jobs, page

TRAINED = {True: "Knows the noise", False: "As in the paper"}

state, now = page.current()
scenario = now.scenario
total = 200 if now.n <= 10_000 else 50
shown = ("as it is", scenario.mechanism, "BalM")
ways = sorted((way for way in now.ways if way.key in shown), key=lambda way: shown.index(way.key))
best = {way.key: now.exposed_guesses(way) for way in ways}
adaptive = st.session_state.get("attack-adaptive", True)

# 1. The simulation, in pieces
attack = PropertyInferenceAttack.of(
    now.model,
    {way.key: way.release for way in ways},
    now.exposed,
    adaptive=adaptive,
    seed=scenario.seed,
)
job = jobs.begin(
    state.jobs,
    "attack",
    (scenario, now.source.fingerprint, adaptive),
    worker.repetitions,
    lambda: worker.packed(attack),
    worker.pieces(attack, total),
)


def results(job: jobs.Job) -> pd.DataFrame:
    """Return the running means of what has come in so far."""
    return frames.attack_frame([one for piece in job.results for one in piece])


# 2. The answer
page.headline(
    sentences.attack_title(now),
    sentences.attack_lead(now, results(job), now.way.key, page.WORDS),
)
if len(now.scenario.secrets) > 1:
    secret = now.scenario.secrets[now.exposed].secret
    st.caption(f"About *{page.escape(secret.label)}*, the most exposed secret.")
with st.container(horizontal=True, vertical_alignment="center"):
    st.segmented_control(
        "Trained",
        list(TRAINED),
        format_func=TRAINED.__getitem__,
        default=True,
        required=True,
        key="attack-adaptive",
        label_visibility="collapsed",
    )
    st.button("Run again", icon=":material/replay:", on_click=state.reseed)
    st.button("Stop", icon=":material/stop:", on_click=job.cancel, disabled=not job.running)


# 3. The live picture: its lines climb towards the best attacker's diamonds
def draw(job: jobs.Job) -> None:
    """Draw what has come in so far."""
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
        charts.picture(frame, best=best, total=total),
        frame,
        charts.alt(frame),
        key="attack",
        note="Lines: mean so far with its 95 % interval. Diamonds: the best possible attacker, by "
        f"our model. Seed {scenario.seed}. {' '.join(worker.caveats(attack))}",
    )


jobs.follow(job, draw)
if not adaptive:
    st.caption("The paper's attacker learns from figures without noise; that understates the leak.")
