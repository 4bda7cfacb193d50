"""What is said of what a simulated attacker knows."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import distpriv as dp
from distpriv.attacks.knowledge import known_in_words


@pytest.fixture(scope="module")
def attack(
    people: pd.DataFrame, query: dp.Query, pair: dp.Pair
) -> dp.attacks.PropertyInferenceAttack:
    groups = dp.record_groups(people, query, pair.secret)
    return dp.attacks.PropertyInferenceAttack(groups, query, pair, 60, {"none": None})


def test_who_knows_a_part_is_told_with_its_size(
    attack: dp.attacks.PropertyInferenceAttack,
) -> None:
    said = known_in_words(attack)
    assert f"knows {attack.part_size} of the records" in said.replace("\u00a0", "")
    assert "learns from 200 datasets" in said
    assert said.endswith("it may be right less often for that alone.")


def test_who_knows_all_records_lacks_none(attack: dp.attacks.PropertyInferenceAttack) -> None:
    said = known_in_words(replace(attack, split=False))
    assert "knows all the records" in said
    assert "less often" not in said


@pytest.mark.parametrize("split", [True, False])
def test_arithmetic_learns_nothing(attack: dp.attacks.PropertyInferenceAttack, split: bool) -> None:
    said = known_in_words(replace(attack, classifier="arithmetic", split=split))
    assert "learns" not in said
    assert "best possible one" in said
