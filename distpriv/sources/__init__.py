"""Where tables live, and what is computed of them there."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from distpriv.sources.fit import fit_gaussian
from distpriv.sources.frame import FrameSource, Source, source_of

if TYPE_CHECKING:
    from distpriv.sources.databases import connect, from_spark
    from distpriv.sources.files import scan
    from distpriv.sources.named import named_source, named_sources

__all__ = ["FrameSource", "Source", "connect", "fit_gaussian", "from_spark", "named_source"]
__all__ += ["named_sources", "scan", "source_of"]

# What they need takes a moment to import.
_HOMES = {
    "connect": "databases",
    "from_spark": "databases",
    "named_source": "named",
    "named_sources": "named",
    "scan": "files",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"distpriv.sources.{_HOMES[name]}"), name)
