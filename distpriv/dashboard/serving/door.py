"""The door: who signs in comes through it; their name and the way out stand above every page."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.user_info import generate_login_redirect_url

from distpriv.dashboard.serving import people, sign_in
from distpriv.dashboard.serving.people import Person
from distpriv.dashboard.serving.sign_in import SignIn
from distpriv.dashboard.serving.ways import BACK, FAILED, OUT, SAID, safe_path
from distpriv.dashboard.shell import autosave, storage, style
from distpriv.dashboard.shell.pages import MOVED, PAGES
from distpriv.dashboard.shell.state import Key
from distpriv.errors import StoreError
from distpriv.store import Store
from distpriv.store.audit import sign_in as note_in
from distpriv.store.audit import sign_out as note_out
from distpriv.store.audit import signed_out
from distpriv.words import escape, listed

__all__ = ["enter", "who"]


def enter() -> None:
    """Let in whoever may look, and nobody else; the first thing in a run.

    Where nobody signs in it draws nothing.
    """
    if not people.on():
        return
    known = sign_in.configured()
    if known is None:
        _closed()
    assert known is not None
    _begin()
    said = _said()
    if not people.may("look"):
        _gate(known, said)


def _closed() -> None:
    """Who meant to have people sign in gets no dashboard that is open to all."""
    _page()
    st.title("Closed")
    st.markdown(
        "The sign-in of this dashboard is not set up right, so nobody gets in. Whoever runs it "
        "finds what is wrong in its log."
    )
    st.stop()


def _begin() -> None:
    """Put a sign-in on record once, and let none in that has been ended."""
    person = people.now()
    if person is None or st.session_state.get(Key.SIGNED_IN) == person.mark:
        return

    def known(store: Store) -> str:
        if signed_out(store, person.mark):
            people.end(person.mark)
            return ""
        note_in(store, person.mark, person.name, person.verified)
        return person.mark

    st.session_state[Key.SIGNED_IN] = storage.ask(known)


def _said() -> str:
    """How a way in or out ended, once."""
    said = str(st.query_params.get(SAID) or "")
    if said:
        del st.query_params[SAID]
        st.session_state[Key.SIGNED] = said
    elif people.now() is not None:
        st.session_state.pop(Key.SIGNED, None)
    return str(st.session_state.get(Key.SIGNED) or "")


def _page() -> None:
    st.set_page_config(
        page_title="Sign in · distpriv", layout="centered", initial_sidebar_state="collapsed"
    )
    style.draw()


def _gate(known: SignIn, said: str) -> None:
    """Nothing but the way in."""
    _page()
    names = ["start", *(spec.name for spec in PAGES), *MOVED]
    st.navigation(
        [
            st.Page(lambda: None, title="Sign in", url_path=name, default=name == "start")
            for name in names
        ],
        position="hidden",
    )
    person = people.now()
    st.title("Sign in" if person is None else "No role yet")
    if person is not None:
        st.markdown(
            f"You are signed in as **{escape(_named(person))}**, but have no role here. Ask "
            "whoever runs this dashboard for one; it counts from your next sign-in on."
        )
        _out()
    else:
        if people.ended():
            st.info("Your sign-in has ended; sign in again.", icon=":material/timer:")
        _told(said)
        st.markdown("Who reads or decides here does so under a verified name.")
        _in(known)
        if people.ended():
            _out()
    if said != FAILED and not people.ended():
        autosave.forget()
    st.stop()


def _told(said: str) -> None:
    if said == OUT:
        st.success("You are signed out.", icon=":material/logout:")
    elif said == FAILED:
        st.error(
            "Signing in did not work. Try again; if it fails once more, tell whoever runs this "
            "dashboard when it happened.",
            icon=":material/error:",
        )


def who() -> None:
    """Above every page: who is at the screen, and the way in or out."""
    known = sign_in.configured()
    if known is None:
        return
    person, said = people.now(), _said()
    row = st.container(
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="right",
        key="who_row",
    )
    with row:
        if person is None:
            _told(said)
            st.caption("Not signed in: names you type are recorded as typed", width="content")
            _in(known)
        else:
            st.caption(
                f":material/verified_user: {escape(_named(person))} · {listed(person.roles)}",
                width="content",
            )
            _out()
    if said == OUT:
        _forget()


def _named(person: Person) -> str:
    email = person.verified.email
    return f"{person.name} ({email})" if email not in ("", person.name) else person.name


def _in(known: SignIn) -> None:
    """The way in, or to the address at which there is one."""
    here = urlsplit(st.context.url or known.address)
    if f"{here.scheme}://{here.netloc}" != known.origin:
        st.link_button(
            f"Open {known.origin} to sign in",
            known.address,
            icon=":material/open_in_new:",
            help="Signing in works at this address only.",
        )
        return
    with_ = f" with {known.name}" if known.name else ""
    st.button(
        f"Sign in{with_}",
        key="sign_in",
        type="secondary" if people.may("look") else "primary",
        icon=":material/login:",
        on_click=_go_in,
    )


def _go_in() -> None:
    """Streamlit's own way in, with where to come back to: links would be lost on it."""
    here = urlsplit(st.context.url or "/")
    asked = {key: st.query_params.get_all(key) for key in st.query_params}
    path = (here.path or "/") + (f"?{urlencode(asked, doseq=True)}" if asked else "")
    url = generate_login_redirect_url("default")
    if back := safe_path(path):
        url += f"&{urlencode({BACK: back})}"
    message, context = ForwardMsg(), get_script_run_ctx()
    message.auth_redirect.url = url
    if context is not None:
        context.enqueue(message)


def _out() -> None:
    st.button(
        "Sign out", key="sign_out", type="tertiary", icon=":material/logout:", on_click=_go_out
    )


def _go_out() -> None:
    """End the sign-in in every tab, and leave nothing of this session behind."""
    person = people.now()
    if person is not None:
        with suppress(StoreError):  # it ends here all the same
            storage.keep(note_out, person.mark, person.name, person.verified)
        people.end(person.mark)
    for key in list(st.session_state):
        del st.session_state[key]
    st.logout()


def _forget() -> None:
    """Have the browser's tab forget what a sign-in has left there."""
    if people.may("ask"):
        st.session_state[Key.BROWSER_FORGETS] = True  # the page's own part does it
    else:
        autosave.forget()
