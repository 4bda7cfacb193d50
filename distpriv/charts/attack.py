"""How often an attacker names the right share, by mechanism and against ε or Δp."""

from __future__ import annotations

from collections.abc import Mapping

from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.frame import accuracy_axis, empty, row_axis
from distpriv.charts.intervals import GUESSING, by_row, in_words, levels
from distpriv.charts.lines import key
from distpriv.charts.style import MechanismStyle, shown, style_of
from distpriv.model.sampling import Interval
from distpriv.words import percent, safe, summed_up

__all__ = ["accuracy_by_mechanism", "accuracy_curves"]

_ROW_HEIGHT = 40
_NAME_LENGTH = 18


def accuracy_by_mechanism(
    intervals: Mapping[str, Interval],
    *,
    optimal: Mapping[str, float | None],
    undefended_optimal: float,
    ceiling: float,
    repetitions: int,
    seed: int,
    attacker: str,
    knows: str = "",
    selected: str | None = None,
) -> go.Figure:
    """Accuracy of the simulated and of the best possible attack, one row a mechanism.

    The rows follow ``optimal``, so that nothing moves while the simulation's results come in.

    Parameters
    ----------
    intervals : mapping of mechanism to Interval
        Simulated accuracies; empty before the first repetition.
    optimal : mapping of mechanism to float or None
        Accuracy of the best possible attack; None where it is not known.
    undefended_optimal : float
        The same without any noise.
    ceiling : float
        Accuracy that the promise (ε, δ) alone allows, (e^ε + δ)/(1 + e^ε).
    repetitions, seed : int
        Of the simulation.
    attacker : str
        Who was simulated, e.g. ``adaptive attacker``.
    knows : str
        A sentence on what they know beside the best possible attacker.
    selected : str, optional
        Mechanism whose name is set in bold.
    """
    names = list(dict.fromkeys([*optimal, *intervals]))
    known = {name: value for name, value in optimal.items() if value is not None}
    labels = [safe(shown(name), _NAME_LENGTH) for name in names]
    labels = [
        f"<b>{x}</b>" if name == selected else x for name, x in zip(names, labels, strict=True)
    ]
    figure = empty(
        "How often an attacker is right",
        subtitle=(
            safe(f"{attacker}, {repetitions} repetition{'s' * (repetitions != 1)}, seed {seed}")
            if repetitions
            else "best possible attacker; nothing simulated yet"
        ),
        alt=_alt_rows(intervals, known, undefended_optimal, repetitions, selected),
        how_to_read=(
            "each row is a mechanism. The circle is the simulated attacker with its 95\u00a0% "
            "interval, a lower bound on the risk; the diamond is the best possible attacker. "
            "Left is more private: at the dotted line an attacker guesses, at the dashed line "
            "they do as well as the promise (ε, δ) alone allows." + f" {knows}" * bool(knows)
        ),
        height=250 + _ROW_HEIGHT * max(len(names), 1),
        xaxis=accuracy_axis("accuracy of the attacker (%)"),
        yaxis=row_axis(labels, fixedrange=True),
    )
    references = (
        ("guessing", GUESSING, "dot"),
        ("the promise alone allows", ceiling, "dash"),
        ("without noise, at best", undefended_optimal, "solid"),
    )
    levels(figure, references, len(names), "mechanism")
    groups: tuple[tuple[str, str, Mapping[str, float | Interval], int, float | None], ...] = (
        ("best possible attacker", "diamond-open", known, 14, 2.5),
        ("simulated attacker, 95\u00a0% interval", "circle", intervals, 10, None),
    )
    for group, symbol, accuracies, size, edge in groups:
        key(figure, group, symbol)
        for name, accuracy in accuracies.items():
            text = (
                in_words(accuracy)
                if isinstance(accuracy, Interval)
                else f"{group}: {percent(accuracy)}"
            )
            by_row(
                figure,
                group,
                names.index(name),
                shown(name),
                accuracy,
                MechanismStyle(style_of(name).color, "solid", symbol),
                told=f"<b>{safe(shown(name))}</b><br>{text}",
                y_title="mechanism",
                size=size,
                edge=edge,
            )
    return figure


def _alt_rows(
    intervals: Mapping[str, Interval],
    optimal: Mapping[str, float],
    undefended: float,
    repetitions: int,
    selected: str | None,
) -> str:
    text = (
        "Guessing is right 50\u00a0% of the time, the best possible attacker "
        f"{percent(undefended)} of the time without noise"
    )
    defended = {name: value for name, value in optimal.items() if name != UNDEFENDED}
    if defended:
        shares = {name: percent(value) for name, value in defended.items()}
        text += f" and {summed_up(defended, shares, selected)}"
    if intervals:
        estimates = {shown(name): interval.estimate for name, interval in intervals.items()}
        phrases = {
            shown(name): f"{percent(interval.estimate)} "
            f"({percent(interval.low)} to {percent(interval.high)})"
            for name, interval in intervals.items()
        }
        runs = f"{repetitions} repetition{'s' * (repetitions != 1)}"
        text += f"; the simulated one, over {runs}, {summed_up(estimates, phrases, selected)}"
    return f"{text}."
