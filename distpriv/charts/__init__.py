"""Pictures of results: pure functions from the package's values to plotly figures.

A figure carries no template and no background, so that it takes on the look of the page it is
put on, light or dark. Its ``layout.meta`` holds two plain texts: ``alt``, the result in one
sentence for who cannot see the picture, and ``how_to_read``, what the marks mean, to go on from
"How to read this: ". They are not escaped; ``alt`` may quote labels of the data.
"""

from distpriv.charts import attack, directions, fit, utility
from distpriv.charts.data import figure_data
from distpriv.charts.style import CONFIG, MechanismStyle, style_of

__all__ = [
    "CONFIG",
    "MechanismStyle",
    "attack",
    "directions",
    "figure_data",
    "fit",
    "style_of",
    "utility",
]
