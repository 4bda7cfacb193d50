"""Learn by trying: the steps of a tour, and what pairs of students make of them.

``STEPS[2].show(60)`` computes what the third step shows at a limit of 60 right guesses.
"""

from distpriv.lessons.pairs import QUESTIONS, Progress, links
from distpriv.lessons.steps import ROUNDS, STEPS, Round, Shown, Step, released, rounds
from distpriv.lessons.words import faq, glossary

__all__ = ["QUESTIONS", "ROUNDS", "STEPS", "Progress", "Round", "Shown", "Step", "links"]
__all__ += ["faq", "glossary", "released", "rounds"]
