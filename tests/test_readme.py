"""What README and the guide to reading show is what their code prints."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", ["README.md", "docs/reading.md"])
def test_readme_code_prints_what_it_says(name, capsys):
    text = (ROOT / name).read_text(encoding="utf-8")
    code, output = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL).groups()
    exec(compile(code, name, "exec"), {})
    assert capsys.readouterr().out == output
