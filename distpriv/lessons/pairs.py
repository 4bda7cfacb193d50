"""What a pair of students guesses and writes on the tour, and the file that they hand in."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from distpriv.lessons.steps import ROUNDS, STEPS, TOUR, rounds

__all__ = ["QUESTIONS", "Progress", "links"]

QUESTIONS: tuple[str, ...] = (*TOUR["pairs"]["questions"],)
"""That are answered in writing."""

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{0}</title>
<style>body {{font: 16px/1.5 sans-serif; max-width: 46em; margin: 2em auto; padding: 0 1em}}
.text {{white-space: pre-wrap; border-left: 4px solid #1C9470; padding-left: 1em}}</style>
<h1>{0}</h1>{1}</html>
"""


@dataclass
class Progress:
    """Hold what somebody has done on the tour; nothing of it is stored.

    Attributes
    ----------
    pair : int
        Number of a pair of students, 0 for nobody's; the seed of all that is drawn.
    place : int
        Of the step that is open, from 1; one more than there are steps for the end.
    calls : list of int
        Shares that were guessed in the game, see `Round`.
    guesses : dict of key to number or None
        Of steps whose answer is shown; None where nothing was guessed.
    values, chosen, texts : dict
        Of controls and options by key, and answers by question.

    Examples
    --------
    >>> mine = dp.lessons.Progress(pair=7)
    >>> mine.call(0, 1)
    >>> mine.score()  # right so far, and the best attacker
    (1, 1)
    """

    pair: int = 0
    place: int = 1
    calls: list[int] = field(default_factory=list)
    guesses: dict[str, float | None] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    chosen: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def call(self, number: int, share: int) -> None:
        """Guess the share of a round; a second click on it counts for nothing."""
        if number == len(self.calls) < ROUNDS:
            self.calls.append(share)

    def score(self) -> tuple[int, int]:
        """Return how many rounds so far were guessed right, and by the best attacker."""
        played = list(zip(self.calls, rounds(self.pair), strict=False))
        right = sum(call == one.share for call, one in played)
        return right, sum(one.best == one.share for _, one in played)

    def done(self) -> tuple[int, int]:
        """Return how many answers are shown, and how many questions are answered right."""
        right = [self.chosen.get(step.key) == step.show().right for step in STEPS]
        return len(self.guesses), sum(right)

    def export(self) -> str:
        """Return guesses, answers and figures as a page of HTML, in which all texts are escaped."""
        title = f"Tour, pair {self.pair}" if self.pair else "Tour"
        parts = []
        for number, step in enumerate(STEPS, 1):
            if step.key not in self.guesses:
                continue
            shown, guess = step.show(self.values.get(step.key), self.pair), self.guesses[step.key]
            lines = [step.text("sentence", shown), step.text("note", shown)]
            if guess is not None:
                truth = step.write(self.score()[1] if step.key == "attacker" else shown.truth)
                words = f"{step.text('guess', shown)} Guessed: {step.write(guess)}"
                by = ", the best attacker: " if step.key == "attacker" else ". It is: "
                lines.insert(0, f"{words}{by}{truth}.")
            if (option := self.chosen.get(step.key)) is not None:
                mark = "right" if option == shown.right else "not so"
                words = f"{step.prose['options'][option][0]} ({mark})."
                lines.append(f"{step.text('question', shown)} {words}")
                lines.append(step.text("options", shown, shown.right))
            parts.append(f"<h2>{number}. {escape(step.prose['takeaway'])}</h2>")
            parts += [f"<p>{escape(line.replace('*', ''))}</p>" for line in lines]
        for question in QUESTIONS:
            parts.append(f"<h2>{escape(question)}</h2>")
            parts.append(f'<p class="text">{escape(self.texts.get(question, ""))}</p>')
        return _PAGE.format(title, "\n".join(parts))


def links(address: str, pairs: int) -> list[str]:
    """Return the addresses that pairs of students open, from that of the page: a seed for each.

    Examples
    --------
    >>> dp.lessons.links("http://localhost:8501/tour", 2)[1]
    'http://localhost:8501/tour?pair=2'
    """
    return [f"{address}?pair={pair}" for pair in range(1, pairs + 1)]
