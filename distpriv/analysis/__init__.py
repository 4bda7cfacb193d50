"""From a scenario and a table to an answer: what can be told, what hides it, what that costs."""

from distpriv.analysis.cache import Cache
from distpriv.analysis.comparison import Recommendation, Way, compare, recommend
from distpriv.analysis.evaluation import Evaluation, evaluate
from distpriv.analysis.exposure import exposure
from distpriv.analysis.limits import ErrorLimit, Limit, choose
from distpriv.analysis.scenario import Scenario
from distpriv.privacy import Persons

__all__ = ["Cache", "ErrorLimit", "Evaluation", "Limit", "Persons", "Recommendation", "Scenario"]
__all__ += ["Way", "choose", "compare", "evaluate", "exposure", "recommend"]
