"""The Decide page's link for those who decide, who need neither the table nor the settings."""

from __future__ import annotations

import streamlit as st

from distpriv.dashboard.shell import links
from distpriv.store import Decision

__all__ = ["link"]


def link(decision: Decision) -> None:
    """The address that opens a decision for those who agree to it or reject it."""
    address = links.for_stakeholders(decision=decision.key)
    with st.expander("Link for those who decide", icon=":material/link:"):
        st.markdown(
            "It opens one page, on a phone too: the verdict, the alternatives, who proposed what "
            "and why; and they agree or reject with a name and a reason. They need no table and "
            "cannot change a setting."
        )
        st.code(address, language=None, wrap_lines=True)
        if not links.holds(address):
            st.caption(
                ":material/computer: You have opened the dashboard by a name that only this "
                "machine knows, so this link works on this machine only. Open it by the address "
                "that others use, and the link will hold for them."
            )
        table = links.for_stakeholders(table=decision.digest)
        st.caption("All decisions about these data that wait:")
        st.code(table, language=None, wrap_lines=True)
