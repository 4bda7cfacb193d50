"""What README shows is what its code prints."""

import re
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_readme_code_prints_what_it_says(capsys):
    code, output = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL
    ).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == output
