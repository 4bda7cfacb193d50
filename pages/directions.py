"""Directions: which figures give the share away, and where does noise go?"""

import numpy as np
import pandas as pd
import streamlit as st

from distpriv.charts import bars, directions
from distpriv.dashboard import page
from distpriv.mechanisms import calibrate_all
from distpriv.model import Release

own, now = page.current()
scenario, labels = now.scenario, now.labels
low, high = now.shares
told = now.contributions()
first = told.loc[told["alone"].idxmax()]

# 1. The answer
few = len(labels) == 1
least = told.loc[told["without"].idxmin()]
leaving = f"**Leave out {page.escape(least.statistic)}**, and they are right {least.without:.0f} times in 100."
enough = not few and now.undefended > scenario.guesses + 0.5 > least.without
page.headline(
    "One figure, one direction" if few else "Which figure tells most?",
    f"*{page.escape(first.statistic)}* alone lets an attacker guess right **{first.alone:.0f} times in 100**; "
    + (
        "there are no others."
        if few
        else f"all {len(labels)} together, **{now.undefended:.0f} times**."
    ),
    leaving if enough else "",
)

# 2. The plane of two statistics, and what each tells
noises = {}
names = list(dict.fromkeys([scenario.mechanism, "DauM", "EigM", "ExpM"])) if now.needs_noise else []
for name, made in zip(names, calibrate_all([(name, now.promise) for name in names], now.model, units=now.ruler)):
    if isinstance(made, Release):
        noises[name] = made.covariance
order = list(told.sort_values("alone", ascending=False).index)
x = y = order[0]
drawn: list[str] = []
if not few:
    with st.container(key="directions-controls"):
        across, up, where = st.columns([3, 3, 5], gap="medium")
    named = {"options": range(len(labels)), "format_func": labels.__getitem__}
    x = across.selectbox("Across", index=order[0], key=f"x-{own.revision}", **named)
    y = up.selectbox("Up", index=order[1], key=f"y-{own.revision}", **named)
    if noises:
        key = f"noises-{'-'.join(noises)}"
        drawn = where.pills(
            "Where noise goes",
            list(noises),
            selection_mode="multi",
            default=list(noises)[:2],
            key=key,
        )
left, right = st.columns([6, 5], gap="large")
with left:
    if x == y:
        st.info(
            "Release a second figure to see a plane." if few else "Choose two different figures."
        )
    else:
        fit = now.model.pairs[0]
        unit = np.sqrt(np.diag(np.asarray(fit.pooled)))[[x, y]]
        means = np.asarray(fit.means)[:, [x, y]]
        middle = means.mean(axis=0)
        cut = lambda matrix: np.asarray(matrix)[..., [x, y], :][..., [x, y]] / np.outer(unit, unit)  # noqa: E731
        draws = now.draws
        frame = pd.DataFrame(
            {
                "of": [low, high],
                labels[x]: means[:, 0],
                labels[y]: means[:, 1],
                "deviation across": unit[0],
                "deviation up": unit[1],
            }
        )
        page.show(
            directions.plane(
                (draws[:, :350][..., [x, y]] - middle) / unit,
                (means - middle) / unit,
                cut(fit.covariances),
                {name: cut(noises[name]) for name in drawn},
                (labels[x], labels[y]),
                [low, high],
                ", in deviations",
            ),
            frame.round(4),
            f"Two clouds of simulated tables at {low} and {high}, with the arrow between their middles",
            key="plane",
            note="Dots: simulated tables. Arrow: from one share to the other. Cross: the clouds' own axes and deviations. "
            "Outlines hold 95 % of each noise.",
        )
with right:
    data = told.rename(columns={"statistic": "name", "alone": "guesses"}).sort_values(
        "guesses", ascending=False
    )
    data = pd.concat([data, pd.DataFrame([{"name": "All together", "guesses": now.undefended}])])
    page.show(
        bars.ranked(data, 0, max(now.undefended, 60.0)),
        data.round(2),
        "; ".join(f"{row.name} alone: right {row.guesses:.0f} of 100" for row in data.itertuples()),
        key="contributions",
        note="Right guesses of 100 from one figure alone, by our model.",
    )
