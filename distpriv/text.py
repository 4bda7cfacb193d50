"""Numbers and names in sentences, the same in every locale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from distpriv.errors import DistprivError

__all__ = ["listed", "near", "one_of", "percent", "right_of_100", "significant", "times", "whole"]
__all__ += ["within"]

THIN = "\u202f"  # narrow no-break space, between thousands
FIXED = "\u00a0"  # no-break space, between a number and its unit


def whole(count: float) -> str:
    """Write a count with its thousands apart: 45222 as "45 222"."""
    return _grouped(f"{round(count):,d}")


def significant(value: float, digits: int = 3) -> str:
    """Write a number with that many significant digits, but never round its whole part.

    3643.4 is "3 643", 0.012345 is "0.0123", 2.0 is "2", and 1.2e-7 is "1.2e-7".
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "∞" if value > 0 else "−∞"
    size = math.floor(math.log10(abs(value))) if value else 0
    if -5 < size < 15:
        # Rounding may reach the next power of ten; the digit too many is a zero and goes below.
        text = f"{value:,.{max(digits - 1 - size, 0)}f}"
        return _grouped(text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return _grouped(f"{short}e{int(exponent)}")


def within(value: float, deviation: float) -> str:
    """Write a number with its deviation, both to the second digit of that: "10.04 ± 0.24"."""
    if not deviation:
        return significant(value)
    places = max(1 - math.floor(math.log10(deviation)), 0)
    return " ± ".join(_grouped(f"{one:,.{places}f}") for one in (value, deviation))


def percent(fraction: float, digits: int = 3) -> str:
    """Write a fraction in per cent: 0.2 as "20 %"."""
    return f"{significant(100 * fraction, digits)}{FIXED}%"


def right_of_100(guesses: float, sure: str = "more than 99") -> str:
    """Write right guesses of 100 as a number: all but certainty is `sure`, and never 100."""
    return sure if 99.5 <= guesses < 100 else f"{guesses:.0f}"


def times(guesses: float) -> str:
    """Write right guesses of 100: "60 times in 100", see `right_of_100`."""
    return f"{right_of_100(guesses)}{FIXED}times in{FIXED}100"


def listed(names: Iterable[object], last: str = "and") -> str:
    """Join names as a sentence does: "a, b and c"."""
    words = [str(name) for name in names]
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def near(name: object, names: Iterable[object]) -> str:
    """Return " Did you mean 'x'?" for the nearest of the names, or nothing if none is near."""
    text, words = str(name), [str(each) for each in names]
    folded = {word.casefold(): word for word in reversed(words)}
    close: Sequence[str] = get_close_matches(text.casefold(), folded, n=1, cutoff=0.6)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""


def one_of(
    what: str,
    name: object,
    names: Iterable[object],
    error: type[DistprivError] = DistprivError,
) -> None:
    """Raise the error where a name is none of those that there are, which it lists."""
    words = tuple(names)
    if name not in words:
        which = listed(map(repr, words), "or")
        raise error(f"There is no {what} {name!r}; take {which}.{near(name, words)}")


def _grouped(text: str) -> str:
    """Put narrow spaces for commas, and a true minus sign."""
    return (f"−{text[1:]}" if text[0] == "-" else text).replace(",", THIN)
