"""Zhang et al. (2022): the hospital of Section 4.2, Figure 1 and Example 1."""

from __future__ import annotations

import math
from collections.abc import Iterator

from distpriv.attribute import Assumption, BayesianNetwork, markov_quilt, noise_by_release
from distpriv.attribute.quilt import Quilt, QuiltResult, max_influence
from distpriv.papers.items import PRINTED, Row, item
from distpriv.papers.run import DELTA, Run

__all__ = ["SCHOOL", "school_quilt"]

EPSILON, RUNS, PATIENTS, WOMEN, DIAMETER = 1.0, 100, 50, 0.6, 0.25
INCOME, STUDENTS = "family income", 100.0
SCHOOL = BayesianNetwork(PRINTED["school"]["edges"], PRINTED["school"]["tables"])


@item("hospital")
def _hospital(_: Run) -> Iterator[Row]:
    for key, entry in PRINTED["hospital"].items():
        name, deviation = key.replace("-", " ").capitalize(), (entry["deviation"],) * 2
        assumed = Assumption(name, "women", entry["difference"], deviation, DIAMETER, PATIENTS)
        noise = noise_by_release([assumed], EPSILON, DELTA, "classical").loc[name]
        shift, variance, average, error = entry["printed"].split()
        yield Row(name, "Δ F", shift, noise["sensitivity"], 1e-9, note="with |a − b| = 0.25")
        yield Row(name, "Var(F | a)", variance, noise["variance"], 1e-9)
        ours, own, gap, more = entry["model"]
        varied = own**2 + more**2 + WOMEN * (1 - WOMEN) * gap**2
        reach = 1.96 * math.sqrt(varied / PATIENTS)
        yield Row(name, "average", average, ours, low=ours - reach, high=ours + reach, erratum=11)
        ours = noise["error"]
        reach = 1.96 * math.sqrt(noise["noise"] * (1 - 2 / math.pi) / RUNS)
        reach, note = math.nan if error == "0" else reach, f"variance {noise['noise']:.2g}"
        ends = {"low": ours - reach, "high": ours + reach}
        yield Row(name, "mean error", error, ours, erratum=6, note=note, **ends)


@item("zhang-figure-1")
def _figure_1(_: Run) -> Iterator[Row]:
    alone = max_influence(SCHOOL, ["gender"], INCOME)
    for name in ("height", "weight"):
        more = round(max_influence(SCHOOL, ["gender", name], INCOME) - alone, 12)
        yield Row(name.capitalize(), "adds to the influence", "separate", more, 1e-12, value=0)
    more = max_influence(SCHOOL, ["gender", "SAT score"], INCOME) - alone
    yield Row("SAT score", "adds to the influence", ours=more)


def school_quilt() -> Quilt:
    """Return the paper's quilt {gender}, for a count of heights and SAT scores."""
    return next(one for one in _counts().quilts if one.quilt == {"gender"})


def _counts() -> QuiltResult:
    sets = frozenset({"height"}), frozenset({"SAT score"}), frozenset({"height", "SAT score"})
    return markov_quilt(SCHOOL, [INCOME], sets[2], dict.fromkeys(sets, STUDENTS), EPSILON)


@item("example-1")
def _example_1(_: Run) -> Iterator[Row]:
    result = markov_quilt(SCHOOL, [INCOME], ["height"], {frozenset({"height"}): 100}, EPSILON)
    yield Row("Taller than 66 inches", "scale", "no noise", result.scale, 1e-12, value=0)
    stated = STUDENTS / (EPSILON - max_influence(SCHOOL, ["gender"], INCOME))
    note = f"Algorithm 2 takes the empty quilt, {_counts().scale:g}"
    ours = school_quilt().scale
    row = Row("… and SAT above 1300", "scale", "Δ_SAT F/(ε − e)", ours, 1e-9, note=note)
    yield row._replace(value=stated)
