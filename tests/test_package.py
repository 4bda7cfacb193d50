"""The package as others get it: built, installed elsewhere, started by its command."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOT_CORE = [
    re.split(r"[~=>\[]", line)[0]
    for name in ("dashboard", "postgres", "spark")
    for line in (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()
]
# Nothing of the checkout, and nothing of whoever runs the tests.
ENVIRONMENT = {
    name: value
    for name, value in os.environ.items()
    if name not in ("ADULT_DIR", "PYTHONPATH") and not name.startswith("STREAMLIT_")
}


def _run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment into which the wheel of the source distribution is installed.

    What the package depends on is borrowed from the environment of the tests.
    """
    folder = tmp_path_factory.mktemp("package")
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", ".*_cache", "tests")
    for name in ("distpriv", "pages", "data", "requirements", ".streamlit"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("app.py", "setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = "from setuptools import build_meta; print(build_meta.build_sdist('..'))"
    archive = _run(sys.executable, "-c", build, cwd=source).split()[-1]
    pip = [sys.executable, "-m", "pip", "--quiet", "--no-input"]
    offline = ["--no-deps", "--no-index"]
    _run(*pip, "wheel", *offline, "--no-build-isolation", archive, cwd=folder)
    _run(sys.executable, "-m", "venv", "--without-pip", "env", cwd=folder)
    (wheel,) = folder.glob("*.whl")
    programs = folder / "env" / "bin"
    _run(*pip, "--python", programs / "python", "install", *offline, wheel, cwd=folder)
    (packages,) = folder.glob("env/lib/python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return programs


def test_every_example_is_installed(installed: Path, tmp_path: Path) -> None:
    script = (
        "import distpriv as dp\n"
        "print(dp.__file__, len(dp.load_census_income()))\n"
        "print(dp.attribute.hospital().title, dp.attribute.school().title)"
    )
    printed = _run(installed / "python", "-c", script, cwd=tmp_path)
    assert printed.startswith(str(installed.parent))
    assert " 45222\n" in printed


def test_the_wheel_holds_the_dashboard_and_no_scripts_that_make_data(installed: Path) -> None:
    (app,) = installed.parent.glob("lib/python*/site-packages/distpriv/_app")
    files = {str(path.relative_to(app)) for path in app.rglob("*.*") if path.is_file()}
    pages = {f"pages/{path.name}" for path in (ROOT / "pages").glob("*.py")}
    data = {path.name for path in (ROOT / "data").glob("*.parquet")}
    data |= {"README.md", "hospital.json", "school_network.json"}
    data |= {f"problem_sets/{path.name}" for path in (ROOT / "data" / "problem_sets").iterdir()}
    others = {"app.py", ".streamlit/config.toml", *(f"data/{name}" for name in data)}
    assert {name for name in files if "__pycache__" not in name} == pages | others


def test_the_command_opens_the_dashboard_from_any_folder(installed: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Settings of the folder do not count.
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text('[server]\naddress = "0.0.0.0"\n')
    process = subprocess.Popen(
        [installed / "distpriv", "--no-browser", "--port", str(port)],
        cwd=tmp_path,
        env=ENVIRONMENT | {"STREAMLIT_SERVER_SCRIPT_HEALTH_CHECK_ENABLED": "true"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert _answer(f"http://127.0.0.1:{port}/_stcore/health", seconds=60) == "ok"
        # The first page's script runs to its end.
        assert _answer(f"http://127.0.0.1:{port}/_stcore/script-health-check", seconds=60) == "ok"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=5)
    finally:
        process.terminate()
        process.wait()


def _answer(address: str, seconds: float) -> str:
    until = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(address, timeout=seconds) as response:
                return str(response.read().decode())
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def test_notebooks_need_neither_streamlit_nor_a_database() -> None:
    # What only the dashboard writes, keeps and shows of what it keeps.
    outside = (
        "distpriv.dashboard",
        "distpriv.store",
        "distpriv.export.script",
        "distpriv.charts.alternatives",
    )
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in sorted((ROOT / "distpriv").rglob("*.py"))
    ]
    core = [name for name in modules if not name.startswith(outside)]
    script = f"""
import importlib, sys
sys.modules.update(dict.fromkeys({NOT_CORE}))
for name in {[name.removesuffix(".__init__") for name in core]}:
    importlib.import_module(name)
from distpriv.dashboard.command import main
raise SystemExit(main([]) - 2)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("The dashboard's packages are not installed;")
    assert done.stderr.count("\n") == 1


def test_the_core_alone_offers_every_name_and_keeps_what_is_on_record(tmp_path: Path) -> None:
    script = f"""
import sys
sys.modules.update(dict.fromkeys({NOT_CORE}))
from distpriv import *
import distpriv as dp
assert store.ledger(store.open_store()) == []
for opened in (store.open_store, lambda url: dp.connect(url, table="people")):
    try:
        opened("postgresql://nobody@localhost/none")
    except dp.DistprivError as error:
        print(error)
"""
    environment = ENVIRONMENT | {"DATABASE_URL": f"sqlite:///{tmp_path}/kept.sqlite"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("needs psycopg, which is not installed; install distpriv with") == 2
