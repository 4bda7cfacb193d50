"""Frames that charts draw: columns as `distpriv.charts` names them, figures of 100 and per cent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from distpriv.arrays import FloatArray
from distpriv.attacks import posterior
from distpriv.model import GaussianModel, PairModel, Release
from distpriv.model.diagnostics import mardia, misfit, normality
from distpriv.model.simulate import simulate
from distpriv.privacy import NormalLoss, pair_loss
from distpriv.text import percent

__all__ = ["attack_frame", "belief_frame", "bells_frame", "contributions_frame", "draws_frame"]
__all__ += ["fit_frame", "plane_frames", "points_frame", "recall_frame", "separation"]
__all__ += ["shares_of", "tests_frame", "titles_of", "together"]

_SCORES = np.linspace(-4.0, 4.0, 141)  # in standard deviations
_SHARES = 61  # of a range, at most
_CERTAIN = 99.99  # right guesses of 100; two bells this far apart do not overlap in a picture


def separation(guesses: float) -> float:
    """Return the distance of two unit bells that an attacker tells apart so often of 100."""
    return float(2 * ndtri(min(guesses, _CERTAIN) / 100))


def bells_frame(
    panels: Iterable[tuple[str, float, bool | None]], shares: Sequence[str]
) -> pd.DataFrame:
    """Return densities of the best attacker's score, for panels (title, right guesses, kept).

    Columns panel, guesses, kept, score (in standard deviations) and one density a share.
    """
    parts, (low, high), panels = [], shares, list(panels)
    far = max((separation(guesses) / 2 for _, guesses, _ in panels), default=0.0)
    scores = _SCORES * max(1.0, (far + 2.6) / 4)  # so that bells far apart are seen, too
    for title, guesses, kept in panels:
        head = {"panel": title, "guesses": guesses, "kept": kept, "score": scores}
        for name, side in ((low, -0.5), (high, 0.5)):
            head[name] = np.exp(-((scores - side * separation(guesses)) ** 2) / 2)
        parts.append(pd.DataFrame(head))
    return pd.concat(parts, ignore_index=True)


def attack_frame(accuracy: Mapping[str, FloatArray]) -> pd.DataFrame:
    """Return running means of a simulated attack, one row a release and number of repetitions.

    From the share of right guesses by release, of each repetition in order. Columns release,
    simulations, guesses, low and high: the mean so far and its 95 % interval by Student's t, of
    100. The interval is NaN after one repetition.
    """
    if not accuracy:
        return pd.DataFrame(columns=["release", "simulations", "guesses", "low", "high"])
    running = (100 * pd.DataFrame(dict(accuracy))).expanding()
    frame = running.mean().melt(var_name="release", value_name="guesses", ignore_index=False)
    frame.insert(1, "simulations", frame.index + 1)
    half = _half(running.std().melt()["value"], frame["simulations"])
    return _around(frame.reset_index(drop=True), half)


def _around(frame: pd.DataFrame, half: FloatArray) -> pd.DataFrame:
    return frame.assign(low=frame["guesses"] - half, high=frame["guesses"] + half)


def _half(deviations: pd.Series, counts: pd.Series) -> FloatArray:
    """Return half the widths of means' 95 % intervals."""
    factors = stdtrit(counts - 1, 0.975) / np.sqrt(counts)
    return np.asarray(deviations) * np.asarray(factors)


def together(parts: Sequence[pd.DataFrame], *columns: str) -> pd.DataFrame:
    """Return frames below each other, with these columns even if there is none yet."""
    empty = pd.DataFrame(columns=[*dict.fromkeys(columns)])
    return pd.concat([*parts], ignore_index=True) if parts else empty


def belief_frame(
    model: GaussianModel, releases: Mapping[str, Release], pair: int = 0, seed: int = 0
) -> tuple[pd.DataFrame, int]:
    """Return what an attacker believes about the share after each release of one simulated table.

    The table is drawn at one of the two shares, by lot, whose place comes second. Before, all
    shares in the range are as likely, for the range is public. Columns release ("prior" for what
    comes before), share (in per cent) and belief (a multiple of that before).
    """
    one, rng = model.pairs[pair], np.random.default_rng(seed)
    side = int(rng.integers(2))
    figures = simulate(model, pair, 1, rng)[side, 0]
    low, high = one.numbers[:, 1]
    shares = np.unique(np.linspace(low, high, _SHARES).round()) / model.n
    parts = {}
    for name, release in releases.items():
        noise = release.sample(1, rng)[0] if release.kind == "noise" else 0.0
        found = posterior(model, release, figures + noise, shares=shares, pair=pair)
        parts[name] = len(shares) * found.posterior
    parts["prior"] = np.ones(len(shares))
    frame = pd.DataFrame(parts, index=100 * shares).rename_axis("share").reset_index()
    return frame.melt("share", var_name="release", value_name="belief"), side


def recall_frame(
    model: GaussianModel, releases: Mapping[str, Release], pair: int = 0
) -> pd.DataFrame:
    """Return precision against recall of the best attackers who seek the higher share.

    Columns release, recall and precision (in per cent, at even odds) and f_score, the largest F_1.
    """
    recall = np.linspace(0.01, 1.0, 100)
    parts = []
    for name, release in releases.items():
        loss = pair_loss(model, release, pair).reversed
        precision = np.interp(recall, *loss.precision_recall())
        lines = {"recall": 100 * recall, "precision": 100 * precision}
        parts.append(pd.DataFrame({"release": name, **lines, "f_score": loss.f_score()}))
    return pd.concat(parts, ignore_index=True)


def points_frame(runs: Iterable[tuple[str, float, float]], across: str) -> pd.DataFrame:
    """Return means of simulated attacks at several places, with their 95 % intervals.

    From repetitions (release, place, share of right guesses). Columns release, `across` (the
    place), guesses, low and high (of 100), of places with two repetitions or more.
    """
    frame = pd.DataFrame(runs, columns=["release", across, "right"])
    frame["right"] = 100 * frame["right"].astype(float)
    each = frame.groupby(["release", across], sort=False)["right"].agg(["mean", "std", "count"])
    each = each.dropna().reset_index()
    means = each[["release", across]].assign(guesses=each["mean"])
    return _around(means, _half(each["std"], each["count"]))


def titles_of(model: GaussianModel) -> tuple[str, ...]:
    """Return the titles of a model's statistics."""
    return tuple(one.title for one in model.query.statistics)


def shares_of(model: GaussianModel, pair: int = 0) -> tuple[str, str]:
    """Return both shares of a pair, as sentences and charts name them."""
    one = model.pairs[pair].pair
    return percent(one.low), percent(one.high)


def fit_frame(model: GaussianModel, draws: FloatArray, pair: int = 0) -> pd.DataFrame:
    """Return the fitted curves and how far simulated tables, (2, R, m), are from them.

    Columns statistic, share, mean, deviation, step (0: no grid) and misfit (in points of 100).
    """
    one, rows = model.pairs[pair], []
    for place, label in enumerate(titles_of(model)):
        for side, share in enumerate(shares_of(model, pair)):
            deviation = _deviations(one)[side, place]
            law = one.means[side, place], deviation, one.steps[place]
            rows.append((label, share, *law, misfit(draws[side, :, place], *law)))
    return pd.DataFrame(rows, columns=["statistic", "share", "mean", "deviation", "step", "misfit"])


def tests_frame(model: GaussianModel, draws: FloatArray, pair: int) -> pd.DataFrame:
    """Return the chance p of a fit as bad as that of simulated tables, (2, R, m), of each curve.

    Columns statistic, share, p and deviation; the last rows, "all together", have Mardia's test,
    twice the smaller p of skewness and kurtosis.
    """
    one, labels, shares = model.pairs[pair], titles_of(model), shares_of(model, pair)
    each = normality(draws, one, labels, shares)[["statistic", "share", "p"]]
    each = each.assign(deviation=_deviations(one).T.ravel())
    if len(labels) == 1:
        return each
    joint = mardia(draws, shares)
    p = (2 * joint[["skewness_p", "kurtosis_p"]].min(axis=1)).clip(upper=1)
    rows = pd.DataFrame({"statistic": "all together", "share": joint["share"], "p": p})
    return pd.concat([each, rows], ignore_index=True)


def _deviations(pair: PairModel) -> FloatArray:
    return np.sqrt(np.diagonal(pair.covariances, axis1=1, axis2=2).clip(0))


def draws_frame(model: GaussianModel, draws: FloatArray, pair: int = 0) -> pd.DataFrame:
    """Return simulated tables, shape (2, R, m), with columns statistic, share, value."""
    pairs = [*product(titles_of(model), shares_of(model, pair))]
    names = np.array(pairs, dtype=object).repeat(draws.shape[1], axis=0)
    frame = pd.DataFrame(names, columns=["statistic", "share"])
    return frame.assign(value=np.moveaxis(draws, 2, 0).ravel())


def plane_frames(
    model: GaussianModel,
    axes: tuple[int, int],
    noises: Mapping[str, Release],
    draws: FloatArray,
    pair: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return normals and simulated tables, (2, R, m), in the plane of two statistics.

    In pooled standard deviations from the middle of both shares. The first has columns name, kind
    ("share" or "noise"), x, y (mean) and xx, xy, yy (covariance); the second share, x, y.
    """
    one, shares = model.pairs[pair], shares_of(model, pair)
    places, chosen, m = list(axes), np.ix_(axes, axes), len(one.difference)
    unit = np.sqrt(np.diagonal(one.pooled)[places].clip(0))
    unit = np.where(unit > 0, unit, 1.0)
    middle, scale = one.means[:, places].mean(axis=0), np.outer(unit, unit)
    laws = [
        (name, "share", *((mean[places] - middle) / unit), covariance[chosen])
        for name, mean, covariance in zip(shares, one.means, one.covariances, strict=True)
    ]
    laws += [(name, "noise", 0.0, 0.0, noise.total(m)[chosen]) for name, noise in noises.items()]
    plane = pd.DataFrame(
        [(*head, *(covariance / scale)[[0, 0, 1], [0, 1, 1]]) for *head, covariance in laws],
        columns=["name", "kind", "x", "y", "xx", "xy", "yy"],
    )
    away = ((draws[:, :, places] - middle) / unit).reshape(-1, 2)
    clouds = pd.DataFrame(away, columns=["x", "y"])
    clouds.insert(0, "share", np.repeat(np.array(shares, dtype=object), draws.shape[1]))
    return plane, clouds


def contributions_frame(model: GaussianModel, pair: int = 0) -> pd.DataFrame:
    """Return right guesses of 100 from each statistic alone, and without it, by the model.

    Columns statistic, alone, without.
    """
    fitted, labels = model.pairs[pair], titles_of(model)
    every = [*range(len(labels))]

    def guesses(places: list[int]) -> float:
        if not places:
            return 50.0
        one, other = fitted.covariances[np.ix_([0, 1], places, places)]
        return 100 * NormalLoss.between(fitted.difference[places], one, other).accuracy()

    alone = [guesses([place]) for place in every]
    without = [guesses([other for other in every if other != place]) for place in every]
    return pd.DataFrame({"statistic": labels, "alone": alone, "without": without})
