"""Check: can an outsider tell, and what does it cost to hide it?"""

import pandas as pd
import streamlit as st

from distpriv.charts import bars, bells, costs
from distpriv.analysis.tables import secrets
from distpriv.dashboard import page
from distpriv.dashboard.fields import BY_NAME
from distpriv.analysis.frames import separation
from distpriv.mechanisms import MECHANISMS

own, now = page.current()
scenario, tolerance, ways, best = (
    now.scenario,
    now.scenario.guesses,
    now.ways,
    now.recommendation.way,
)
low, high = now.shares
safe = not now.needs_noise
guess = next(way.percent for way in ways if way.key == "no data")  # without any data
near = best.key != "no data" and best.percent > 0.7 * guess
beside = f"; with no data at all, by {guess:.1f} %" if near else ""

# 1. The answer
page.headline(
    "An attacker cannot tell" if safe else "An attacker could tell",
    f"From these {len(now.labels)} figures they guess whether **{low}** or **{high}** of "
    f"{page.whole(now.n)} records have *{page.escape(now.pair.secret.label)}*, and are right "
    f"**{now.undefended:.0f} times in 100**. 50 is a coin toss; you accept {tolerance:g}.",
    "**Publish the figures as they are.** This keeps your limit, by our model."
    if safe
    else f"**{best.advice}** Then an attacker is right **{best.guesses:.0f} times in 100**, "
    f"and the figures are off by **{best.percent:.1f} %** on average{beside}.",
    page.warning(now),
)

# 2. What an attacker sees: two bells that merge
shown = [way for way in ways if way.key in ("as it is", scenario.mechanism) or way is best]
shown.sort(key=lambda way: -way.guesses)
data = bells.frame([(w.title, w.guesses, separation(w.guesses)) for w in shown], tuple(100 * p for p in (now.pair.low, now.pair.high)))
page.show(
    bells.pictures(data, tolerance),
    data,
    f"Two bells for {low} and {high}. "
    + "; ".join(f"{w.title}: right {w.guesses:.0f} of 100" for w in shown),
    key="bells",
    note="What an attacker reads from the figures under either share, by our model.",
)

# 3. What each way costs
st.header("What does hiding it cost?", anchor=False)
table = pd.DataFrame(
    [
        {
            "way": way.title,
            "guesses": way.guesses,
            "error": way.percent,
            "kept": way.kept,
            "estimated": way.estimated_percent,
        }
        | {f"± {label}": way.errors[place] for place, label in enumerate(now.labels)}
        for way in ways
    ]
)
left, right = st.columns([6, 5], gap="large")
with left:
    page.show(
        costs.picture(table, tolerance),
        table,
        "; ".join(
            f"{r.way}: error {r.error:.1f} %, right {r.guesses:.0f} of 100"
            for r in table.itertuples()
        ),
        key="costs",
        note=f"Green keeps your limit of {tolerance:g}. Full colour is what is left when readers estimate the "
        "true figures from the release.",
    )
with right:
    named = {way.title: way for way in ways if way.key != "as it is"}
    chosen = st.selectbox(
        "One figure after the other",
        list(named),
        index=list(named.values()).index(best) if best.key != "as it is" else 0,
        key=f"way-{best.key}",
    )
    way = named[chosen]
    st.caption(f"{way.how} {way.basis}")
    st.table(page.errors(now, way))
    if way.key in MECHANISMS and MECHANISMS[way.key].noise == "gaussian" and way.key != scenario.mechanism and st.button(
        f"Take {way.key}", icon=":material/check:"
    ):
        own.change(mechanism=way.key)
        st.rerun()

# 4. Every other column as the secret
st.header("What else would these figures give away?", anchor=False)
everything = now.exposure()
counted = list(dict.fromkeys(s.column for s in scenario.statistics if s.kind == "count"))
told = [now.pair.secret.column, *counted]
others = everything[~everything["column"].isin(told) & everything["fits"]]
first = others.drop_duplicates("column").head(6)
if len(first):
    names = [f"{row.label}: {row.low:.0f} or {row.high:.0f} %?" for row in first.itertuples()]
    data = pd.DataFrame({"name": names, "guesses": first["guesses"]})
    page.show(
        bars.ranked(data, tolerance, 100.0, 60),
        everything.round(2),
        "; ".join(f"{row.name} Right {row.guesses:.0f} of 100" for row in data.itertuples()),
        key="exposure",
        note=f"Right guesses of 100 about two shares {now.pair.width * 100:g} points apart, the most exposed label of each column. "
        + (
            f"Counted, so told outright: {page.escape(', '.join(counted))}."
            if counted
            else ""
        ),
    )
    taken = st.pills("Check one of them", list(first["label"]), key=f"exposed-{own.revision}")
    if taken:
        row = first.set_index("label").loc[taken]
        own.take(
            BY_NAME["shares"].put(
                BY_NAME["secret"].put(scenario, next(s for s in secrets(now.source) if s.label == taken)),
                (max(1.0, round(row.low)), min(99.0, round(row.high))),
            )
        )
        st.rerun()
