"""Parts of the page on the Gaussian fit: how far it is off, and how sure its figures are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.charts.diagnostics import bootstrap_intervals, qq_plot, variance_ratios
from distpriv.charts.fit import covariance_heatmap
from distpriv.dashboard import widgets
from distpriv.dashboard.assumptions.verdicts import exact_law_of
from distpriv.dashboard.shell import cache
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import promise
from distpriv.errors import ModelError
from distpriv.model.gaussian import PairModel
from distpriv.model.sampling import Interval
from distpriv.privacy.delivered import delivered_epsilon
from distpriv.robustness.bootstrap import bootstrap_model, delivered_intervals
from distpriv.robustness.diagnostics import FitDiagnostics, fit_diagnostics
from distpriv.robustness.verdicts import by_exact_law
from distpriv.words import escape, exact, number, percent, share, with_unit

__all__ = ["covariances", "diagnosed", "formulas", "lead", "moments", "normality", "uncertainty"]

MOST_REPLICATES, LEAST_REPLICATES = 500, 100
RESAMPLED = 5e7  # records times replicates: about half a second


def diagnosed(drawn: NDArray[np.float64], fit: PairModel) -> FitDiagnostics | str:
    """The diagnostics, or in a sentence why there are none."""
    try:
        return fit_diagnostics(drawn, fit)
    except ModelError as error:
        return escape(error)


def lead(view: View, found: FitDiagnostics | str) -> str:
    """Whether the deviations from the normal curves are large enough to matter."""
    labels = view.scenario.query.labels
    exactly, broken = by_exact_law(exact_law_of(view), view.noise)
    if isinstance(found, str):
        return (
            f"The mechanisms treat the {len(labels)} statistics as normal with one covariance for "
            f"both shares. How far the simulated datasets are from that is not told: {found}"
            + escape(exactly)
        )
    told, expected = found.accuracy, found.expected_accuracy
    close = told.low <= expected <= told.high
    _, worst = divmod(int(found.kolmogorov.argmax()), len(labels))
    return (
        f"**{'Close enough' if close and not broken else 'Not quite'}**: an attacker who takes the "
        "statistics for normal, with one covariance for both shares, expects to tell the shares "
        f"apart in **{percent(expected)}** of cases. On {found.datasets} simulated datasets a "
        f"share they are right in **{percent(told.estimate)}** (95\u00a0% interval "
        f"{percent(told.low)} to {percent(told.high)}); that is {'no ' * close}more than chance "
        "explains. The "
        f"curve that fits worst, of {escape(labels[worst])}, misses the share of datasets below "
        f"some value by {100 * float(found.kolmogorov.max()):.1f} percentage points."
        + escape(exactly)
    )


def moments(view: View, fit: PairModel) -> None:
    """Means and standard deviations under both shares."""
    st.subheader("Means and standard deviations")
    deviations = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2))
    p_i, p_j = share(fit.pair.p_i), share(fit.pair.p_j)
    first, second = (
        [with_unit(mean, unit) for mean, unit in zip(means, view.units, strict=True)]
        for means in fit.means
    )
    widgets.table(
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


def normality(view: View, found: FitDiagnostics | str, columns: int) -> None:
    """Quantiles, and for each statistic and jointly how far from normal, in figures."""
    labels = view.scenario.query.labels
    st.subheader("How far from normal?")
    if isinstance(found, str):
        st.info(found, icon=":material/info:")
        return
    widgets.chart(
        widgets.drawn_once(
            view, f"quantiles {columns}", lambda: qq_plot(found, labels, columns=columns)
        ),
        "quantiles",
    )
    st.markdown(
        f"A small p only says that {found.datasets} datasets suffice to notice a deviation; "
        "the gap says how large it is. Where the curve is right, chance alone makes gaps up to "
        f"{percent(found.kolmogorov_chance)}; a count adds half the share of its most frequent "
        "value, because it moves in whole steps and the curve does not. Added noise can only "
        f"narrow a gap. Of the rare datasets that δ is about, {found.datasets} show too few to "
        "judge."
    )
    _statistics_table(found, labels)
    if len(labels) > 1:
        st.markdown(
            "All statistics together, by Mardia's test: a normal distribution has skewness 0 and "
            f"kurtosis {number(found.mardia[0].expected_kurtosis)}."
        )
        widgets.table(
            pd.DataFrame(
                [
                    {
                        "Share": share(p),
                        "Skewness": number(joint.skewness),
                        "p of the skewness": _p(joint.skewness_p_value),
                        "Kurtosis": number(joint.kurtosis),
                        "p of the kurtosis": _p(joint.kurtosis_p_value),
                    }
                    for p, joint in zip(_shares(found), found.mardia, strict=True)
                ]
            )
        )


def _statistics_table(found: FitDiagnostics, labels: tuple[str, ...]) -> None:
    explained = found.kolmogorov <= found.steps + found.kolmogorov_chance
    rows = [
        {
            "Statistic": label,
            "Share": share(p),
            "Gap": percent(float(found.kolmogorov[group, index])),
            "By steps": percent(float(found.steps[group, index])),
            "Explained": "yes" if explained[group, index] else "no",
            "Skewness": number(float(found.skewness[group, index])),
            "Excess kurtosis": number(float(found.excess_kurtosis[group, index])),
            "p": _p(float(found.p_values[group, index])),
        }
        for index, label in enumerate(labels)
        for group, p in enumerate(_shares(found))
    ]
    helps = {
        "Gap": "Kolmogorov distance: the largest difference between the share of simulated "
        "datasets below a value and what the normal curve says.",
        "By steps": "Half the share of datasets with the most frequent value. No smooth curve "
        "comes closer.",
        "Explained": "Whether steps and chance together explain the gap.",
        "Skewness": "0 for a normal; positive with a longer tail to the right.",
        "Excess kurtosis": "0 for a normal; positive with heavier tails.",
        "p": f"{found.test} test: how probable so large a deviation is if the statistic is "
        "normal. Below 0.05 is common where nothing matters.",
    }
    widgets.table(
        pd.DataFrame(rows),
        "normality",
        column_config={
            name: st.column_config.TextColumn(help=text) for name, text in helps.items()
        },
    )


def covariances(view: View, fit: PairModel, found: FitDiagnostics | str) -> None:
    """Correlations, what the two shares do to the variances, and what that does to ε."""
    labels = view.scenario.query.labels
    st.subheader("One covariance for both shares?")
    if not isinstance(found, str):
        st.markdown(_difference(found, labels) + _cost(view))
    left, right = st.columns(2, gap="large")
    with left:
        if not isinstance(found, str):
            widgets.chart(
                widgets.drawn_once(
                    view,
                    "variances",
                    lambda: variance_ratios(found.covariances, labels, fit.pair),
                ),
                "variances",
            )
    with right:
        widgets.chart(
            widgets.drawn_once(view, "correlations", lambda: covariance_heatmap(fit, labels)),
            "correlations",
        )
    p_i, p_j = share(fit.pair.p_i), share(fit.pair.p_j)
    which = st.segmented_control(
        "Covariance",
        ["pooled", p_i, p_j],
        default="pooled",
        required=True,
        key="covariance_of",
        persist_state="session",
        help="The mechanisms work with the mean of the two.",
    )
    matrix = {"pooled": fit.pooled, p_i: fit.covariances[0], p_j: fit.covariances[1]}[which]
    shown = pd.DataFrame(matrix, columns=list(labels)).map(number)
    shown.insert(0, "Statistic", labels)
    widgets.table(shown)


def _difference(found: FitDiagnostics, labels: tuple[str, ...]) -> str:
    difference = found.covariances
    with np.errstate(divide="ignore"):
        logarithms = np.abs(np.log(difference.variance_ratios))
        extreme = np.abs(np.log(difference.eigenvalues)).max()
    mixed = (
        f", and along the worst mixture of statistics by **{number(float(np.exp(extreme)))}**"
        if len(labels) > 1
        else ""
    )
    return (
        "The mechanisms take the mean of the two covariances. The variance that changes most "
        f"between the shares is that of {escape(labels[int(logarithms.argmax())])}, by a factor "
        f"of **{number(float(np.exp(logarithms.max())))}**{mixed}. Box's test of equal "
        f"covariances has p {_equals(difference.p_value)}. "
    )


def _cost(view: View) -> str:
    noise, scenario = view.noise, view.scenario
    name = escape(scenario.mechanism)
    if noise.distribution != "gaussian":
        found = promise.delivered(view, noise)
        protects = mechanisms.get(scenario.mechanism).protects
        return (
            f"With a covariance of its own for each share, {name} at "
            f"ε\u00a0=\u00a0{noise.epsilon:g} delivers **δ\u00a0=\u00a0{number(found)}**"
            + (f", where {exact(noise.delta)} is promised." if protects else ".")
        )
    own = delivered_epsilon(view.focused, noise, scenario.delta)
    return (
        f"With a covariance of its own for each share, {name} at "
        f"ε\u00a0=\u00a0{scenario.epsilon:g} delivers **ε\u00a0=\u00a0{number(own)}** at "
        f"δ\u00a0=\u00a0{exact(scenario.delta)}."
    )


def uncertainty(view: View, fit: PairModel) -> None:
    """What other records of the same population would have given, and the ε delivered then."""
    scenario, noise = view.scenario, view.noise
    name = escape(scenario.mechanism)
    st.subheader("Would other records give the same figures?")
    if not widgets.needs_closed_form(view, "What other records would have given"):
        return
    secret = fit.pair.secret
    records = sum(cache.moments(view.source, scenario.query, secret).counts)
    replicates = int(np.clip(RESAMPLED // records, LEAST_REPLICATES, MOST_REPLICATES))
    resampled = bootstrap_model(
        cache.resampled(view.source, scenario.query, secret, replicates, scenario.seed),
        fit,
        scenario.query,
    )
    gaussian = noise.distribution == "gaussian"
    delivered = delivered_intervals(resampled, noise, scenario.delta) if gaussian else None
    promised = gaussian and mechanisms.get(scenario.mechanism).protects
    st.markdown(
        f"Had {number(records)} other records of the same population been in the table, the means "
        f"at the two shares would lie {_between(resampled.sensitivity)} apart "
        f"($\\Delta_{{E,2}}$, here {number(resampled.sensitivity.estimate)}), which is "
        f"{_between(resampled.mahalanobis)} standard deviations (Mahalanobis distance, here "
        f"{number(resampled.mahalanobis.estimate)}). "
        + (
            f"The noise of {name} stays the same and would deliver "
            f"**ε\u00a0{_between(delivered.epsilon)}** at δ\u00a0=\u00a0{exact(scenario.delta)}, "
            "with one covariance for both shares."
            if delivered
            else f"{name} adds Laplace noise, for which the ε delivered is not computed here."
        )
    )
    widgets.chart(
        bootstrap_intervals(
            resampled,
            delivered,
            promised=scenario.epsilon if promised else None,
            mechanism=scenario.mechanism,
        ),
        "resampled",
    )
    st.caption(
        f"A simulation, not a release: the records drawn again {replicates} times, seed "
        f"{scenario.seed}; 95\u00a0% intervals."
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


def _shares(found: FitDiagnostics) -> tuple[float, float]:
    return found.pair.p_i, found.pair.p_j


def _between(interval: Interval) -> str:
    return f"between {number(interval.low)} and {number(interval.high)}"


def _p(value: float) -> str:
    return "below 0.001" if value < 0.001 else number(value)


def _equals(value: float) -> str:
    return _p(value) if value < 0.001 else f"=\u00a0{number(value)}"
