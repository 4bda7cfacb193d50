"""The dashboard's main script: navigation and the frame around every page."""

from itertools import groupby

import pandas as pd  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv.dashboard.serving import door, people, turns
from distpriv.dashboard.shell import (
    asking,
    autosave,
    controls,
    frame,
    header,
    history,
    links,
    presenting,
    selecting,
    style,
)
from distpriv.dashboard.shell.pages import MOVED, PAGES, footer
from distpriv.dashboard.stakeholder import role
from distpriv.dashboard.widgets import code

st.set_page_config(page_icon=frame.ICON, layout="wide")
st.logo(frame.LOGO, size="large")
door.enter()
if role.asked() or not people.may("ask"):
    role.run()
    st.stop()
pages = {
    spec: st.Page(
        spec.file,
        title=spec.title,
        icon=spec.icon,
        url_path="start" if spec is PAGES[0] else spec.name,  # its own name leads to the root
        default=spec is PAGES[0],
    )
    for spec in PAGES
}
moved = [
    st.Page(lambda: None, title=old, url_path=old, visibility="hidden")
    for old in (*MOVED, PAGES[0].name)
]
page = st.navigation(
    {
        section: [pages[spec] for spec in specs] + (moved if not section else [])
        for section, specs in groupby(PAGES, key=lambda spec: spec.section)
    },
    position="top",
)
if page in moved:
    new = MOVED.get(page.url_path, PAGES[0].name)
    spec = next(spec for spec in PAGES if spec.name == new)
else:
    spec = next(spec for spec in PAGES if pages[spec].url_path == page.url_path)
asked = {key: st.query_params.get_all(key) for key in st.query_params}
if (readable := links.readable(asked)) != asked or page in moved:
    st.switch_page(pages[spec], query_params=readable)
st.set_page_config(page_title=f"{spec.title} · distpriv")
with turns.everybodys().page():  # long work of whoever else waits for it
    style.draw()
    door.who()
    autosave.enter()
    presenting.begin()
    asking.first()
    with st.container():  # whatever the header has, what follows keeps its place
        steps = header.draw(spec)
    controls.draw(spec)
    selecting.wait()
    history.note()
    autosave.keep()
    with steps:
        history.buttons()
    selecting.run(page.run)
    code.foot(spec)
    footer(spec)
