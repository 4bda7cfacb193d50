"""Scripts of the pages that hold the model against simulated datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distpriv import mechanisms
from distpriv.analysis.fitting import SIMULATED
from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import Setting

__all__ = ["assumptions", "fit", "wasserstein"]

RESAMPLED = 5e7  # records times replicates


def fit(setting: Setting, **_: object) -> list[Section]:
    """How far the statistics are from normal, and what other records would have given."""
    code = """\
fit = evaluation.fit
found = dp.robustness.fit_diagnostics(evaluation.simulated, fit)
result = {
    "accuracy that the normal curves lead to expect": found.expected_accuracy,
    "accuracy on the simulated datasets": found.accuracy.estimate,
    "95 % interval from": found.accuracy.low,
    "95 % interval to": found.accuracy.high,
    "largest gap, in percentage points": 100 * found.kolmogorov.max(),
    "p of equal covariances": found.covariances.p_value,
}
deviations = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2))
for place, label in enumerate(evaluation.labels):
    for share in range(2):
        result[f"{label}, mean at share {share + 1}"] = fit.means[share, place]
        result[f"{label}, standard deviation at share {share + 1}"] = deviations[share, place]"""
    sections = [Section("How far from normal", code)]
    if setting.scenario.query.is_linear:
        again = f"""\
groups = evaluation.groups.records(scenario.query, fit.pair.secret)
replicates = int(np.clip({RESAMPLED!r} // sum(groups.counts), 100, 500))
stream = np.random.default_rng((scenario.seed, replicates))
again = dp.robustness.bootstrap_moments(groups, replicates, rng=stream)
resampled = dp.robustness.bootstrap_model(again, fit, scenario.query)
result["distance of the means, from"] = resampled.sensitivity.low
result["distance of the means, to"] = resampled.sensitivity.high"""
        if setting.gaussian:
            again += """
delivered = dp.robustness.delivered_intervals(resampled, evaluation.noise, scenario.delta)
result["delivered ε, from"] = delivered.epsilon.low
result["delivered ε, to"] = delivered.epsilon.high"""
        sections.append(Section("Had other records been in the table", again))
    return sections


def assumptions(setting: Setting, **_: object) -> list[Section]:
    """A verdict on every assumption of the mechanism, and the promise without them."""
    code = """\
result = {}
for assumption, verdict in evaluation.verdicts.items():
    assumed = ", assumed" * (verdict in evaluation.assumed)
    print(f"{assumption.title}: {verdict.holds}{assumed}")
    result[f"{assumption.title}, deviation in {verdict.unit}"] = verdict.measured
    result[f"{assumption.title}, expected at most"] = verdict.expected"""
    if setting.gaussian and mechanisms.get(setting.scenario.mechanism).protects:
        code += """
result["promised δ"] = evaluation.noise.delta
result["delivered δ"] = evaluation.delivered_delta"""
    return [Section("What the promise rests on", code)]


def wasserstein(
    setting: Setting,
    datasets: int = SIMULATED,
    example: Mapping[str, Sequence[Sequence[float]]] | None = None,
    delta: float = 0.1,
    **_: object,
) -> list[Section]:
    """How far the statistics have to move, or the masses of a small example.

    Parameters
    ----------
    setting : Setting
    datasets : int
        Simulated for each share.
    example : mapping, optional
        Values and weights of μ and ν, if the page shows its small example.
    delta : float
        The example's δ.
    """
    if example is not None:
        (x, x_weights), (y, y_weights) = (
            [literal([float(value) for value in part]) for part in parts]
            for parts in example.values()
        )
        code = f"""\
mu, mu_weights = {x}, {x_weights}
nu, nu_weights = {y}, {y_weights}
furthest = dp.wasserstein_inf(mu, nu, mu_weights, nu_weights)
left = dp.closeness(mu, nu, {delta!r}, mu_weights, nu_weights)
result = {{
    "W": furthest,
    "W without the share that may be left out": left,
    "Laplace scale": furthest / scenario.epsilon,
    "Laplace scale with δ": left / scenario.epsilon,
}}"""
        return [Section("The small example", code)]
    code = f"""\
fit, outcomes = evaluation.fit, evaluation.fit.outcomes
if outcomes is None or (scenario.query.is_linear and not outcomes.exact):
    outcomes = evaluation.groups.outcomes(scenario.query, fit.thetas, {datasets}, scenario.seed)
result = {{
    "some have to move by": outcomes.closeness(0.0),
    "without δ of them, by": outcomes.closeness(scenario.delta),
    "the fitted normals are apart by": dp.distances.normal_closeness(
        fit.difference, fit.pooled, 0.0
    ),
}}
for name, left_out in {{"Wasserstein": 0.0, "ApproxWasserstein": scenario.delta}}.items():
    distance = outcomes.closeness(left_out)
    result[f"{{name}}: Laplace scale"] = distance / scenario.epsilon"""
    return [
        Section(f"How far {datasets} datasets for each share have to move", code),
    ]
