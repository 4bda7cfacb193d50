"""A report's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from plotly import graph_objects as go

from distpriv.analysis.evaluation import Evaluation
from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.attacks.optimal import equivalent_separation
from distpriv.attacks.property_inference import AttackResult
from distpriv.charts.answer import overlap
from distpriv.charts.attack import accuracy_by_mechanism
from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.guarantee import profile_curves
from distpriv.charts.utility import error_against_epsilon
from distpriv.export.report.values import Picture
from distpriv.mechanisms.curves import Curves
from distpriv.model.sampling import Interval
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.words import plain

__all__ = ["pictures"]


def pictures(
    findings: Sequence[Evaluation],
    attack: AttackResult | None,
    attacker: str,
    knows: str,
    curves: Mapping[str, Curves],
) -> tuple[Picture, ...]:
    """What the best attacker sees, cost and protection against ε, guarantee, and attacks.

    Parameters
    ----------
    findings : sequence of Evaluation
        The one the answer is about first.
    attack : AttackResult or None
        None where no attack can be simulated.
    attacker : str
        What it is, in words.
    knows : str
        A sentence on what it knows.
    curves : mapping of "error", "accuracy" and "profile" to Curves
        Without mechanisms where there is nothing to draw.
    """
    main = findings[0]
    scenario, undefended, selected = main.scenario, main.undefended, main.mechanism.name
    views = [
        (equivalent_separation(accuracy), accuracy) for accuracy in (undefended, main.accuracy)
    ]
    drawn = [overlap(main.fit.pair, views[0], views[1], selected)]
    intervals: dict[str, Interval] = {}
    if attack is not None:
        intervals = {name: attack.interval(name) for name in attack.accuracy}
        drawn.append(
            accuracy_by_mechanism(
                intervals,
                optimal={UNDEFENDED: undefended}
                | {finding.mechanism.name: finding.accuracy for finding in findings},
                undefended_optimal=undefended,
                ceiling=accuracy_ceiling(scenario.epsilon, scenario.delta),
                repetitions=attack.repetitions,
                seed=attack.seed,
                attacker=attacker,
                knows=knows,
                selected=selected,
            )
        )
    errors, accuracies, profile = (curves[name] for name in ("error", "accuracy", "profile"))
    if errors.y:
        drawn.append(
            error_against_epsilon(
                errors,
                epsilon=scenario.epsilon,
                unit=main.error_unit or "mixed units",
                measure="expected L2 error",
                selected=selected,
            )
        )
    if accuracies.y:
        drawn.append(
            accuracy_curves(
                accuracies,
                x_title="ε",
                x_log=True,
                current=scenario.epsilon,
                undefended=undefended,
                ceiling=np.array(
                    [accuracy_ceiling(float(e), scenario.delta) for e in accuracies.x]
                ),
                points={
                    name: [(scenario.epsilon, intervals[name])]
                    for name in accuracies.y
                    if name in intervals
                },
                title="Best attack against ε",
                selected=selected,
            )
        )
    if profile.y:
        drawn.append(
            profile_curves(
                profile,
                epsilon=scenario.epsilon,
                delta=scenario.delta,
                selected=selected if selected in profile.y else None,
            )
        )
    return tuple(map(_picture, drawn))


def _picture(figure: go.Figure) -> Picture:
    meta = figure.layout.meta
    return Picture(plain(figure.layout.title.text), meta["alt"], meta["how_to_read"], figure)
