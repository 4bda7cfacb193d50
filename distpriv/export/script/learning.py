"""Scripts of the pages that hold the model against simulated datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distpriv import mechanisms
from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import SIMULATED, Setting

__all__ = ["assumptions", "fit", "wasserstein"]

RESAMPLED = 5e7  # records times replicates


def _drawn(setting: Setting) -> Section:
    seed, table = setting.scenario.seed, setting.fitted_to
    code = f"""\
groups = dp.record_groups({table}, query, fit.pair.secret)
streams = np.random.SeedSequence({seed}).spawn(2)
drawn = np.array(
    [
        dp.model.simulate(groups, query, theta, {SIMULATED}, np.random.default_rng(stream))
        for theta, stream in zip(fit.thetas, streams)
    ]
)"""
    return Section(f"A simulation: {SIMULATED} datasets for each share", code)


def fit(setting: Setting, **_: object) -> list[Section]:
    """How far the statistics are from normal, and what other records would have given."""
    found = """\
found = dp.robustness.fit_diagnostics(drawn, fit)
result = {
    "accuracy that the normal curves lead to expect": found.expected_accuracy,
    "accuracy on the simulated datasets": found.accuracy.estimate,
    "95 % interval from": found.accuracy.low,
    "95 % interval to": found.accuracy.high,
    "largest gap, in percentage points": 100 * found.kolmogorov.max(),
    "p of equal covariances": found.covariances.p_value,
}
deviations = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2))
for place, label in enumerate(query.labels):
    for share in range(2):
        result[f"{label}, mean at share {share + 1}"] = fit.means[share, place]
        result[f"{label}, standard deviation at share {share + 1}"] = deviations[share, place]"""
    sections = [_drawn(setting), Section("How far from normal", found)]
    if setting.scenario.query.is_linear:
        delta, seed = setting.scenario.delta, setting.scenario.seed
        lines = [
            f"replicates = int(np.clip({RESAMPLED!r} // sum(groups.counts), 100, 500))",
            "again = dp.robustness.bootstrap_moments(",
            f"    groups, replicates, rng=np.random.default_rng(({seed}, replicates))",
            ")",
            "resampled = dp.robustness.bootstrap_model(again, fit, query)",
            'result["distance of the means, from"] = resampled.sensitivity.low',
            'result["distance of the means, to"] = resampled.sensitivity.high',
        ]
        if setting.gaussian:
            lines += [
                f"delivered = dp.robustness.delivered_intervals(resampled, noise, {delta!r})",
                'result["delivered ε, from"] = delivered.epsilon.low',
                'result["delivered ε, to"] = delivered.epsilon.high',
            ]
        sections.append(Section("Had other records been in the table", "\n".join(lines)))
    return sections


def assumptions(setting: Setting, **_: object) -> list[Section]:
    """A verdict on every assumption of the mechanism, and the promise without them."""
    name, calibration = setting.scenario.mechanism, setting.scenario.calibration
    code = f"""\
shift = dp.robustness.fitted_shift(drawn, fit, {setting.scenario.seed})
try:
    found = dp.robustness.fit_diagnostics(drawn, fit)
except dp.errors.ModelError:
    found = None
law = dp.privacy.known_law(groups, query, fit.pair, model.n, replacement=model.replacement)
evidence = dp.robustness.Evidence(model, looked_at, noise, shift, found, law)
wanted = dp.mechanisms.get({literal(name)}).assumptions(model, {literal(calibration)})
result = {{}}
for verdict in dp.verdicts(dp.robustness.Assumption, evidence):
    title = verdict.assumption.title
    print(f"{{title}}: {{verdict.holds}}{{', assumed' * (verdict.assumption in wanted)}}")
    result[f"{{title}}, deviation in {{verdict.unit}}"] = verdict.measured
    result[f"{{title}}, expected at most"] = verdict.expected"""
    if setting.gaussian and mechanisms.get(name).protects:
        code += (
            '\nresult["promised δ"] = noise.delta\n'
            'result["delivered δ"] = dp.delivered_delta(model, noise, noise.epsilon)'
        )
    return [_drawn(setting), Section("What the promise rests on", code)]


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
    scenario = setting.scenario
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
    "Laplace scale": furthest / {scenario.epsilon!r},
    "Laplace scale with δ": left / {scenario.epsilon!r},
}}"""
        return [Section("The small example", code)]
    seed, table = scenario.seed, setting.fitted_to
    simulate = f"""\
outcomes = fit.outcomes
if outcomes is None or (query.is_linear and not outcomes.exact):
    groups = dp.record_groups({table}, query, fit.pair.secret)
    first, second = (
        dp.model.simulate(
            groups, query, theta, {datasets}, np.random.default_rng(({seed}, {datasets}, k))
        )
        for k, theta in enumerate(fit.thetas)
    )
    outcomes = dp.distances.Outcomes((first, second))"""
    distances = f"""\
result = {{
    "some have to move by": outcomes.closeness(0.0),
    "without δ of them, by": outcomes.closeness({scenario.delta!r}),
    "the fitted normals are apart by": dp.distances.normal_closeness(
        fit.difference, fit.pooled, 0.0
    ),
}}
for name, distance in {{"Wasserstein": 0.0, "ApproxWasserstein": {scenario.delta!r}}}.items():
    result[f"{{name}}: Laplace scale"] = outcomes.closeness(distance) / {scenario.epsilon!r}"""
    return [
        Section(f"A simulation: {datasets} datasets for each share", simulate),
        Section("How far they have to move", distances),
    ]
