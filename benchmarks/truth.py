"""Try to refute what is said to be kept, on random scenarios, by other ways than the package's.

``make truth`` or ``python -m benchmarks.truth --first 0 --count 1000``; a scenario is reproduced by
its number. REFUTED is a fault. A misfit is what tables that are not bell-shaped give away beyond
their normal model, where a verdict rests on that.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from scipy import fft, linalg, stats
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import distpriv as dp
from distpriv.mechanisms import MECHANISMS
from distpriv.model.simulate import simulate
from distpriv.privacy import Persons, verdict

Array = np.ndarray[Any, np.dtype[Any]]
TABLES = 1500  # at each share, for training and for tests each


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

    def tables(self, place: int, size: int, rng: np.random.Generator) -> Array:
        """Simulate what is released at both shares, (2, size, m)."""
        release, fitted = self.release, self.model.pairs[place]
        if release.additive:
            drawn = simulate(self.model, place, size, rng)
            if release.kind == "noise":
                drawn = drawn + release.sample(2 * size, rng).reshape(drawn.shape)
            return drawn
        drawn = np.zeros((2, size, len(self.s.query)))
        for share, group in np.ndindex(2, 2):
            k, kept = int(fitted.numbers[share, group]), int(release.kept[group])
            records = fitted.groups.records[group]
            for row in range(size):
                members = rng.choice(len(records), k, replace=self.forever)[:kept]
                drawn[share, row] += records[members].sum(0) * release.stands_for[group] / kept
        return drawn * self.model.scales

    def attack(self, place: int) -> None:
        """Attack simulated tables; who is above the figure tries again on four times as many."""
        most, sure = self.verdict.accuracy[place], self.verdict.law in ("any data", "exact")
        if not (self.release.additive or self.model.query.linear) or self.model.n > 5000:
            return
        attackers = {
            "quadratic": QuadraticDiscriminantAnalysis(reg_param=1e-3),
            "boosting": HistGradientBoostingClassifier(max_iter=50, max_leaf_nodes=8),
            "forest": RandomForestClassifier(40, min_samples_leaf=15),
        }
        for size, seed in ((TABLES, 1), (4 * TABLES, 2)):
            rng, labels = np.random.default_rng([self.s.number, seed]), np.repeat([0, 1], size)
            train, test = (self.tables(place, size, rng).reshape(2 * size, -1) for _ in range(2))
            unit = train.std(0).clip(1e-300)
            error = 3 * math.sqrt(max(most * (1 - most), 1 / size) / (2 * size))
            right = {
                name: one.fit(train / unit, labels).score(test / unit, labels)
                for name, one in attackers.items()
            }
            attackers = {name: attackers[name] for name, a in right.items() if a > most + error}
        for name in attackers:
            word = "REFUTED" if sure else "misfit"
            self.findings.append(
                f"{word} by {name}, pair {place}: {right[name]:.4f} above {most:.4f}"
            )

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


def main() -> None:
    """Run scenarios, and print what refutes them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--adult", default="", help="UCI Adult as a CSV file with a header")
    given, tally = parser.parse_args(), Counter[str]()
    warnings.simplefilter("ignore")
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
