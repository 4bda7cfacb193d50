"""What other records of the same population would have given."""

from __future__ import annotations

import numpy as np
import streamlit as st

from distpriv import mechanisms
from distpriv.charts.diagnostics import bootstrap_intervals
from distpriv.dashboard.shell import cache, simulations
from distpriv.dashboard.shell.frame import View
from distpriv.dashboard.widgets import curves, display
from distpriv.model.sampling import Interval
from distpriv.robustness.bootstrap import bootstrap_model, delivered_intervals
from distpriv.words import escape, exact, number

__all__ = ["uncertainty"]

MOST_REPLICATES, LEAST_REPLICATES = 500, 100
RESAMPLED = 5e7  # records times replicates: about half a second


def uncertainty(view: View) -> None:
    """What other records of the same population would have given, and the ε delivered then."""
    scenario, noise, fit = view.scenario, view.noise, view.fit
    name = escape(scenario.mechanism)
    st.header("Would other records give the same figures?")
    if not curves.needs_closed_form(view, "What other records would have given"):
        return
    secret = fit.pair.secret
    records = sum(view.groups.moments(scenario.query, secret).counts)
    replicates = int(np.clip(RESAMPLED // records, LEAST_REPLICATES, MOST_REPLICATES))
    resampled = bootstrap_model(
        cache.computed(
            simulations.resampled,
            view.source,
            scenario.query,
            secret,
            replicates,
            scenario.seed,
            saying="Drawing the records again …",
        ),
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
    display.chart(
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


def _between(interval: Interval) -> str:
    return f"between {number(interval.low)} and {number(interval.high)}"
