"""Release figures once and for all; every release of a table stays on record, with its risk."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from io import StringIO
from typing import Any
from uuid import UUID, uuid5

import pandas as pd
import streamlit as st

from distpriv import report
from distpriv.analysis import Way, sentences, tables
from distpriv.charts import guarantee
from distpriv.dashboard import agree, page
from distpriv.errors import DistprivError, NotApplicable, StoreError
from distpriv.model import Promise
from distpriv.queries import Pair
from distpriv.records import decisions, drawing, ledger
from distpriv.records.decisions import Decision
from distpriv.records.ledger import Entry, Naming, Standing
from distpriv.report.texts import day
from distpriv.sources import FrameSource
from distpriv.text import right_of_100, times

state, now = page.current()
scenario, source = now.scenario, now.source
LAST = 20  # releases whose joint risk is shown
troubles: list[StoreError] = []  # with the records


def on_this() -> list[Decision]:
    """Return the decisions on this version of the table."""
    return decisions.decisions(agree.store(), source.fingerprint)


def covering(listed: list[Decision], key: str) -> Decision | None:
    """Return the agreed decision on exactly this table, these settings and a way."""
    this = source.fingerprint, json.loads(scenario.to_json()), key
    return next((one for one in listed if one.agreed and one.covers(*this)), None)


def joint(entries: Sequence[Entry], pair: Pair, further: Way | None = None) -> float | None:
    """Return right guesses of 100 from some releases and a further one; None where unknown."""
    more = () if further is None else (scenario.key, further.key, further.percent)
    key = ("joint", source.fingerprint, pair, tuple(one.token for one in entries), *more)
    try:
        return state.memory(key, lambda: drawing.risk(now, entries, pair, further))
    except NotApplicable:
        return None


def limit_on(standing: Standing, pair: Pair, listed: list[Decision]) -> tuple[Promise, str]:
    """Return the limit that counts for a secret, and a sentence on it and who agreed to it."""
    for one in standing.limits:
        if Pair.from_plain(one["secret"]) == pair:
            latest = (decision.now for decision in listed if decision.now.act == "agreed")
            last = next((by for by in latest if dict(one) in by.body["limits"]), None)
            by = f"{page.escape(last.author)} on {day(str(last.at))}" if last else ""
            limit = Promise(one["epsilon"], one["delta"], one["guesses"])
            return limit, sentences.release_limit(limit, by, page.WORDS)
    return now.promise, sentences.release_limit(now.promise, style=page.WORDS)


def choose_way(ways: list[Way], standing: Standing, listed: list[Decision]) -> Way | None:
    """Draw the choice of a way; return it with the noise that the limits leave, if they do."""
    if now.outside or not ways:
        widen = "Widen the two shares first: nothing is released outside of them."
        st.markdown(
            widen
            if now.outside
            else "No way of releasing keeps your limit. Change the limit or the figures."
        )
        return None
    ways.sort(key=lambda one: (not covering(listed, one.key), one.percent))
    nothing = now.recommendation.nothing.percent
    titles = {one.key: one.title for one in ways}  # without figures, or a change resets the choice
    key = st.selectbox(
        "Way to publish", [*titles], format_func=titles.__getitem__, key="release-way"
    )
    way = next(one for one in ways if one.key == key)
    tokens = tuple(one.token for one in standing.releases)
    about = scenario.key, source.fingerprint, key, str(standing.limits), tokens
    try:
        fitted = state.memory(("fitting", *about), lambda: drawing.fitting(now, way, standing))
    except NotApplicable as error:
        st.markdown(f"**{way.title}** cannot be released. {page.escape(error)}")
        return None
    if fitted.percent > max(way.percent, nothing):
        words = "The rest of the limit allows only noise that is worse than an educated guess"
        st.markdown(f"**{way.title}** cannot be released. {words}, off by {nothing:.2g} %.")
        return None
    if fitted.percent > way.percent:
        st.markdown(sentences.release_noise(way, fitted, page.WORDS))
    else:
        st.markdown(f"This release alone: {sentences.offered(fitted).partition(': ')[2]}.")
    return fitted


def choose_names(standing: Standing) -> str:
    """Draw the choice of the column by which records are kept; "" for the row's number."""
    row = "Number of the row"
    if standing.choice is not None:
        by = page.escape(standing.choice.names or row)
        st.caption(f"It uses the records of the first release, kept by *{by}*.")
        return standing.choice.names
    key = ("identifiers", source.fingerprint)
    columns = state.memory(key, lambda: tables.identifiers(source))
    titles = page.readable({one: one for one in columns})
    if isinstance(source, FrameSource) or source.place:  # else records have no order
        titles[""] = row
    names = st.selectbox("Keep records by", [*titles], format_func=titles.__getitem__)
    st.caption(
        "This choice is for ever. With a column that names each record, newer versions of the "
        "table can be released, too. With the number of the row, they cannot."
    )
    return names or ""


def release(way: Way, standing: Standing, naming: Naming | None, ground: Decision | None) -> None:
    """Draw the form, and release."""
    if not agree.offer_sign_in(
        "Sign in first, and open your table after that: it is not kept meanwhile."
    ):
        return
    what, reason, names = f"release-{source.fingerprint}", "", ""
    number, token = agree.token(state, what)
    with st.form(f"{what}-{number}"):
        if ground is not None:
            st.markdown(f":green-badge[Agreed] {agree.status(ground)}")
        else:
            words = "No agreed decision covers these settings."
            reason = st.text_input("Why without an agreed decision?", placeholder=words)
        if way.release.kind == "balanced" or (now.sampled and scenario.records):
            names = choose_names(standing)
        author = agree.author("Your name", state.author)
        if not st.form_submit_button("Release", type="primary", icon=":material/lock_open:"):
            return
        try:
            if naming is None:
                raise DistprivError("Say first whether this is a newer version of another table.")
            token = uuid5(UUID(token), f"{scenario.key} {way.key}").hex  # of this release alone
            write = partial(drawing.release, agree.store(), now, way, naming, token=token)
            entry = write(author=author, reason=reason, names=names)
        except DistprivError as error:
            agree.refused(error)
            return
    agree.done(state, what, number)
    state.author = author
    st.session_state["released"] = entry.token, scenario
    st.rerun()


def together(entries: Sequence[Entry], way: Way | None, pair: Pair, limit: Promise) -> None:
    """Draw the joint risk after each release and with a further one, and what that leaves open."""
    count, note = len(entries), ""
    last = range(max(count - LAST, 0), count + 1)
    rows = [("so far", n, joint(entries[:n], pair)) for n in last]
    if way is not None and (risk := joint(entries, pair, way)) is not None:
        rows += [(way.key, *rows[-1][1:]), (way.key, count + 1, risk)]
        note = f"With this release, someone who has all releases is right {times(risk)}."
    frame = pd.DataFrame(rows, columns=["way", "count", "guesses"]).dropna()
    if count and len(frame):
        figure = guarantee.attackers(frame, "count", "releases of this table", limit.guesses)
        page.show(figure, frame, guarantee.attackers_alt(frame, "count"), key="joint", note=note)
    if way is not None:
        st.header("What it does not protect", anchor=False)
        st.markdown("\n".join(f"- {page.escape(t)}" for t in sentences.not_protected(now, way)))


def figures(entry: Entry, ground: Decision | None) -> None:
    """Draw what came out of a release, as its recipients get it."""
    file = StringIO(report.csv_of(entry))
    table = pd.read_csv(file, dtype=str, keep_default_na=False)
    numbers = table.columns.difference(["figure", "unit"])
    table[numbers] = table[numbers].replace("-", "−", regex=True)
    table = table.map(page.escape)
    columns = {"": table["figure"].str[:1].str.upper() + table["figure"].str[1:]}
    columns |= {"released": table["value"] + " " + table["unit"]}
    ends = table["low"] + " and " + table["high"]
    columns["95 times in 100 between"] = ends.replace(" and ", "–")
    if "estimate" in table:
        columns["best estimate"] = table["estimate"] + " ±\u00a0" + table["estimate_error"]
    st.table(pd.DataFrame(columns).set_index(""))
    alone = " The errors and right guesses on this page are for you alone."
    public = now.model.provenance != "table"
    interval = sentences.release_interval(entry.kind, entry.body["law"]["records"])
    about = f"{interval} {sentences.RELEASE_BESIDE[entry.kind]}"
    st.caption(about if public else about + alone)
    files = {"csv": report.csv_of, "json": report.json_of}
    files["md"] = partial(report.label, decision=ground)
    with st.container(horizontal=True):
        for ending, content in files.items():
            label, path = {"md": "Label"}.get(ending, ending.upper()), f"release-{entry.number}"
            key = f"{ending}-{entry.number}"
            text, path = content(entry), f"{path}.{ending}"
            st.download_button(label, text, path, "text/plain", on_click="ignore", key=key)


def on_record(entries: Sequence[Entry], pair: Pair, grounds: dict[str, Decision]) -> None:
    """Draw the ledger of the table, and one of its releases."""
    st.header("Released figures", anchor=False)
    numbers = [one.number for one in reversed(entries)]
    number = st.selectbox("Release no.", numbers, key=f"shown-{numbers[0]}", width=120)
    entry = next(one for one in entries if one.number == number)
    figures(entry, grounds.get(entry.decision))
    st.header("Ledger", anchor=False)
    rows = {}
    for count, one in [*enumerate(entries, 1)][-LAST:]:
        risk, ground = joint(entries[:count], pair), grounds.get(one.decision)
        why = f"Agreed by {ground.now.author}" if ground else one.reason or "Agreed"
        rows[one.number] = {
            "when (UTC)": f"{one.at:%d %b %Y, %H:%M}",
            "by": page.escape(one.author),
            "way": page.escape(one.body["title"]),
            "why": page.escape(why, 80),
            "right of 100, with all before": "–" if risk is None else right_of_100(risk),
        }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("no."))


def read(what: str, function: Callable[[], Any], before: Any) -> Any:
    """Return what is on record, or what was when it could be read last."""
    key = f"{what}-{source.fingerprint}"
    if not troubles:
        try:
            st.session_state[key] = function()
        except StoreError as error:
            troubles.append(error)
    return st.session_state.get(key, before)


def main() -> None:
    """Draw the page; its answer comes last, at the top."""
    ways = [one for one in now.ways if one.publishable and one.kept]
    head, after = st.container(), st.container()  # what has just been released comes first
    form, beside = st.columns([6, 5], gap="large")
    records = read("tables", lambda: ledger.tables(agree.store()), [])
    listed = read("decisions", on_this, [])
    with form:
        st.header("Release", anchor=False)
        naming = agree.naming(state, now, records)
    standing = Standing()
    here = any(source.fingerprint in one.fingerprints for one in records)
    if naming is not None and (here or naming.newer):
        name = naming.name
        standing = read("standing", lambda: ledger.standing(agree.store(), name), standing)
    entries = standing.releases
    pair = max(scenario.secrets, key=lambda one: joint(entries, one) or 0.0)
    accepted, limit = limit_on(standing, pair, listed)
    with form:
        way = choose_way(ways, standing, listed)
        ground = covering(listed, way.key) if way else None
        if way is not None:
            release(way, standing, naming, ground)
    token, settings = st.session_state.get("released", ("", None))
    just = bool(entries) and (entries[-1].token, scenario) == (token, settings)
    count, risk = len(entries), joint(entries, pair)
    title, advice = sentences.release_title(count, risk), ""
    lead = sentences.release_lead(pair, count, risk, limit, page.WORDS)
    if just:
        advice = f"**Released as no. {entries[-1].number}.** Download it below."
    elif way is not None:
        advice = sentences.release_advice(ground is not None, page.WORDS)
    if troubles:
        title, lead, advice = "Nothing can be released", page.escape(troubles[0]), ""
    with head:
        page.headline(title, lead, advice, sentences.warning(now, page.WORDS), "ledger")
        if entries and len(scenario.secrets) > 1:
            risks = {one.secret.label: joint(entries, one) for one in scenario.secrets}
            parts = [
                f"*{page.escape(x)}* {'–' if y is None else right_of_100(y)}"
                for x, y in risks.items()
            ]
            st.caption(f"The most exposed secret counts. Right of 100: {', '.join(parts)}.")
    with beside:
        together(entries, way, pair, accepted)
    if entries:
        with after if just else st.container():
            on_record(entries, pair, {one.key: one for one in listed})
    agree.watch(on_this, None if troubles else listed)


main()
