"""Run notebooks as Jupyter would, keep what they show, and make pages of them for the site."""

from __future__ import annotations

import ast
import base64
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
STYLE = "body {margin: 0; background: #FDFCFA} .modebar {display: none}"


def run(notebook: dict[str, Any]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return each code cell and its outputs; Plotly's figures are not drawn yet."""
    names: dict[str, Any] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [(cell, _outputs("".join(cell["source"]), names)) for cell in cells]


def _outputs(code: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell; return what it prints, and the figure, or repr and HTML, of the last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else ast.Expr(ast.Constant(None))
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.unparse(last), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "to_plotly_json"):
            data = {"image/png": value}
        elif html := getattr(value, "_repr_html_", lambda: None)():
            data["text/html"] = html
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
    return outputs


def write(path: Path, browser: Any) -> None:
    """Run a notebook and store its outputs in it, figures as PNG on the dashboard's paper."""
    notebook = json.loads(path.read_text("utf-8"))
    for count, (cell, outputs) in enumerate(run(notebook), start=1):
        cell.update(outputs=outputs, execution_count=count)
        for output in outputs:
            if figure := output.get("data", {}).get("image/png"):
                size = {"width": 760, "height": figure.layout.height}
                sharp = 1.3 if len(figure.to_json()) < 30_000 else 1  # clouds are large
                page = browser.new_page(viewport=size, device_scale_factor=sharp)
                page.set_content(f"<style>{STYLE}</style>{figure.to_html()}")
                page.wait_for_timeout(500)
                output["data"]["image/png"] = base64.b64encode(page.screenshot()).decode()
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


def page_of(notebook: dict[str, Any]) -> str:
    """Return a notebook as Markdown: its text, its code, and what it shows."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {"text/plain": output.get("text")})
            if png := data.get("image/png"):
                parts.append(f"![{cell['metadata']['alt']}](data:image/png;base64,{png})")
            elif html := data.get("text/html"):
                parts.append(f'<div class="shown">\n{html}\n</div>')
            else:
                parts.append(f"```text\n{data['text/plain'].rstrip()}\n```")
    return "\n\n".join(parts)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let MkDocs see code that tests do not run as code, too."""
    return markdown.replace("```python no-run\n", "```python\n")


def on_files(files: Any, config: Any) -> None:
    """Make pages of the notebooks under their own names, so that links to them hold (MkDocs)."""
    from mkdocs.structure.files import File

    class Page(File):
        def is_documentation_page(self) -> bool:
            return True

    for path in FOLDER.glob("*.ipynb"):
        name, text = f"notebooks/{path.name}", page_of(json.loads(path.read_text("utf-8")))
        files.remove(files.get_file_from_path(name))
        files.append(Page.generated(config, name, content=text))


if __name__ == "__main__":
    from tests.browser.browsing import browsing

    with browsing() as chromium:
        for one in sorted(FOLDER.glob("*.ipynb")):
            write(one, chromium)
