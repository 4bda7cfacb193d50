"""Names of people: from the sign-in that the owner has set up, else as they are typed.

The owner sets it up by a section ``[auth]`` in Streamlit's secrets.
"""

from __future__ import annotations

import streamlit as st

__all__ = ["author", "needed", "offer", "signed_in"]


def needed() -> bool:
    """Tell whether people have to sign in before they propose, answer or release."""
    return st.secrets.load_if_toml_exists() and "auth" in st.secrets


def signed_in() -> str:
    """Return who has signed in, "" for nobody.

    By the checked address of e-mail, for people choose the name in their account themselves.
    """
    user = st.user.to_dict()
    if not user.get("is_logged_in"):
        return ""
    checked = user.get("email") if user.get("email_verified", True) else None
    return str(checked or user.get("sub") or "")


def offer(words: str = "") -> bool:
    """Draw the button "Sign in", outside of forms, where that is needed; True where it is not.

    With words on what that is for.
    """
    if not needed() or signed_in():
        return True
    if words:
        st.markdown(words)
    st.button("Sign in", icon=":material/login:", on_click=st.login, key="sign-in")
    return False


def author(label: str, start: str = "", hint: str | None = None) -> str:
    """Draw who acts, in a form or outside: a text field, or who has signed in; return the name."""
    if needed():
        name = signed_in()
        st.text_input(label, name, disabled=True, placeholder="Sign in first", help=hint)
        return name
    return st.text_input(label, start, help=hint)
