"""Attack: a simulated attacker, live, beside the best possible one."""

import streamlit as st

from distpriv.attacks import PropertyInferenceAttack, worker
from distpriv.charts import attack as charts
from distpriv.dashboard import jobs, page

TOTAL = 200

own, now = page.current()
low, high = now.shares
best = {"without noise": now.undefended} | ({"with noise": now.guesses} if now.needs_noise else {})

# 1. The answer
page.headline(
    f"Right {now.guesses:.0f} times in 100",
    f"That is how often the best possible attacker tells {low} from {high} of "
    f"*{page.escape(now.pair.secret.label)}*"
    + (
        f" with your noise; without it, {now.undefended:.0f} times."
        if now.needs_noise
        else " without noise."
    )
    + " Here a simulated attacker tries: trained on other records, it scores lower.",
)

# 2. The live picture: its line climbs towards the best attacker's diamond
buttons = st.container(horizontal=True)
buttons.button("Run again", icon=":material/replay:", on_click=own.reseed)
noises = {"without noise": None} | ({"with noise": now.release} if now.needs_noise else {})
attack = PropertyInferenceAttack.of(now.model, noises, seed=own.scenario.seed)
job = jobs.begin(
    own.jobs,
    "attack",
    (now.scenario, now.source.fingerprint, own.scenario.seed),
    worker.repetitions,
    lambda: worker.packed(attack),
    worker.pieces(attack, TOTAL),
)
buttons.button("Stop", icon=":material/stop:", on_click=job.cancel, disabled=not job.running)


def draw(job: jobs.Job) -> None:
    """What has come in so far."""
    data = charts.frame([one for piece in job.results for one in piece])
    done, total = len(data) // max(len(best), 1), TOTAL
    said = " · ".join(
        f"{row.release} {row.guesses:.1f} ± {row.high - row.guesses:.1f} of 100"
        for row in data.groupby("release", sort=False).tail(1).itertuples()
    )
    state = "stopped after" if job.stopped else "after"
    st.progress(done / total, f"{said or 'Starting'}, {state} {done} of {total} simulations")
    page.show(
        charts.picture(data, best, total, now.scenario.mechanism),
        data,
        "Right guesses of a simulated attacker, growing towards the best possible one.",
        key="attack",
        note="Lines: mean of the simulations so far with its 95 % interval. "
        f"Diamonds: the best possible attacker, by the fitted model. Seed {own.scenario.seed}. "
        + " ".join(worker.caveats(attack)),
    )


jobs.follow(job, draw)
