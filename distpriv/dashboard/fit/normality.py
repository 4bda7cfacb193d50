"""How far the simulated statistics are from the fitted normals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from distpriv.analysis.fitting import SIMULATED
from distpriv.charts.diagnostics import qq_plot
from distpriv.charts.fit import fit_histograms
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import display
from distpriv.errors import ModelError
from distpriv.robustness.diagnostics import FitDiagnostics, fit_diagnostics
from distpriv.robustness.verdicts import by_exact_law
from distpriv.words import escape, exact, number, percent, share, with_unit

__all__ = [
    "choose_columns",
    "diagnosed",
    "formulas",
    "histograms",
    "lead",
    "moments",
    "normality",
    "p_value",
]


def diagnosed(view: View, drawn: NDArray[np.float64]) -> FitDiagnostics | str:
    """The diagnostics, or in a sentence why there are none."""
    try:
        return fit_diagnostics(drawn, view.fit)
    except ModelError as error:
        return escape(error)


def lead(view: View, diagnostics: FitDiagnostics | str) -> str:
    """Whether the deviations from the normal curves are large enough to matter."""
    labels = view.scenario.query.labels
    exactly, broken = by_exact_law(view.model, view.noise, view.laws_for(view.noise))
    if isinstance(diagnostics, str):
        return (
            f"The mechanisms treat the {len(labels)} statistics as normal with one covariance for "
            f"both shares. How far the simulated datasets are from that is not told: {diagnostics}"
            + escape(exactly)
        )
    right, expected = diagnostics.accuracy, diagnostics.expected_accuracy
    close = right.low <= expected <= right.high
    _, worst = divmod(int(diagnostics.kolmogorov.argmax()), len(labels))
    return (
        f"**{'Close enough' if close and not broken else 'Not quite'}**: an attacker who takes the "
        "statistics for normal, with one covariance for both shares, expects to tell the shares "
        f"apart in **{percent(expected)}** of cases. On {exact(diagnostics.datasets)} simulated "
        f"datasets a share they are right in **{percent(right.estimate)}** (95\u00a0% interval "
        f"{percent(right.low)} to {percent(right.high)}); that is {'no ' * close}more than chance "
        "explains. The "
        f"curve that fits worst, of {escape(labels[worst])}, misses the share of datasets below "
        f"some value by {number(100 * float(diagnostics.kolmogorov.max()))} percentage points."
        + escape(exactly)
    )


def choose_columns() -> int:
    """How many charts stand side by side."""
    return st.segmented_control(
        "Charts side by side",
        [1, 2, 3],
        default=2,
        required=True,
        key="fit_columns",
        persist_state="session",
    )


def histograms(view: View, drawn: NDArray[np.float64], columns: int) -> None:
    """Each statistic's simulated values under its two fitted normals."""
    scenario = view.scenario
    display.chart(
        display.drawn_once(
            view,
            f"histograms {columns}",
            lambda: fit_histograms(
                view.fit, scenario.query.labels, view.units, drawn, columns=columns
            ),
        ),
        "fit",
    )
    st.caption(
        f"A simulation, not a release: {exact(SIMULATED)} datasets for each share, seed "
        f"{scenario.seed}. All that follows on normality is computed from them."
    )


def moments(view: View) -> None:
    """Means and standard deviations under both shares."""
    fit = view.fit
    st.header("Means and standard deviations")
    deviations = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2))
    p_i, p_j = share(fit.pair.p_i), share(fit.pair.p_j)
    first, second = (
        [with_unit(mean, unit) for mean, unit in zip(means, view.units, strict=True)]
        for means in fit.means
    )
    display.table(
        pd.DataFrame(
            {
                "Statistic": view.scenario.query.labels,
                f"Mean at {p_i}": first,
                f"Mean at {p_j}": second,
                f"Std. deviation at {p_i}": [number(d) for d in deviations[0]],
                f"Std. deviation at {p_j}": [number(d) for d in deviations[1]],
            }
        )
    )


def normality(view: View, diagnostics: FitDiagnostics | str, columns: int) -> None:
    """Quantiles, and for each statistic and jointly how far from normal, in figures."""
    labels = view.scenario.query.labels
    st.header("How far from normal?")
    if isinstance(diagnostics, str):
        st.info(diagnostics, icon=":material/info:")
        return
    display.chart(
        display.drawn_once(
            view, f"quantiles {columns}", lambda: qq_plot(diagnostics, labels, columns=columns)
        ),
        "quantiles",
    )
    st.markdown(
        f"A small p only says that {exact(diagnostics.datasets)} datasets suffice to notice a "
        "deviation; the gap says how large it is. Where the curve is right, chance alone makes "
        f"gaps up to {percent(diagnostics.kolmogorov_chance)}; a count adds half the share of its "
        "most frequent value, because it moves in whole steps and the curve does not. Added noise "
        "can "
        f"only narrow a gap. Of the rare datasets that δ is about, {exact(diagnostics.datasets)} "
        "show too few to judge."
    )
    _statistics_table(diagnostics, labels)
    if len(labels) > 1:
        st.markdown(
            "All statistics together, by Mardia's test: a normal distribution has skewness 0 and "
            f"kurtosis {number(diagnostics.mardia[0].expected_kurtosis)}."
        )
        display.table(
            pd.DataFrame(
                [
                    {
                        "Share": share(p),
                        "Skewness": number(joint.skewness),
                        "p of the skewness": p_value(joint.skewness_p_value),
                        "Kurtosis": number(joint.kurtosis),
                        "p of the kurtosis": p_value(joint.kurtosis_p_value),
                    }
                    for p, joint in zip(_shares(diagnostics), diagnostics.mardia, strict=True)
                ]
            )
        )


def _statistics_table(diagnostics: FitDiagnostics, labels: tuple[str, ...]) -> None:
    explained = diagnostics.kolmogorov <= diagnostics.steps + diagnostics.kolmogorov_chance
    rows = [
        {
            "Statistic": label,
            "Share": share(p),
            "Gap": percent(float(diagnostics.kolmogorov[group, index])),
            "By steps": percent(float(diagnostics.steps[group, index])),
            "Explained": "yes" if explained[group, index] else "no",
            "Skewness": number(float(diagnostics.skewness[group, index])),
            "Excess kurtosis": number(float(diagnostics.excess_kurtosis[group, index])),
            "p": p_value(float(diagnostics.p_values[group, index])),
        }
        for index, label in enumerate(labels)
        for group, p in enumerate(_shares(diagnostics))
    ]
    helps = {
        "Gap": "Kolmogorov distance: the largest difference between the share of simulated "
        "datasets below a value and what the normal curve says.",
        "By steps": "Half the share of datasets with the most frequent value. No smooth curve "
        "comes closer.",
        "Explained": "Whether steps and chance together explain the gap.",
        "Skewness": "0 for a normal; positive with a longer tail to the right.",
        "Excess kurtosis": "0 for a normal; positive with heavier tails.",
        "p": f"{diagnostics.test} test: how probable so large a deviation is if the statistic is "
        "normal. Below 0.05 is common where nothing matters.",
    }
    display.table(
        pd.DataFrame(rows),
        "normality",
        column_config={
            name: st.column_config.TextColumn(help=text) for name, text in helps.items()
        },
    )


def formulas() -> None:
    """The model and its checks, with their sources."""
    with st.expander("The formulas", icon=":material/function:"):
        st.latex(
            r"\mu_\theta = D\,(k\,m_1 + (n-k)\,m_0),\qquad"
            r"\Sigma_\theta = D\left(k\,C_1\left(1-\tfrac{k}{N_1}\right) + "
            r"(n-k)\,C_0\left(1-\tfrac{n-k}{N_0}\right)\right)D"
        )
        st.markdown(
            "k = round(n·p) of the n records have the property; $m_1, C_1, N_1$ and "
            "$m_0, C_0, N_0$ are mean, covariance and number of the records with and without it; "
            "D scales sums to means. The last factors drop out for draws with replacement. Chen & "
            "Ohrimenko (2023), Section 5.1, draw 1000 datasets instead; this is what that tends "
            "to."
        )
        st.latex(
            r"b_1=\frac1{R^2}\sum_{r,s}g_{rs}^3,\quad b_2=\frac1R\sum_r g_{rr}^2,\quad "
            r"g_{rs}=(x_r-\bar x)^\top S^{-1}(x_s-\bar x)"
        )
        st.markdown(
            "Mardia (1970): $R b_1/6$ is chi-squared with $m(m+1)(m+2)/6$ degrees of freedom, "
            "$b_2$ normal around $m(m+2)$ with variance $8m(m+2)/R$, for R simulated datasets of m "
            "statistics. Box (1949) tests the covariances. Efron's bootstrap (1979) draws as many "
            "records of each group again, with replacement; its interval reaches as far as the "
            "percentiles or their mirror images at the estimate do."
        )


def _shares(diagnostics: FitDiagnostics) -> tuple[float, float]:
    return diagnostics.pair.p_i, diagnostics.pair.p_j


def p_value(value: float) -> str:
    """A p value as one would say it."""
    return "below 0.001" if value < 0.001 else number(value)
