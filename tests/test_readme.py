"""What README says works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
# Where the files lie once the package is installed.
INSTALLED = {"distpriv/_app/"}
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_its_python_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert " -> " in capsys.readouterr().out


def test_its_make_targets_exist() -> None:
    targets = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"run", "test", "lint"} <= targets
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))
    assert all((document.parent / link).exists() for link in links)


@pytest.mark.parametrize(
    "document",
    [path for path in DOCUMENTS if path.stem != "CONTRIBUTING"],  # whose examples are made up
    ids=lambda path: path.name,
)
def test_the_files_that_a_document_names_are_there(document: Path) -> None:
    """Those in backticks that look like paths of the repository."""
    named = re.findall(
        r"`((?:distpriv|pages|tests|docs|data|requirements|benchmarks)/[\w./-]*)`",
        document.read_text(encoding="utf-8"),
    )
    assert not [name for name in named if not (ROOT / name).exists() and name not in INSTALLED]
