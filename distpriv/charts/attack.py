"""How often an attacker names the right share, by mechanism and against ε or Δp."""

from __future__ import annotations

from collections.abc import Mapping

from plotly import graph_objects as go

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.charts.attack_curves import accuracy_curves
from distpriv.charts.frame import accuracy_axis, empty, linear_axis
from distpriv.charts.intervals import GUESSING, SHARE, bars, in_words, shown, within
from distpriv.charts.style import NEUTRAL, style_of
from distpriv.charts.text import percent, safe, summed_up
from distpriv.model.sampling import Interval

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
    selected : str, optional
        Mechanism whose name is set in bold.
    """
    names = list(dict.fromkeys([*optimal, *intervals]))
    known = {name: value for name, value in optimal.items() if value is not None}
    rows = {name: len(names) - 1 - position for position, name in enumerate(names)}
    figure = empty(
        "How often an attacker is right",
        subtitle=(
            safe(f"{attacker}, {repetitions} repetition{'s' * (repetitions != 1)}, seed {seed}")
            if repetitions
            else "best possible attacker; nothing simulated yet"
        ),
        alt=_alt_rows(intervals, known, undefended_optimal, repetitions, selected),
        how_to_read=(
            "each row is a mechanism. The circle is the simulated attacker with its 95 % "
            "interval, a lower bound on the risk; the diamond is the best possible attacker. "
            "Left is more private: at the dotted line an attacker guesses, at the dashed line "
            "they do as well as the promise (ε, δ) alone allows."
        ),
        height=250 + _ROW_HEIGHT * max(len(names), 1),
    )
    ticktext = [safe(shown(name), _NAME_LENGTH) for name in names]
    if selected in rows:
        ticktext[names.index(selected)] = f"<b>{ticktext[names.index(selected)]}</b>"
    figure.update_layout(
        xaxis=accuracy_axis("accuracy of the attacker (%)"),
        yaxis=linear_axis(
            "",
            -0.6,
            max(len(names), 1) - 0.4,
            tickvals=list(rows.values()),
            ticktext=ticktext,
            fixedrange=True,
        ),
    )
    ends = [-0.6, max(len(names), 1) - 0.4]
    for label, value, dash in (
        ("guessing", GUESSING, "dot"),
        ("the promise alone allows", ceiling, "dash"),
        ("without noise, at best", undefended_optimal, "solid"),
    ):
        figure.add_scatter(
            x=[value, value],
            y=ends,
            mode="lines",
            line={"color": NEUTRAL, "dash": dash, "width": 2},
            name=f"{label}: {percent(value)}",
            hovertext=f"{label}: {percent(value)}",
            hoverinfo="text",
            meta={"y": ["", ""], "x_title": SHARE, "y_title": "mechanism"},
        )
    _add_optimal(figure, known, rows)
    _add_simulated(figure, intervals, rows)
    return figure


def _add_optimal(figure: go.Figure, optimal: Mapping[str, float], rows: Mapping[str, int]) -> None:
    _add_key(figure, "best possible attacker", "diamond-open")
    figure.add_scatter(
        x=[within(value) for value in optimal.values()],
        y=[rows[name] for name in optimal],
        mode="markers",
        name="best possible attacker",
        marker={
            "symbol": "diamond-open",
            "size": 14,
            "color": [style_of(name).color for name in optimal],
            "line": {"width": 2.5},
        },
        hovertext=[
            f"<b>{safe(shown(name))}</b><br>best possible attacker: {percent(value)}"
            for name, value in optimal.items()
        ],
        hoverinfo="text",
        legendgroup="best possible attacker",
        showlegend=False,
        meta={
            "x": list(optimal.values()),
            "y": [shown(name) for name in optimal],
            "x_title": SHARE,
            "y_title": "mechanism",
        },
    )


def _add_simulated(
    figure: go.Figure, intervals: Mapping[str, Interval], rows: Mapping[str, int]
) -> None:
    label = "simulated attacker, 95 % interval"
    _add_key(figure, label, "circle")
    # One trace a row: error bars take one color a trace.
    for name, interval in intervals.items():
        color = style_of(name).color
        figure.add_scatter(
            x=[within(interval.estimate)],
            y=[rows[name]],
            error_x=bars([interval], color),
            mode="markers",
            name=label,
            marker={"symbol": "circle", "size": 10, "color": color},
            hovertext=f"<b>{safe(shown(name))}</b><br>{in_words(interval)}",
            hoverinfo="text",
            legendgroup=label,
            showlegend=False,
            meta={
                "x": [interval.estimate],
                "y": [shown(name)],
                "x_title": SHARE,
                "y_title": "mechanism",
            },
        )


def _add_key(figure: go.Figure, label: str, symbol: str) -> None:
    """An entry of the legend for marks that differ in color."""
    figure.add_scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=label,
        marker={"symbol": symbol, "size": 11, "color": NEUTRAL, "line": {"width": 2}},
        legendgroup=label,
        hoverinfo="skip",
    )


def _alt_rows(
    intervals: Mapping[str, Interval],
    optimal: Mapping[str, float],
    undefended: float,
    repetitions: int,
    selected: str | None,
) -> str:
    text = (
        "Guessing is right 50 % of the time, the best possible attacker "
        f"{percent(undefended)} of the time without noise"
    )
    defended = {name: value for name, value in optimal.items() if name != UNDEFENDED}
    if defended:
        shares = {name: percent(value) for name, value in defended.items()}
        text += f" and {summed_up(defended, shares, selected)}"
    if intervals:
        estimates = {shown(name): interval.estimate for name, interval in intervals.items()}
        told = {
            shown(name): f"{percent(interval.estimate)} "
            f"({percent(interval.low)} to {percent(interval.high)})"
            for name, interval in intervals.items()
        }
        runs = f"{repetitions} repetition{'s' * (repetitions != 1)}"
        text += f"; the simulated one, over {runs}, {summed_up(estimates, told, selected)}"
    return f"{text}."
