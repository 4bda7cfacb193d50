"""The reverse proxies of docs/serving.md, as their blocks stand there, before the dashboard."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.driver import Watched, upload

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TEXT = (Path(__file__).parents[2] / "docs" / "serving.md").read_text(encoding="utf-8")
(NGINX,) = re.findall(r"```nginx\n(.*?)```", TEXT, re.DOTALL)
(CADDY,) = re.findall(r"```caddyfile\n(.*?)```", TEXT, re.DOTALL)
REPLICAS = ("127.0.0.1:8501", "127.0.0.1:8502")


def _free() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _missing(message: str) -> NoReturn:
    if os.environ.get("DISTPRIV_REQUIRE_BROWSER"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate that localhost has signed itself, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    made, key = folder / "made.pem", folder / "made.key"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*command, "-keyout", key, "-out", made], check=True, capture_output=True)
    return made, key


def _nginx(folder: Path, certificate: tuple[Path, Path], port: int, blocks: str) -> list[str]:
    changes = {
        "listen 80;": f"listen 127.0.0.1:{_free()};",
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "stats.example.org;": "localhost;",
        "/etc/ssl/stats.example.org.pem": str(certificate[0]),
        "/etc/ssl/private/stats.example.org.key": str(certificate[1]),
        "/var/log/nginx/distpriv.log": str(folder / "access.log"),
    }
    for before, after in changes.items():
        assert before in blocks
        blocks = blocks.replace(before, after)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    who = "user root;\n" if Path("/root").owner() == Path(folder).owner() else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"{who}daemon off;\npid {folder}/pid;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\n{paths}{blocks}}}\n"
    )
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin")
    if program is None:
        _missing("no nginx on this machine (Debian: apt-get install nginx-light)")
    return [program, "-c", str(configuration), "-p", str(folder)]


def _caddy(folder: Path, certificate: tuple[Path, Path], port: int, blocks: str) -> list[str]:
    blocks = blocks.replace(
        "stats.example.org {",
        f"{{\n\tadmin off\n\tauto_https off\n}}\nhttps://localhost:{port} {{\n"
        f"\tbind 127.0.0.1\n\ttls {certificate[0]} {certificate[1]}",
    )
    configuration = folder / "Caddyfile"
    configuration.write_text(blocks)
    program = shutil.which("caddy")
    if program is None:
        _missing("no caddy on this machine (Debian: apt-get install caddy)")
    return [program, "run", "--config", str(configuration), "--adapter", "caddyfile"]


@contextmanager
def _running(command: list[str], port: int) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        try:
            until = time.monotonic() + 60
            while time.monotonic() < until:
                assert process.poll() is None, process.stderr and process.stderr.read().decode()
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield f"https://localhost:{port}"
        finally:
            process.terminate()


def _leading_to(blocks: str, *replicas: str) -> str:
    for written, own in zip(REPLICAS, replicas, strict=True):
        assert written in blocks
        blocks = blocks.replace(written, own)
    return blocks


Proxied = Callable[[Path, tuple[Path, Path], int, str], list[str]]


@pytest.mark.parametrize(("proxy", "blocks"), [(_nginx, NGINX), (_caddy, CADDY)])
def test_pages_uploads_and_their_websocket_go_through(
    proxy: Proxied,
    blocks: str,
    server: str,
    browser: Browser,
    certificate: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    port = _free()
    own = server.removeprefix("http://")
    blocks = _leading_to(blocks, own, own)
    table = tmp_path / "people.csv"
    lines = (
        f"{20 + i % 60},{i * 7919 % 100_003},{'yes' if i % 3 else 'no'}" for i in range(200_000)
    )
    table.write_text("age,income,member\n" + "\n".join(lines) + "\n")
    assert table.stat().st_size > 2 * 1024**2
    with _running(proxy(tmp_path, certificate, port, blocks), port) as address:
        context = browser.new_context(ignore_https_errors=True)
        try:
            page = context.new_page()
            sockets: list[str] = []
            page.on("websocket", lambda one: sockets.append(one.url))
            watch = Watched(page)
            page.goto(address)
            watch.idle()
            assert sockets == [f"wss://localhost:{port}/_stcore/stream"]
            upload(page, table)
            expect(page.locator(".st-key-sentence")).to_contain_text(table.name)
        finally:
            context.close()


class _Named(BaseHTTPRequestHandler):
    """Says which replica it is."""

    def do_GET(self) -> None:
        body = str(self.server.server_address[1]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *said: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(("proxy", "blocks"), [(_nginx, NGINX), (_caddy, CADDY)])
def test_a_visitor_stays_with_a_replica_and_all_replicas_have_visitors(
    proxy: Proxied, blocks: str, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    replicas = [ThreadingHTTPServer(("127.0.0.1", 0), _Named) for _ in range(2)]
    ports = [str(each.server_address[1]) for each in replicas]
    for each in replicas:
        threading.Thread(target=each.serve_forever, daemon=True).start()
    blocks = _leading_to(blocks, *(f"127.0.0.1:{own}" for own in ports))
    trusting = ssl.create_default_context(cafile=certificate[0])
    port = _free()
    try:
        with _running(proxy(tmp_path, certificate, port, blocks), port) as address:
            met = set()
            for _ in range(20):
                visitor = urllib.request.build_opener(
                    urllib.request.HTTPSHandler(context=trusting),
                    urllib.request.HTTPCookieProcessor(),
                )
                answers = {visitor.open(address).read().decode() for _ in range(4)}
                assert len(answers) == 1
                met |= answers
            assert met == set(ports)
    finally:
        for each in replicas:
            each.shutdown()
            each.server_close()
