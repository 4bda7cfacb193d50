"""A provider of sign-ins by OpenID Connect, which lets everybody in as Ada."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import contextmanager

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route

SECRETS = """
[auth]
redirect_uri = "{address}/oauth2callback"
cookie_secret = "a text of at least thirty-two signs"
client_id = "distpriv"
client_secret = "of the provider"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""


@contextmanager
def signing_in(address):
    """Serve the provider, and give the settings for a site at an address."""
    key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
    listening = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listening.getsockname()[1]}"
    query = {}

    def configuration(_):
        places = {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        places["jwks_uri"] = "keys"
        return JSONResponse({"issuer": base} | {k: f"{base}/{v}" for k, v in places.items()})

    def authorize(request):
        query.update(request.query_params)
        return RedirectResponse(f"{query['redirect_uri']}?code=yes&state={query['state']}")

    def token(_):
        now = int(time.time())
        who = {"sub": "7", "email": "ada@example.org", "email_verified": True, "name": "Bob"}
        claims = {
            "iss": base,
            "aud": "distpriv",
            "nonce": query["nonce"],
            "iat": now,
            "exp": now + 60,
        }
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims | who, key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": signed})

    def keys(_):
        return JSONResponse({"keys": [key.as_dict(private=False)]})

    routes = [Route("/.well-known/openid-configuration", configuration)]
    routes += [
        Route(f"/{one.__name__}", one, methods=["GET", "POST"]) for one in (authorize, token, keys)
    ]
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error"))
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    yield SECRETS.format(address=address, provider=base)
    server.should_exit = True
    thread.join(10)
