"""Pictures of frames: a frame in, a figure out, and a sentence for screen readers.

Nothing is computed here but where marks and words stand; `distpriv.analysis` makes the frames.
"""

from distpriv.charts import attack, bars, bells, directions, fit, guarantee, style, tradeoff

__all__ = ["attack", "bars", "bells", "directions", "fit", "guarantee", "style", "tradeoff"]
