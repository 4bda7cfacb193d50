"""The attack in worker processes."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import time
import weakref
from dataclasses import replace

import pytest

from distpriv.attacks import PropertyInferenceAttack, worker
from distpriv.mechanisms import calibrate

FRESH = """
import json, sys
from distpriv.attacks import worker
heavy = {"pandas", "sklearn", "plotly", "duckdb", "streamlit", "scipy.stats"}
loaded = sorted(heavy & set(sys.modules))
right = worker.repetitions(sys.stdin.buffer.read(), 2, 4)
print(json.dumps([loaded, sorted(heavy & set(sys.modules)), right]))
"""


@pytest.fixture(scope="module")
def attack(model):
    noises = {"as it is": None, "OptM": calibrate("OptM", model, guesses=60)}
    return PropertyInferenceAttack.of(model, noises, seed=11)


def test_fresh_process_gets_the_same_guesses_and_loads_little(attack):
    done = subprocess.run(
        [sys.executable, "-c", FRESH], input=worker.packed(attack), capture_output=True, check=True
    )
    before, after, right = json.loads(done.stdout)
    assert before == after == []
    result = attack.collect(map(attack.repetition, range(2, 4)))
    for name, accuracy in result.accuracy.items():
        assert [one[name] for one in right] == accuracy.tolist()
    by_arithmetic = replace(attack, classifier="arithmetic", known=4)
    (again,) = worker.repetitions(worker.packed(by_arithmetic), 1, 2)
    scores = by_arithmetic.repetition(1)
    assert again == {name: ((row > 0) == attack.labels).mean() for name, row in scores.items()}


def test_pieces_cover_all_repetitions_in_order(attack):
    pieces = worker.pieces(attack, 200)
    assert [index for piece in pieces for index in range(*piece)] == list(range(200))
    assert len(pieces) > 5
    assert worker.pieces(replace(attack, n=10**6), 3) == [(0, 1), (1, 2), (2, 3)]


def test_large_tables_are_sampled_and_say_so(attack, monkeypatch):
    assert worker.thinned(attack) is attack
    assert worker.caveats(attack) == ()
    monkeypatch.setattr(worker, "MOST_RECORDS", 20_000)
    blob = pickle.loads(worker.packed(attack))
    assert (len(blob["without"]), len(blob["having"])) == (10_000, 10_000)
    assert set(map(tuple, blob["having"][:99])) <= set(map(tuple, attack.having))
    (sentence,) = worker.caveats(attack)
    assert sentence.replace("\u202f", " ").startswith("The simulation uses 20 000 of 45 222 ")
    monkeypatch.setattr(worker, "MOST_RECORDS", 40_000)
    few = worker.thinned(attack)
    assert len(few.having) == len(attack.having)  # the rarer records stay
    assert len(few.without) == 40_000 - len(few.having)


def test_records_of_undivided_datasets_without_replacement_stay(attack, monkeypatch):
    monkeypatch.setattr(worker, "MOST_RECORDS", 20_000)
    undivided = replace(attack, split=False)
    assert worker.thinned(undivided) is undivided
    assert "same records" in worker.caveats(undivided)[0]
    few = worker.thinned(replace(undivided, replacement=True))
    assert len(few.without) + len(few.having) == 20_000


def test_worker_forgets_a_table_when_it_is_idle(monkeypatch):
    class Table:
        """What a blob unpacks to."""

    monkeypatch.setattr(worker, "_IDLE", 0.05)
    unpacked = worker.remembered(lambda _blob: Table())
    table = weakref.ref(unpacked(b"one"))
    assert unpacked(b"one") is table()
    for _ in range(100):
        if table() is None:
            return
        time.sleep(0.05)
    raise AssertionError
