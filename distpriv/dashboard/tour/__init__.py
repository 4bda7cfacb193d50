"""The guided tour: seven steps, each a sentence, a picture, a control and a question."""

from distpriv.dashboard.tour.steps import tour

__all__ = ["tour"]
