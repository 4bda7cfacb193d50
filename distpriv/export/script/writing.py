"""A page's script: the scenario first, then what the page's writer adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from distpriv.export.script import setup
from distpriv.export.script.script import Script, Section
from distpriv.export.script.setup import Setting

__all__ = ["script_of"]

PRINT = Section(
    "The numbers", 'for name, value in result.items():\n    print(f"{name}: {value:.6g}")'
)
_NUMPY = "import numpy as np\n\n"


def script_of(
    title: str,
    write: Callable[..., list[Section]],
    setting: Setting,
    shown: Mapping[str, Any] | None = None,
    *,
    of_scenario: bool = True,
) -> Script:
    """The script that gives a page's numbers.

    Parameters
    ----------
    title : str
        What it is about.
    write : callable
        Gives the page's own sections for the setting.
    setting : Setting
    shown : mapping, optional
        What the page's own controls say, by the names of the writer's parameters.
    of_scenario : bool
        Whether it begins with the scenario's data, model and noise.

    Returns
    -------
    Script
        Its variable ``result`` holds the page's numbers by name.
    """
    if of_scenario:
        sections = [setup.data(setting)]
    else:
        sections = [Section("The package", "import distpriv as dp")]
    own = [*write(setting, **(shown or {})), PRINT]
    if of_scenario:
        sections.append(setup.evaluated(setting))
    sections += own
    if "np." not in "\n".join(section.code for section in sections):
        first = sections[0]
        sections[0] = Section(first.title, first.code.replace(_NUMPY, ""))
    return Script(title, tuple(sections))
