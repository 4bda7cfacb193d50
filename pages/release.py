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
what, plain = f"release-{source.fingerprint}", json.loads(scenario.to_json())
ROW = "Number of the row"


def covering(listed: list[Decision], key: str) -> Decision | None:
    """Return the agreed decision on exactly this table, these settings and a way."""
    for one in listed:
        body = one.proposal.body
        same = body["scenario"] == plain and body["way"] == key
        if one.agreed and same and one.proposal.fingerprint == source.fingerprint:
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


def limit_on(standing: Standing, pair: Pair, listed: list[Decision]) -> tuple[Promise, str] | None:
    """Return the limit in force on a secret, and a sentence on it and who agreed to it."""
    secret = json.loads(json.dumps(pair.plain()))
    one = next((one for one in standing.limits if one["secret"] == secret), None)
    if one is None:
        return None
    agreed = next(
        (each for each in listed if each.now.act == "agreed" and one in each.limits), None
    )
    by = f"{page.escape(agreed.now.author)} on {agreed.now.at:%d %B %Y}" if agreed else ""
    limit = Promise(one["epsilon"], one["delta"], one["guesses"])
    return limit, sentences.release_limit(limit, by, page.WORDS)


def choose_way(ways: list[Way], listed: list[Decision]) -> Way:
    """Draw the choice of a way, those that are agreed on first."""
    ways.sort(key=lambda one: (not covering(listed, one.key), one.percent))
    words = {one.key: sentences.offered(one) for one in ways}
    key = st.selectbox("Way to publish", [*words], format_func=words.__getitem__, key="release-way")
    return next(one for one in ways if one.key == key)


def fitted(way: Way, standing: Standing) -> Way | None:
    """Return a way with the noise that the limits leave; None, and a sentence, where none is."""
    key = ("fitting", scenario.key, source.fingerprint, way.key, str(standing.limits))
    try:
        one = state.memory(
            (*key, len(standing.releases)), lambda: drawing.fitting(now, way, standing)
        )
    except NotApplicable as error:
        st.markdown(f"**{way.title}** cannot be released. {page.escape(error)}")
        return None
    if one.percent > way.percent:
        st.markdown(sentences.release_noise(way, one, page.WORDS))
    return one


def choose_names(standing: Standing) -> str:
    """Draw the choice of the column by which records are kept; "" for the row's number."""
    if standing.choice is not None:
        by = standing.choice.names or ROW.lower()
        st.caption(f"Its records are those of the first release, kept by *{page.escape(by)}*.")
        return standing.choice.names
    words = {"": ROW} | page.readable({one: one for one in tables.identifiers(source)})
    return st.selectbox(
        "Keep records by",
        [*words],
        format_func=words.__getitem__,
        help="Later balanced releases use the same records. A column that names each record "
        "finds them in newer versions of the table; the number of the row does not.",
    )


def release(way: Way, standing: Standing, naming: Naming | None, listed: list[Decision]) -> None:
    """Draw the form, and release."""
    if not login.offer("Sign in first, and open your table after that: it is not kept meanwhile."):
        return
    decision, reason, names = covering(listed, way.key), "", ""
    number, token = agree.token(state, what)
    with st.form(f"{what}-{number}"):
        if decision is not None:
            last = decision.now
            st.markdown(
                f":green-badge[agreed] by **{page.escape(last.author)}** on {last.at:%d %B %Y}, "
                f"to be looked at again on {page.escape(last.body['review'])}."
            )
        else:
            reason = st.text_input(
                "Why without an agreed decision?",
                placeholder="No agreed decision covers these settings.",
            )
        if way.release.kind == "balanced":
            names = choose_names(standing)
        author = login.author("Your name", state.author)
        if not st.form_submit_button("Release", type="primary", icon=":material/lock_open:"):
            return
        try:
            if naming is None:
                raise DistprivError("Say first whether this is a newer version of another table.")
            drawing.release(
                agree.store(),
                now,
                way,
                naming,
                token=uuid5(UUID(token), f"{scenario.key} {way.key}").hex,
                author=author,
                reason=reason,
                names=names,
            )
        except DistprivError as error:
            agree.refused(error)
            return
    agree.done(state, what, number)
    state.author = author
    st.rerun()


def together(entries: Sequence[Entry], way: Way | None, pair: Pair, limit: float | None) -> None:
    """Draw the joint risk after each release, and with a further one."""
    counted = [(0, 50.0), *((n, joint(entries[:n], pair)) for n in range(1, len(entries) + 1))]
    counted += [] if way is None else [(len(entries) + 1, joint(entries, pair, way))]
    frame = pd.DataFrame(counted, columns=["releases", "guesses"]).dropna()
    frame["further"] = frame["releases"] > len(entries)
    frame["kept"] = None if limit is None else frame["guesses"] <= limit + 1e-6
    note = "" if way is None else "The hollow point is the way chosen at the left."
    page.show(
        guarantee.together(frame, limit),
        frame,
        guarantee.together_alt(frame),
        key="joint",
        note=note,
    )


def drawn(entries: Sequence[Entry], listed: list[Decision]) -> None:
    """Draw what came out of a release, to be downloaded."""
    by_number = {one.number: one for one in reversed(entries)}
    entry = entries[-1]
    if len(entries) > 1:
        number = st.selectbox(
            "Release", [*by_number], format_func="No. {}".format, key=f"drawn-{len(entries)}"
        )
        entry = by_number[number]
    body = entry.body
    st.header(f"Release {entry.number}", anchor=False)
    columns = ["values", "intervals", "estimates", "estimate_errors", "decimals", "units", "labels"]
    parts = [body[name] or [None] * len(body["labels"]) for name in columns]
    rows = []
    for value, ends, estimate, error, places, unit, label in zip(*parts, strict=True):
        write = partial(written, decimals=places) if places is not None else significant
        row = {
            "": page.escape(f"{label[:1].upper()}{label[1:]}", 60),
            "released": f"{write(value)} {page.escape(unit)}".strip(),
            "95 times in 100 between": " and ".join(map(write, ends)) if ends else "–",
        }
        if estimate is not None:
            row["best estimate"] = f"{significant(estimate, 4)} ± {significant(error, 2)}"
        rows.append(row)
    st.table(pd.DataFrame(rows).set_index(""))
    st.caption(sentences.release_beside(entry.kind))
    decision = next((one for one in listed if one.key == entry.decision), None)
    files = {
        "CSV": (report.csv_of, "csv", "text/csv"),
        "JSON": (report.json_of, "json", "application/json"),
        "Label": (lambda one: report.label(one, decision), "md", "text/markdown"),
    }
    with st.container(horizontal=True):
        for label, (content, ending, mime) in files.items():
            st.download_button(
                label,
                content(entry),
                f"release-{entry.number}.{ending}",
                mime,
                on_click="ignore",
                key=f"{label}-{entry.number}",
            )


def on_record(entries: Sequence[Entry], pair: Pair, listed: list[Decision]) -> None:
    """Draw the ledger of the table."""
    st.header("Ledger", anchor=False)
    rows = []
    for count, one in enumerate(entries, 1):
        risk = joint(entries[:count], pair)
        decision = next((each for each in listed if each.key == one.decision), None)
        ground = f"Agreed by {decision.now.author}" if decision else one.reason or "Agreed"
        rows.append(
            {
                "No.": f"{one.number}",
                "when (UTC)": f"{one.at:%d %b %Y, %H:%M}",
                "by": page.escape(one.author),
                "way": page.escape(one.body["title"]),
                "why": page.escape(ground, 80),
                "right of 100, with all before": "–" if risk is None else f"{risk:.0f}",
            }
        )
    st.table(pd.DataFrame(rows).set_index("No."))


def main() -> None:
    """Draw the page."""
    ways = [one for one in now.ways if one.publishable and one.kept]
    head = st.container()
    left, right = st.columns([6, 5], gap="large")
    try:
        store = agree.store()
        known = [one for one in ledger.tables(store) if source.fingerprint in one.fingerprints]
        listed = decisions.decisions(store, source.fingerprint)
        with left:
            st.header("Release", anchor=False)
            naming = agree.naming(state, now)
        standing = Standing()
        if naming is not None and (known or naming.newer):
            standing = ledger.standing(store, naming.name)
    except StoreError as error:
        with head:
            page.headline("Nothing can be released", page.escape(error))
        return
    entries = standing.releases
    pair = max(scenario.secrets, key=lambda one: joint(entries, one) or 0.0)
    force, way = limit_on(standing, pair, listed), None
    with left:
        if now.outside:
            st.markdown("Widen the two shares first: nothing is released outside of them.")
        elif not ways:
            st.markdown("No way of releasing keeps your limit. Change the limit or the figures.")
        else:
            way = fitted(choose_way(ways, listed), standing)
            if way is not None:
                release(way, standing, naming, listed)
    with head:
        risk = joint(entries, pair)
        page.headline(
            sentences.release_title(len(entries), risk),
            sentences.release_lead(pair, len(entries), risk, force[1] if force else "", page.WORDS),
            (way and sentences.release_advice(bool(covering(listed, way.key)), page.WORDS)) or "",
            sentences.warning(now, page.WORDS),
        )
    with right:
        together(entries, way, pair, guesses_at(force[0]) if force else now.limit)
    if entries:
        drawn(entries, listed)
        on_record(entries, pair, listed)


main()
