"""Table 4 and Figure 4: attacks that go on where they stopped, and what they come to."""

from __future__ import annotations

from dataclasses import replace

import pytest

import distpriv as dp
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.optimal import linear_attack_accuracy
from distpriv.model.run import Run
from distpriv.papers import PaperAttacks, PaperRecords, simulated_results, tally
from distpriv.papers.attack_runs import ADAPTIVE, noise_name
from distpriv.papers.attacks import (
    figure4a_curves,
    table4,
    table4_attackers,
)


def test_neither_budget_nor_stopping_moves_a_figure(
    example: PaperRecords, short_run: PaperAttacks
) -> None:
    attacks = PaperAttacks(example, 2, seed=5)
    assert (attacks.attacks, attacks.wanted) == (23, 46)
    run, seen = Run(attacks.steps), []
    while run.running:
        run.step(0.0)
        seen.append((run.done, attacks.rounds))
        if run.done == 30:
            run.stopped = True
            run.step(1.0)
            assert attacks.done == 30
            run.stopped = False
    assert seen[0] == (0, 0)
    assert seen[23:25] == [(23, 1), (24, 1)]
    assert seen[-1] == (46, 2)
    assert run.result() is attacks
    assert simulated_results(attacks) == simulated_results(short_run)
    other = PaperAttacks(example, 1, seed=6).run()
    first, second = (run.result("income", 0.02).accuracy[UNDEFENDED] for run in (other, attacks))
    assert first[0] != second[0]


def test_more_repetitions_go_on_from_those_that_are_done(example: PaperRecords) -> None:
    attacks = PaperAttacks(example, 1, seed=5)
    run = Run(attacks.steps)
    run.step(1e9)
    assert run.finished
    first = attacks.result("work class", 0.2)
    attacks.repetitions = 2
    run.extend()
    run.step(1e9)
    again = attacks.result("work class", 0.2)
    assert again.repetitions == 2
    for name, accuracies in first.accuracy.items():
        assert again.accuracy[name][0] == accuracies[0]


def test_a_run_is_that_of_the_attack_itself(short_run: PaperAttacks) -> None:
    attack = short_run.attack("income", 0.1)
    assert not attack.adaptive
    assert short_run.attack(ADAPTIVE, 0.1).adaptive
    name = noise_name("DauM", 5.0, 1e-3)
    alone = replace(attack, noises={name: attack.noises[name]}, seed=5)
    result = short_run.result("income", 0.1)
    assert [alone.repetition(index)[name] for index in range(2)] == list(result.accuracy[name])


def test_nothing_is_known_before_the_first_repetition(example: PaperRecords) -> None:
    attacks = PaperAttacks(example, 3)
    found = simulated_results(attacks)
    assert {cell.verdict for cells in found.values() for cell in cells} == {"undecided"}
    assert [len(found[key]) for key in ("table-4", "figure-4")] == [28, 10]
    assert attacks.result("income", 0.1) is None
    assert all(
        row.clean is None and row.standing.on_paper > 0.5 for row in table4_attackers(attacks)
    )
    assert figure4a_curves(attacks)["income"].simulated == ()
    # Two repetitions leave most intervals wider than the tolerance.
    attacks.repetitions = 2
    attacks.run()
    assert tally(table4(attacks)).counts["undecided"] > 14


def test_no_repetition(example: PaperRecords) -> None:
    with pytest.raises(dp.errors.AttackError, match="at least one repetition, got 0"):
        PaperAttacks(example, 0)


@pytest.mark.adult
def test_the_run_of_the_page_on_adult(adult_records: PaperRecords) -> None:
    attacks = PaperAttacks(adult_records, 20)
    attacks.run()
    found = simulated_results(attacks)
    verdicts = tally(cell for cells in found.values() for cell in cells)
    assert set(verdicts.counts) <= {"agrees", "within sampling error", "undecided"}
    assert verdicts.counts["agrees"] >= 30
    income, work_class = found["figure-4"][:2]
    assert income.ours == pytest.approx(1.0, abs=0.01)
    assert work_class.ours == pytest.approx(0.9, abs=0.02)
    # What the simulated attacker comes to is what a linear one should.
    model = adult_records.model(attacks.attack("income", 0.1).pair)
    for name in (noise_name("DauM", 5.0, 1e-3), noise_name("ExpM", 5.0, 1e-3)):
        limit = linear_attack_accuracy(model, attacks.attack("income", 0.1).noises[name])
        assert attacks.result("income", 0.1).interval(name).estimate == pytest.approx(
            limit, abs=0.03
        )
