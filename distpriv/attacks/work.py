"""The simulated attack as pieces of work: arrays in, correct guesses out; no model, no frame crosses."""
from __future__ import annotations

import pickle
from functools import lru_cache
from itertools import islice

import numpy as np

from distpriv.model import GaussianModel, Release


def packed(model: GaussianModel, releases: dict[str, Release | None], seed: int, adaptive=True, k: int = 0, **more) -> bytes:
    """All that a worker needs, pickled once; records as arrays, for a Groups sheds its own."""
    pair = model.pairs[k]
    without, having = pair.groups.records
    return pickle.dumps(dict(without=without, having=having, statistics=model.scales,
                             having_counts=tuple(int(x) for x in pair.numbers[:, 1]), n=model.n, noises=releases, seed=seed,
                             adaptive=adaptive, replacement=model.replacement, **more))


@lru_cache(maxsize=2)
def _attack(blob: bytes):
    from distpriv.attacks.property_inference import PropertyInferenceAttack

    return PropertyInferenceAttack(**pickle.loads(blob))


def repetitions(blob: bytes, start: int, stop: int) -> list[dict[str, float]]:
    """Share of right guesses of each repetition, by release."""
    attack = _attack(blob)
    return [{name: float(((row > 0) == attack.labels).mean()) for name, row in attack.repetition(i).items()}
            for i in range(start, stop)]
