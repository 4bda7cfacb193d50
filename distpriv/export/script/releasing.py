"""Script of the Release page: what releases add up to, and one more."""

from __future__ import annotations

from collections.abc import Sequence

from distpriv import mechanisms
from distpriv.composition.table_releases import TableRelease
from distpriv.export.script.script import Section, call, listing, literal
from distpriv.export.script.setup import Setting
from distpriv.privacy.noise import Noise

__all__ = ["release"]


def release(setting: Setting, earlier: Sequence[TableRelease] = (), **_: object) -> list[Section]:
    """What all releases and the next one tell together, and the function that makes it."""
    lines = ["releases = []"]
    lines += [f"releases.append({_release(each)})" for each in earlier]
    lines.append(f"""\
releases.append(dp.composition.TableRelease(
    scenario.query,
    evaluation.noise,
    n=evaluation.scenario.n,
    whole=scenario.whole,
    replacement={setting.scenario.replacement or setting.scenario.whole},
    pairs={"scenario.pairs" if mechanisms.get(setting.scenario.mechanism).protects else "()"},
    share_of="{setting.scenario.hidden_share}",
))
joint = dp.composition.joint_releases(
    releases,
    {"reference" if setting.referring else "table"},
    scenario.pairs,
    seed={setting.scenario.model_seed},
    table=table,
)
standing = joint.standing(scenario.delta, evaluation.focus)
result = {{"releases with the next one": standing.count}}
result["best attacker after them"] = standing.accuracy
if standing.epsilon is not None:
    result["delivered ε"] = standing.epsilon""")
    drawing = '''\
def release():
    """Draw with the operating system's random numbers, and release, once.

    Nothing is recorded and no agreed limit is asked: every call adds to what is known.
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


def _release(release: TableRelease) -> str:
    return call(
        "dp.composition.TableRelease",
        [
            f"dp.Query({listing(map(literal, release.query))})",
            _noise(release.noise),
            f"n={release.n}",
            f"whole={release.whole}",
            f"replacement={release.replacement}",
            f"pairs={literal(release.pairs)}",
            f"share_of={literal(release.share_of)}",
        ],
    )


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
