"""Repetitions of an attack in worker processes: arrays in, right guesses out.

A worker loads no pandas, and scikit-learn only for attackers who need it. What is pickled here goes
through a pipe to a process of our own and nowhere else.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from dataclasses import fields, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.attacks.classifiers import ATTACKERS
from distpriv.attacks.property_inference import PropertyInferenceAttack, parts_suffice
from distpriv.text import whole

__all__ = ["MOST_RECORDS", "caveats", "packed", "pieces", "remembered", "repetitions", "scores"]
__all__ += ["thinned"]

T = TypeVar("T")

MOST_RECORDS = 200_000
"""How many records a worker gets; larger tables are sampled."""

_DRAWS = 4_000_000  # of records, which take about a tenth of a second
_IDLE = 60.0  # seconds after which a worker forgets the tables of its last visitors


def remembered(unpack: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """Return a function that unpacks once what comes with many calls, until a worker is idle."""
    cached = lru_cache(maxsize=2)(unpack)
    timers: list[threading.Timer] = []

    def unpacked(blob: bytes) -> T:
        while timers:
            timers.pop().cancel()
        timers.append(threading.Timer(_IDLE, cached.cache_clear))
        timers[0].daemon = True
        timers[0].start()
        return cached(blob)

    return unpacked


def packed(attack: PropertyInferenceAttack) -> bytes:
    """Return all that a worker needs, with at most ``MOST_RECORDS`` records."""
    few = thinned(attack)
    return pickle.dumps({each.name: getattr(few, each.name) for each in fields(few)})


@remembered
def _unpacked(blob: bytes) -> PropertyInferenceAttack:
    return PropertyInferenceAttack(**pickle.loads(blob))  # noqa: S301


def repetitions(
    blob: bytes, start: int, stop: int, numbers: FloatArray | None = None
) -> list[dict[str, float]]:
    """Run repetitions start to stop − 1, and return shares of right guesses by release.

    With `numbers` of records [share, group] of another range, if that is given.
    """
    attack = _unpacked(blob)
    if numbers is not None:
        suffice = parts_suffice(len(attack.without), len(attack.having), numbers)
        attack = replace(attack, numbers=numbers, split=attack.split and suffice)
    labels = attack.labels
    return [
        {name: float(((row > 0) == labels).mean()) for name, row in attack.repetition(i).items()}
        for i in range(start, stop)
    ]


def scores(blob: bytes, start: int, stop: int) -> list[dict[str, FloatArray]]:
    """Run repetitions start to stop − 1, and return the scores of each one's test datasets."""
    return [_unpacked(blob).repetition(i) for i in range(start, stop)]


def pieces(attack: PropertyInferenceAttack, total: int) -> list[tuple[int, int]]:
    """Cut so many repetitions into calls (start, stop) of about a tenth of a second."""
    training = int(_DRAWS * 10 * ATTACKERS[attack.classifier].seconds * attack.shadows / 200)
    draws = attack.n * (attack.shadows + attack.tests) + training * (1 + len(attack.noises))
    size = max(1, min(_DRAWS // draws, total))
    return [(start, min(start + size, total)) for start in range(0, total, size)]


def thinned(attack: PropertyInferenceAttack) -> PropertyInferenceAttack:
    """Return the attack on a random sample of the records, where they are more than a worker gets.

    The smaller group stays as it is as long as it is no more than half. Datasets that are drawn
    without replacement from all the records need them all.
    """
    sizes = np.array([len(attack.without), len(attack.having)])
    if sizes.sum() <= MOST_RECORDS or not (attack.replacement or attack.split):
        return attack
    fewer = np.minimum(sizes, np.maximum(MOST_RECORDS // 2, MOST_RECORDS - sizes[::-1]))
    rng = np.random.default_rng(attack.seed)
    without, having = (
        group[rng.choice(len(group), size, replace=False)]
        for group, size in zip((attack.without, attack.having), fewer, strict=True)
    )
    split = attack.split and parts_suffice(len(without), len(having), attack.numbers)
    return replace(attack, without=without, having=having, split=split)


def caveats(attack: PropertyInferenceAttack) -> tuple[str, ...]:
    """Return sentences about how the simulation differs from the paper's, for the page."""
    few = thinned(attack)
    shipped, total = (len(each.without) + len(each.having) for each in (few, attack))
    same = "The attacker trains on the same records that it is tested on."
    some = f"The simulation uses {whole(shipped)} of {whole(total)} records, chosen at random."
    return (same,) * (not few.split) + (some,) * (shipped < total)
