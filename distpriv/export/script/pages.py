"""The script of every page, by the name of its address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from distpriv import mechanisms, queries
from distpriv.attacks.classifiers import classifier_names, get_classifier
from distpriv.export.script import (
    attackers,
    attributes,
    learning,
    releasing,
    setup,
    teaching,
    tradeoffs,
)
from distpriv.export.script.script import Script, Section, literal
from distpriv.export.script.setup import Setting

__all__ = ["PAGES", "script_of"]

PRINT = Section(
    "The numbers", 'for name, value in result.items():\n    print(f"{name}: {value:.6g}")'
)
_NUMPY = "import numpy as np\n\n"
_PACKAGE = "import distpriv as dp"

_Writer = Callable[..., list[Section]]


def script_of(page: str, setting: Setting, shown: Mapping[str, Any] | None = None) -> Script:
    """The script of a page; one without its own gets that of the scenario at large.

    Parameters
    ----------
    page : str
        The page's name in its address; empty for the first one.
    setting : Setting
    shown : mapping, optional
        What the page's own controls say, by the names of the writer's parameters.

    Returns
    -------
    Script
        Its variable ``result`` holds the page's numbers by name.
    """
    title, write, frame = PAGES.get(page, PAGES[""])
    sections = [setup.data(setting)] if frame else [Section("The package", "import distpriv as dp")]
    own = [*write(setting, **(shown or {})), PRINT]
    if frame:
        rest = "\n".join(section.code for section in own)
        sections += [setup.question(setting), setup.fitted(setting), setup.noise(setting, rest)]
    sections += own
    code = "\n".join(section.code for section in sections)
    first = sections[0].code.replace(_PACKAGE, "\n".join([_PACKAGE, *_extensions(code)]), 1)
    if "np." not in code:
        first = first.replace(_NUMPY, "")
    sections[0] = Section(sections[0].title, first)
    return Script(title, tuple(sections))


def _extensions(code: str) -> list[str]:
    """Imports of what registers the mechanisms, statistics and attackers from outside it names."""
    registered = {name: type(mechanisms.get(name)).__module__ for name in mechanisms.names()}
    registered |= {kind: queries.get(kind).__module__ for kind in queries.names()}
    registered |= {name: get_classifier(name).fit.__module__ for name in classifier_names()}
    modules = {
        module
        for name, module in registered.items()
        if module.partition(".")[0] != "distpriv" and literal(name) in code
    }
    return [f"import {module}  # registers what is used below" for module in sorted(modules)]


def answer(setting: Setting, **_: object) -> list[Section]:
    """The question answered: the best attacker, the errors, the guarantee."""
    return [
        Section(
            "What the best attacker achieves, and what the noise costs",
            "result = {\n"
            '    "best attacker right, without noise": dp.optimal_attack_accuracy(focused),\n'
            '    "best attacker right, with the noise": right(noise),\n'
            '    "expected L2 error": l2_error(noise),\n'
            "}\n"
            "for label, error in zip(query.labels, noise.expected_absolute_errors()):\n"
            '    result[f"expected error of {label}"] = error',
        ),
        *guarantee(setting),
    ]


def guarantee(setting: Setting) -> list[Section]:
    """What is promised, and delivered."""
    chosen = mechanisms.get(setting.scenario.mechanism)
    if not chosen.protects:
        return []
    lines = [
        'result["promised δ"] = noise.delta',
        "worst = dp.privacy.worst_case(model, noise, noise.epsilon)",
        'result["delivered δ"] = worst.delta',
        'result["smoothness of the grid, θ"] = noise.smoothness(model)',
    ]
    if setting.gaussian:
        lines.append('result["delivered ε"] = dp.delivered_epsilon(model, noise, noise.delta)')
    return [Section("The guarantee, promised and delivered", "\n".join(lines))]


def question(setting: Setting, **_: object) -> list[Section]:
    """What is hidden from what, and how far the secret moves each statistic."""
    code = """\
result = {f"records with the property at {theta.proportion}": theta.having for theta in fit.thetas}
deviations = np.sqrt(np.diag(fit.pooled))
for place, label in enumerate(query.labels):
    result[f"{label} at p_i"], result[f"{label} at p_j"] = fit.means[:, place]
    result[f"{label}, standard deviation"] = deviations[place]
    result[f"{label}, shift in standard deviations"] = -fit.difference[place] / deviations[place]"""
    sections = [Section("What moves", code)]
    if setting.several:
        delivered = (
            '\n    result[f"{name}, delivered δ"] = dp.delivered_delta(\n'
            f"        alone, noise, epsilon={setting.scenario.epsilon!r}\n    )"
        )
        code = f"""\
for place, each in enumerate(model.pairs):
    alone, name = model.only(place), each.pair.label
    result[f"{{name}}, best attack without noise"] = dp.optimal_attack_accuracy(alone)
    result[f"{{name}}, with noise"] = dp.optimal_attack_estimate(
        alone, noise, rng=0, tolerance=1.5e-3
    ).estimate{delivered}"""
        sections.append(Section("Every pair", code))
    if setting.scenario.whole and not setting.scenario.presenting:
        sections.append(
            Section(
                "The statistics of the table itself: not to be shown",
                "known = table[table[fit.pair.secret.column].notna()]\n"
                "for label, value in zip(query.labels, query.answer(known)):\n"
                '    result[f"{label} of the table"] = value',
            )
        )
    return sections


def directions(setting: Setting, **_: object) -> list[Section]:
    """Where the secret shows, and how much of the noise is there."""
    return [
        Section(
            "Where the secret shows",
            """\
shift = np.linalg.norm(fit.difference)
direction = fit.difference / shift
result = {"shift in L2": shift}
for label, part in zip(query.labels, direction):
    result[f"share of the squared shift in {label}"] = part**2
if not noise.is_zero:
    along = direction @ noise.covariance @ direction
    result["share of the noise variance along the shift"] = along / np.trace(noise.covariance)""",
        ),
        *guarantee(setting),
    ]


def compared(
    setting: Setting, others: Mapping[str, Setting] | None = None, **_: object
) -> list[Section]:
    """The scenario beside those that were kept, or beside itself at half and twice its ε."""
    record = '''\
def numbers(name):
    """What comes of the scenario that the variables above describe."""
    result[f"{name}: best attacker without noise"] = dp.optimal_attack_accuracy(focused)
    result[f"{name}: best attacker with noise"] = right(noise)
    result[f"{name}: expected L2 error"] = l2_error(noise)
    result[f"{name}: promised δ"] = noise.delta
    result[f"{name}: delivered δ"] = dp.delivered_delta(model, noise, noise.epsilon)


result = {}
numbers("now")'''
    sections = [Section("The current scenario", record)]
    if not others:
        for factor, words in ((0.5, "half the ε"), (2.0, "twice the ε")):
            epsilon = repr(round(setting.scenario.epsilon * factor, 6))
            again = setup.calibrated(setting, epsilon=epsilon).replace("\n", "\n    ")
            code = (
                f'try:\n    noise = {again}\n    numbers("{words}")\n'
                "except dp.errors.CalibrationError as error:\n    print(error)"
            )
            sections.append(Section(f"At {words}", code))
        return sections
    for name, other in others.items():
        parts = [setup.question(other), setup.fitted(other), setup.noise(other, record)]
        if other.source != setting.source or other.reference != setting.reference:
            parts.insert(0, setup.data(other))
        code = "\n".join(part.code for part in parts)
        sections.append(Section("A scenario that was kept", f"{code}\nnumbers({literal(name)})"))
    return sections


PAGES: Mapping[str, tuple[str, _Writer, bool]] = {
    "": ("What do these statistics give away?", answer, True),
    "secret": ("The secret and the release", question, True),
    "fit": ("Are the statistics normal?", learning.fit, True),
    "directions": ("Where does the secret show?", directions, True),
    "tradeoff": ("What does hiding it cost?", tradeoffs.tradeoff, True),
    "guarantee": ("Is the promise kept?", tradeoffs.guarantee, True),
    "attack": ("Can an attacker tell?", attackers.attack, True),
    "belief": ("What does the attacker believe?", attackers.belief, True),
    "choosing": ("Which ε is small enough?", tradeoffs.choosing, True),
    "assumptions": ("What does the promise rest on?", learning.assumptions, True),
    "compare": ("Which scenario is better?", compared, True),
    "decisions": ("Who decided on which ε, and why?", compared, True),
    "release": ("What is out, and what comes next?", releasing.release, True),
    "wasserstein": ("How far must the statistics move?", learning.wasserstein, True),
    "attribute": ("Does a release give an attribute away?", attributes.attribute, False),
    "tour": ("A tour in seven steps", teaching.tour, False),
    "frameworks": ("Which privacy is it?", attributes.frameworks, False),
    "papers": ("Do the papers' figures hold?", teaching.papers, False),
}
"""Title, writer, and whether the script begins with the scenario, by page."""
