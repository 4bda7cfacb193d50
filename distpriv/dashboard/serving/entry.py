"""The entry: all that a request passes on its way to the dashboard, in order."""

from __future__ import annotations

from starlette.types import ASGIApp
from streamlit import config

from distpriv.dashboard.serving.bounds import Bodies, Messages
from distpriv.dashboard.serving.gate import Gate, hosts_listened_on
from distpriv.dashboard.serving.headers import SecurityHeaders, headers_for
from distpriv.dashboard.serving.proxies import Proxies
from distpriv.dashboard.serving.rates import Rates
from distpriv.dashboard.serving.ready import Readiness
from distpriv.dashboard.serving.settings import Settings
from distpriv.dashboard.serving.uvicorn_ways import take_over

__all__ = ["guarded"]


def guarded(app: ASGIApp, settings: Settings) -> ASGIApp:
    """An application behind the entry.

    It stands around the whole of it, so that errors too are answered with the security headers.

    Parameters
    ----------
    app : ASGI application
    settings : Settings
    """
    take_over(headers_for(settings.frame_ancestors))
    base = config.get_option("server.baseUrlPath") or ""
    inner = Messages(Bodies(Readiness(Rates(app), base)))
    gate = Gate(inner, settings.hosts or hosts_listened_on(), settings.origins)
    headers = SecurityHeaders(gate, settings.frame_ancestors)
    return Proxies(headers, settings.proxies, config.get_option("server.trustedUserHeaders") or ())
