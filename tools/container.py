"""Runs the Dockerfile's own lines where there is no container daemon: read-only, and not as root.

``python -m tools.container`` (as root) builds each stage in a folder, by the COPY and RUN lines,
within a root made of this system's own folders, mounted read-only, with this Python in
``/usr/local``. Then it starts ENTRYPOINT and CMD as USER, with ENV and nothing else, where only the
temporary file system and the volume can be written, and walks the HEALTHCHECK. It is no container:
the system's packages are this machine's, and network and processes are not its own.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess  # nosec B404 # mount, chroot and setpriv are programs
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from tools import dockerfile
from tools.dockerfile import Instruction

__all__ = ["main"]

ROOT = Path(__file__).parents[1]
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSTEM = ("usr", "bin", "sbin", "lib", "lib64", "etc")
_SECONDS = 120
_CHROOT, _MOUNT = "/usr/sbin/chroot", "/usr/bin/mount"


def main() -> int:
    """Build, start, ask and stop; print what was found as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--borrow", action="store_true", help="packages of this Python: no pip")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside is not None:
        print(json.dumps(_Container(options.inside, options.borrow).walk(), indent=2))
        return 0
    apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation=private"]
    # Out here nothing is mounted on the folder: what is emptied in the end is that folder alone.
    with tempfile.TemporaryDirectory(prefix="distpriv-container-") as folder:
        Path(folder).chmod(0o755)
        given = [sys.executable, "-m", "tools.container", "--inside", folder, *sys.argv[1:]]
        return subprocess.call([*apart, *given], cwd=ROOT)  # nosec B603 # no shell


def _mount(*arguments: str | Path) -> None:
    subprocess.run([_MOUNT, *map(str, arguments)], check=True)  # nosec B603 # no shell


def _bind(source: Path, target: Path, *, writable: bool = False) -> None:
    target.mkdir(parents=True, exist_ok=True)
    _mount("--bind", source, target)
    if not writable:
        _mount("-o", "remount,bind,ro", target)


class _Container:
    """The stages of the Dockerfile, and the server that the last one runs."""

    def __init__(self, folder: Path, borrow: bool) -> None:
        self._folder = folder
        self._borrow = borrow
        self._stages = dockerfile.read((ROOT / "Dockerfile").read_text(encoding="utf-8"))
        self._environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root"}
        self._workdir = "/"

    def walk(self) -> dict[str, object]:
        began = time.monotonic()
        for name, stage in self._stages.items():
            self._build(name or "final", stage)
        built = time.monotonic() - began
        return {"build seconds": round(built, 1)} | self._serve(self._stages[""])

    def _root(self, name: str, written: list[str]) -> Path:
        """A root directory: the system's folders, and the stage's own."""
        root = self._folder / f"{name}-root"
        root.mkdir()
        _mount("-t", "tmpfs", "tmpfs", root)
        for part in _SYSTEM:
            system = Path("/", part)
            if system.is_symlink():
                (root / part).symlink_to(os.readlink(system))
            elif system.exists():
                _bind(system, root / part)
        _bind(Path(sys.base_prefix), root / "usr" / "local")
        if not sys.base_prefix.startswith("/usr"):  # where it looks for its own library
            _bind(Path(sys.base_prefix), root / sys.base_prefix.lstrip("/"))
        (root / "dev").mkdir()
        for device in _DEVICES:
            (root / "dev" / device).touch()
            _mount("--bind", Path("/dev", device), root / "dev" / device)
        (root / "dev" / "shm").mkdir()
        _mount("-t", "tmpfs", "tmpfs", root / "dev" / "shm")
        (root / "proc").mkdir()
        _mount("-t", "proc", "proc", root / "proc")
        for part in written:
            kept = self._folder / name / part
            kept.mkdir(parents=True, exist_ok=True)
            _bind(kept, root / part, writable=True)
        (root / "tmp").mkdir()
        _mount("-t", "tmpfs", "-o", "size=1g,mode=1777", "tmpfs", root / "tmp")
        return root

    def _build(self, name: str, stage: list[Instruction]) -> None:
        environment, workdir = dict(self._environment), "/"
        root = self._root(name, ["opt", "data"])
        if self._borrow:
            _bind(Path(sysconfig.get_path("purelib")), root / "borrowed" / "site-packages")
        for each in stage:
            if each.name == "ENV":
                environment = dockerfile.environment(each.text, environment)
            elif each.name == "WORKDIR":
                workdir = each.text
                (root / workdir.lstrip("/")).mkdir(parents=True, exist_ok=True)
            elif each.name == "COPY":
                self._copy(each, root, workdir)
            elif each.name == "RUN":
                self._run(each.text, root, workdir, environment)
            elif each.name not in ("FROM", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK",
                                   "ENTRYPOINT", "CMD"):  # fmt: skip
                raise SystemExit(f"{each.name} is nothing that can be tried here.")
        self._environment, self._workdir = (
            (environment, workdir) if name == "final" else (self._environment, "/")
        )

    def _copy(self, each: Instruction, root: Path, workdir: str) -> None:
        *sources, target = each.text.split()
        origin = self._folder / f"{each.flags['from']}-root" if "from" in each.flags else ROOT
        goal = root / (Path(workdir) / target).as_posix().lstrip("/")
        for source in sources:
            start = origin / source.lstrip("/")
            into = goal / start.name if target.endswith("/") else goal
            into.parent.mkdir(parents=True, exist_ok=True)
            if start.is_dir():
                left_out = shutil.ignore_patterns("__pycache__") if origin == ROOT else None
                shutil.copytree(start, into, symlinks=True, dirs_exist_ok=True, ignore=left_out)
            else:
                shutil.copy2(start, into)
            if "chown" in each.flags:
                shutil.chown(into, *map(int, each.flags["chown"].split(":")))

    def _run(self, text: str, root: Path, workdir: str, environment: dict[str, str]) -> None:
        if self._borrow and "pip install" in text:
            (packages,) = (root / "opt/venv/lib").glob("python*/site-packages")
            (packages / "borrowed.pth").write_text("/borrowed/site-packages\n")
            return
        said = {k: v for k, v in os.environ.items() if k.startswith("PIP_")} | environment
        inside = f"cd {workdir} && {text}"
        done = subprocess.run(  # nosec B603 # the shell is that of RUN
            [_CHROOT, root, "/bin/sh", "-c", inside], env=said, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"RUN {text} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")

    def _serve(self, stage: list[Instruction]) -> dict[str, object]:
        said = {each.name: each.text for each in stage}
        (user, group) = said["USER"].split(":")
        root = self._folder / "final-root"
        _mount("-o", "remount,bind,ro", root / "opt")
        _mount("-o", "remount,size=1g,mode=1777,noexec,nosuid,nodev", root / "tmp")
        _mount("-o", "remount,ro", root)
        # No RUN stands in the last stage, so that its own temporary files are none.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        environment = self._environment | {
            "STREAMLIT_SERVER_PORT": port,
            "STREAMLIT_SERVER_SCRIPT_HEALTH_CHECK_ENABLED": "true",
        }
        less = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups"]
        less += ["--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
        within = [_CHROOT, str(root), "/usr/bin/env", "-C", self._workdir, *less]

        def ask(*arguments: str) -> int:
            return subprocess.run(  # nosec B603 # no shell
                [*within, *arguments], env=environment, capture_output=True
            ).returncode

        entry = dockerfile.command(said["ENTRYPOINT"]) + dockerfile.command(said["CMD"])
        check = dockerfile.healthcheck(stage)
        found: dict[str, object] = {"healthy before": ask(*check) == 0}
        found["can write the tree"] = ask("touch", "/opt/distpriv/new") == 0
        found["can write the root"] = ask("touch", "/new") == 0
        found["can write the volume"] = ask("touch", "/data/new") == 0
        began = time.monotonic()
        with subprocess.Popen(  # nosec B603 # no shell
            [*within, *entry], env=environment, stdout=sys.stderr
        ) as server:
            try:
                while ask(*check) and time.monotonic() - began < _SECONDS:
                    if server.poll() is not None:
                        raise SystemExit(f"The server has ended with {server.returncode}.")
                    time.sleep(0.2)
                found["healthy after seconds"] = round(time.monotonic() - began, 1)
                found |= _status(root, server.pid, "at start")
                address = f"http://127.0.0.1:{port}/_stcore/script-health-check"
                with urlopen(address, timeout=_SECONDS) as answer:  # nosec B310 # http, as above
                    found["first page"] = answer.read().decode()
                found |= _status(root, server.pid, "after the first page")
                found["healthy"] = ask(*check) == 0
            finally:
                server.terminate()
                began = time.monotonic()
                server.wait(_SECONDS)
        found["stopped after seconds"] = round(time.monotonic() - began, 1)
        found["healthy when stopped"] = ask(*check) == 0
        return found


def _status(root: Path, process: int, when: str) -> dict[str, object]:
    """Who a process runs as, and its memory."""
    lines = (root / "proc" / str(process) / "status").read_text().splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    return {
        "user": int(status["Uid"][1]),
        "capabilities": int(status["CapBnd"][0], 16) | int(status["CapEff"][0], 16),
        f"megabytes {when}": round(int(status["VmRSS"][0]) / 1024),
    }


if __name__ == "__main__":
    raise SystemExit(main())
