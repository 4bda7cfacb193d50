"""Try to refute what is said to be kept, on random scenarios, by other ways than the package's.

``make truth`` or ``python -m benchmarks.truth --first 0 --count 1000``; a scenario is reproduced by
its number. REFUTED is a fault. A misfit is what tables that are not bell-shaped give away beyond
their normal model, where a verdict rests on that.

``--pages --count 50`` (half an hour) holds attackers against what the pages show of mechanisms:
right guesses within the limit, five releases, attackers who know records. All learn from what is
released and guess on new tables; who is 3 standard errors above a figure tries again on four times
as many. Above 3 again is a fault, but where a figure rests on curves that the page Fit denies.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from scipy import fft, linalg, stats
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier

import distpriv as dp
from distpriv.analysis import sentences
from distpriv.analysis.cache import Cache
from distpriv.mechanisms import MECHANISMS
from distpriv.model.simulate import draw_subsets, statistics_of
from distpriv.privacy import Persons, verdict

Array = np.ndarray[Any, np.dtype[Any]]
TABLES = 1200  # at each share, for training and for tests each


def column(kind: int, z: Array, having: Array) -> Array:
    """Make a column: whole, thirds, cents, a cent less, skewed, heavy, few, smooth, or words."""
    tail = stats.norm.sf(z).clip(1e-9)
    numbers = np.floor(40 + 10 * z), np.floor(6 + 3 * z).clip(0, 15) / 3, np.round(20 + 3 * z, 2)
    less, few = np.floor(12 + 4 * z) - 0.01 * having, np.floor(1.5 + z).clip(0, 3)
    skewed, heavy = np.floor(np.exp(1 + 0.8 * z)).clip(0, 60), np.floor(tail**-0.6).clip(0, 1e4)
    words = [np.where(z > cut, "yes", "no") for cut in (0, 0.7, 2)]
    return (*numbers, less, skewed, heavy, few, z, *words, *words)[kind]


class Scenario:
    """Hold one random question about one table, its release and its verdict."""

    def __init__(self, number: int, adult: str = "") -> None:
        rng = self.rng = np.random.default_rng([50, number])
        self.number, self.n = number, int(np.exp(rng.uniform(math.log(20), math.log(2000))))
        self.m, self.few = int(rng.integers(1, 7)), rng.random() < 0.5
        self.whole, self.forever = rng.random() < 0.15, rng.random() < 0.4
        low = rng.uniform(0.02, 0.9, 1 + rng.choice(3, p=[0.8, 0.1, 0.1]))
        high = np.minimum(low + rng.choice([0.08, 0.4]) * rng.uniform(0.2, 1, len(low)), 0.98)
        self.secret, self.frame = dp.SensitiveProperty("secret", "yes"), self._table(low, high)
        if rng.random() < 0.15 and not self.whole:
            self.secret = dp.SensitiveProperty("income", ">50K")
            self.frame = pd.read_csv(adult) if adult else dp.load_census_income()
        ends = np.round([low, high], 4).T.tolist()
        self.pairs = [dp.Pair(self.secret, *pair) for pair in ends]
        self.query = dp.Query(dict.fromkeys(self._statistics()))
        names = [*MECHANISMS, "OptM", "OptM", "OptM", "DauM", "BalM"]
        self.mechanism, self.options = str(rng.choice(names)), {"grid_safe": rng.random() < 0.93}
        self.options["calibration"] = str(rng.choice([*["guarded"] * 6, "exact", "classical"]))
        takes = MECHANISMS[self.mechanism].takes
        if takes & {"epsilon", "guesses"} and rng.random() < 0.4:
            self.options["guesses"] = float(rng.uniform(51, 90))
        elif takes & {"epsilon", "guesses"}:
            self.options |= {
                "epsilon": np.exp(rng.uniform(-3, 2)),
                "delta": 10 ** rng.uniform(-6, -1),
            }
        columns = [one.column for one in self.query.statistics if one.value is None]
        ranges = {
            name: (self.frame[name].min() - 1, self.frame[name].max() + 1) for name in columns
        }
        self.persons = Persons(np.exp(rng.uniform(-2, 2)), 10 ** rng.uniform(-5, -2), ranges)
        if self.query.linear and rng.random() < 0.25:
            self.options["persons"] = self.persons

    def __repr__(self) -> str:
        figures, pairs = ", ".join(self.query.labels), [(p.low, p.high) for p in self.pairs]
        n = f"{'all' * self.whole or self.n} of {len(self.frame)}{' again' * self.forever}"
        return f"{self.number}: {self.mechanism} {self.options} on {figures}; {n}; {pairs}"

    def _table(self, low: Array, high: Array) -> pd.DataFrame:
        """Make matched or different groups, taken whole or not; some columns equal or tied."""
        rng, most = self.rng, np.array([max(1 - low), max(high)])
        sizes = np.ceil(self.n * most * rng.choice([1, 1.1, 3, 20])).clip(3, 20_000).astype(int) + 1
        having = np.repeat([0, 1], sizes)[rng.permutation(sizes.sum())]
        shift, spread = rng.choice([0, 0.05, 1.0]), rng.choice([1.0, rng.uniform(0.3, 2)])
        data: dict[str, Any] = {"secret": np.where(having, "yes", "no")}
        common = rng.standard_normal(len(having)) * (rng.random() < 0.5)
        for place, kind in enumerate(rng.integers(14, size=self.m + 2)):
            z = (rng.standard_normal(len(having)) + common) / (1 + common.any()) ** 0.5
            z = np.where(having, shift * rng.uniform(-1, 1) + spread * z, z)
            data[f"c{place}"] = column(kind, z, having)
        figures = [name for name, of in data.items() if of.dtype.kind == "f"]
        if len(figures) > 1 and rng.random() < 0.2:
            data[figures[1]] = data[figures[0]] + rng.choice([0, 2]) * (common > 0)
        return pd.DataFrame(data)

    def _statistics(self) -> list[dp.Statistic]:
        """Choose one statistic or two counts where few, else up to six of any kind."""
        made, columns = [], [name for name in self.frame if name != self.secret.column]
        words = [name for name in columns if self.frame[name].dtype.kind not in "if"]
        names = (
            words[:2]
            if self.rng.random() < 0.5 and len(words) > 1
            else [str(self.rng.choice(columns))]
        )
        for name in names if self.few else self.rng.choice(columns, self.m).tolist():
            which = self.rng.integers(10)
            if name in words:
                value = str(self.frame[name].mode()[0])
                made.append((dp.Count if which < 7 else dp.Proportion)(name, value))
            elif which == 9 and not self.few:
                made.append((dp.Median, dp.Deviation)[self.rng.integers(2)](name))
            else:
                made.append((dp.Mean if which < 6 else dp.Sum)(name))
        return made


def sums(groups: list[Array], numbers: Array) -> Array:
    """Return the laws of sums of draws with replacement of whole numbers, (2, points)."""
    least = min(int(group.min()) for group in groups)  # n times it is in each sum
    reach = max(np.ptp(np.concatenate(groups)) * numbers.sum(axis=1)) + 1
    size = fft.next_fast_len(int(reach), True)
    parts = [fft.rfft(np.bincount(group - least) / len(group), size) for group in groups]
    return np.array([fft.irfft(parts[0] ** k[0] * parts[1] ** k[1], size) for k in numbers]).clip(0)


def deltas(laws: Array, epsilon: float) -> Array:
    """Return δ in both orders, and twice the best attacker's accuracy less 1."""
    (p, q), odds = laws, math.exp(epsilon)
    return np.array(
        [(p - odds * q).clip(0).sum(), (q - odds * p).clip(0).sum(), abs(p - q).sum() / 2]
    )


def under(laws: Array, variance: float, scale: float) -> Array:
    """Mix laws on whole numbers with normal and Laplace noise, on a fine mesh."""
    r = math.ceil(24 / max(math.sqrt(variance), 1e-3))
    size = fft.next_fast_len(
        int((laws.shape[1] + 18 * math.sqrt(variance) + 74 * scale + 2) * r), True
    )
    wide, w = np.zeros((2, size)), 2 * math.pi * r * fft.rfftfreq(size)
    wide[:, : laws.shape[1] * r : r] = laws
    return fft.irfft(
        fft.rfft(wide) * np.exp(-variance * w**2 / 2) / (1 + (scale * w) ** 2), size
    ).clip(0)


def tilted(
    d: Array, p: Array, q: Array, epsilon: float, rng: np.random.Generator
) -> tuple[float, float]:
    """Return δ(ε) of N(d, P) against N(0, Q) and its error, by exponential tilting to L = ε."""
    unit = np.sqrt(np.diagonal(p + q))
    a, basis = linalg.eigh(p / np.outer(unit, unit), q / np.outer(unit, unit))
    d = basis.T @ (d / unit)

    def tilt(s: float) -> tuple[Array, Array]:
        return (1 + s) * d / a / ((1 + s) / a - s), 1 / ((1 + s) / a - s)

    def loss(z: Array, more: Any = 0.0) -> Array:
        return ((z**2 + more - ((z - d) ** 2 + more) / a - np.log(a)) / 2).sum(-1)

    low, high = -1.0, min([1e6, *(0.999 / (a[a > 1] - 1))])
    for _ in range(100):
        s = (low + high) / 2
        low, high = (s, high) if loss(*tilt(s)) < epsilon else (low, s)
    mean, variance = tilt(high)
    z = mean + np.sqrt(variance) * rng.standard_normal((40_000, len(d)))
    log = ((z - mean) ** 2 / variance + np.log(variance) - (z - d) ** 2 / a - np.log(a)).sum(1) / 2
    worth = np.exp(log) * -np.expm1(np.minimum(epsilon - loss(z), 0))
    return float(worth.mean()), float(worth.std() / 200)


def released(
    model: Any, place: int, release: Any, rng: Any, size: int, repeats: int = 1, known: Any = None
) -> Array:
    """Simulate what is published at both shares, (2, size, m), or the mean of some releases."""
    fitted, drawn = model.pairs[place], np.zeros((2, size, len(model.query)))
    records, again = fitted.groups.records, model.replacement
    known = [np.zeros(0, int)] * 2 if known is None else known
    others = [
        np.arange(len(part)) if again else np.delete(np.arange(len(part)), some)
        for part, some in zip(records, known, strict=True)
    ]
    kept = fitted.numbers.max(axis=0) if release.additive else release.kept
    weights = np.ones(2) if release.additive else release.stands_for / kept.clip(1)
    block = max(1, 400_000 // model.n)
    for share, start in np.ndindex(2, -(-size // block) * bool(kept.any())):
        rows, members = slice(start * block, min(size, (start + 1) * block)), []
        for group, count in enumerate(fitted.numbers[share].astype(int).tolist()):
            mine = np.tile(known[group], (rows.stop - rows.start, 1))
            more = len(others[group]), count - mine.shape[1], len(mine), rng, again
            every = np.hstack([others[group][draw_subsets(*more)], mine])
            every = every if release.additive else rng.permuted(every, axis=1)
            members.append(every[:, : int(kept[group])])
        drawn[share, rows] = statistics_of(model.query, records, members, weights)
    if release.kind == "noise":
        noise = release.sample(2 * size * repeats, rng)
        drawn += noise.reshape(repeats, *drawn.shape).mean(axis=0)
    return drawn


def near(tables: Array, covariance: Array) -> Any:
    """Return the log-likelihood ratio of normal noise about simulated tables, (2, size, m)."""
    unit, middle = np.sqrt(np.diagonal(covariance)), tables.mean(axis=(0, 1))
    root = linalg.cholesky(covariance / np.outer(unit, unit) + 1e-9 * np.eye(len(unit)), lower=True)

    def white(y: Array) -> Any:
        return linalg.solve_triangular(root, ((y - middle) / unit).T, lower=True).T.astype("f4")

    laws = [(law, (law**2).sum(axis=1) / 2) for law in map(white, tables)]

    def log(z: Any, law: Any, square: Any) -> Any:
        away = z @ law.T - square
        top = away.max(axis=1, keepdims=True)
        return top[:, 0] + np.log(np.exp(away - top).sum(axis=1))

    def ratio(y: Array) -> Array:
        blocks = np.array_split(white(y), 1 + len(y) // 200)
        return np.concatenate([log(z, *laws[1]) - log(z, *laws[0]) for z in blocks])

    return ratio


def attacked(
    claim: float, model: Any, place: int, release: Any, rng: Any, **how: Any
) -> list[tuple[str, float, float, float]]:
    """Return what attackers reach: name, accuracy, z, and z on new tables if that is above 3."""
    shown, labels = (model, place, release, rng), np.repeat([0, 1], TABLES)
    tables, m = released(*shown[:2], dp.Release(), rng, TABLES, **how), len(model.query)
    train, more = (released(*shown, TABLES, **how).reshape(-1, m) for _ in range(2))
    noise, steps = release.total(m) / how.get("repeats", 1), model.pairs[place].steps
    unit = np.where(train.std(axis=0) > 0, train.std(axis=0), 1.0)
    normal = QuadraticDiscriminantAnalysis(reg_param=1e-3).fit(train / unit, labels)
    if not (release.additive and np.diagonal(noise).all()):  # a smoothed law
        tables = train.reshape(tables.shape)
        noise = TABLES ** (-2 / (m + 4)) * np.cov(train.T).reshape(m, m) + 1e-6 * np.diag(unit**2)
    law = near(tables, noise)

    def seen(y: Array) -> Array:
        """Return figures, both ratios, and where in its step each figure lies."""
        scores = np.clip([normal.decision_function(y / unit), law(y)], -50, 50).T
        phase = 2 * np.pi * y[:, steps > 0] / steps[steps > 0]
        return np.hstack([y / unit, scores, np.cos(phase), np.sin(phase)]).round(6)  # sums err

    rich = seen(more)
    varies = np.ptp(rich, axis=0) > 0
    rich[0] += ~varies
    trees = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=8).fit(rich, labels)
    scores = {
        "normals": lambda y: normal.decision_function(y / unit),
        "simulated laws": law,
        "trees": lambda y: trees.decision_function(seen(y)),
    }

    def right(name: str, size: int) -> tuple[float, float]:
        score = scores[name](released(*shown, size, **how).reshape(-1, m))
        score = score * np.repeat([-1, 1], size)
        reached = float((score > 0).mean() + (score == 0).mean() / 2)
        error = math.sqrt(max(claim * (1 - claim), 1 / size) / (2 * size))
        return reached, (reached - claim) / error

    found = [(name, *right(name, TABLES)) for name in scores]
    return [(*one, right(one[0], 4 * TABLES)[1] if one[2] > 3 else 0.0) for one in found]


class Trial:
    """Examine one scenario; findings begin with REFUTED or misfit."""

    def __init__(self, s: Scenario) -> None:
        self.s, self.rng, self.findings = s, s.rng, []
        n, self.forever = (None if s.whole else s.n), s.whole or s.forever
        self.model = dp.fit_gaussian(s.frame, s.query, s.pairs, n, replacement=s.forever)
        self.release = dp.calibrate(s.mechanism, self.model, **s.options)
        self.verdict = verdict(self.model, self.release, persons=s.options.get("persons"))
        self.noise = self.release.total(len(s.query))
        for place in range(len(s.pairs)):
            self.normal(place)
            self.exact(place)
            self.attack(place)
        if "persons" in s.options:
            self.person()

    def hold(self, what: str, found: Array, place: int, word: str = "REFUTED") -> None:
        """Compare δ in both orders, and 2a − 1, with what the verdict says."""
        v = self.verdict
        said = v.exact if what == "exact law" and v.exact is not None else v.delta
        most = np.append(said[place], 2 * v.accuracy[place] - 1)
        if v.kept and (what == "exact law" or v.exact is None):
            most[:2] = np.minimum(most[:2], v.promise.delta)
        if not (found <= 1.003 * most + [1e-9, 1e-9, 1e-3]).all():
            self.findings.append(f"{word} by the {what}, pair {place}: {found} above {most}")

    def normal(self, place: int) -> None:
        """Integrate the fitted normals."""
        fitted, epsilon = self.model.pairs[place], self.verdict.promise.epsilon
        p, q = fitted.covariances + self.noise
        unit = np.sqrt(np.diagonal(p + q)).clip(1e-300)
        laplace = self.release.directions is not None
        if laplace or not self.release.additive or np.linalg.cond(p / np.outer(unit, unit)) > 1e9:
            return
        laws = [(fitted.difference, p, q, epsilon), (-fitted.difference, q, p, epsilon)]
        found = np.array([tilted(*law, self.rng) for law in laws])
        self.hold("normal laws", np.append(found[:, 0] - 3 * found[:, 1], 0), place)

    def exact(self, place: int) -> None:
        """Compute the law of one statistic, where draws are with replacement."""
        records, step = self.model.pairs[place].groups.records, self.model.scales[0]
        unit = next((u for u in (1, 3, 100) if np.allclose(records[0] * u % 1, 0)), 0)
        wide = self.noise[0, 0] < 1e-4 * (step / max(unit, 1)) ** 2
        if len(self.s.query) > 1 or not unit or not self.forever or wide:
            return
        groups = [np.rint(part[:, 0] * unit).astype(int) for part in records]
        laws = sums(groups, self.model.pairs[place].numbers.astype(int))
        normal = 0.0 if self.release.covariance is None else self.release.covariance[0, 0]
        arguments = normal * (unit / step) ** 2, self.release.scale * unit / step
        found = deltas(under(laws, *arguments), self.verdict.promise.epsilon)
        self.hold("exact law", found, place, "misfit" if self.verdict.exact is None else "REFUTED")

    def attack(self, place: int) -> None:
        """Attack simulated tables."""
        most, sure = float(self.verdict.accuracy[place]), self.verdict.law in ("any data", "exact")
        if not (self.release.additive or self.model.query.linear) or self.model.n > 5000:
            return
        for name, reached, _, again in attacked(most, self.model, place, self.release, self.rng):
            if again > 3:
                word = "REFUTED" if sure else "misfit"
                self.findings.append(f"{word} by {name}, pair {place}: {reached:.4f} > {most:.4f}")

    def person(self) -> None:
        """Replace random records between bounds by brute force."""
        said, query, moves = self.verdict.persons, self.s.query, np.zeros((2, 4000, 0))
        drawn = {}
        for one, scale in zip(query.statistics, self.model.scales, strict=True):
            ends = {c: ends for c, *ends in self.s.persons.bounds}.get(one.column)
            values = ends if one.value is None else self.s.frame[one.column].unique()
            drawn.setdefault(one.column, self.rng.choice(values, (2, 4000)))
            of = drawn[one.column]
            adds = (of if one.value is None else of == one.value) * scale
            moves = np.concatenate([moves, adds[..., None]], axis=2)
        away, noise = moves[0] - moves[1], self.release.covariance
        if said is None or noise is None or self.release.directions is not None:
            return
        mu = np.sqrt((away * np.linalg.lstsq(noise, away.T)[0].T).sum(1).max()).clip(1e-9)
        tails = stats.norm.logcdf([mu / 2 - said.epsilon / mu, -mu / 2 - said.epsilon / mu])
        delta = math.exp(tails[0]) - math.exp(said.epsilon + tails[1])
        promised = not self.verdict.persons_kept or said.epsilon <= 1.001 * self.s.persons.epsilon
        if not (delta <= said.delta * 1.001 and promised):
            self.findings.append(f"REFUTED for persons: {delta} at {said}")


class Page:
    """Hold attackers against what the pages show of a scenario, a row an attacker and figure."""

    def __init__(self, s: Scenario) -> None:
        self.rng = rng = np.random.default_rng([77, s.number])
        self.rows: list[Any] = []
        self.common: dict[str, Any] = {
            "secrets": tuple(s.pairs),
            "statistics": s.query.statistics,
            "records": None if s.whole and len(s.frame) < 1000 else min(s.n, 200),
            "replacement": s.forever,
            "bounds": s.persons.bounds,
            "guesses": float(rng.uniform(52, 80)),
            "epsilon": float(np.exp(rng.uniform(-2, 1.5))),
            "delta": float(10 ** rng.uniform(-5, -2)),
        }
        self.table, self.cache = s.frame, Cache()
        for name, mechanism in MECHANISMS.items():
            by = "guesses" if "guesses" in mechanism.takes and rng.random() < 0.6 else "epsilon"
            with contextlib.suppress(dp.NotApplicable):
                now = self.evaluated(mechanism=name, by=by)
                for way in now.guaranteed if name == "OptM" else [now.way]:
                    if name == "OptM" or way.key == name != "BalM":  # which is guaranteed
                        self.shown(now, way)
        self.knowing(int(rng.choice([20, 50, 80])))

    def evaluated(self, **changes: Any) -> Any:
        scenario = dp.Scenario("upload", **self.common | changes)
        return dp.evaluate(scenario, self.table, self.cache)

    def hold(self, what: str, now: Any, way: Any, claim: float, place: int, **how: Any) -> None:
        """Attack one figure."""
        bells = sentences.fit_title(now).startswith("Close")
        sure = way.rests in ("any data", "exact") or bells
        for one in attacked(claim, now.drawn, place, way.release, self.rng, **how):
            self.rows.append((way.key, what, *one, sure))

    def shown(self, now: Any, way: Any) -> None:
        """Attack a release about each secret, and five releases about the most exposed one."""
        kept = way.kept and MECHANISMS.get(way.key, MECHANISMS["OptM"]).protects
        for place, most in enumerate(way.verdict.accuracy.tolist()):
            self.hold("release", now, way, min(most, now.limit / 100 if kept else 1.0), place)
        if way.key in ("OptM", "DauM", "EigM"):
            five = now.repeated().query("way == @way.key and releases == 5")["guesses"].item()
            self.hold("five releases", now, way, five / 100, now.exposed, repeats=5)

    def knowing(self, percent: int) -> None:
        """Attack with so many known records, on average over sets of them, where groups have so."""
        count = percent * self.evaluated().n // 200 * 2
        now, pair = self.evaluated(known_records=count), self.evaluated().drawn.pairs[0]
        if len(now.model.pairs) > 1 or not now.query.linear or count > 2 * pair.numbers.min():
            return

        def found(way: Any, claim: float, sets: int) -> Any:
            """Return names, mean accuracies, and z by the spread of sets."""
            rows = []
            for _ in range(sets):
                again = count // 2, now.model.replacement
                known = [self.rng.choice(len(part), *again) for part in pair.groups.records]
                rows.append(attacked(claim, now.drawn, 0, way.release, self.rng, known=known))
            names, right = [row[0] for row in rows[0]], np.array([[x[1] for x in r] for r in rows])
            error = (right.std(axis=0, ddof=1) + 0.5 / math.sqrt(2 * TABLES)) / math.sqrt(sets)
            return names, right.mean(axis=0), (right.mean(axis=0) - claim) / error

        for way in now.guaranteed:
            claim = now.knowing_guesses(way) / 100
            names, reached, z = found(way, claim, 6)
            more = found(way, claim, 24)[2] if (z > 3).any() else 0 * z
            for one in zip(names, reached, z, np.where(z > 3, more, 0), strict=True):
                self.rows.append((way.key, f"{percent} of 100 known", *one, False))


def pages(first: int, count: int) -> None:
    """Attack the pages' figures, and print how far above them attackers are by mechanism."""
    rows: list[Any] = []
    for number in range(first, first + count):
        try:
            found = Page(Scenario(number)).rows
        except dp.DistprivError as error:
            print(f"{number}: {error}", flush=True)
            continue
        rows += found
        for row in found:
            if row[5] > 3:
                print(f"{Scenario(number)!r}:\n    {row}", flush=True)
    names = ["mechanism", "figure", "attacker", "reached", "z", "again", "sure"]
    frame = pd.DataFrame(rows, columns=names)
    for by in ("figure", "mechanism"):
        groups = frame.groupby(by, sort=False)
        table = groups["z"].agg(comparisons="size", largest="max", above_3=lambda z: (z > 3).sum())
        table["by chance"] = stats.norm.sf(3) * table["comparisons"]
        again = frame["again"] > 3
        table["above again"] = again.groupby(frame[by]).sum()
        table["not by curves"] = (again & frame["sure"]).groupby(frame[by]).sum()
        print(table.round(2).to_string())


def main() -> None:
    """Run scenarios, and print what refutes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--pages", action="store_true", help="attack what the pages show")
    parser.add_argument("--adult", default="", help="UCI Adult as a CSV file with a header")
    given, tally = parser.parse_args(), Counter[str]()
    warnings.simplefilter("ignore")
    if given.pages:
        pages(given.first, given.count)
        return
    for number in range(given.first, given.first + given.count):
        scenario = Scenario(number, given.adult)
        try:
            trial = Trial(scenario)
            result, findings = "kept" if trial.verdict.kept else "broken", trial.findings
        except dp.DistprivError:
            result, findings = "refused", []
        except Exception as error:  # noqa: BLE001  (a crash is a finding, too)
            result, findings = "crashed", [f"REFUTED by {error!r}"]
        tally.update([result, *(finding.split()[0] for finding in findings)])
        if findings:
            print(f"{scenario!r}: {result}", *findings, sep="\n    ", flush=True)
    print(f"scenarios {given.first} to {given.first + given.count - 1}:", dict(tally))


if __name__ == "__main__":
    main()
