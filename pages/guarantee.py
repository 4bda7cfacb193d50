"""Show what is promised, what it rests on, and what attackers gain who have more."""

from typing import Literal

import streamlit as st

from distpriv.analysis import explanations, sentences
from distpriv.analysis.guarantee import relaxed_frame
from distpriv.charts import guarantee as charts
from distpriv.dashboard import page
from distpriv.dashboard.controls import control

LOOKS: dict[bool | None, tuple[Literal["green", "orange", "gray"], str]] = {
    True: ("green", "check"),
    None: ("orange", "help"),
    False: ("gray", "close"),
}

state, now = page.current()
scenario = now.scenario
ways = {way.key: way for way in now.guaranteed}
best = now.recommendation.way.key
start = next((key for key in (best, scenario.mechanism) if key in ways), "as it is")
head = st.container()
chosen = st.segmented_control(
    "Way of releasing",
    list(ways),
    default=start,
    format_func=lambda key: ways[key].title,
    required=True,
    key=f"guaranteed-{start}-{'-'.join(ways)}",
    label_visibility="collapsed",
)
way = ways[chosen]

# 1. The answer
with head:
    page.headline(
        sentences.guarantee_title(way),
        sentences.guarantee_lead(now, way, page.WORDS),
        warning=sentences.warning(now, page.WORDS),
        term="promise",
    )

# 2. Three claims, and what each rests on
TERMS = ("exact law" if way.rests == "exact" else "model", "", "persons")
for place, (column, badge) in enumerate(
    zip(st.columns(3), sentences.guarantee_badges(now, way), strict=True)
):
    color, icon = LOOKS[badge.holds]
    with column.container(border=True, height="stretch", key=f"badge-{place}"):
        st.badge(badge.title, icon=f":material/{icon}:", color=color)
        st.markdown(badge.text, help=page.tip(TERMS[place]) if TERMS[place] else None)

# 3. The promise as a curve, and what it means
left, right = st.columns(2, gap="large")
with left:
    frame, promises = now.profiles(), now.promises()
    page.show(
        charts.profile(frame, promises),
        frame,
        charts.profile_alt(frame, promises),
        key="profile",
        title="Promised and delivered",
        term="delivered",
        note=f"A curve through or below the cross keeps the promise on shares. {now.way.basis}",
    )
with right:
    st.header("What does it mean?", anchor=False, help=page.tip("plausible deniability"))
    st.markdown(
        "\n".join(f"- {text}" for text in sentences.guarantee_meaning(now, way, page.WORDS))
    )
    st.caption(f"{way.title}. {way.basis}")

# 4. Attackers who have more
left, right = st.columns(2, gap="large")
with left, page.sentences():
    frame = now.repeated()
    page.show(
        charts.attackers(frame, "releases", "releases of the same figures", now.limit),
        frame.round(4),
        charts.attackers_alt(frame, "releases"),
        key="repeated",
        title="Repeated releases",
        term="repeated releases",
        note="Fresh noise averages out. Once it is too thin for the grid it counts as none, so "
        "these are right guesses at most. Balanced figures keep the same records.",
    )
with right, page.sentences():
    frame = now.knowing()
    page.show(
        charts.attackers(frame, "known", "records the attacker knows", now.limit),
        frame.round(2),
        charts.attackers_alt(frame, "known"),
        key="knowing",
        title="Attackers who know records",
        note="Half of them with the property, half without, on average over random ones. By bell "
        "curves, unless the exact law is known. They fit badly where few records are unknown. "
        "Balanced: at most, for arithmetic may tell the sums of both groups.",
    )
with right:
    control(state, "known_records")
    if scenario.known_records:
        st.markdown(sentences.known_lead(now, way, page.WORDS))

# 5. Laws that are not as assumed, once somebody asks
wrong = st.expander("What if our curves are wrong?", key="relaxed", on_change="rerun")
if wrong.open:
    with wrong, page.sentences():
        if way.rests in ("exact", "any data"):
            st.markdown(f"{way.basis} No curve is assumed, so none can be wrong.")
        else:
            off = (
                st.slider("True deviations differ by up to, %", 1, 50, 10, key="relaxed-off") / 100
            )
            frame = now.cache.once(relaxed_frame, now.model, way.release, off)
            st.markdown(explanations.relaxed_lead(frame, off, page.WORDS))
            page.show(
                charts.profile(frame, now.promises()),
                frame,
                charts.profile_alt(frame, now.promises()),
                key="relaxed-profile",
                note="Measured after the noise (Theorem 4.6, the best λ at each ε). Without noise "
                "η = 1: no curve fits figures that move in steps.",
            )
            st.caption(explanations.extra_lead(now, off))
        st.caption(explanations.close_lead(now))
