"""The dashboard's main script: navigation and the frame around every page."""

from itertools import groupby

import pandas as pd  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.dashboard.shell import controls, frame, presenting
from distpriv.dashboard.shell.pages import PAGES, footer
from distpriv.dashboard.widgets import code

st.set_page_config(page_title="distpriv", page_icon=frame.ICON, layout="wide")
pages = {
    spec: st.Page(
        spec.file,
        title=spec.title,
        icon=spec.icon,
        url_path=spec.name,
        default=spec is PAGES[0],
    )
    for spec in PAGES
}
page = st.navigation(
    {
        section: [pages[spec] for spec in specs]
        for section, specs in groupby(PAGES, key=lambda spec: spec.section)
    },
    position="top",
)
spec = next(spec for spec in PAGES if pages[spec].url_path == page.url_path)
controls.draw()
presenting.frame()
st.title(spec.heading)
page.run()
code.foot(spec)
presenting.switch()
footer(spec)
