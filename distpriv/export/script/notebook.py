"""Scripts as Jupyter notebooks."""

from __future__ import annotations

from typing import Any

from distpriv.export.script.script import Script

__all__ = ["notebook"]


def notebook(script: Script) -> str:
    """Write a script as a notebook (nbformat 4), a heading and a cell for every section.

    The same script gives the same text.
    """
    import nbformat  # a third of a second that only a download takes

    v4: Any = nbformat.v4
    cells = [v4.new_markdown_cell(f"# {script.title}")]
    for section in script.sections:
        cells += [v4.new_markdown_cell(f"## {section.title}"), v4.new_code_cell(section.code)]
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place}"  # in place of a random one
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    write: Any = nbformat.writes
    return str(write(book))
