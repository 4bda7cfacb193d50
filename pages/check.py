"""Check whether an attacker can tell the share, what to publish instead, and what that costs."""

import streamlit as st

from distpriv.analysis import sentences
from distpriv.analysis.exposure import secret_labelled
from distpriv.charts import bars, bells, exposure, style
from distpriv.dashboard import page
from distpriv.dashboard.fields import PRIVATE
from distpriv.files import PAGES
from distpriv.text import listed, right_of_100, whole

state, now = page.current()
scenario = now.scenario

# 1. The answer
page.headline(
    sentences.check_title(now),
    sentences.check_lead(now, page.WORDS),
    lambda: sentences.advice(now, page.WORDS),
    sentences.warning(now, page.WORDS),
    "right guesses of 100",
)
if sentences.decide_title(now) == sentences.READY:
    decide = PAGES / "decide.py"
    st.page_link(decide, label="Propose it to someone else", icon=":material/how_to_vote:")
best = now.recommendation.way
ways = {way.key: way for way in sorted(now.ways, key=lambda way: style.place(way.key))}
if len(scenario.secrets) > 1:
    each = zip(scenario.secrets, now.plain.verdict.accuracy, strict=True)
    names = [f"*{page.escape(pair.secret.label)}* {right_of_100(100 * one)}" for pair, one in each]
    st.caption(f"The most exposed secret counts. Right guesses of 100: {', '.join(names)}.")

# 2. What an attacker sees, before and after
others = (scenario.mechanism, best.key) if now.needs_noise else ("BalM",)
frame = now.bells(ways[key] for key in dict.fromkeys(("as it is", *others)) if key in ways)
page.show(
    bells.picture(frame),
    frame,
    bells.alt(frame),
    key="bells",
    note=f"What an attacker reads from the figures at either share, {now.plain.by}.",
)

# 3. What each way costs, and one of them figure by figure
st.header("What does hiding it cost?", anchor=False, help=page.tip("error"))
left, right = st.columns([6, 5], gap="large")
with left:
    frame = now.costs()
    page.show(
        bars.costs(frame),
        frame,
        bars.costs_alt(frame),
        key="costs",
        note=f"✓ keeps your limit{' and the promise to persons' * (scenario.persons is not None)}. "
        "Full colour is what remains when readers estimate the true figures from the release.",
    )
    for text in sentences.unseen(now.ways, now.limit):
        st.caption(f"✗ {page.escape(text)}")
    for name, why in now.unavailable.items():
        st.caption(f"**{style.title(name)}** does not apply. {page.escape(why)}")
with right:
    titles, key = {way.title: way for way in ways.values()}, f"way-{best.key}"
    start = list(titles).index(best.title)
    way = titles[st.selectbox("One figure after the other", list(titles), start, key=key)]
    st.caption(f"{way.how} {way.basis} {sentences.for_persons(now, way).text}")
    st.table(page.errors(now, way))
    if way.release.kind == "noise" and way.key != scenario.mechanism:
        kwargs = {"mechanism": way.key}
        st.button(f"Take {way.key}", icon=":material/check:", on_click=state.change, kwargs=kwargs)

# 4. Every other column as the secret
with page.sentences():
    everything = now.exposure()
    counted = dict.fromkeys(one.column for one in now.query.statistics if one.value is not None)
    outright = (
        f" Your counts tell these outright: {page.escape(listed(counted))}." if counted else ""
    )
    fit = everything["fits"] & ~everything["column"].isin([now.pair.secret.column, *counted])
    frame = everything[fit].drop_duplicates("column")
    some = ""
    if (count := everything.attrs["records"]) < now.source.rows:
        some = f" At least, from {whole(count)} random records."
    if len(frame):
        st.header("What else would these figures give away?", anchor=False)
        words = dict(zip(now.query.labels, now.labels, strict=True))
        page.show(
            exposure.picture(frame, limit=now.limit, names=words),
            everything.round(2),
            exposure.alt(frame),
            key="exposure",
            note="Right guesses of 100 between two such shares, from all figures together and from "
            f"each one. One line a column: its most exposed label.{some}{outright}",
        )
        frame = frame.head(6)
        columns = dict(zip(frame["label"], frame["column"], strict=True))
        key = f"exposed-{state.revision}"
        label = st.pills("Take one as the secret", list(columns), format_func=page.escape, key=key)
        if label:
            pair = state.range_of(secret_labelled(now.source, columns[label], label))
            state.change(secrets=(pair, *scenario.secrets[1:]))
            st.rerun()

# 5. What all this rests on
st.header("What does this rest on?", anchor=False)
whose = "your own table" if scenario.source in PRIVATE else "a table of this server"
kinds = {"table": whose, "example": "an example", "reference": "public reference data"}
records = f"{whole(now.source.rows)} records, {kinds[now.model.provenance]}."
basis = "Balanced figures hold for any data. Noise holds "
modelled = any(way.rests == "model" for way in now.ways)
basis += "only for bell-shaped figures; see Fit." if modelled else "by the exact law."
st.markdown(
    "\n".join(
        f"- {text}"
        for text in (f"{page.escape(now.source.title)}: {records}", basis, *sentences.caveats(now))
    )
)
