"""Script of the Release page: what releases add up to, and one more."""

from __future__ import annotations

from collections.abc import Sequence

from distpriv import mechanisms
from distpriv.composition.releases import Part
from distpriv.composition.rules import Promise
from distpriv.export.script.script import Section, call, literal
from distpriv.export.script.setup import Setting
from distpriv.privacy.noise import Noise

__all__ = ["release"]


def release(setting: Setting, earlier: Sequence[Part] = (), **_: object) -> list[Section]:
    """What all releases and the next one tell together, and the function that makes it."""
    scenario = setting.scenario
    lines, drawn = ["parts, model = [], evaluation.model"], (scenario.n, scenario.replacement)
    for part in earlier:
        size = (part.model.n, part.model.replacement)
        if not scenario.whole and size != drawn:
            drawn, n, way = size, *size
            again = f"replace(scenario, n={n}, replacement={way})"
            lines.append(f"model = dp.evaluate({again}, table).model")
        lines.append(f"parts.append({_part('model', _noise(part.noise), part.promise)})")
    if any("replace(" in line for line in lines):
        lines = ["from dataclasses import replace", "", *lines]
    protects = mechanisms.get(scenario.mechanism).protects
    promise = "dp.Promise(noise.epsilon, noise.delta)" if protects else "None"
    lines.append(f"""\
noise = evaluation.noise
parts.append(dp.composition.Part(evaluation.model, noise, {promise}))
standing = dp.composition.accumulate(
    parts, shared=scenario.whole, delta=scenario.delta, pair=evaluation.focus
)
result = {{"releases with the next one": standing.count}}
result["best attacker after them"] = standing.accuracy
if standing.epsilon is not None:
    result["delivered ε"] = standing.epsilon""")
    drawing = '''\
def release():
    """Draw with the operating system's random numbers, and release, once.

    Nothing is recorded, and every call adds to what is known.
    """
    return evaluation.draw()


def intervals(drawn):
    """95 % intervals of every number: of these records' value, and of the population's.

    They rest on the release, its noise, n and public bounds, and on nothing else of the data.
    """
    return dp.release_intervals(drawn, dict(scenario.bounds))'''
    return [
        Section("What the releases on record and the next one tell together", "\n".join(lines)),
        Section("The release and its intervals, which are not made by running this", drawing),
    ]


def _part(model: str, noise: str, promise: Promise | None) -> str:
    kept = "None" if promise is None else f"dp.Promise({promise.epsilon!r}, {promise.delta!r})"
    return f"dp.composition.Part({model}, {noise}, {kept})"


def _noise(noise: Noise) -> str:
    return call(
        "dp.Noise",
        [
            literal(noise.mechanism),
            literal(noise.distribution),
            f"np.array({literal(noise.directions.tolist())}).reshape({noise.directions.shape})",
            f"np.array({literal(noise.scales.tolist())})",
            literal(noise.epsilon),
            literal(noise.delta),
            *([] if noise.floor is None else [f"floor=np.array({literal(noise.floor.tolist())})"]),
        ],
    )
