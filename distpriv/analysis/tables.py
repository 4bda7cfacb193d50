"""Tables that the dashboard knows: their sources, and the scenario that each begins with."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from distpriv.analysis.scenario import Scenario
from distpriv.queries import Pair, SensitiveProperty, Statistic
from distpriv.site import DATA
from distpriv.sources import FrameSource

EXAMPLES = {  # title, secret, grid cell in per cent, statistics, units
    "census-income": ("Census income", ("income", ">50K"), (20, 30),
                      [("mean", "age"), ("mean", "education-num"), ("count", "marital-status", "Never-married"),
                       ("count", "sex", "Female"), ("mean", "hours-per-week")], {"age": "years", "education-num": "years", "hours-per-week": "hours"}),
    "bank": ("Loans of a bank", ("late", None), None, None, {}),
    "hospital": ("Patients of a hospital", ("readmitted", None), None, None, {}),
    "school": ("Pupils of a district", ("free-meals", None), None, None, {}),
    "staff": ("Staff of a company", ("leaving", None), None, None, {}),
}


def cell(share: float) -> tuple[float, float]:
    """The cell of SPEC 14's fixed grid that holds a share, fractions."""
    edges = np.array([0.01, 0.02, 0.05, *np.arange(1, 10) / 10, 0.95, 0.98, 0.99]).round(4)
    place = int(np.clip(np.searchsorted(edges, share, side="right"), 1, len(edges) - 1))
    return float(edges[place - 1]), float(edges[place])



def secrets_of(source) -> dict:
    made = [SensitiveProperty(c, (v,)) for c, values in source.labels.items() for v in values[:12]]
    return {one: one.label for one in made}


def statistics_of(source) -> dict:
    made = [Statistic("mean", c) for c in source.numbers if c not in source.labels]
    made += [Statistic("count", c, v) for c, values in source.labels.items() for v in values[:12]]
    return {one: one.title for one in made}


def start_of(source) -> Scenario:
    spec = EXAMPLES.get(source.key)
    column, value = spec[1] if spec else next((c, v[-1]) for c, v in source.labels.items())
    secret = SensitiveProperty(column, (value if value is not None else source.labels[column][-1],))
    low, high = [x / 100 for x in spec[2]] if spec and spec[2] else cell(float(np.nanmean(secret.mask(source.frame))))
    chosen = [Statistic(*one) for one in spec[3]] if spec and spec[3] else [s for s in statistics_of(source) if s.kind == "mean"][:5]
    return Scenario(source.key, secrets=(Pair(secret, low, high),), statistics=tuple(chosen))


@lru_cache
def example(key: str) -> FrameSource:
    return FrameSource(key, EXAMPLES[key][0], pd.read_parquet(DATA / f"{key.replace('-', '_')}.parquet"), EXAMPLES[key][4], "example")


def source_of(key: str, upload: FrameSource | None = None) -> FrameSource:
    if key == "upload" and upload is not None:
        return upload
    return example(key if key in EXAMPLES else next(iter(EXAMPLES)))
