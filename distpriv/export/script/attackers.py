"""Scripts of the pages on the simulated attacker and on what an attacker believes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from distpriv import mechanisms
from distpriv.export.script.script import Section, literal
from distpriv.export.script.setup import Setting, calibrated
from distpriv.export.script.tradeoffs import noises, shown_at_first

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
    wanted = list(dict.fromkeys([*(shown_at_first() if names is None else names), chosen]))
    run = f"""\
attack = dp.run_attack(
    {setting.fitted_to},
    query,
    fit.pair,
    n,
    {{"none": None, **noises}},
    adaptive={adaptive},
    repetitions={int(repetitions)},
    replacement={setting.scenario.replacement},
    rng={setting.scenario.seed},
    classifier={literal(classifier)},
    keep_scores=True,
)
result = {{"best possible attacker, without noise": dp.optimal_attack_accuracy(focused)}}
for name, each in noises.items():
    result[f"{{name}}: best possible attacker"] = right(each)
for name in attack.accuracy:
    measured = attack.interval(name)
    result[f"{{name}}: simulated attacker"] = measured.estimate
    result[f"{{name}}: 95 % interval from"] = measured.low
    result[f"{{name}}: 95 % interval to"] = measured.high"""
    claimed = [name for name in wanted if mechanisms.get(name).protects]
    proven = f"""\
claims = {{name: noises[name] for name in noises if name in {literal(claimed)}}}
for name in attack.accuracy:
    proven = dp.audit_attack(attack, name, claims.get(name)).epsilon
    result[f"{{name}}: the attack proves ε of at least"] = proven"""
    return [
        noises(setting, wanted),
        Section("A simulation: how often an attacker names the right share", run),
        Section("What that proves", proven),
        *_undone(setting, published),
    ]


def _undone(setting: Setting, published: Mapping[str, str] | None) -> list[Section]:
    """The arithmetic attacker on the mechanisms as published and grid-safe."""
    scenario = setting.scenario
    if published is None:
        published = dict.fromkeys(("DirM", "DauM", "OptM"), scenario.calibration)
    if not published:
        return []
    own = f"calibration={literal(scenario.calibration)}"
    call = calibrated(setting, "name").replace(own, "calibration=calibration, grid_safe=safe")
    call = call.replace("\n", "\n            ")
    return [
        Section(
            "What arithmetic on the steps of the statistics makes of noise as published",
            f"""\
compared = {{}}
for name, calibration in {literal(dict(published))}.items():
    for kind, safe in (("published", False), ("grid-safe", True)):
        try:
            compared[f"{{name}}, {{kind}}"] = {call}
        except dp.errors.CalibrationError as error:
            print(f"{{name}} is left out: {{error}}")
undoing = dp.run_attack(
    {setting.fitted_to},
    query,
    fit.pair,
    n,
    compared,
    repetitions=20,
    replacement={scenario.replacement},
    rng={scenario.seed},
    classifier="arithmetic",
    rounded=False,
)
for name in compared:
    result[f"{{name}}: arithmetic attacker"] = undoing.interval(name).estimate
    result[f"{{name}}: true statistics read off"] = undoing.recovered[name].mean()""",
        )
    ]


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
    seed = setting.scenario.seed
    lines = [
        "release = dp.attacks.posterior.ReleaseModel(",
        f"    dp.group_moments({setting.fitted_to}, query, fit.pair.secret),",
        f"    query, n, noise, {setting.scenario.replacement},",
        ")",
        "shares = dp.attacks.posterior.share_grid(n)",
        f"prior = {prior}",
    ]
    if len(released):
        lines.append(f"released = {literal([float(value) for value in released])}")
    else:
        share = "fit.pair.p_i" if truth is None else repr(float(truth))
        lines += [
            f"stream = np.random.SeedSequence({seed}, spawn_key=({int(draw) - 1},))",
            "clear, released = dp.attacks.posterior.simulate_release(",
            f"    release, {share}, np.random.default_rng(stream)",
            ")",
        ]
    lines += [
        "updated = dp.attacks.posterior.posterior(release, prior, released)",
        "result = {}",
        'for when, believed in {"before": prior, "after": updated}.items():',
        "    interval = believed.credible_interval()",
        '    result[f"share expected {when}"] = believed.mean',
        '    result[f"{when}, from"], result[f"{when}, to"] = interval.low, interval.high',
        "if len(prior.shares) == 2:",
        '    result["probability of the first share, after"] = updated.weights[0]',
    ]
    return [Section("A simulated release, and what is believed after it", "\n".join(lines))]
