"""Scenarios as Python: for every page a script against the public names that gives its numbers."""

from distpriv.code.notebook import notebook
from distpriv.code.pages import PAGES, script_of
from distpriv.code.script import Script, Section
from distpriv.code.setup import Setting, Source

__all__ = ["PAGES", "Script", "Section", "Setting", "Source", "notebook", "script_of"]
