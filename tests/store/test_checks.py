"""What is used of a limit, what the next release would use, and by how much it exceeds."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scipy.stats import norm

import distpriv as dp
from distpriv.analysis.decision import moment
from distpriv.errors import LimitError
from distpriv.store import (
    AgreedLimit,
    Budget,
    LimitVersion,
    Terms,
    check,
    check_all,
)
from distpriv.store.checks import Use, refuse
from tests.store.limited import SCENARIO, release, sources, table

KNOWN = sources()


def limit(terms: Terms, **changes: object) -> AgreedLimit:
    at = release().at
    scenario = replace(SCENARIO, **changes)  # type: ignore[arg-type]
    return AgreedLimit("k", "x", "d", (LimitVersion(1, at, "Ann", "Why", terms, scenario),))


def test_nothing_is_used_at_first_and_releases_of_one_table_share_its_noise() -> None:
    both = limit(Terms(0.7, Budget(3.0, 1e-3)))
    one = release(epsilon=0.3)
    model = dp.fit_gaussian(table(), SCENARIO.query, list(SCENARIO.pairs), n=300, replacement=True)
    for made in range(3):
        found = check(both, [one] * made, one, KNOWN)
        for use in found.uses:
            assert use.used <= use.after
        accuracy, budget = found.uses
        left = one.noise.after_releases(made + 1)
        assert accuracy.after == pytest.approx(dp.optimal_attack_accuracy(model, left))
        assert budget.after == pytest.approx(dp.delivered_epsilon(model, left, 1e-3))
        if not made:
            assert (accuracy.used, budget.used) == (0.5, 0.0)
    again = check(both, [one], one, KNOWN, again=2)
    assert [use.after for use in again.uses] == [
        use.after for use in check(both, [one] * 2, one, KNOWN).uses
    ]


def test_the_limit_s_secret_counts_whatever_a_release_was_made_for() -> None:
    wider = limit(Terms(accuracy=0.7), width=0.3)
    one = release(epsilon=0.3)
    (use,) = check(wider, [], one, KNOWN).uses
    (narrow,) = check(limit(Terms(accuracy=0.7)), [], one, KNOWN).uses
    # About three times the distance.
    assert norm.ppf(use.after) == pytest.approx(3 * norm.ppf(narrow.after), rel=0.1)


def test_a_refusal_says_by_how_much() -> None:
    tight = limit(Terms(0.51, Budget(0.1, 1e-3)))
    one = release(epsilon=0.3)
    found = check(tight, [], one, KNOWN)
    accuracy, budget = found.uses
    assert not found.fits
    assert found.refusal.replace("\u00a0", " ") == (
        "Beyond the limit on rich = yes, 45 % against 55 %, which Ann set on "
        f"{moment(one.at)}: with this release the best attacker would be right in "
        f"{100 * accuracy.after:.2f} % of cases, {100 * accuracy.after - 51:.2f} percentage points "
        "more than the agreed 51 % and all releases together would come to "
        f"ε = {budget.after:.3f} at δ = 0.001 about the secret, {budget.after - 0.1:.3f} more than "
        "the agreed ε = 0.1; nothing is released."
    )
    with pytest.raises(LimitError, match="Beyond the limit"):
        refuse([found])
    exceeded = check(tight, [one], replace(one, token="x"), KNOWN)
    assert exceeded.refusal.count("(exceeded already)") == 2


def test_lifted_limits_do_not_count() -> None:
    assert check_all([limit(Terms())], [], release(), KNOWN) == ()
    refuse(())


@pytest.mark.parametrize(
    ("made", "changes", "said"),
    [
        ([replace(release(), scenario=None, about="d")], {}, "another version"),
        ([], {"reference": "elsewhere"}, "upload them on the page Question"),
    ],
)
def test_what_cannot_be_counted_is_refused(made, changes, said) -> None:
    found = check(limit(Terms(accuracy=0.99), **changes), made, release(), KNOWN)
    assert not found.fits
    assert found.uses == ()
    assert said in found.refusal
    assert found.refusal.startswith("The limit on rich = yes")


def test_a_limit_of_another_version_refuses_everything() -> None:
    unknown = limit(Terms(accuracy=0.99))
    now = replace(unknown.now, scenario=None)
    found = check(replace(unknown, versions=(now,)), [], release(), KNOWN)
    assert "a secret of another version" in found.refusal


def test_a_share_of_the_limit() -> None:
    accuracy = Use("accuracy", 0.6, None, 0.5, 0.55)
    assert accuracy.part(accuracy.used) == 0
    assert accuracy.part(accuracy.after) == pytest.approx(0.5)
    budget = Use("budget", 2.0, 1e-3, 1.0, 3.0)
    assert (budget.part(1.0), budget.part(3.0), budget.beyond) == (0.5, 1.5, 1.0)
    assert not budget.fits


def test_what_is_not_computed_never_fits() -> None:
    for value in (math.inf, math.nan):
        assert not Use("budget", 2.0, 1e-3, 0.0, value).fits
