"""A real OpenID provider, a served dashboard that people sign in to, and a browser without a face.

The provider is oidc-provider-mock. What stands before it can send another token in the place of the
one that it has signed, and is known by keys of its own beside the provider's.
"""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from oidc_provider_mock import app as mock_provider
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from websockets.sync.client import connect
from werkzeug.serving import WSGIRequestHandler, make_server

ROOT = Path(__file__).parents[1]
CLIENT, COOKIE_SECRET = "distpriv-test", "for tests alone, and long enough for them"
XSRF = "2|8b3a9c51|d4c2f1a07be6953824c0ffee12345678|1700000000"
USER, SESSION = "_streamlit_user", "_streamlit_session"


class _Quiet(WSGIRequestHandler):
    def log(self, *_: object) -> None:
        """Say nothing."""


@dataclass
class Provider:
    """A provider that runs.

    Attributes
    ----------
    address : str
    twist : callable or None
        Makes another token out of the honest one's header and claims.
    own, strangers : RSAKey
        A key that the provider's list has, and one under the same name that it has not.
    """

    address: str = ""
    twist: Callable[[dict[str, Any], dict[str, Any]], str] | None = None
    own: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "own"}))
    strangers: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "own"}))

    @property
    def metadata(self) -> str:
        """Address of its configuration."""
        return f"{self.address}/.well-known/openid-configuration"

    def person(self, subject: str, **claims: object) -> None:
        """Let somebody exist, with what the provider says of them."""
        httpx.put(f"{self.address}/users/{subject}", json=claims).raise_for_status()

    def signed(self, header: dict[str, Any], claims: dict[str, Any], key: RSAKey) -> str:
        """A token under the name of a key that the provider's list has."""
        return jwt.encode({**header, "kid": "own"}, claims, key, algorithms=["RS256"])

    def __call__(self, mock: Any, environ: dict[str, Any], start: Any) -> Any:
        """Answer as the provider does, but for the twist."""
        path = environ["PATH_INFO"]
        if path not in ("/jwks", "/oauth2/token"):
            return mock(environ, start)
        caught: list[Any] = []
        parts = mock(environ, lambda status, headers, *_: caught.extend((status, headers)))
        content = json.loads(b"".join(parts))
        if path == "/jwks" and self.twist is not None:
            content["keys"].append(self.own.as_dict(private=False))
        elif self.twist is not None and "id_token" in content:
            honest = jwt.decode(content["id_token"], self._key())
            content["id_token"] = self.twist(dict(honest.header), dict(honest.claims))
        body = json.dumps(content).encode()
        headers = [(name, v) for name, v in caught[1] if name.lower() != "content-length"]
        start(caught[0], [*headers, ("Content-Length", str(len(body)))])
        return [body]

    def _key(self) -> RSAKey:
        keys = httpx.get(f"{self.address}/jwks").json()["keys"]
        return RSAKey.import_key(keys[0])  # the provider's own comes first


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider on a port of its own, for as long as the block."""
    os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # of the provider itself: it is on loopback
    found, mock = Provider(), mock_provider()
    server = make_server(
        "127.0.0.1",
        0,
        lambda environ, start: found(mock.wsgi_app, environ, start),
        threaded=True,
        request_handler=_Quiet,
    )
    found.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        del os.environ["AUTHLIB_INSECURE_TRANSPORT"]


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def configuration(file: Path, address: str, metadata: str, roles: str = "", more: str = "") -> Path:
    """Write the file by which people sign in."""
    file.write_text(
        f'[sign_in]\naddress = "{address}"\nprovider = "{metadata}"\nclient_id = "{CLIENT}"\n'
        f'client_secret = "secret-of-the-client"\ncookie_secret = "{COOKIE_SECRET}"\n'
        f'name = "Test University"\n{more}\n[roles]\n{roles}\n',
        encoding="utf-8",
    )
    return file


@contextmanager
def served(port: int, **environment: str) -> Iterator[tuple[str, Path]]:
    """A dashboard at a port, by its address and the file of its log."""
    log = Path(environment.pop("LOG"))
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    kept = {key: value for key, value in os.environ.items() if key != "ADULT_DIR"}
    with log.open("wb") as said:
        process = subprocess.Popen(
            [*command, f"--server.port={port}"],
            cwd=ROOT,
            env=kept | environment,
            stdout=said,
            stderr=said,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{address}/_stcore/health").status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            raise RuntimeError(f"the dashboard did not come up: {log.read_text()}")
        yield address, log
    finally:
        process.terminate()
        process.wait()


class Faceless:
    """A browser's cookies and what it asks for, without the browser."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.web = httpx.Client(base_url=address)
        self.answer: httpx.Response

    def sign_in(self, subject: str, back: str = "") -> httpx.Response:
        """From Streamlit's way in over the provider's form to the way back; the last answer."""
        callback = self.to_provider(subject, back)
        self.answer = self.web.get(callback)
        return self.answer

    def to_provider(self, subject: str, back: str = "") -> str:
        """The same up to the way back, whose address comes out."""
        ticket = {"provider": "default", "exp": int(time.time()) + 60}
        key = OctKey.import_key(COOKIE_SECRET)
        way = {"provider": jwt.encode({"alg": "HS256"}, ticket, key), "back": back}
        asked = self.web.get("/auth/login", params=way)
        assert asked.status_code == 302, asked.text
        granted = httpx.post(asked.headers["location"], data={"sub": subject})
        assert granted.status_code == 302, granted.text
        return str(granted.headers["location"])

    def put(self, claims: dict[str, Any], secret: str = COOKIE_SECRET) -> None:
        """A cookie of somebody's own making, signed with a secret."""
        content = {"origin": self.address, "is_logged_in": True, "provider": "default", **claims}
        value = create_signed_value(secret, USER, json.dumps(content)).decode()
        self.web.cookies.set(USER, value)

    def visit(self, query: str = "", *, origin: str = "") -> str:
        """Everything that a visit of the page sends to the browser, as one text."""
        cookies = "; ".join(f"{c.name}={c.value}" for c in self.web.cookies.jar)
        headers = {"Cookie": f"_streamlit_xsrf={XSRF}; {cookies}"}
        place = urlsplit(self.address)
        said = io.StringIO()
        with connect(
            f"ws://{place.netloc}/_stcore/stream",
            origin=origin or self.address,  # type: ignore[arg-type]
            additional_headers=headers,
            subprotocols=["streamlit", XSRF],  # type: ignore[list-item]
            max_size=None,
        ) as socket:
            asked = BackMsg()
            asked.rerun_script.query_string = query
            asked.rerun_script.context_info.url = f"{self.address}/?{query}"
            socket.send(asked.SerializeToString())
            for data in socket:
                message = ForwardMsg()
                message.ParseFromString(data)  # type: ignore[arg-type]
                kind = message.WhichOneof("type")
                if kind == "script_finished":
                    break
                if kind in ("delta", "auth_redirect", "navigation"):
                    said.write(str(message))
        return said.getvalue().replace("\\", "")
