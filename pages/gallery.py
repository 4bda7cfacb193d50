"""Gallery: five examples with their stories, and problem sets for teachers."""

from distpriv.dashboard.gallery import cards, corner

cards.draw()
corner.draw()
