"""Entry point of the dashboard: the list of its pages and the frame around them.

The pages' folder is not called ``pages``: Streamlit would take that for its legacy navigation and
run a deep link's file alone, without the frame, in the first session after a start.
"""

import pandas as pd  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.dashboard import code_parts, controls, frame

SECTIONS = {
    "Set up": [
        st.Page("app_pages/data.py", title="Data", icon=":material/table:", default=True),
        st.Page("app_pages/secret.py", title="Secret & release", icon=":material/lock:"),
    ],
    "Explore": [
        st.Page("app_pages/fit.py", title="Gaussian fit", icon=":material/show_chart:"),
        st.Page("app_pages/directions.py", title="Directions", icon=":material/explore:"),
        st.Page("app_pages/tradeoff.py", title="Privacy–utility", icon=":material/balance:"),
        st.Page("app_pages/guarantee.py", title="Guarantee", icon=":material/verified_user:"),
        st.Page("app_pages/attack.py", title="Attack", icon=":material/person_search:"),
        st.Page("app_pages/belief.py", title="Belief", icon=":material/psychology:"),
    ],
    "Decide": [
        st.Page("app_pages/choosing.py", title="Choosing ε", icon=":material/tune:"),
        st.Page("app_pages/assumptions.py", title="Assumptions", icon=":material/foundation:"),
        st.Page("app_pages/compare.py", title="Compare & report", icon=":material/compare:"),
        st.Page("app_pages/decisions.py", title="Decisions", icon=":material/gavel:"),
        st.Page("app_pages/release.py", title="Release", icon=":material/outbox:"),
    ],
    "More mechanisms": [
        st.Page("app_pages/wasserstein.py", title="Wasserstein", icon=":material/moving:"),
        st.Page("app_pages/attribute.py", title="Attribute privacy", icon=":material/groups:"),
    ],
    "Learn": [
        st.Page("app_pages/tour.py", title="Guided tour", icon=":material/school:"),
        st.Page("app_pages/frameworks.py", title="Frameworks", icon=":material/hub:"),
        st.Page("app_pages/papers.py", title="Paper results", icon=":material/article:"),
    ],
}

st.set_page_config(page_title="distpriv", page_icon=frame.ICON, layout="wide")
page = st.navigation(SECTIONS, position="top")
controls.draw()
page.run()
code_parts.foot(page)
frame.footer(page, [each for pages in SECTIONS.values() for each in pages])
