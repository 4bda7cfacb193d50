"""What the guided tour shows: seven results on the embedded data, and the paper's 2 × 2 example.

Everything is in closed form, from moments that are computed once.
"""

from distpriv.lessons.adding import Ally, Least, Turned, ally, least, turned
from distpriv.lessons.course import Course, course_of
from distpriv.lessons.deciding import Again, Allowed, again, allowed
from distpriv.lessons.example import EigenvectorExample, eigenvector_example
from distpriv.lessons.seeing import Hidden, Seen, hidden, seen
from distpriv.lessons.subtracting import Release, Subtracted, subtracted

__all__ = [
    "Again",
    "Allowed",
    "Ally",
    "Course",
    "EigenvectorExample",
    "Hidden",
    "Least",
    "Release",
    "Seen",
    "Subtracted",
    "Turned",
    "again",
    "allowed",
    "ally",
    "course_of",
    "eigenvector_example",
    "hidden",
    "least",
    "seen",
    "subtracted",
    "turned",
]
