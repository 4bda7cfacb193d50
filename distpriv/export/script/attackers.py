"""Scripts of the pages on the simulated attacker and on what an attacker believes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distpriv import mechanisms
from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import Setting, noises, shown_at_first

__all__ = ["attack", "belief"]


def attack(
    setting: Setting,
    names: Sequence[str] | None = None,
    adaptive: bool = True,
    classifier: str = "logistic",
    repetitions: int = 50,
    published: Mapping[str, str] | None = None,
    **_: object,
) -> list[Section]:
    """The simulated and the best possible attacker on every mechanism that is shown.

    Parameters
    ----------
    setting : Setting
    names : sequence of str, optional
        Mechanisms; by default those that pages begin with.
    adaptive, classifier, repetitions
        See :func:`distpriv.run_attack`.
    published : mapping of mechanism to calibration, optional
        Mechanisms to be held against their noise as published; by default those with Gaussian
        noise along few directions, in the scenario's calibration.
    """
    chosen = setting.scenario.mechanism
    wanted = dict.fromkeys([*(shown_at_first() if names is None else names), chosen])
    claimed = [name for name in wanted if mechanisms.get(name).protects]
    run = f"""\
attack = evaluation.attack(
    {{"none": None, **noises}}, adaptive={adaptive}, classifier={literal(classifier)}
)
attacked = attack.collect([attack.run(index) for index in range({int(repetitions)})])
result["best possible attacker, without noise"] = evaluation.undefended
for name, noise in noises.items():
    result[f"{{name}}: best possible attacker"] = evaluation.accuracy_of(noise)
for name in attacked.accuracy:
    measured = attacked.interval(name)
    result[f"{{name}}: simulated attacker"] = measured.estimate
    result[f"{{name}}: 95 % interval from"] = measured.low
    result[f"{{name}}: 95 % interval to"] = measured.high"""
    proven = f"""\
claims = {{name: noises[name] for name in noises if name in {literal(claimed)}}}
for name in attacked.accuracy:
    proven = dp.audit_attack(attacked, name, claims.get(name)).epsilon
    result[f"{{name}}: the attack proves ε of at least"] = proven"""
    title = "A simulation: how often an attacker names the right share"
    return [
        Section(title, noises(wanted) + run),
        Section("What that proves", proven),
        *_undone(setting, published),
    ]


def _undone(setting: Setting, published: Mapping[str, str] | None) -> list[Section]:
    """The arithmetic attacker on the mechanisms as published and grid-safe."""
    if published is None:
        published = dict.fromkeys(("DirM", "DauM", "OptM"), setting.scenario.calibration)
    if not published:
        return []
    code = f"""\
compared = {{}}
for name, calibration in {literal(dict(published))}.items():
    for kind, safe in (("published", False), ("grid-safe", True)):
        try:
            compared[f"{{name}}, {{kind}}"] = dp.calibrate(
                name,
                evaluation.model,
                scenario.epsilon,
                grid_safe=safe,
                **evaluation.calibrating | {{"calibration": calibration}},
            )
        except dp.errors.CalibrationError as error:
            print(f"{{name}} is left out: {{error}}")
attack = evaluation.attack(compared, classifier="arithmetic", rounded=False)
undoing = attack.collect([attack.run(index) for index in range(20)])
for name in compared:
    result[f"{{name}}: arithmetic attacker"] = undoing.interval(name).estimate
    result[f"{{name}}: true statistics read off"] = undoing.recovered[name].mean()"""
    title = "What arithmetic on the steps of the statistics makes of noise as published"
    return [Section(title, code)]


def belief(
    setting: Setting,
    prior: str = "dp.attacks.posterior.uniform_prior(shares)",
    truth: float | None = None,
    draw: int = 1,
    released: Sequence[float] = (),
    **_: object,
) -> list[Section]:
    """What the attacker takes the share to be, before and after a release.

    Parameters
    ----------
    setting : Setting
    prior : str
        Text of Python that makes the prior from ``shares``.
    truth : float, optional
        Share of the simulated release; by default the first of the pair.
    draw : int, at least 1
        Which of the seed's releases.
    released : sequence of float
        Values that were entered, instead of simulated ones.
    """
    if len(released):
        values = literal([float(value) for value in released])
    else:
        share = "fit.pair.p_i" if truth is None else repr(float(truth))
        values = f"""\
dp.attacks.posterior.simulate_release(
    release,
    {share},
    np.random.default_rng(np.random.SeedSequence(scenario.seed, spawn_key=({int(draw) - 1},))),
)[1]"""
    code = f"""\
query, fit, n = scenario.query, evaluation.fit, evaluation.model.n
release = dp.attacks.posterior.ReleaseModel(
    evaluation.groups.moments(query, fit.pair.secret),
    query,
    n,
    evaluation.noise,
    scenario.replacement,
    evaluation.fit.population,
)
shares = dp.attacks.posterior.share_grid(n)
prior = {prior}
released = {values}
updated = dp.attacks.posterior.posterior(release, prior, released)
result = {{}}
for when, believed in {{"before": prior, "after": updated}}.items():
    interval = believed.credible_interval()
    result[f"share expected {{when}}"] = believed.mean
    result[f"{{when}}, from"], result[f"{{when}}, to"] = interval.low, interval.high
if len(prior.shares) == 2:
    result["probability of the first share, after"] = updated.weights[0]"""
    return [Section("A simulated release, and what is believed after it", code)]
