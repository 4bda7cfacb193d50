"""Release figures once and for all; every release of a table stays on record, with its risk."""

import json
from collections.abc import Sequence
from functools import partial
from uuid import UUID, uuid5

import pandas as pd
import streamlit as st

from distpriv import report
from distpriv.analysis import Way, sentences, tables
from distpriv.analysis.evaluation import guesses_at
from distpriv.charts import guarantee
from distpriv.dashboard import agree, login, page
from distpriv.errors import DistprivError, NotApplicable, StoreError
from distpriv.mechanisms.draws import written
from distpriv.model import Promise
from distpriv.queries import Pair
from distpriv.records import decisions, drawing, ledger
from distpriv.records.decisions import Decision
from distpriv.records.ledger import Entry, Naming, Standing
from distpriv.text import significant

state, now = page.current()
scenario, source = now.scenario, now.source


def covering(listed: list[Decision], key: str) -> Decision | None:
    """Return the agreed decision on exactly this table, these settings and a way."""
    this = source.fingerprint, json.loads(scenario.to_json()), key
    for one in listed:
        about, body = one.proposal, one.proposal.body
        if one.agreed and (about.fingerprint, body["scenario"], body["way"]) == this:
            return one
    return None


def joint(entries: Sequence[Entry], pair: Pair, further: Way | None = None) -> float | None:
    """Return right guesses of 100 from some releases and a further one; None where unknown."""
    more = () if further is None else (scenario.key, further.key, further.percent)
    key = ("joint", source.fingerprint, pair, tuple(one.token for one in entries), *more)
    try:
        return state.memory(key, lambda: drawing.risk(now, entries, pair, further))
    except NotApplicable:
        return None


def limit_on(standing: Standing, pair: Pair, listed: list[Decision]) -> tuple[float, str]:
    """Return right guesses of 100 that are accepted, and a sentence on the limit in force."""
    for one in standing.limits:
        if Pair.from_plain(one["secret"]) == pair:
            agreed = (each.now for each in listed if each.now.act == "agreed")
            last = next((each for each in agreed if dict(one) in each.body["limits"]), None)
            by = f"{page.escape(last.author)} on {last.at:%d %B %Y}" if last else ""
            limit = Promise(one["epsilon"], one["delta"], one["guesses"])
            return guesses_at(limit), sentences.release_limit(limit, by, page.WORDS)
    return now.limit, ""


def choose_way(standing: Standing, listed: list[Decision]) -> Way | None:
    """Draw the choice of a way; return it with the noise that the limits leave, if they do."""
    ways = [one for one in now.ways if one.publishable and one.kept]
    if now.outside or not ways:
        widen = "Widen the two shares first: nothing is released outside of them."
        st.markdown(widen if now.outside else "No way keeps your limit. Change it, or the figures.")
        return None
    ways.sort(key=lambda one: (not covering(listed, one.key), one.percent))
    titles = {one.key: sentences.offered(one) for one in ways}
    key = st.selectbox(
        "Way to publish", [*titles], format_func=titles.__getitem__, key="release-way"
    )
    way = next(one for one in ways if one.key == key)
    about = scenario.key, source.fingerprint, key, str(standing.limits), len(standing.releases)
    try:
        fitted = state.memory(("fitting", *about), lambda: drawing.fitting(now, way, standing))
    except NotApplicable as error:
        st.markdown(f"**{way.title}** cannot be released. {page.escape(error)}")
        return None
    if fitted.percent > way.percent:
        st.markdown(sentences.release_noise(way, fitted, page.WORDS))
    return fitted


def choose_names(standing: Standing) -> str:
    """Draw the choice of the column by which records are kept; "" for the row's number."""
    row = "Number of the row"
    if standing.choice is not None:
        by = page.escape(standing.choice.names or row)
        st.caption(f"It uses the records of the first release, kept by *{by}*.")
        return standing.choice.names
    titles = {"": row} | page.readable({one: one for one in tables.identifiers(source)})
    names: str = st.selectbox(
        "Keep records by",
        [*titles],
        format_func=titles.__getitem__,
        help="All balanced releases use the same records. A column that names each record finds "
        "them in newer versions of the table, too; the number of the row does not.",
    )
    return names


def release(way: Way, standing: Standing, naming: Naming | None, ground: Decision | None) -> None:
    """Draw the form, and release."""
    if not login.offer("Sign in first, and open your table after that: it is not kept meanwhile."):
        return
    what, reason, names = f"release-{source.fingerprint}", "", ""
    number, token = agree.token(state, what)
    with st.form(f"{what}-{number}"):
        if ground is not None:
            last = ground.now
            st.markdown(
                f":green-badge[agreed] by **{page.escape(last.author)}** on {last.at:%d %B %Y}, "
                f"to be looked at again on {page.escape(last.body['review'])}."
            )
        else:
            words = "No agreed decision covers these settings."
            reason = st.text_input("Why without an agreed decision?", placeholder=words)
        if way.release.kind == "balanced" or (now.sampled and scenario.records):
            names = choose_names(standing)
        author = login.author("Your name", state.author)
        if not st.form_submit_button("Release", type="primary", icon=":material/lock_open:"):
            return
        try:
            if naming is None:
                raise DistprivError("Say first whether this is a newer version of another table.")
            token = uuid5(UUID(token), f"{scenario.key} {way.key}").hex  # of this release alone
            write = partial(drawing.release, agree.store(), now, way, naming, token=token)
            write(author=author, reason=reason, names=names)
        except DistprivError as error:
            agree.refused(error)
            return
    agree.done(state, what, number)
    state.author = author
    st.rerun()


def together(entries: Sequence[Entry], way: Way | None, pair: Pair, limit: float) -> None:
    """Draw the joint risk after each release, and with a further one."""
    count, risks = len(entries), [joint(entries[:n], pair) for n in range(len(entries) + 1)]
    rows = [("so far", n, risk) for n, risk in enumerate(risks)] if count else []
    if way is not None:
        rows += [(way.key, count, risks[-1]), (way.key, count + 1, joint(entries, pair, way))]
    frame = pd.DataFrame(rows, columns=["way", "count", "guesses"]).dropna()
    if len(frame):
        figure = guarantee.attackers(frame, "count", "releases of this table", limit)
        alt = guarantee.attackers_alt(frame, "count")
        page.show(figure, frame, alt, key="joint", note="What all releases tell together.")


def drawn(entry: Entry, ground: Decision | None) -> None:
    """Draw what came out of a release, to be downloaded."""
    st.header(f"Release {entry.number}", anchor=False)
    body, rows = entry.body, list[dict[str, str]]()
    columns = ["labels", "units", "values", "decimals", "intervals", "estimates", "estimate_errors"]
    parts = [body[name] or [None] * len(body["labels"]) for name in columns]
    for label, unit, value, places, ends, estimate, error in zip(*parts, strict=True):
        write = significant if places is None else partial(written, decimals=places)
        cells = {"": page.escape(label[:1].upper() + label[1:], 60)}
        cells["released"] = f"{write(value)} {page.escape(unit)}".strip()
        cells["95 times in 100 between"] = " and ".join(map(write, ends)) if ends else "–"
        if estimate is not None:
            cells["best estimate"] = f"{significant(estimate, 4)} ± {significant(error, 2)}"
        rows.append(cells)
    st.table(pd.DataFrame(rows).set_index(""))
    st.caption(sentences.RELEASE_BESIDE[entry.kind])
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
    numbers = [one.number for one in reversed(entries)]
    number = numbers[0]
    if len(numbers) > 1:
        number = st.selectbox("Show release", numbers, key=f"drawn-{numbers[0]}", width=200)
    entry = next(one for one in entries if one.number == number)
    drawn(entry, grounds.get(entry.decision))
    st.header("Ledger", anchor=False)
    rows = {}
    for count, one in enumerate(entries, 1):
        risk, ground = joint(entries[:count], pair), grounds.get(one.decision)
        why = f"Agreed by {ground.now.author}" if ground else one.reason or "Agreed"
        rows[one.number] = {
            "when (UTC)": f"{one.at:%d %b %Y, %H:%M}",
            "by": page.escape(one.author),
            "way": page.escape(one.body["title"]),
            "why": page.escape(why, 80),
            "right of 100, with all before": "–" if risk is None else f"{risk:.0f}",
        }
    st.table(pd.DataFrame.from_dict(rows, orient="index").rename_axis("no."))


def main() -> None:
    """Draw the page; its answer comes last, at the top."""
    head = st.container()
    left, right = st.columns([6, 5], gap="large")
    try:
        store = agree.store()
        known = any(source.fingerprint in one.fingerprints for one in ledger.tables(store))
        listed, standing = decisions.decisions(store, source.fingerprint), Standing()
        with left:
            st.header("Release", anchor=False)
            naming = agree.naming(state, now)
        if naming is not None and (known or naming.newer):
            standing = ledger.standing(store, naming.name)
    except StoreError as error:
        with head:
            page.headline("Nothing can be released", page.escape(error))
        return
    entries = standing.releases
    pair = max(scenario.secrets, key=lambda one: joint(entries, one) or 0.0)
    accepted, limit = limit_on(standing, pair, listed)
    with left:
        way = choose_way(standing, listed)
        ground = covering(listed, way.key) if way else None
        if way is not None:
            release(way, standing, naming, ground)
    with head:
        count, risk = len(entries), joint(entries, pair)
        page.headline(
            sentences.release_title(count, risk),
            sentences.release_lead(pair, count, risk, limit, page.WORDS),
            sentences.release_advice(ground is not None, page.WORDS) if way else "",
            sentences.warning(now, page.WORDS),
        )
    with right:
        together(entries, way, pair, accepted)
    if entries:
        on_record(entries, pair, {one.key: one for one in listed})


main()
