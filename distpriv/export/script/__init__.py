"""Scenarios as Python: for every page a script against the public names that gives its numbers."""

from distpriv.export.script.notebook import notebook
from distpriv.export.script.script import Script, Section
from distpriv.export.script.setup import Setting, Source
from distpriv.export.script.writing import script_of

__all__ = ["Script", "Section", "Setting", "Source", "notebook", "script_of"]
