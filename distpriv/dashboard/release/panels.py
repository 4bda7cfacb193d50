"""The Release page's lower half: a release is asked for, confirmed, drawn once and recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

import streamlit as st

from distpriv.analysis.decision import moment
from distpriv.analysis.error_sizes import error_sizes, sampling_note, short
from distpriv.analysis.fitting import Groups
from distpriv.analysis.scenario import Scenario
from distpriv.dashboard.release import for_recipients, reasons
from distpriv.dashboard.release.limit_panel import Left
from distpriv.dashboard.serving import people, writing
from distpriv.dashboard.serving.people import NotAllowedError
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.frame import View, sources
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.widgets import downloads, promise
from distpriv.errors import DistprivError, LimitError, StoreError
from distpriv.mechanisms.release import noise_deviations
from distpriv.privacy.noise import Noise
from distpriv.store import LedgerEntry, never_made
from distpriv.store.ledger import noise_out
from distpriv.store.recording import NoReasonError
from distpriv.words import escape, exact

__all__ = ["Desk", "desk", "offer", "result"]


@dataclass(eq=False)
class Desk:
    """Where a session's releases are made.

    It is changed by the callbacks of buttons through no session key: a click that comes in
    between could cut them short there, and a release would be drawn and lost.

    Attributes
    ----------
    token : str
        Of the release that may be drawn; empty if none was asked for. Whoever draws takes it.
    asked : Scenario or None
        What it was asked for; another scenario has to be asked for again.
    made : list of LedgerEntry
        The session's releases, the latest last.
    unrecorded : list of LedgerEntry
        Those of them that the ledger does not hold.
    unseen : set of str
        Tokens of those that nobody may see before they are recorded.
    failure : str
    told : str
        Why a click drew nothing, which can be put right beside it.
    sources : mapping of fingerprint to Groups
        What the limits are checked with when the latest is recorded.
    """

    token: str = ""
    asked: Scenario | None = None
    made: list[LedgerEntry] = field(default_factory=list)
    unrecorded: list[LedgerEntry] = field(default_factory=list)
    unseen: set[str] = field(default_factory=set)
    failure: str = ""
    told: str = ""
    sources: Mapping[str, Groups] = field(default_factory=dict)

    @property
    def withheld(self) -> bool:
        """Whether the latest is not to be shown yet, because it is not recorded."""
        return bool(self.made) and self.made[-1].token in self.unseen

    @property
    def known(self) -> list[LedgerEntry]:
        """Unrecorded releases whose numbers somebody may have seen."""
        return [entry for entry in self.unrecorded if entry.token not in self.unseen]

    def ask(self, scenario: Scenario) -> None:
        """Ask for a release; it is drawn when that is confirmed."""
        self.token, self.asked, self.failure, self.told = uuid4().hex, scenario, "", ""

    def put_away(self) -> None:
        """Not now."""
        self.token, self.asked = "", None

    def draw(
        self,
        token: str,
        view: View,
        author: str,
        note: str,
        anyway: bool,
        known: Mapping[str, Groups],
        reason: str = "",
    ) -> None:
        """Draw what was asked for, once: of two clicks the second finds no token.

        It is shown when the ledger has it, which refuses what exceeds a limit by what is `known` of
        the records, and what has neither an agreed decision nor a `reason`; or, with `anyway`,
        where there is no database in which a limit could be.
        """
        if not token or self.token != token:
            return
        self.put_away()
        try:
            by = writing.releasing(author)  # before anything is drawn
            release = view.draw()
        except DistprivError as error:
            self.failure = str(error)
            return
        entry = LedgerEntry(
            scenario=view.scenario,
            data=view.dataset.title,
            values=tuple(release.values.tolist()),
            units=view.units,
            noise=view.noise,
            note=note,
            token=token,
            about=view.dataset.fingerprints[0],
            reason=reason,
            **by,
        )
        self.sources = known
        self.unseen.add(token)
        self.made.append(entry)
        self.unrecorded.append(entry)
        self.record()
        if anyway and never_made():
            self.unseen.discard(token)

    def record(self) -> None:
        """Put into the ledger what it does not hold yet; what it refuses is never shown."""
        self.failure = ""
        for entry in list(self.unrecorded):
            try:
                writing.record(entry, self.sources, out=entry.token not in self.unseen)
            except (LimitError, NoReasonError, NotAllowedError) as error:
                self.failure = str(error)
                self.made.remove(entry)
            except StoreError as error:
                self.failure = str(error)
                return
            self.unrecorded.remove(entry)
            self.unseen.discard(entry.token)


def desk() -> Desk:
    """The session's."""
    desk: Desk = st.session_state.setdefault(Key.RELEASE_DESK, Desk())
    return desk


def offer(view: View, left: Left) -> None:
    """Ask for a release, and confirm it; beyond a limit it is refused."""
    st.header("Release them")
    if view.noise.is_zero:
        st.markdown(
            f"{escape(view.scenario.mechanism)} adds no noise here, so a release would be the true "
            "statistics themselves. Choose a smaller ε, or another mechanism, to release them here."
        )
        return
    at = desk()
    if left.refusal:
        at.put_away()
        st.error(escape(left.refusal), icon=":material/block:")
        return
    name, note = st.columns([1, 2])
    with name:
        storage.who()
    note.text_input(
        "Note for the ledger",
        key=Key.RELEASE_NOTE,
        max_chars=500,
        persist_state="session",
        placeholder="What it is for, who receives it",
    )
    storage.barred("release")
    if at.asked != view.scenario:
        st.button(
            "Release …",
            key="release_ask",
            disabled=not people.may("release"),
            type="primary",
            icon=":material/outbox:",
            on_click=at.ask,
            args=(view.scenario,),
            help="You see what goes out and confirm it before anything is drawn.",
        )
        return
    _confirm(view, at)


def _draw(at: Desk, token: str, view: View, anyway: bool, missing: tuple[str, ...]) -> None:
    state = st.session_state  # read before anything is drawn: a click may cut it short here
    author, note = storage.name(), str(state.get(Key.RELEASE_NOTE) or "")
    try:
        reason = reasons.given(token) if missing else ""
    except StoreError as error:
        at.told = f"Nothing was drawn. {error}"
        return
    at.draw(token, view, author, note, anyway, sources(view.dataset), reason)
    state[Key.RELEASE_NOTE] = ""


def _confirm(view: View, at: Desk) -> None:
    scenario, noise = view.scenario, view.noise
    storage.ask(lambda store: store.check_writable())
    trouble = storage.trouble()
    with st.container(border=True):
        if silent := storage.silent():
            st.error(
                f"{escape(silent.message)} A release that the ledger cannot hold could exceed a "
                "limit unseen, so nothing is released until it can.",
                icon=":material/cloud_off:",
            )
            st.button("Not now", key="release_cancel", on_click=at.put_away)
            return
        st.markdown("**A release cannot be taken back.** This is what goes out:")
        source = (
            f"all {exact(scenario.n)} complete records of **{escape(view.dataset.title)}**"
            if scenario.whole
            else f"{exact(scenario.n)} records that are drawn at random from "
            f"**{escape(view.dataset.title)}**, and forgotten"
        )
        listed = "; ".join(
            escape(f"{size.label} {short(size)}")
            for size in error_sizes(view.model, noise, view.units, valued=not scenario.presenting)
        )
        st.markdown(
            f"- from {source}: {listed} (on average, by the noise; "
            f"{sampling_note(view.model.n).rstrip('.')})\n"
            f"- with noise by {escape(scenario.mechanism)} at ε\u00a0=\u00a0{noise.epsilon:g}, "
            f"δ\u00a0=\u00a0{exact(noise.delta)}, drawn exactly, with the operating "
            "system's random "
            "numbers and not with the seed: nobody can draw it again\n"
            + (
                "- into no ledger: see below"
                if trouble
                else "- into the ledger: the released numbers, the scenario with its names of "
                "columns and values, the data's fingerprint, your name, note and reason, and the "
                "agreed decision if there is one. No record and no "
                f"true statistic ({escape(storage.place())})"
            )
        )
        bare = [
            label
            for label, deviation in zip(scenario.query.labels, noise_deviations(noise), strict=True)
            if deviation == 0
        ]
        if bare:
            st.warning(
                f"{escape(scenario.mechanism)} adds no noise to {escape(', '.join(bare))}: that "
                "goes out as it is.",
                icon=":material/report:",
            )
        promise.guarantee(view)
        anyway = True
        if trouble:
            st.warning(
                f"{escape(trouble.message)} There is no ledger yet, and so no limit either; this "
                "release stays in this session only, and later sums will not count it.",
                icon=":material/cloud_off:",
            )
            anyway = st.checkbox("Release it without a record", key=f"anyway_{at.token}")
        # A form sends what was typed with the click, and the click with what was typed.
        with st.form(f"release_{at.token}", border=False):
            missing = reasons.asked(view, at.token)
            if at.told:
                st.error(escape(at.told), icon=":material/error:")
            with st.container(horizontal=True):
                st.form_submit_button(
                    "Draw the noise and release",
                    key="release_draw",
                    type="primary",
                    disabled=not (anyway and people.may("release")),
                    on_click=_draw,
                    args=(at, at.token, view, bool(trouble), missing),
                )
                st.form_submit_button("Not now", key="release_cancel", on_click=at.put_away)


def result() -> None:
    """The session's latest release, and what became of its record."""
    at = desk()
    if at.failure and not at.unrecorded:
        st.error(escape(at.failure), icon=":material/error:")
    if not at.made:
        return
    entry = at.made[-1]
    if at.unrecorded:
        _not_recorded(at)
    if at.withheld:
        return
    assert entry.scenario is not None
    st.header("What was released")
    kept = "" if entry in at.unrecorded else ", and stands in the ledger"
    st.markdown(
        f"Released on {moment(entry.at)} from **{escape(entry.data)}**{kept}. Each number is "
        "rounded to where its noise begins to drown it; a count may come out negative."
    )
    name = f"release-{entry.at:%Y%m%d-%H%M%S}"
    st.dataframe(for_recipients.rows(entry), hide_index=True, alt="The released statistics")
    st.markdown(for_recipients.HOW_TO)
    st.caption(escape(for_recipients.RESTS_ON))
    st.markdown(escape(for_recipients.per_record(entry)))
    row = st.container(horizontal=True)
    downloads.csv_button(row, lambda: for_recipients.numbers(entry), name)
    row.download_button(
        "JSON",
        lambda: _json(entry),
        file_name=f"{downloads.file_name(name)}.json",
        mime="application/json",
        icon=":material/download:",
        key="release_json",
        on_click="ignore",
        help="The numbers, their intervals and the noise, for whoever works with them; neither "
        "the secret nor the data's fingerprint.",
    )


def _not_recorded(at: Desk) -> None:
    with st.container(border=True):
        many = len(at.unrecorded)
        which = "The release is" if many == 1 else f"{many} releases are"
        shown = " Its numbers are not shown yet." if at.withheld else ""
        st.markdown(
            f":material/cloud_off: {which} **not in the ledger**. {escape(at.failure)} Record "
            f"{'it' if many == 1 else 'them'} before you close the page.{shown}"
        )
        row = st.container(horizontal=True)
        row.button("Record now", key="release_record", on_click=_record, args=(at,))


def _record(at: Desk) -> None:
    storage.forgive()
    at.record()


def _json(entry: LedgerEntry) -> str:
    """What may be handed on: the digest of a small table could be guessed from."""
    assert entry.scenario is not None
    content = {
        "format": "distpriv release",
        "version": 1,
        "released": entry.at.isoformat(timespec="seconds"),
        "records": entry.scenario.n,
        "statistics": for_recipients.statistics(entry),
        "how_to_use": f"{for_recipients.HOW_TO} {for_recipients.RESTS_ON}",
        "noise": _described(entry.noise),
        "per_record": for_recipients.per_record(entry),
    }
    if entry.verified is not None:
        content["released_by"] = entry.signed
    return json.dumps(content, indent=2, ensure_ascii=False)


def _described(noise: Noise) -> dict[str, object]:
    return noise_out(noise) | {"covariance": noise.covariance.tolist()}
