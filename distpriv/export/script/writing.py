"""A page's script: the scenario first, then what the page's writer adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from distpriv import mechanisms, queries
from distpriv.attacks.classifiers import classifier_names, get_classifier
from distpriv.export.script import setup
from distpriv.export.script.script import Script, Section, literal
from distpriv.export.script.setup import Setting

__all__ = ["script_of"]

PRINT = Section(
    "The numbers", 'for name, value in result.items():\n    print(f"{name}: {value:.6g}")'
)
_NUMPY = "import numpy as np\n\n"
_PACKAGE = "import distpriv as dp"


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
    sections = [setup.data(setting)] if of_scenario else [Section("The package", _PACKAGE)]
    own = [*write(setting, **(shown or {})), PRINT]
    if of_scenario:
        sections.append(setup.evaluated(setting))
    sections += own
    code = "\n".join(section.code for section in sections)
    first = sections[0].code.replace(_PACKAGE, "\n".join([_PACKAGE, *_extensions(code)]), 1)
    if "np." not in code:
        first = first.replace(_NUMPY, "")
    sections[0] = Section(sections[0].title, first)
    return Script(title, tuple(sections))


def _extensions(code: str) -> list[str]:
    """Imports of what registers the mechanisms, statistics and attackers from outside it names."""
    registered = {name: type(mechanisms.get(name)).__module__ for name in mechanisms.names()}
    registered |= {kind: queries.get(kind).__module__ for kind in queries.names()}
    registered |= {name: get_classifier(name).fit.__module__ for name in classifier_names()}
    modules = {
        module
        for name, module in registered.items()
        if module.partition(".")[0] != "distpriv" and literal(name) in code
    }
    return [f"import {module}  # registers what is used below" for module in sorted(modules)]
