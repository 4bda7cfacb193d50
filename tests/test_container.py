"""The container: its Dockerfile, compose.yaml and start, and its lines run without a daemon."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy import start
from tools import dockerfile

ROOT = Path(__file__).parent.parent
STAGES = dockerfile.read((ROOT / "Dockerfile").read_text(encoding="utf-8"))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVING = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
DASHBOARDS = [name for name in COMPOSE["services"] if name != "database"]


def test_the_image_takes_what_the_dockerignore_lets_in_and_all_of_it_is_there() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        source
        for each in STAGES["build"]
        if each.name == "COPY"
        for source in each.text.split()[:-1]
    }
    assert all((ROOT / source).exists() for source in copied)
    assert {entry.removesuffix("/config.toml") for entry in let_in} == copied


def test_packages_come_by_their_hashes_and_the_server_is_not_root() -> None:
    (install,) = [each.text for each in STAGES["build"] if "pip install" in each.text]
    assert "--require-hashes" in install
    assert not [each for each in STAGES[""] if each.name == "RUN"]
    (user,) = [each.text for each in STAGES[""] if each.name == "USER"]
    assert all(int(part) >= 10000 for part in user.split(":"))


def test_hadolint_finds_nothing() -> None:
    program = shutil.which("hadolint", path=f"{sysconfig.get_path('scripts')}:{os.defpath}")
    if program is None:
        pytest.skip("hadolint is not installed: it comes with requirements-dev.txt")
    done = subprocess.run([program, "Dockerfile"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_has_no_more_rights_than_it_needs(name: str) -> None:
    service = COMPOSE["services"][name]
    assert service["read_only"]
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["profiles"]
    assert f"--profile {service['profiles'][0]} up" in SERVING
    (memory,) = service["tmpfs"]
    assert memory.startswith("/tmp:size=")


@pytest.mark.parametrize("profile", ["open", "sign-in"])
def test_the_proxies_lead_to_every_replica(profile: str) -> None:
    published = [
        each["ports"][0].split(":")[1]
        for each in map(COMPOSE["services"].get, DASHBOARDS)
        if each["profiles"] == [profile]
    ]
    assert len(published) > 1
    for block in re.findall(r"```(?:nginx|caddyfile)\n(.*?)```", SERVING, re.DOTALL):
        assert re.findall(r"127\.0\.0\.1:(\d+)", block) == published
    (started,) = re.findall(r"enable --now (.*)", SERVING)
    assert started.split() == [f"distpriv@{port}" for port in published]


def _looped() -> list[str]:
    """The secrets that are drawn one after another."""
    (names,) = re.findall(r"^for name in (.*); do .* > deploy/secrets/\$name; done$", SERVING, re.M)
    return str(names).split()


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd on this machine")
    (block,) = re.findall(r"```ini\n(.*?)```", SERVING, re.DOTALL)
    unit = tmp_path / "distpriv@8501.service"
    unit.write_text(block.replace("/opt/distpriv/.venv/bin/python", sys.executable))
    done = subprocess.run([program, "verify", unit], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_secrets_come_by_files_that_the_page_makes(name: str) -> None:
    service = COMPOSE["services"][name]
    for variable, value in service["environment"].items():
        if variable.endswith("_FILE"):
            assert value.removeprefix("/run/secrets/") in service["secrets"]
        assert not re.search("PASSWORD|SECRET", variable.removesuffix("_FILE")) or (
            variable.endswith("_FILE")
        )
    made = {"/".join(("deploy/secrets", each)) for each in _looped()}
    for secret in service["secrets"]:
        file = COMPOSE["secrets"][secret]["file"].removeprefix("./")
        assert file in made or f"> {file}\n" in SERVING
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"/deploy/secrets/", "/deploy/sign-in.toml", ".env"} <= set(ignored)


def test_every_setting_that_compose_passes_on_is_described() -> None:
    settings = SERVING.partition("## Settings")[2]
    for name in DASHBOARDS:
        for variable in COMPOSE["services"][name]["environment"]:
            if variable.startswith("DISTPRIV_") or variable == "DATABASE_URL":
                assert f"| `{variable}` |" in settings


def test_secrets_are_read_from_their_files_alone(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("open sesame\n")
    given = {
        "PGPASSWORD_FILE": str(tmp_path / "password"),
        "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        "AWAY_FILE": f"{tmp_path}/../elsewhere",
    }
    found = start.with_secrets(given, tmp_path)
    assert found["PGPASSWORD"] == "open sesame"
    assert "PGPASSWORD_FILE" not in found
    assert found.keys() == {"PGPASSWORD", "SSL_CERT_FILE", "AWAY_FILE"}


def test_a_secret_that_is_missing_or_given_twice_stops_the_start(tmp_path: Path) -> None:
    given = {"PGPASSWORD_FILE": str(tmp_path / "none")}
    with pytest.raises(SystemExit, match="PGPASSWORD_FILE names cannot be read"):
        start.with_secrets(given, tmp_path)
    with pytest.raises(SystemExit, match="both given"):
        start.with_secrets(given | {"PGPASSWORD": "here"}, tmp_path)


@pytest.mark.parametrize(
    ("status", "said", "healthy"), [(200, b"ok", True), (200, b"no", False), (503, b"ok", False)]
)
def test_the_health_check_believes_ok_only(status: int, said: bytes, healthy: bool) -> None:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/_stcore/health" else 404)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *said: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = str(server.server_address[1])
    try:
        assert start.healthy(port) is healthy
    finally:
        server.shutdown()
        server.server_close()
    assert not start.healthy(port)


@pytest.mark.slow
def test_the_dockerfiles_lines_run_read_only_and_not_as_root() -> None:
    apart = ["unshare", "--mount", "--pid", "--fork", "true"]
    if shutil.which("unshare") is None or subprocess.run(apart, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here: it takes root on Linux")
    if not Path(sys.base_prefix, "bin", "python").exists():
        pytest.skip("this Python is not called python, as it is in the image")
    done = subprocess.run(
        [sys.executable, "-m", "tools.container", "--borrow"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {
        name: value for name, value in found.items() if not re.search("seconds|mega", name)
    } == {
        "healthy before": False,
        "can write the tree": False,
        "can write the root": False,
        "can write the volume": True,
        "user": 10001,
        "capabilities": 0,
        "first page": "ok",
        "healthy": True,
        "healthy when stopped": False,
    }
