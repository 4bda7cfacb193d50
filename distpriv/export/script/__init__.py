"""Scenarios as Python: for every page a script against the public names that gives its numbers."""

from distpriv.export.script.notebook import notebook
from distpriv.export.script.pages import PAGES, script_of
from distpriv.export.script.script import Script, Section
from distpriv.export.script.setup import Setting, Source

__all__ = ["PAGES", "Script", "Section", "Setting", "Source", "notebook", "script_of"]
