"""What is delivered at least, by the fitted normals and at most, in sentences."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from distpriv.analysis import brackets_in_words as words
from distpriv.analysis.brackets import ATTACKERS, Brackets, Delivered
from distpriv.attacks.joint_audit import JointAudit
from distpriv.privacy.coupling_bound import CouplingBound

BOUND = CouplingBound(0.2, 1.0, 1 - 1e-6, 2e-6, 0.19, 1000, 7, "alike", 12, 0)
AUDIT = JointAudit(1e-5, 0.1, 1.0, 1e-3, 0.95, ATTACKERS, 50, 25_000, 7)
OPEN = Brackets(
    epsilon=1.0, delta=1e-3, promised=1e-3, normals=Delivered(9e-4, 0.9), law=None, bound=BOUND,
    bounded_epsilon=4.0, unbounded="", audit=AUDIT, pairs=1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "verdict", "refuted", "overstated", "told"),
    [
        ({}, "open", False, False, "it rests on them"),
        ({"promised": None}, "none", False, False, "Nothing is promised"),
        ({"promised": 0.2}, "kept", False, False, "kept whatever"),
        ({"audit": replace(AUDIT, delta=0.01)}, "broken", True, False, "refuted"),
        ({"law": Delivered(1e-3, 1.0)}, "kept", True, False, "understate"),
        ({"law": Delivered(8e-4, 0.8)}, "kept", False, True, "overstate"),
        ({"law": Delivered(9e-4, 0.9)}, "kept", False, False, "kept whatever"),
        ({"bound": replace(BOUND, value=5e-4)}, "kept", False, True, "overstate"),
        ({"bound": None, "audit": None}, "open", False, False, "it rests on them"),
    ],
)
def test_promise_and_curves_are_judged(changes, verdict, refuted, overstated, told) -> None:
    found = replace(OPEN, **changes)
    assert (found.verdict, found.refuted, found.overstated) == (verdict, refuted, overstated)
    assert told in words.judged(found)


def test_the_sentences() -> None:
    def plain(text: str) -> str:
        return text.replace("\u00a0", " ")

    assert plain(words.without_curves(OPEN, strong="*{}*".format)) == (
        "Whatever the curves look like, *ε = 4 at δ = 0.001* is not exceeded, nor δ = 0.2 at ε = 1."
    )
    never = replace(OPEN, bounded_epsilon=math.inf)
    assert "δ = 0.001 is shown at no ε; at ε = 1, δ = 0.2 is" in plain(words.without_curves(never))
    nothing = replace(never, bound=replace(BOUND, value=1.0))
    assert "at ε = 1, no coupling shows less than δ = 1." in plain(words.without_curves(nothing))
    assert plain(words.basis(OPEN)).endswith(
        "12 records swapped for records like them; 1\u202f000 draws, seed 7, confidence "
        "1 − 1 × 10⁻⁶, which is charged to δ)."
    )
    assert "enumerated" in words.basis(replace(OPEN, bound=replace(BOUND, draws=0)))
    assert "95 % confidence, seed 7" in plain(words.proven(OPEN))
    assert "A δ below 0.00084 shows in no attack" in plain(words.proven(OPEN))
    assert "at least 1 × 10⁻⁵ (simulated attacks, 95 % confidence)" in plain(words.in_a_line(OPEN))
    assert "(coupling bound, 1 − 1 × 10⁻⁶)" in plain(words.in_a_line(OPEN))
