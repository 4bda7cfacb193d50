"""The tour: steps, each a function from a control's value to what it comes to.

All stand on the example of a census: five figures of 100 records, of which 20 or 30 % earn much.
Its prose is tour.toml, whose {names} are figures that the functions return.
"""

from __future__ import annotations

import math
import tomllib
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import block_diag

from distpriv.analysis import Cache, Evaluation, Way, evaluate, frames, recommend, tables
from distpriv.analysis.comparison import PUBLISHED, costs_frame, judge, mean_percent
from distpriv.analysis.curves import ceiling, reach_frame
from distpriv.arrays import FloatArray
from distpriv.attacks import PropertyInferenceAttack
from distpriv.attacks.arithmetic import ShareLaws, log_normal
from distpriv.composition import repeated
from distpriv.errors import DistprivError
from distpriv.mechanisms import calibrate
from distpriv.model import Release, no_data
from distpriv.model.simulate import simulate
from distpriv.privacy import NormalLoss, accuracies
from distpriv.text import listed, significant, times, within

__all__ = ["ROUNDS", "STEPS", "TOUR", "Round", "Shown", "Step", "released", "rounds"]

ROUNDS = 10
"""Tables of a game."""

_DELTA = 1e-3
_FITS = 1e-6  # of a record: how near to a whole number a count is that fits
_REACH = 2.5  # deviations of the noise that are tried
_AGAIN = 20  # releases of records that are chosen anew for each
_CACHE = Cache()
TOUR = tomllib.loads(Path(__file__).with_name("tour.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, eq=False)
class Shown:
    """What a step comes to at one value of its control.

    Attributes
    ----------
    truth : float
        What the guess was about.
    right : int
        Place of the option that holds.
    picture, frame, look
        Kind of picture, "bells", "tries", "epsilon", "width" or "costs", and what it is drawn from.
    figures : mapping
        What the {names} of the prose stand for.

    Examples
    --------
    >>> dp.lessons.STEPS[5].show().truth  # balanced: right guesses of 100
    50.0
    """

    truth: float
    right: int
    picture: str
    frame: pd.DataFrame = field(repr=False)
    figures: Mapping[str, Any] = field(repr=False)
    look: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Step:
    """One step of the tour: its key, its prose (an entry of tour.toml), and what computes it.

    Examples
    --------
    >>> step = dp.lessons.STEPS[1]
    >>> print(step.text("answer", step.show(400)))
    More records tell more
    """

    key: str
    prose: Mapping[str, Any] = field(repr=False)
    compute: Callable[[Any, int], Shown] = field(repr=False)

    def choices(self, seed: int = 0) -> Sequence[float]:
        """Return the values of the control, which follow from the seed where counts are tried."""
        return self.prose.get("values") or _undone(seed)[0]["tried"].astype(int).to_list()

    def show(self, value: float | None = None, seed: int = 0) -> Shown:
        """Compute what the step comes to; DistprivError if the control has no such value.

        Parameters
        ----------
        value : float, optional
            One of `choices`; by default the one it starts with.
        seed : int
            Of what is drawn or simulated.
        """
        every = self.choices(seed)
        chosen = self.prose.get("start", every[0]) if value is None else value
        if chosen not in every:
            raise DistprivError(f"{self.key} has no value {chosen}; take {listed(every, 'or')}.")
        return self.compute(chosen, seed)

    def text(self, name: str, shown: Shown, option: int | None = None) -> str:
        """Return a text of the prose with its figures; of "options", why one holds or does not."""
        text = self.prose[name] if option is None else self.prose[name][option][1]
        return str(text.format(**shown.figures))

    def write(self, value: float) -> str:
        """Return a guess, or what it was about, with its unit."""
        return str(self.prose["unit"].format(value))


@lru_cache(maxsize=64)
def _at(records: int = 100, guesses: float = 60.0, places: tuple[int, ...] = ()) -> Evaluation:
    """Return the example's results at a number of records and a limit, of some statistics."""
    source = tables.source_by_key("census-income")
    start = tables.start(source)
    some = tuple(start.statistics[place] for place in places) or start.statistics
    changed = replace(start, records=records, guesses=float(guesses), statistics=some)
    return evaluate(changed, source, _CACHE)


def _bells(guesses: Mapping[str, float]) -> pd.DataFrame:
    panels = [(title, one, None) for title, one in guesses.items()]
    return frames.bells_frame(panels, _at().exposed_shares)


class Round(NamedTuple):
    """One table of the game: figures as they are, (m,), its share, and the best attacker's guess.

    0 is the lower share and 1 the higher one.

    Examples
    --------
    >>> dp.lessons.rounds(seed=7)[2].share
    1
    """

    figures: FloatArray
    share: int
    best: int


@lru_cache(maxsize=64)
def rounds(seed: int = 0, count: int = ROUNDS) -> tuple[Round, ...]:
    """Draw tables of 100 records at either share, by a toss, and let the best attacker guess.

    Examples
    --------
    >>> sum(one.best == one.share for one in dp.lessons.rounds(seed=7))
    9
    """
    rng, now = np.random.default_rng(seed), _at()
    fitted, shares = now.model.pairs[0], rng.integers(2, size=count)
    figures = simulate(now.drawn, 0, count, rng)[shares, np.arange(count)]
    laws = zip(fitted.means, fitted.covariances, strict=True)
    low, high = (log_normal(figures - mean, covariance) for mean, covariance in laws)
    return tuple(map(Round, figures, shares.tolist(), (high > low).astype(int).tolist()))


def released(number: int, seed: int = 0) -> pd.DataFrame:
    """Return what an attacker sees of a round: each figure, and what is usual at either share.

    Columns figure and table, then one a share, named by it, of "value ± deviation".

    Examples
    --------
    >>> dp.lessons.released(0, seed=7)["table"].to_list()
    ['39.9', '10.4', '26', '33', '42.3']
    """
    now, fitted = _at(), _at().model.pairs[0]
    frame = pd.DataFrame({"figure": [label[:1].upper() + label[1:] for label in now.labels]})
    frame["table"] = [significant(value) for value in rounds(seed)[number].figures]
    laws = zip(now.exposed_shares, fitted.means, fitted.covariances, strict=True)
    for share, mean, covariance in laws:
        frame[share] = list(map(within, mean, np.sqrt(covariance.diagonal())))
    return frame


@lru_cache(maxsize=8)
def _without(out: int) -> tuple[int, ...]:
    """Return the places that are left when the most telling figures are taken out, one by one."""
    if not out:
        return (*range(len(_at().labels)),)
    before = _without(out - 1)
    worst = before[int(_at(places=before).contributions()["without"].to_numpy().argmin())]
    return tuple(place for place in before if place != worst)


def _attacker(out: int, seed: int) -> Shown:
    best, after, three = (_at(places=_without(k)).undefended for k in (0, out, 3))
    gone = [f"*{name}*" for at, name in enumerate(_at().labels) if at not in _without(out)]
    chances = np.cumsum([math.comb(ROUNDS, right) for right in range(ROUNDS + 1)]) / 2**ROUNDS
    low, high = np.searchsorted(chances, [0.025, 0.975]).tolist()
    figures = {"best": best, "after": after, "three": three, "gone": listed(gone), "seed": seed}
    figures |= {"low": low, "high": high, "rounds": ROUNDS}
    frame = _bells({"All 5 figures": best, f"{5 - out} of 5 figures": after})
    return Shown(best, int(np.searchsorted([53, 65], three)), "bells", frame, figures)


def _records(n: int, _: int) -> Shown:
    few, after, many = (_at(k).undefended for k in (100, n, 400))
    ratio = _at(1000).model.pairs[0].distance() / _at().model.pairs[0].distance()
    right = int(np.abs(np.log(ratio / np.array([math.sqrt(10), 10, 1]))).argmin())
    figures = {"few": few, "n": n, "after": after, "ratio": ratio}
    frame = _bells({"100 records": few, f"{n} records": after})
    return Shown(many, right, "bells", frame, figures)


def _noise(guesses: int, _: int) -> Shown:
    now, sixty, stricter = (_at(guesses=limit) for limit in (guesses, 60, 55))
    factor = stricter.way.percent / sixty.way.percent
    figures = {"sixty": sixty.way.percent, "stricter": stricter.way.percent, "factor": factor}
    figures |= {"error": now.way.percent, "bare": now.undefended, "guesses": guesses}
    frame, right = now.bells([now.plain, now.way]), int(np.searchsorted([1.25, 3], factor))
    return Shown(sixty.way.percent, right, "bells", frame, figures)


@lru_cache(maxsize=64)
def _undone(seed: int, factor: float = 1.0) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Release two counts of a simulated table with so many times the noise of DirM as published.

    Returns tries, columns tried (first count), left (of the second) and off (from a whole number),
    and what came of them: fits, those that are whole, and found, whether arithmetic is right.
    """
    now, rng = _at(places=(2, 3)), np.random.default_rng(seed)
    noise = calibrate("DirM", now.model, guesses=60, **PUBLISHED)
    counts = simulate(now.drawn, 0, 1, rng)[int(rng.integers(2)), 0]
    added = factor * noise.sample(1, rng)[0]
    noise = replace(noise, covariance=factor**2 * noise.total(2))
    (x, y), slope = counts + added, added[1] / added[0]
    reach = _REACH * math.sqrt(noise.total(2)[0, 0])
    first, last = np.clip([x - reach, x + reach], 0, now.n).round()
    tried = np.union1d(np.arange(first, last + 1), counts[0])
    rest = y - slope * (x - tried)
    frame = pd.DataFrame({"tried": tried, "left": rest, "off": np.abs(rest - rest.round())})
    law = now.model.pairs[0]
    laws = ShareLaws(law.means, law.covariances, [np.eye(2)] * 2, np.zeros((2, 2)))
    logs, points = laws.log_densities(np.array([[x, y]]), noise)
    likeliest = points[logs[:, 0].argmax(), 0]
    figures = {"x": x, "y": y, "slope": slope, "first": counts[0], "second": counts[1]}
    figures |= {"fits": int((frame["off"] < _FITS).sum()), "many": len(frame), "seed": seed}
    figures |= {"found": bool((likeliest == counts).all()), "bare": now.undefended}
    return frame, figures | {"reached": 100 * float(accuracies(now.model, [noise])[0])}


def _arithmetic(tried: int, seed: int) -> Shown:
    (frame, figures), (_, far) = _undone(seed), _undone(seed, 10.0)
    row = frame[frame["tried"] == tried].iloc[0]
    words = {"tried": tried, "left": row["left"], "fits_far": far["fits"], "many_far": far["many"]}
    words["whole"] = "whole" if row["off"] < _FITS else "not whole"
    words["outcome"] = "The noise is gone" if figures["found"] else "The noise hides it"
    right = 2 if far["fits"] > 1 else int(not far["found"])
    return Shown(figures["first"], right, "tries", frame, figures | words, {"here": tried})


def _failing(epsilon: float, seed: int) -> Shown:
    now, epsilons = _at(), TOUR["failing"]["values"]
    model, m = now.model, len(now.labels)
    noises = [calibrate("DauM", model, one, _DELTA, **PUBLISHED) for one in epsilons]
    pair = replace(model.pairs[0], steps=np.zeros(m), joint_steps=np.zeros((2, m)))
    smooth = replace(model, pairs=(pair,))  # as if figures had densities
    lines = pd.DataFrame({"published": 100 * accuracies(model, noises)}, index=epsilons)
    lines["No steps"] = 100 * accuracies(smooth, noises)
    lines["ceiling"] = ceiling(epsilons, _DELTA)
    place = epsilons.index(epsilon)
    noise, (reached, paper, promised) = noises[place], lines.to_numpy()[place].tolist()
    second = np.linalg.eigh(law := noise.total(m))[1][:, 0]  # at right angles to its direction
    floor = np.array(calibrate("OptM", model, epsilon, _DELTA).floor)
    changes = 4 * law, law + np.trace(law) * np.outer(second, second), law + np.diag(floor**2)
    changed = [replace(noise, covariance=one) for one in changes]
    more, two, safe = (100 * accuracies(model, changed)).tolist()
    attack = PropertyInferenceAttack.of(now.drawn, {"": noise}, classifier="arithmetic", seed=seed)
    ends = attack.collect([attack.repetition(0)]).interval("")
    figures = dict(zip(("simulated", "low", "high"), 100 * np.array(ends), strict=True))
    figures |= {"reached": reached, "paper": paper, "promised": promised, "epsilon": epsilon}
    figures |= {"first": lines["ceiling"][0.5], "more": more, "two": two, "safe": safe}
    figures |= {"error": mean_percent(model, changed[2].expected_absolute_errors()), "seed": seed}
    frame = lines.rename_axis("epsilon").reset_index()
    frame = frame.melt("epsilon", var_name="release", value_name="guesses")
    look = {"here": {"epsilon": epsilon, "guesses": reached}, "mechanism": "published"}
    right = int(np.argmin([more, two, safe]))
    return Shown(lines["published"][0.5], right, "epsilon", frame, figures, look)


def _chosen_anew(release: Release, releases: int) -> float:
    """Return right guesses of 100 on balanced figures whose records are chosen anew each time.

    By normal laws: given a table, k of its N records of a group vary by k(1 − k/N) w² S, with
    weight w and a single record's covariance S. That differs between the shares.
    """
    model, fitted = _at().model, _at().model.pairs[0]
    _, single = fitted.groups.population(model.replacement)
    kept, stands_for = np.array(release.kept), np.array(release.stands_for)
    laws = (stands_for**2 / kept)[:, None, None] * single * np.outer(model.scales, model.scales)
    choice = np.tensordot(1 - kept / fitted.numbers, laws, 1)  # (2, m, m)
    mean = laws.sum(axis=0) - choice + choice / releases
    both = [block_diag(one, *[by] * (releases - 1)) for one, by in zip(mean, choice, strict=True)]
    return 100 * NormalLoss.between(np.zeros(len(both[0])), *both).accuracy()


def _ways(now: Evaluation) -> dict[str, Way]:
    nothing = judge(now.model, [no_data(now.model)], now.promise)
    return {one.key: one for one in (*now.guaranteed, *nothing)}


def _balanced(width: int, _: int) -> Shown:
    now, ways = _at(), _ways(_at())
    quiet, usual, points = ways["BalM"], now.pair.width, TOUR["balanced"]["values"]
    widths = [usual if math.isclose(100 * usual, one) else one / 100 for one in points]
    releases = {key: ways[key].release for key in ("as it is", "OptM", "BalM")}
    frame = _CACHE.once(reach_frame, now.model, releases, widths=widths)
    here = frame[np.isclose(frame["width"], width)].set_index("release")["guesses"].to_dict()
    words = f"leave an attacker right **{times(50)}**"
    if "BalM" not in here:
        words = "**cannot be made**, because such tables have too few records"
    normal = quiet.guesses if quiet.rests == "any data" else now.undefended
    anew = _chosen_anew(quiet.release, _AGAIN)
    figures = {"bare": here["as it is"], "noise": here["OptM"], "width": width, "balanced": words}
    figures |= {"normal": normal, "anew": anew, "again": _AGAIN, "told": quiet.guesses}
    figures |= {"error": quiet.percent, "noisy": ways["OptM"].percent}
    mechanism = "BalM" if "BalM" in here else "OptM"
    look = {"here": {"width": width, "guesses": here[mechanism]}, "mechanism": mechanism}
    right = int(np.argmax([normal, quiet.guesses, anew]))
    return Shown(quiet.guesses, right, "width", frame, figures, look)


def _limit(guesses: int, _: int) -> Shown:
    now, sixty, limits = _at(guesses=guesses), _at(), TOUR["limit"]["values"]
    ways = sorted(_ways(now).values(), key=lambda way: way.percent)
    best, quiet = recommend(ways, "OptM").way, _ways(sixty)["BalM"].percent
    five = float(repeated(now.model, sixty.way.release, [5], sixty.promise)["guesses"].iloc[0])
    place = bisect_left(limits, True, key=lambda limit: _at(guesses=limit).way.percent < quiet)
    crossing = limits[min(place, len(limits) - 1)]
    figures = {"guesses": guesses, "advice": best.advice, "error": best.percent, "by": best.by}
    figures |= {"reached": best.guesses, "five": five, "bare": now.undefended}
    figures |= {"balanced": quiet, "crossing": crossing}
    frame, right = costs_frame(ways, now.labels), int(np.searchsorted([56, 74], crossing))
    return Shown(five, right, "costs", frame, figures)


_STEPS = {"attacker": _attacker, "bells": _records, "noise": _noise, "arithmetic": _arithmetic}
_STEPS |= {"failing": _failing, "balanced": _balanced, "limit": _limit}
STEPS = tuple(Step(key, TOUR[key], lru_cache(64)(compute)) for key, compute in _STEPS.items())
"""The steps of the tour, in their order."""
