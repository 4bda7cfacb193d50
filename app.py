"""ASGI entry of the dashboard: ``streamlit run app.py`` finds ``app`` and serves it.

The main script lies apart from ``pages/``: beside a folder of this name Streamlit would run a cold
deep link's file alone, without the frame.
"""

from starlette.middleware import Middleware
from starlette.types import ASGIApp
from streamlit.starlette import App

from distpriv.dashboard.serving import (
    allocation,
    callbacks,
    entry,
    memory,
    settings,
    sign_in,
    threads,
    timers,
    whole_numbers,
)
from distpriv.dashboard.serving.ways import SignInWays
from distpriv.dashboard.shell import sources
from distpriv.dashboard.shell.spooling import Spooling
from distpriv.resources import MAIN

set_by_owner = settings.at_start()
allocation.at_start()
memory.at_start()
callbacks.at_start()
timers.at_start()
whole_numbers.at_start()
threads.at_start()
sources.problem()  # said in the log when the server starts
app: ASGIApp = App(
    MAIN,
    secrets=sign_in.secrets(),
    middleware=[Middleware(SignInWays), Middleware(Spooling)],
    lifespan=memory.sweeping,
)
app = entry.guarded(app, set_by_owner)  # Streamlit looks for the line above, and serves this one
