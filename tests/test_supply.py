"""What the dashboard is made of: advisories, licences and bill of materials, from the locks."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tools.locked import Locked, read

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements-lock.txt"

for needed in ("cyclonedx_py", "license_expression"):
    pytest.importorskip(needed, reason="comes with requirements-dev.txt")

from tools import advisories, licences, sbom  # noqa: E402


def test_every_line_of_the_locks_is_read_and_has_hashes() -> None:
    for name in advisories.LOCKS:
        lines = re.findall(r"(?m)^[a-z0-9].*==", (ROOT / name).read_text())
        packages = read(ROOT / name)
        assert len(packages) == len(lines)
        assert all(package.hashes for package in packages)


def _audited(**package: object) -> str:
    return json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []} | package]})


CLEAN = _audited()
UNKNOWN = json.dumps({"dependencies": [{"name": "a", "skip_reason": "not found on PyPI"}]})
BAD = _audited(vulns=[{"id": "PYSEC-1"}])


@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize(
    ("printed", "ended", "status", "line"),
    [
        (CLEAN, 0, 0, "none known against 1 locked"),
        (BAD, 1, 1, "a 1: PYSEC-1"),
        (UNKNOWN, 0, None, "NOT CHECKED.*1 of 1 packages"),
        (CLEAN, 1, None, "NOT CHECKED"),
        ("", 1, None, r"NOT CHECKED.*\(no route\)"),
        ("[]", 0, None, "NOT CHECKED"),
        ('{"dependencies": []}', 0, None, "NOT CHECKED"),
    ],
)
def test_an_audit_that_was_not_made_says_so_and_fails_only_where_required(
    printed: str, ended: int, status: int | None, line: str, required: bool
) -> None:
    found, said = advisories.verdict(printed, "warning\nno route", ended, required=required)
    assert re.search(line, said)
    assert found == (int(required) if status is None else status)


def test_offline_asks_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("asks the service"))
    monkeypatch.setenv(advisories.OFFLINE, "1")
    assert advisories.main() == 0
    assert capsys.readouterr().out == "advisories: NOT CHECKED, OFFLINE is set\n"
    monkeypatch.setenv(advisories.REQUIRED, "1")
    assert advisories.main() == 1


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(GPL-2.0-only OR Apache-2.0) AND BSD-3-Clause", True),
        ("Proprietary of somebody", False),
        ("", False),
    ],
)
def test_of_licences_to_choose_from_one_is_enough(expression: str, allowed: bool) -> None:
    assert licences.allows(expression, licences.ALLOWED) is allowed


def test_a_package_that_says_nothing_is_refused() -> None:
    with pytest.raises(licences.LicenceError, match="nobody-made-this is not installed"):
        licences.licence(Locked("nobody-made-this", "1", frozenset(), ""))


def test_the_page_lists_every_locked_package() -> None:
    listed = set(re.findall(r"(?m)^\| ([a-z0-9-]+) \| ", licences.PAGE.read_text()))
    locked = {package.name for name in advisories.LOCKS for package in read(ROOT / name)}
    assert listed - {"package"} == locked


def test_the_bill_of_materials_is_the_lock(tmp_path: Path) -> None:
    place = tmp_path / "dist" / "bill.json"
    sbom.write(place)
    found = json.loads(place.read_text())
    assert found["bomFormat"] == "CycloneDX"
    assert found["metadata"]["component"]["name"] == "distpriv"
    listed = {
        (
            part["name"],
            part["version"],
            frozenset(
                each["content"]
                for source in part["externalReferences"]
                for each in source.get("hashes", ())
                if each["alg"] == "SHA-256"
            ),
        )
        for part in found["components"]
    }
    assert listed == {(each.name, each.version, each.hashes) for each in read(LOCK)}
