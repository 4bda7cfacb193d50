"""The dashboard as compose.yaml serves it, without containers: the same proxy, the same command."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.browser.browsing import wait_until_served

ROOT = Path(__file__).parents[2]
PROXY = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
CERTIFICATE = "req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"


def free_ports(count):
    """Return free ports; all are open at once, since a closed one may be given out again."""
    with ExitStack() as held:
        new = (held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count))
        return [one.getsockname()[1] for one in new]


class Stack:
    """Proxy and server; `address` is the proxy's, `plain` its address without TLS."""

    def __init__(self, folder, database, settings):
        self.folder, self.running = folder, []
        self.ports = dict(zip(("8080", "8443", "app:8501"), free_ports(3), strict=True))
        self.plain, self.address, self.inside = (
            f"{kind}://127.0.0.1:{port}"
            for kind, port in zip(("http", "https", "http"), self.ports.values(), strict=True)
        )
        self.settings = {
            "DISTPRIV_DATABASE": database,
            "STREAMLIT_SERVER_ALLOWED_HOSTS": "127.0.0.1",
            "STREAMLIT_BROWSER_SERVER_ADDRESS": "127.0.0.1",
            "HOME": str(folder),
            **settings,
        }
        self.log = (folder / "log").open("wb")

    def run(self, *words):
        process = subprocess.Popen(
            words, cwd=ROOT, env={**os.environ, **self.settings}, stdout=self.log, stderr=self.log
        )
        self.running.append(process)
        return process

    def start(self):
        """Start the server, as the container does."""
        port = self.ports["app:8501"]
        words = ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
        self.server = self.run(sys.executable, "-m", "streamlit", "run", "app.py", *words)
        wait_until_served(self.inside, 120)

    def start_proxy(self):
        """Start nginx with a certificate of today and the configuration, whose ports are free."""
        configuration = (ROOT / "serving/nginx.conf").read_text()
        ports = {name: f"{'127.0.0.1:' * (':' in name)}{port}" for name, port in self.ports.items()}
        configuration = re.sub("|".join(ports), lambda one: ports[one[0]], configuration)
        (self.folder / "nginx.conf").write_text(configuration)
        (self.folder / "tls").mkdir()
        files = ("-keyout", "tls/key.pem", "-out", "tls/certificate.pem")
        subprocess.run(
            ["openssl", *CERTIFICATE.split(), *files], cwd=self.folder, check=True, stderr=-3
        )
        place = f"{self.folder}/"
        self.run(PROXY, "-p", place, "-c", f"{place}nginx.conf", "-g", "daemon off;")

    def kill(self):
        """End the server as a loss of power does."""
        self.server.send_signal(signal.SIGKILL)
        self.server.wait(20)

    def stop(self):
        for process in reversed(self.running):
            process.terminate()
            process.wait(20)
        self.log.close()


@contextmanager
def stack(database, **settings):
    """Serve the dashboard behind its proxy; settings are the server's environment."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)  # the proxy's workers give up root
    one = Stack(folder, database, settings)
    try:
        one.start_proxy()
        one.start()
        yield one
    finally:
        one.stop()
        shutil.rmtree(folder)
