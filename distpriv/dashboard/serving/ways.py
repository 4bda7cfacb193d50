"""The ways in and out of a sign-in, where Streamlit's own lead to the first page without a word."""

from __future__ import annotations

import json
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from distpriv.dashboard.serving import people, sign_in
from distpriv.dashboard.serving.sign_in import SignIn

__all__ = ["BACK", "FAILED", "OUT", "SAID", "SignInWays", "safe_path"]

SAID = "signed"
"""The address's parameter that tells how a way ended: :data:`OUT` or :data:`FAILED`."""

OUT, FAILED = "out", "failed"

BACK = "back"
"""The parameter of the way in that holds where to go when it has been gone."""

_COOKIE = "distpriv_back"
_UPLOAD = "/_stcore/upload_file/"
_LOGIN, _LOGOUT, _CALLBACK = "/auth/login", "/auth/logout", "/oauth2callback"
_LONGEST = 3000  # characters: browsers keep cookies of 4096
_SECONDS = 600


def safe_path(given: str) -> str:
    """A page of the dashboard with its parameters, or nothing: never another host.

    Parameters
    ----------
    given : str
        From an address or a cookie, so from anybody.
    """
    plain = given.isascii() and given.isprintable() and not set(given) & set("\\ \"'<>;")
    if not plain or not given.startswith("/") or given.startswith("//") or len(given) > _LONGEST:
        return ""
    parts = urlsplit(given)
    path = unquote(parts.path)
    if parts.netloc or "//" in path or "\\" in path or ".." in path or not path.isprintable():
        return ""
    # Behind these lies no page: a way in that ends at the way out would go round in circles.
    reserved = ("/auth/", _CALLBACK, "/_stcore", "/media", "/component")
    return "" if any(word in path for word in reserved) else given


class SignInWays:
    """ASGI middleware: who signs in comes back to where they were, and is told if it failed.

    Cookies of the sign-in go over TLS only, where the address is behind it. The way out tells the
    browser to forget what it has stored for the dashboard. Nothing is uploaded by those who could
    not look at it.

    Parameters
    ----------
    app : ASGI application
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; websockets pass as they are, and all do where nobody signs in."""
        known = sign_in.configured()
        if known is None or scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if _UPLOAD in scope["path"] and not _may_ask(scope, known):
            answer = PlainTextResponse("Sign in as somebody who asks questions.", status_code=403)
            await answer(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                _change(scope, MutableHeaders(scope=message), known)
            await send(message)

        await self.app(scope, receive, sent)


def _may_ask(scope: Scope, known: SignIn) -> bool:
    """Whether an upload comes from somebody who could ask questions of a table."""
    if known.visitors == "analyst":
        return True
    cookies = Request(scope).cookies

    def one(name: str) -> bytes | None:
        value = cookies.get(name, "").encode("latin-1", "replace")
        return decode_signed_value(known.cookie_secret, name, value)

    try:
        claims = json.loads(get_cookie_with_chunks(one, USER_COOKIE_NAME) or b"null")
    except ValueError:
        return False
    person = people.person_of(claims, known) if isinstance(claims, dict) else None
    return person is not None and people.grants(person, "ask")


def _change(scope: Scope, headers: MutableHeaders, known: SignIn) -> None:
    path: str = scope["path"]
    asked = parse_qs(scope.get("query_string", b"").decode("latin-1"))
    if path.endswith(_LOGIN):
        if back := safe_path(asked.get(BACK, [""])[0]):
            _keep(headers, quote(back, safe=""), _SECONDS)
    elif path.endswith(_CALLBACK):
        _arrived(scope, headers, came_back=bool({"code", "error", "state"} & set(asked)))
    elif path.endswith(_LOGOUT):
        headers["Clear-Site-Data"] = '"storage"'
        if not urlsplit(headers.get("location", "")).netloc:
            _say(headers, OUT)
    if known.secure:
        _secure(headers)


def _arrived(scope: Scope, headers: MutableHeaders, *, came_back: bool) -> None:
    """Back from the provider: after signing in, after failing to, or after signing out."""
    if not came_back:
        _say(headers, OUT)
    elif not _signed_in(headers):
        _say(headers, FAILED)
    elif back := safe_path(unquote(_cookies(Headers(scope=scope).get("cookie", "")))):
        headers["location"] = back
    _keep(headers, "", 0)


def _say(headers: MutableHeaders, what: str) -> None:
    place = headers.get("location", "/").partition("?")[0]
    headers["location"] = f"{place}?{urlencode({SAID: what})}"


def _signed_in(headers: MutableHeaders) -> bool:
    """Whether the answer hands out a sign-in, instead of taking one back."""
    return any(
        each.startswith(f"{USER_COOKIE_NAME}=") and not each.startswith(f'{USER_COOKIE_NAME}="";')
        for each in headers.getlist("set-cookie")
    )


def _cookies(header: str) -> str:
    try:
        found = SimpleCookie(header).get(_COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _keep(headers: MutableHeaders, value: str, seconds: int) -> None:
    headers.append(
        "set-cookie", f"{_COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}"
    )


def _secure(headers: MutableHeaders) -> None:
    cookies = headers.getlist("set-cookie")
    del headers["set-cookie"]
    for each in cookies:
        marked = "; secure" in each.lower()
        headers.append("set-cookie", each if marked else f"{each}; Secure")
