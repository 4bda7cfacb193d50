"""Where tables live, and what is computed of them there."""

from distpriv.sources.fit import fit_gaussian
from distpriv.sources.frame import FrameSource, Source, source_of

__all__ = ["FrameSource", "Source", "fit_gaussian", "source_of"]
