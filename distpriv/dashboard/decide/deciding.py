"""The Decide page's forms: a proposal is made, changed, agreed to or rejected.

Whoever changes or settles a decision does it to the version they have seen. If somebody else was
first, they are told of it, and what they typed stays in its field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

import streamlit as st

from distpriv.analysis.decision import Status
from distpriv.dashboard.decide import proposing
from distpriv.dashboard.decide.panels import ON_RECORD, SHOWN, weighed
from distpriv.dashboard.serving import people, writing
from distpriv.dashboard.shell import storage
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.state import Key
from distpriv.errors import ConflictError, StoreError
from distpriv.store import Alternative, Decision, one_decision
from distpriv.store.decisions import MOST_ALTERNATIVES, check_second
from distpriv.store.texts import cleaned
from distpriv.words import escape, listed

__all__ = ["change", "everything", "proposal", "said", "settle_as", "settling"]

_ON_SCREEN = "as on screen now"
_SAID = "deciding_said"


@dataclass(frozen=True)
class Edit:
    """An edit that is under way.

    Attributes
    ----------
    key : str
        Of the decision.
    version : int
        The one that the editor has seen, or has been told of.
    alternatives : tuple of Alternative
        Those to choose from.
    reason, chosen : str
        As they were when it began; what is typed and chosen instead is in fields of its own.
    token : str
        Tells its fields from those of every other edit.
    told : str
        What somebody else has done meanwhile.
    settled : bool
        Whether it can be changed no more.
    """

    key: str
    version: int
    alternatives: tuple[Alternative, ...]
    reason: str
    chosen: str
    token: str
    told: str = ""
    settled: bool = False

    @property
    def reason_key(self) -> str:
        """Session key of the reason's field."""
        return f"edit_reason_{self.token}"

    @property
    def choice_key(self) -> str:
        """Session key of the choice's field."""
        return f"edit_choice_{self.token}"


def proposal(dataset: Dataset, seen: Sequence[Alternative]) -> None:
    """Propose one of the alternatives on screen."""
    st.header("Propose an ε")
    said("proposal", dataset.digest)
    if not seen:
        st.caption("There is nothing to propose: the current scenario has no result.")
        return
    weighed(seen, None)
    where = storage.place()
    st.caption(
        "The current scenario and those kept on the Compare page, or the same at other ε if none "
        "is kept. All of them go on record with these figures, their names of columns and values "
        "and the data's fingerprint, but no record of the data"
        + (f"; in the {escape(where)}." if where else ".")
    )
    with st.form("proposal", border=True):
        names = [alternative.name for alternative in seen]
        # Bare names: the browser knows an option by its text, which ε would change.
        st.selectbox("Propose", names, key=Key.PROPOSAL_CHOICE, persist_state="session")
        st.text_area(
            "Why",
            key=Key.PROPOSAL_REASON,
            persist_state="session",
            max_chars=4000,
            placeholder="What speaks for it, and against the others",
        )
        storage.barred("propose")
        st.form_submit_button(
            "Propose",
            icon=":material/how_to_vote:",
            on_click=_propose,
            args=(dataset, list(seen)),
            disabled=not people.may("propose"),
        )


def _named(seen: Sequence[Alternative]) -> Callable[[str], str]:
    by_name = {alternative.name: alternative for alternative in seen}

    def words(name: str) -> str:
        alternative = by_name[name]
        return f"{name}: ε = {alternative.epsilon:g} with {alternative.mechanism}"

    return words


def _propose(dataset: Dataset, seen: Sequence[Alternative]) -> None:
    _hush()
    state = st.session_state
    try:
        made = writing.propose(
            author=storage.name(),
            reason=state[Key.PROPOSAL_REASON],
            data=dataset.title,
            digest=dataset.digest,
            **proposing.named(seen, state[Key.PROPOSAL_CHOICE]),
        )
    except StoreError as error:
        _say("proposal", dataset.digest, _not_kept(error))
        return
    state[Key.PROPOSAL_REASON] = ""
    state.update({SHOWN: made.key, Key.DECIDE_TAB: ON_RECORD})


def change(decision: Decision, now: Sequence[Alternative]) -> None:
    """Change a proposed decision: another alternative, or another reason."""
    state = st.session_state
    edit: Edit | None = state.get(Key.DECISION_EDIT)
    if edit is None or edit.key != decision.key:
        if decision.now.status == "proposed":
            storage.barred("propose")
            st.button(
                "Change it",
                key="decision_change",
                disabled=not people.may("propose"),
                icon=":material/edit:",
                on_click=_begin,
                args=(decision, list(now)),
            )
        return
    with st.container(border=True):
        st.markdown("**Change this decision**")
        if edit.told:
            st.warning(escape(edit.told), icon=":material/group:")
            st.markdown(
                "What you typed is below. "
                + (
                    "Propose it as a decision of its own, or leave it."
                    if edit.settled
                    else "Save it once more to put it after theirs, or leave it."
                )
            )
        said("edit", decision.key)
        names = [alternative.name for alternative in edit.alternatives]
        st.selectbox(
            "Proposed instead",
            names,
            index=names.index(edit.chosen),
            key=edit.choice_key,
            persist_state="session",
            format_func=_named(edit.alternatives),
        )
        st.text_area(
            "Why now",
            value=edit.reason,
            key=edit.reason_key,
            max_chars=4000,
            persist_state="session",
        )
        row = st.container(horizontal=True)
        if edit.settled:
            row.button(
                "Propose mine as a new one", key="edit_new", on_click=_anew, args=(decision,)
            )
        else:
            row.button(
                "Save after theirs" if edit.told else "Save",
                key="edit_save",
                type="primary",
                on_click=_save,
                args=(edit,),
            )
        row.button("Leave it", key="edit_leave", on_click=_leave)


def _begin(decision: Decision, now: Sequence[Alternative]) -> None:
    _hush()
    state, latest = st.session_state, decision.now
    offered = list(latest.alternatives)
    known = {alternative.scenario for alternative in offered}
    for alternative in now[:1]:
        if alternative.scenario not in known and len(offered) < MOST_ALTERNATIVES:
            taken = {other.name for other in offered}
            names = [_ON_SCREEN, *(f"{_ON_SCREEN} ({place})" for place in range(2, 30))]
            free = next(name for name in names if name not in taken)
            offered.append(replace(alternative, name=free))
    state[Key.DECISION_EDIT] = Edit(
        decision.key, latest.version, tuple(offered), latest.reason, latest.chosen, uuid4().hex
    )


def _save(edit: Edit) -> None:
    _hush()
    state = st.session_state
    try:
        writing.revise(
            edit.key,
            edit.version,
            author=storage.name(),
            reason=state[edit.reason_key],
            alternatives=edit.alternatives,
            chosen=state[edit.choice_key],
        )
    except ConflictError as conflict:
        state[Key.DECISION_EDIT] = _after(edit, str(conflict))
        return
    except StoreError as error:
        _say("edit", edit.key, _not_kept(error))
        return
    _leave()


def _after(edit: Edit, told: str) -> Edit:
    """The edit goes on from what the other one has made of the decision."""
    try:
        latest = storage.keep(one_decision, edit.key).now
    except StoreError:
        return replace(edit, told=told)
    return replace(edit, version=latest.version, told=told, settled=latest.status != "proposed")


def _anew(decision: Decision) -> None:
    _hush()
    state, edit = st.session_state, st.session_state[Key.DECISION_EDIT]
    try:
        made = writing.propose(
            author=storage.name(),
            reason=state[edit.reason_key],
            data=decision.data,
            digest=decision.digest,
            alternatives=edit.alternatives,
            chosen=state[edit.choice_key],
        )
    except StoreError as error:
        _say("edit", edit.key, _not_kept(error))
        return
    state.update({SHOWN: made.key, Key.DECIDE_TAB: ON_RECORD})
    _leave()


def _leave() -> None:
    _hush()
    st.session_state.pop(Key.DECISION_EDIT, None)


def settling(decision: Decision) -> None:
    """Agree to a proposed decision or reject it."""
    said("settling", decision.key)
    if decision.now.status != "proposed":
        return
    with st.form("settling", border=True):
        st.markdown("**Agree or reject**")
        _second(decision)
        storage.barred("settle")
        st.text_input("Comment", key=Key.SETTLING_COMMENT, max_chars=2000)
        row = st.container(horizontal=True)
        with row:
            for label, status, icon in (
                ("Agree", "agreed", ":material/check:"),
                ("Reject", "rejected", ":material/close:"),
            ):
                st.form_submit_button(
                    label,
                    key=f"settle_{status}",
                    icon=icon,
                    disabled=not people.may("settle"),
                    on_click=settle_as,
                    args=(decision.key, decision.now.version, status),
                )
        st.caption("For good: what is agreed or rejected is not changed any more.")


def _second(decision: Decision) -> None:
    """Whose name it takes, before the click that would be refused."""
    names = f"**{escape(listed(decision.signers))}**"
    who = "proposed it" if len(decision.proposers) == 1 else "proposed or changed it"
    try:
        check_second(decision, storage.name(), people.verified())
    except StoreError:
        st.markdown(
            f":material/group: {names} {who}, and your name above is {escape(storage.name())}: "
            "somebody else has to agree or reject, under their own name."
        )
        return
    st.markdown(f":material/group: {names} {who}, so it takes a second name: somebody else's.")


def settle_as(key: str, version: int, status: Status, *, reasoned: bool = False) -> None:
    """Agree or reject under the name and with the comment that are typed.

    Parameters
    ----------
    key, version : str, int
        Of the decision, as it was seen.
    status : "agreed" or "rejected"
    reasoned : bool
        Whether there has to be a comment: it is the reason then.
    """
    _hush()
    state = st.session_state
    try:
        if reasoned:
            cleaned(str(state[Key.SETTLING_COMMENT] or ""), "reason", required=True)
        writing.settle(
            key,
            version,
            author=storage.name(),
            status=status,
            comment=str(state[Key.SETTLING_COMMENT] or ""),
        )
    except ConflictError as conflict:
        message = f"{escape(conflict)} Look at it again; what you typed is still here."
        _say("settling", key, message)
        return
    except StoreError as error:
        _say("settling", key, _not_kept(error))
        return
    state[Key.SETTLING_COMMENT] = ""


def everything() -> None:
    """Whether decisions about other data are listed too."""
    st.toggle(
        "Show decisions about other data too",
        key=Key.DECISIONS_ALL,
        persist_state="session",
        help="Everybody who uses the same database sees what is on record there.",
    )


def _not_kept(error: StoreError) -> str:
    return f"Not kept: {escape(error)} What you typed is still here."


def _say(place: str, about: str, message: str) -> None:
    """Keep what went wrong with a click until the next one: a rerun must not wipe it away."""
    st.session_state[_SAID] = (place, about, message)


def _hush() -> None:
    st.session_state.pop(_SAID, None)


def said(place: str, about: str) -> None:
    """Show what went wrong with the last click, if it was in this place and about this."""
    where, what, message = st.session_state.get(_SAID, ("", "", ""))
    if (where, what) == (place, about):
        st.error(message, icon=":material/error:")
