"""Run notebooks as Jupyter would and keep what they show; make pages of them for the site."""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


def read(path: Path) -> dict[str, Any]:
    """Return a notebook's content."""
    return json.loads(path.read_text("utf-8"))


def run(notebook: dict[str, Any]) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Return each code cell and its outputs; Plotly's figures are not drawn yet."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [(cell, _outputs("".join(cell["source"]), names)) for cell in cells]


def _outputs(code: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a cell; return what it prints, and the figure, or repr and HTML, of the last line."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    if value is None:
        return outputs
    shown = {"text/plain": repr(value)}
    if hasattr(value, "to_plotly_json"):
        shown = {"image/png": value}
    elif page := getattr(value, "_repr_html_", lambda: None)():
        shown["text/html"] = page
    return [*outputs, {"output_type": "display_data", "metadata": {}, "data": shown}]


def draw(browser: Any, figure: Any) -> str:
    """Return the PNG of a figure on the dashboard's paper, in base64."""
    page = browser.new_page(viewport={"width": 760, "height": figure.layout.height or 450})
    code = figure.to_html(config={"staticPlot": True})
    page.set_content(f"<style>body {{margin: 0; background: #FDFCFA}}</style>{code}")
    page.wait_for_selector(".js-plotly-plot .main-svg")
    page.wait_for_timeout(300)
    picture = page.screenshot()
    page.close()
    return base64.b64encode(picture).decode()


def write(path: Path, browser: Any) -> None:
    """Run a notebook and store its outputs in it."""
    notebook = read(path)
    for count, (cell, outputs) in enumerate(run(notebook), start=1):
        for output in outputs:
            if figure := output.get("data", {}).get("image/png"):
                output["data"]["image/png"] = draw(browser, figure)
        cell.update(outputs=outputs, execution_count=count)
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
            elif table := data.get("text/html"):
                parts.append(f'<div class="shown">\n{table}\n</div>')
            else:
                parts.append(f"```text\n{data['text/plain'].rstrip()}\n```")
    return "\n\n".join(parts)


def on_files(files: Any, config: Any) -> Any:
    """Make pages of the notebooks under their own names, so that links to them hold (MkDocs)."""
    from mkdocs.structure.files import File

    class Page(File):
        def is_documentation_page(self) -> bool:
            return True

    for path in FOLDER.glob("*.ipynb"):
        name = f"notebooks/{path.name}"
        files.remove(files.get_file_from_path(name))
        files.append(Page.generated(config, name, content=page_of(read(path))))
    return files


if __name__ == "__main__":
    from tests.browser.browsing import browsing

    with browsing() as chromium:
        for one in sorted(FOLDER.glob("*.ipynb")):
            write(one, chromium)
            print(one.name)
