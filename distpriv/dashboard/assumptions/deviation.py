"""The tab without the normal curve: simulated datasets in place of normal distributions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from distpriv.charts.relaxations import Line, error_curve, frontier_curves
from distpriv.dashboard.assumptions.relaxations import LAMBDAS, choose_lambda, rests_on
from distpriv.dashboard.shell import cache, live, presenting
from distpriv.dashboard.shell.dataset import Dataset
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.mechanisms.assumptions import Assumption
from distpriv.model.run import Run
from distpriv.privacy.delivered import delivered_delta
from distpriv.privacy.noise import Noise
from distpriv.robustness.relaxation_runs import (
    Deviation,
    RelaxationRun,
    distance_measure,
    eta_measure,
)
from distpriv.robustness.relaxations import (
    blurs,
    errors_with_extra_noise,
    has_full_rank,
    relaxed_promise,
)
from distpriv.words import escape, exact, number, percent, share

__all__ = ["normality"]

REPETITIONS, DATASETS = 8, 1500
DISTANCE_REPETITIONS, DISTANCE_DATASETS = 5, 1000
DISTANCE_LAMBDAS = np.array([0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0])
LEFT_OUT = (0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)


def normality(view: View) -> None:
    """Theorems 4.6 and 4.7 on simulated datasets in place of normal distributions."""
    if not rests_on(view, Assumption.TRANSLATION, Assumption.GAUSSIAN):
        return
    noise = view.noise
    gaussian = noise.distribution == "gaussian"
    start = delivered_delta(view.model, noise, noise.epsilon) if gaussian else noise.delta
    st.markdown(
        "A table has finitely many records, so the statistics of n of them take finitely many "
        "values; counts move in whole steps. A normal curve gives any single value probability 0. "
        "Held against each other **before the noise** the two have nothing in common: "
        "η\u00a0=\u00a01 for every λ, and Theorem 4.6 promises nothing. Two ways lead further: "
        "measure after the noise, or add noise that makes up for the steps."
    )
    st.header("After the noise (Theorem 4.6)")
    if not gaussian:
        st.info("After Laplace noise η has no closed form to be measured with.")
    elif not (has_full_rank(noise) and blurs(noise, view.fit.pooled)):
        st.info(
            f"The noise of {escape(view.scenario.mechanism)} here does not reach every direction, "
            "but for the little that covers the steps of the statistics: too narrow to blur "
            "simulated datasets into each other, so that η\u00a0=\u00a01 as far as they tell. "
            "ExpM adds noise in every direction; the second way works for any noise."
        )
    else:
        _after_the_noise(view, start)
    st.header("With more noise (Theorem 4.7)")
    _with_more_noise(view, start)


def _measured(
    view: View, what: object, noise: Noise | None, left_out: float
) -> tuple[RelaxationRun, Run[Deviation]]:
    """A measurement, begun at most once."""
    scenario, fit = view.scenario, view.fit
    sizes = view.sizes
    key = repr(
        (what, view.source.digest, scenario.query, fit.thetas, scenario.seed)
        + (() if sizes is None else tuple(sizes))
        + (view.noise.distribution,)
        + (() if noise is None else tuple(noise.covariance.ravel()))
    )
    by_distance = noise is None
    # Gaussian noise delivers to the normals as they are; other promises are for the pooled one.
    own = view.noise.distribution == "gaussian"

    def begun() -> tuple[RelaxationRun, Run[Deviation]]:
        measurement = RelaxationRun(
            cache.computed(Dataset.groups, view.source, scenario.query, fit.pair.secret),
            scenario.query,
            fit.thetas,
            fit.means,
            fit.covariances if own else np.array([fit.pooled, fit.pooled]),
            distance_measure(left_out, sizes) if noise is None else eta_measure(noise, LAMBDAS),
            DISTANCE_REPETITIONS if by_distance else REPETITIONS,
            DISTANCE_DATASETS if by_distance else DATASETS,
            scenario.seed,
            shares=not by_distance,
        )
        return measurement, presenting.waiting(Run(measurement.steps))

    return cache.computed(begun, f"relaxation {key}")


def _grow(
    measurement: RelaxationRun, run: Run[Deviation], name: str, show: Callable[[Deviation], None]
) -> None:
    """A measurement with its progress, a way to stop it, and what it has found so far."""
    repetitions, datasets = measurement.repetitions, measurement.datasets

    def draw(run: Run[Deviation]) -> None:
        live.toggle(run, f"{name}_stop")
        if run.running or run.failure:
            live.bar(
                run,
                f"{percent(run.share_done, 0)} of {repetitions} repetitions with {exact(datasets)} "
                "datasets for each share",
            )
        if (deviation := run.result()) is not None:
            show(deviation)

    live.growing(run, draw)
    st.caption(
        f"A simulation, not a release and not a proof: {exact(datasets)} datasets a share in each "
        f"of {repetitions} repetitions, for the pair looked at, seed {measurement.seed}; 95\u00a0% "
        "intervals of the mean. Chance is the same measured on draws from the normal itself, where "
        "the truth is 0."
    )


def _after_the_noise(view: View, start: float) -> None:
    noise = view.noise
    lam = choose_lambda("eta_lambda", LAMBDAS, 0.1)
    index = int(np.abs(LAMBDAS - lam).argmin())

    def show(deviation: Deviation) -> None:
        lines = {
            name: relaxed_promise(noise.epsilon, start, LAMBDAS, values.clip(0, 1))
            for name, values in (
                ("measured", deviation.simulated.estimate),
                ("upper end of the interval", deviation.simulated.high),
                ("by chance alone", deviation.chance.estimate),
            )
        }
        kept, safe, chance = (line.deltas[index] for line in lines.values())
        eta, floor = deviation.simulated, deviation.chance
        epsilon = float(lines["measured"].epsilons[index])
        st.markdown(
            f"After the noise the simulated datasets and the normal differ, beyond a factor "
            f"e^λ\u00a0=\u00a0{number(float(np.exp(lam)))}, by η\u00a0=\u00a0"
            f"**{number(float(eta.estimate[index]))}** (up to {number(float(eta.high[index]))}); "
            f"chance alone makes {number(float(floor.estimate[index]))}. From the "
            f"δ\u00a0=\u00a0{number(start)} that the fitted normals deliver, that leaves "
            f"**ε′\u00a0=\u00a0{number(epsilon)} with δ′\u00a0=\u00a0{number(float(kept))}** "
            f"(up to {number(float(safe))}; by chance alone {number(float(chance))})."
        )
        display.chart(
            frontier_curves(
                {name: Line(line.epsilons, line.deltas) for name, line in lines.items()},
                title="What is left without the normal curve",
                promised=(noise.epsilon, noise.delta),
                chosen=(epsilon, float(kept)),
                how_to_read=(
                    "every point of a line is a promise. Where the measured line and the one by "
                    "chance alone coincide, the datasets show no deviation from the normal curve "
                    "that the noise does not blur. The cross is what was promised."
                ),
            ),
            "relaxed_normality",
        )

    _grow(*_measured(view, "eta", noise, 0.0), "eta", show)


def _with_more_noise(view: View, start: float) -> None:
    noise, sizes = view.noise, view.sizes
    left, right = st.columns(2)
    with left:
        lam = choose_lambda("distance_lambda", DISTANCE_LAMBDAS, 0.5)
    with right:
        left_out = st.select_slider(
            "Share of datasets left out",
            LEFT_OUT,
            0.001,
            format_func=share,
            key="left_out",
            persist_state="session",
            help="Normal curves have no end, so the rarest datasets could lie arbitrarily far from "
            "any simulated one. Leaving a share of them out makes the distance W smaller and adds "
            "that share, times 1 + e^(ε+λ), to δ′.",
        )

    def show(deviation: Deviation) -> None:
        distance = deviation.simulated
        reach, top = float(distance.estimate[0]), float(distance.high[0])
        lambdas = DISTANCE_LAMBDAS
        index = int(np.abs(lambdas - lam).argmin())
        kept = relaxed_promise(noise.epsilon, start, lambdas, np.full(len(lambdas), left_out))
        reported = view.reported(noise)
        extra = (np.ones(noise.dimension) if sizes is None else sizes) / (
            1.0 if view.report_sizes is None else view.report_sizes
        )
        errors = errors_with_extra_noise(reported, reach / lambdas, extra, view.scenario.seed)
        epsilon, delta = float(kept.epsilons[index]), float(kept.deltas[index])
        plain = reported.expected_error()
        st.markdown(
            f"To turn simulated datasets into normal ones, all but "
            f"{share(left_out)} of them, no dataset has to move by more than "
            f"**W\u00a0=\u00a0{number(reach)}**, summed over the statistics "
            f"(up to {number(top)}); chance alone makes "
            f"{number(float(deviation.chance.estimate[0]))}. "
            f"Laplace noise of scale W/λ\u00a0=\u00a0{number(reach / lam)} more on every statistic "
            f"hides that and leaves **ε′\u00a0=\u00a0{number(epsilon)} with "
            f"δ′\u00a0=\u00a0{number(delta)}**. The "
            f"expected L2 error rises from {number(plain)} to **{number(errors[index].estimate)}**."
            + (
                " Chance explains this W: it tells how few the datasets are, not how wrong the "
                "curve is."
                if deviation.chance.high[0] >= distance.low[0]
                else ""
            )
        )
        display.chart(
            error_curve(kept.epsilons, errors, plain=plain, chosen=index, unit=view.error_unit),
            "relaxed_error",
        )

    _grow(*_measured(view, ("distance", left_out), None, left_out), "distance", show)
