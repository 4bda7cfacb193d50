"""Evaluation: scenario and table to figures, each computed when it is first asked for; Way, Recommendation."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from distpriv.privacy.loss import NormalLoss
from scipy.special import ndtr, ndtri

from distpriv.errors import DistprivError
from distpriv.mechanisms import MECHANISMS, calibrate, calibrate_all
from distpriv.model import AS_IT_IS, GaussianModel, Groups, Promise, Release, best_estimate, fit_groups, no_data, release_error
from distpriv.privacy import Verdict, accuracies, optimal_attack_accuracy, delivered_epsilon, verdict
from distpriv.queries import Query
from distpriv.analysis.scenario import Scenario
from distpriv.analysis.tables import secrets_of

def separation(guesses: float) -> float:
    """Distance of two unit bells that an attacker tells apart so often of 100."""
    return float(2 * ndtri(min(guesses, 99.99) / 100))


Remember = Callable[[Any, Callable[[], Any]], Any]
CAPTIONS = {"as it is": ("As they are", "Nothing is changed.", "Publish them as they are."),
            "BalM": ("Balanced", "", "Publish balanced figures."),
            "no data": ("No data", "Publishes what anybody expects; your records are not used.", "Publish expected figures instead.")}


@dataclass(frozen=True, eq=False)
class Way:
    """One way to release: a row of the comparison."""

    release: Release
    guesses: float  # of 100, the best attacker on the worst pair
    errors: np.ndarray  # (m,), expected absolute, worse share, in units of each
    estimated: np.ndarray  # (m,), of the best linear estimate
    percent: float  # mean of errors over values
    verdict: Verdict  # against the scenario's limit

    @property
    def kept(self) -> bool:
        return self.verdict.kept

    @property
    def rests(self) -> str:
        return self.verdict.law

    @property
    def key(self) -> str:
        return self.release.mechanism

    @property
    def title(self) -> str:
        return CAPTIONS[self.key][0] if self.key in CAPTIONS else f"Noise, {self.key}"

    @property
    def how(self) -> str:
        if self.key == "BalM":
            less, more = self.release.kept
            return f"Uses {more:.0f} records with and {less:.0f} without the property, weighted to {100 * self.release.reference:.3g}\u00a0%."
        return CAPTIONS[self.key][1] if self.key in CAPTIONS else f"Random noise of {self.key} is added."

    @property
    def rests_said(self) -> str:
        return "Holds for any data." if self.rests == "any data" else "Rests on bell-shaped figures."

    @property
    def advice(self) -> str:
        return CAPTIONS[self.key][2] if self.key in CAPTIONS else f"Add {self.key} noise."


@dataclass(frozen=True, eq=False)
class Recommendation:
    way: Way
    worse_than_nothing: bool  # its error is more than 70 % of that of no data
    outside: bool  # the table's share lies outside the range: for the analyst alone


@dataclass(frozen=True, eq=False)
class Evaluation:
    scenario: Scenario
    source: Any
    remember: Remember = lambda key, make: make()

    @cached_property
    def query(self) -> Query:
        return Query(self.scenario.statistics)

    @cached_property
    def groups(self) -> tuple[Groups, ...]:
        one = lambda secret: self.remember(("groups", self.source.fingerprint, self.query, secret),
                                           lambda: self.source.groups(self.query, secret))
        return tuple(one(pair.secret) for pair in self.scenario.secrets)

    @cached_property
    def n(self) -> int:
        return self.scenario.records or int(self.groups[0].counts.sum())

    @property
    def model_key(self):
        s = self.scenario
        return self.source.fingerprint, s.statistics, s.secrets, s.records, s.replacement

    @cached_property
    def model(self) -> GaussianModel:
        whole = self.scenario.records is None
        return self.remember(("model", *self.model_key), lambda: fit_groups(
            self.groups, self.query, self.scenario.secrets, self.n, whole or self.scenario.replacement))

    @cached_property
    def pair(self):
        return self.scenario.secrets[0]

    @cached_property
    def shares(self) -> tuple[str, str]:
        return f"{100 * self.pair.low:g} %", f"{100 * self.pair.high:g} %"

    @cached_property
    def labels(self) -> list[str]:
        return [one.title for one in self.scenario.statistics]

    @cached_property
    def units(self) -> list[str]:
        return ["records" if s.kind == "count" else self.source.units.get(s.column, "") for s in self.scenario.statistics]

    @cached_property
    def values(self) -> np.ndarray:
        """Expected statistics at the middle of the range: no record's."""
        return np.asarray(self.model.pairs[0].means).mean(0)

    @cached_property
    def ruler(self) -> np.ndarray | None:
        """Units that noise is made least in, (m,); None for the papers' raw ones."""
        return np.abs(self.values).clip(1e-9) if self.scenario.units == "percent" else None

    def percent(self, errors) -> float:
        return 100 * float(np.mean(errors / np.abs(self.values).clip(1e-9)))

    # --- the limit and what follows
    @cached_property
    def undefended(self) -> float:
        return self.remember(("undefended", *self.model_key), lambda: 100 * optimal_attack_accuracy(self.model))

    @property
    def needs_noise(self) -> bool:
        """Whether the figures as they are break the limit."""
        return not self.remember(("plain", self.promise, *self.model_key), lambda: verdict(self.model, AS_IT_IS, self.promise)).kept

    @cached_property
    def promise(self) -> Promise:
        one = self.scenario
        return Promise(one.epsilon, one.delta) if one.by == "epsilon" else Promise.of_guesses(one.guesses)

    @cached_property
    def release(self) -> Release:
        """Of the chosen mechanism; the figures as they are where no noise is needed."""
        if not self.needs_noise:
            return AS_IT_IS
        key = "release", self.scenario.mechanism, self.scenario.units, self.promise, *self.model_key
        return self.remember(key, lambda: calibrate(self.scenario.mechanism, self.model, self.promise, units=self.ruler))

    @cached_property
    def epsilon(self) -> float | None:
        """ε at the scenario's δ: chosen, or delivered by the release that keeps the guesses."""
        if self.scenario.by == "epsilon":
            return self.scenario.epsilon
        if not self.needs_noise:
            return None
        return delivered_epsilon(self.model, self.release, self.scenario.delta)

    @cached_property
    def guesses(self) -> float:
        return 100 * float(self.verdict.accuracy.max())

    @cached_property
    def errors(self) -> np.ndarray:
        return release_error(self.model, self.release).absolute.max(0)

    @cached_property
    def verdict(self) -> Verdict:
        return verdict(self.model, self.release, self.promise)

    # --- comparison
    def way(self, release: Release) -> Way:
        errors = release_error(self.model, release).absolute.max(0)
        estimate = best_estimate(self.model, release)[2].absolute.max(0)
        found = self.verdict if release is self.release else verdict(self.model, release, self.promise)
        return Way(release, 100 * float(found.accuracy.max()), errors, np.minimum(errors, estimate), self.percent(errors), found)

    @cached_property
    def ways(self) -> list[Way]:
        releases = [AS_IT_IS, no_data(self.model)]
        if self.needs_noise:
            names = dict.fromkeys([self.scenario.mechanism, "DauM", "ExpM"])
            others = [name for name in names if name != self.scenario.mechanism]
            releases += [self.release, *calibrate_all([(name, self.promise) for name in others], self.model, units=self.ruler)]
        try:
            releases.append(calibrate("BalM", self.model))
        except DistprivError:
            pass
        return sorted((self.way(one) for one in releases if one is not None), key=lambda way: way.percent)

    @cached_property
    def recommendation(self) -> Recommendation:
        best = next(way for way in self.ways if way.kept)
        nothing = next(way.percent for way in self.ways if way.key == "no data")
        return Recommendation(best, best.key != "no data" and best.percent > 0.7 * nothing, self.outside)

    @property
    def own_share(self) -> float:
        counts = self.groups[0].counts
        return float(counts[1] / counts.sum())

    @cached_property
    def outside(self) -> bool:
        whole = self.n >= self.groups[0].counts.sum()
        return bool(whole and not self.pair.low <= self.own_share <= self.pair.high)

    # --- frames of charts: columns as CONTRACTS.md has them
    def tradeoff(self, names, epsilons) -> pd.DataFrame:
        jobs = [(name, Promise(float(e), self.scenario.delta)) for name in names for e in epsilons]
        made = [(job, one) for job, one in zip(jobs, calibrate_all(jobs, self.model, units=self.ruler)) if one is not None]
        noise = np.array([one.total(len(self.query)) for _, one in made])
        deviations = np.sqrt(np.diagonal(noise, axis1=1, axis2=2) * 2 / np.pi)
        return pd.DataFrame({"mechanism": [job[0] for job, _ in made], "epsilon": [job[1].epsilon for job, _ in made],
                             "error": 100 * (deviations / np.abs(self.values)).mean(1),
                             "guesses": 100 * accuracies(self.model, [one for _, one in made])})

    def exposure(self) -> pd.DataFrame:
        """Every other label as the secret, against the released statistics."""
        frame, width, rows = self.source.frame, self.pair.width, []
        values = self.query.values(frame)
        for secret in secrets_of(self.source):
            if secret == self.pair.secret:
                continue
            flags = secret.mask(frame)
            fine = np.isfinite(values).all(1) & np.isfinite(flags)
            parts = [values[fine & (flags == group)] for group in (0, 1)]
            if min(map(len, parts)) < 2:
                continue
            share = len(parts[1]) / sum(map(len, parts))
            middle = float(np.clip(share, width / 2 + 0.005, 1 - width / 2 - 0.005))
            spread = sum(w * np.cov(part.T).reshape(len(values.T), -1) for w, part in zip((1 - middle, middle), parts))
            unit = np.sqrt(np.diag(spread)).clip(1e-12)
            d = (parts[1].mean(0) - parts[0].mean(0)) / unit * width
            distance = np.sqrt(self.n * max(d @ np.linalg.solve(spread / np.outer(unit, unit) + 1e-9 * np.eye(len(d)), d), 0))
            rows.append((secret.column, secret.label, 100 * share, 100 * (middle - width / 2), 100 * (middle + width / 2),
                         100 * ndtr(distance / 2), abs(middle - share) < 1e-9))
        columns = ["column", "label", "share", "low", "high", "guesses", "fits"]
        return pd.DataFrame(rows, columns=columns).sort_values("guesses", ascending=False, ignore_index=True)

    def draws(self, count=1000, seed=1) -> np.ndarray:
        """Simulated statistics at both shares, (2, count, m)."""
        from distpriv.attacks.property_inference import draw_subsets, subset_sums

        rng, pair = np.random.default_rng(seed), self.model.pairs[0]
        count = int(np.clip(4_000_000 // (self.n * len(self.query)), 100, count))
        return np.array([sum(subset_sums(part, draw_subsets(len(part), int(size), count, rng, self.model.replacement))
                             for part, size in zip(pair.groups.records, row)) for row in pair.numbers]) * self.model.scales

    def contributions(self) -> pd.DataFrame:
        """How often an attacker is right from each statistic alone, and without it."""
        pair = self.model.pairs[0]
        m = len(self.query)

        def guesses(places) -> float:
            if not len(places):
                return 50.0
            part = np.ix_([0, 1], places, places)
            cov = pair.covariances[part]
            return 100 * NormalLoss.between(pair.difference[places], cov[0], cov[1]).accuracy()

        rows = [(label, guesses([i]), guesses([j for j in range(m) if j != i])) for i, label in enumerate(self.labels)]
        return pd.DataFrame(rows, columns=["statistic", "alone", "without"])
