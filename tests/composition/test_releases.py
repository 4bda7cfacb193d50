"""All releases of one table: stacked normals, samples by enumeration, grids, and repetition."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from scipy.linalg import block_diag

from distpriv.composition import Part, joint_release, repeated
from distpriv.errors import DistprivError, NotApplicable
from distpriv.mechanisms import calibrate
from distpriv.model import AS_IT_IS, Promise, Release, joint_law
from distpriv.model.grid import log_ratio, smoothness
from distpriv.privacy import NormalLoss, optimal_attack_accuracy, verdict
from distpriv.queries import Query, Sum
from tests.adult import INCOME, QUERY, model, of_records

MODEL = model(INCOME.pair(0.5, 0.1), replacement=True)
FITTED, LABELS = MODEL.pairs[0], QUERY.labels
OPT, BAL = calibrate("OptM", MODEL, 1.0, 1e-3), calibrate("BalM", MODEL)
RAW = Part(AS_IT_IS)


def worst(difference, one, other, epsilon=1.0):
    loss = NormalLoss.between(difference, one, other)
    return max(float(loss.delta(epsilon)), float(loss.reversed.delta(epsilon))), loss.accuracy()


def figures(*parts, of=MODEL):
    joint = joint_release(of, parts)
    return joint.delta(1.0), joint.accuracy()


def test_releases_of_one_draw_are_the_stacked_normals():
    """Two noises on all five figures and one on two of them, 12 numbers side by side."""
    wide = Release("wide", np.diag((2 * MODEL.steps) ** 2) + 0.7 * FITTED.pooled)
    some = Release("some", 3 * FITTED.pooled[:2, :2])
    rows = np.concatenate([np.eye(5), np.eye(5), np.eye(5)[:2]])
    noise = block_diag(OPT.covariance, wide.covariance, some.covariance)
    one, other = (rows @ law @ rows.T + noise for law in FITTED.covariances)
    expected = worst(rows @ FITTED.difference, one, other)
    parts = Part(OPT), Part(wide), Part(some, LABELS[:2])
    assert figures(*parts) == pytest.approx(expected, rel=1e-5)


def test_one_release_and_one_again_without_noise_tell_what_they_tell_alone():
    alone = verdict(MODEL, OPT)
    joint = joint_release(MODEL, [Part(OPT)]).verdict(OPT.promise)
    assert joint.kept
    assert joint.delta == pytest.approx(alone.delta)
    for parts in ([RAW, RAW], [RAW, Part(OPT)], [RAW, Part(AS_IT_IS, LABELS[1:3])]):
        assert figures(*parts)[1] == pytest.approx(optimal_attack_accuracy(MODEL), abs=1e-6)
    # Two releases subtract to noise alone, and neither covers the grid: arithmetic takes it off.
    line = Release("DauM", 1e4 * np.outer(FITTED.difference, FITTED.difference))
    assert figures(Part(line), Part(OPT))[1] == pytest.approx(optimal_attack_accuracy(MODEL))


def thin(ratio, fitted=FITTED, widths=400):
    """Noise in equal steps that leaves at most such a charge for the grid, between 0.001 and 0.9."""
    noises = np.linspace(0.2, 1, widths)[:, None, None] ** 2 * np.diag(fitted.steps**2)
    return Release("thin", noises[np.argmax(log_ratio(fitted.smoothness(noises)) <= ratio)])


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("release", [OPT, thin(0.005), thin(0.05), AS_IT_IS])
def test_figures_in_another_order_tell_what_they_tell_together(release, apart):
    """The grid's charge, noise that counts as none, and cosets, as one verdict has them."""
    fitted = replace(MODEL, pairs=(replace(FITTED, apart=apart),))
    noise = release.covariance
    turned = replace(release, covariance=None if noise is None else noise[::-1, ::-1])
    joint = joint_release(fitted, [Part(turned, LABELS[::-1])])
    assert joint.alone is None
    for epsilon in (0.0, 1.0):
        alone = verdict(fitted, release, Promise(epsilon, 1e-3))
        one = joint.verdict(Promise(epsilon, 1e-3))
        assert one.delta == pytest.approx(alone.delta, rel=1e-6)
        assert one.accuracy == pytest.approx(alone.accuracy)


def test_grid_of_records_that_are_not_kept_is_what_noise_must_cover():
    """At the lower share all with the property are kept, and all others are even."""
    values = np.repeat([0.0, 2.0, 4.0, 1.0, 2.0, 5.0], 20)[:, None]
    fitted = of_records(values, np.repeat([0.0, 1.0], 60), 40, 0.4, 0.6, kind=Sum)
    kept = Part(calibrate("BalM", fitted))
    noise = Release("x", np.array([[0.7]]))
    assert joint_release(fitted, [Part(noise)]).delta(1.0) < 1
    raw = joint_release(fitted, [RAW, kept]).accuracy()
    assert joint_release(fitted, [Part(noise), kept]).accuracy() == pytest.approx(raw)


def test_balanced_figures_tell_nothing_alone_and_much_beside_others():
    assert joint_release(MODEL, [Part(BAL), Part(BAL)]).verdict(Promise(0.0, 0.0)).law == "any data"
    assert figures(Part(BAL), Part(BAL)) == (0, 0.5)
    for release, about in ((OPT, 0.615), (AS_IT_IS, 0.99)):
        (p, q), laws = joint_law(MODEL, [release, BAL])  # both groups weigh alike here
        accuracy = worst(p - q, *laws)[1]
        assert accuracy == pytest.approx(about, abs=0.005)
        assert accuracy - 1e-6 <= figures(Part(release), Part(BAL))[1] < accuracy + 0.002


def enumerated(records, numbers, sampled):
    """Mean and covariance of the sums over a table and two samples of it, over all of them."""
    groups = [
        np.array(
            [
                [sum(table), sum(sample), sum(again)]
                for table in combinations(group, n)
                for sample, again in product(combinations(table, k), repeat=2)
            ]
        )
        for group, n, k in zip(records, numbers, sampled, strict=True)
    ]
    return sum(one.mean(0) for one in groups), sum(np.cov(one.T, bias=True) for one in groups)


def test_samples_of_a_table_vary_together_as_enumeration_says():
    """A table of 6 of 8 records, and two samples of 3 of it, each with noise; no grid."""
    rng = np.random.default_rng(4)
    values, having = np.sort(rng.normal(size=8)) * np.pi, np.repeat([0.0, 1.0], 4)
    fitted = of_records(values[:, None], having, 6, 1 / 3, 2 / 3, False, Sum)
    records = values[:4], values[4:]
    laws = [enumerated(records, *two) for two in (((4, 2), (2, 1)), ((2, 4), (1, 2)))]
    noise = np.array([0.5, 0.3, 0.9])
    wheres = (None, ""), (3, "one"), (3, "two")
    parts = [
        Part(Release("x", np.array([[v]])), None, *where)
        for v, where in zip(noise, wheres, strict=True)
    ]
    expected = worst(laws[0][0] - laws[1][0], *(law + np.diag(noise) for _, law in laws))
    assert figures(*parts, of=fitted) == pytest.approx(expected, rel=1e-6)
    # One sample released twice is one with half the noise; another sample tells more.
    once = Part(Release("x", np.array([[0.15]])), None, 3, "a")
    twice = [replace(once, release=Release("x", np.array([[0.3]])))] * 2
    assert figures(*twice, of=fitted) == pytest.approx(figures(once, of=fitted), rel=1e-6)
    other = [twice[0], replace(twice[0], sample="b")]
    assert figures(*other, of=fitted)[1] > figures(*twice, of=fitted)[1]


def part_of(model, places):
    """The model of some of its figures."""
    fitted = model.pairs[0]
    law = replace(
        fitted,
        means=fitted.means[:, places],
        covariances=fitted.covariances[:, places][:, :, places],
        steps=fitted.steps[places],
        joint_steps=fitted.joint_steps[:, places],
    )
    query = Query([QUERY.statistics[place] for place in places])
    return replace(model, query=query, scales=model.scales[places], pairs=(law,))


def test_grid_is_charged_for_the_noise_that_releases_leave_together():
    """Laws on whole numbers, under two noises at once, never deliver more than is said."""
    counts = part_of(MODEL, [2, 3])
    mean, variance = FITTED.means[:, 2], FITTED.covariances[:, 2, 2]
    x, y = np.arange(-20, 90), np.linspace(-20, 90, 4001)
    point = np.exp(-((x - mean[:, None]) ** 2) / 2 / variance[:, None])
    for deviations in ((0.9, 1.1), (0.8, 0.78), (0.5, 0.5)):
        parts = [Part(Release("x", np.array([[s * s]])), LABELS[2:3]) for s in deviations]
        joint, noise = joint_release(counts, parts), 1 / sum(s**-2 for s in deviations)
        kernel = np.exp(-((y[:, None] - x) ** 2) / 2 / noise)
        p, q = (kernel @ one / (kernel @ one).sum() for one in point)
        for epsilon in (0.0, 0.2, 1.0, 2.0):
            exact = max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((p, q), (q, p)))
            assert exact <= joint.delta(epsilon) * (1 + 1e-6)


def test_noise_that_covers_a_grid_too_thinly_counts_as_none():
    """Of one count beside others, and of one that varies less once the other figures are seen."""
    one, count, others = part_of(MODEL, [2]), LABELS[2:3], (*LABELS[:2], *LABELS[3:])
    bare = Part(AS_IT_IS, count)
    beside = figures(Part(thin(0.05, one.pairs[0]), count), Part(OPT))
    assert beside == pytest.approx(figures(bare, Part(OPT)), rel=1e-6)
    assert beside[1] < figures(RAW, RAW)[1] - 0.01
    just = Part(thin(0.01, one.pairs[0], 10_000), count)
    assert figures(just)[1] < figures(bare)[1] - 1e-4
    beside = figures(just, Part(AS_IT_IS, others))
    assert beside == pytest.approx(figures(RAW, RAW), rel=1e-6)


def test_grid_is_charged_at_least_for_what_two_samples_leave_together():
    """Two samples of 10 of a table of 20 of 60 records of zeros and ones."""
    values, having = np.arange(60)[:, None] % 2, np.repeat([0.0, 1.0], 30)
    fitted = of_records(values, having, 20, 0.4, 0.6, False, Sum)
    pair, groups = fitted.pairs[0].pair, fitted.pairs[0].groups
    parts = [Part(Release("x", np.array([[0.6]])), None, 10, name) for name in "ab"]
    table, sample = pair.numbers(20), pair.numbers(10)
    own, both = sample * (1 - sample / 30), sample**2 * (1 / table - 1 / 30)
    laws = (
        np.stack([own, both, both, own], axis=1).reshape(2, 2, 2, 2) @ groups.covariances[:, 0, 0]
    )
    theta = smoothness(laws, np.ones((2, 2)), np.ones(2), 0.6 * np.eye(2))
    assert log_ratio(theta) <= joint_release(fitted, parts).losses[0][0][1] < 0.01


def test_repeated_releases_average_their_noise_and_bare_the_grid():
    """OptM (1, 1e-3): by normals alone ten releases bring the attacker to 0.674, with the grid 0.76."""
    frame = repeated(MODEL, OPT, [1, 2, 10])
    assert frame["kept"].tolist() == [True, False, False]
    together = joint_release(MODEL, [Part(OPT), Part(OPT)])
    assert frame["delta"][1] == pytest.approx(together.delta(1.0), rel=1e-4)
    assert frame["guesses"][2] == pytest.approx(100 * optimal_attack_accuracy(MODEL))
    none = np.zeros(5)
    normal = replace(FITTED, steps=none, joint_steps=np.array([none, none]))
    frame = repeated(replace(MODEL, pairs=(normal,)), OPT, [10])
    assert frame["guesses"][0] == pytest.approx(67.4, abs=0.3)
    assert repeated(MODEL, BAL, [1, 50])["guesses"].tolist() == [50, 50]


def test_figures_that_follow_from_each_other_tell_where_a_mean_moves():
    """The count of records with the property does not vary, so that it tells for certain."""
    having = np.repeat([0.0, 1.0], 50)
    values = np.column_stack([np.arange(100) % 7, np.arange(100) % 7, having])
    fitted = of_records(values, having, 20, 0.4, 0.6, kind=Sum)
    fitted = replace(fitted, pairs=(replace(fitted.pairs[0], apart=False),))
    labels = fitted.query.labels
    first, second = (Part(AS_IT_IS, (label,)) for label in labels[:2])
    alone = figures(first, of=fitted)
    assert figures(first, second, of=fitted) == pytest.approx(alone, rel=1e-6)
    assert figures(first, Part(AS_IT_IS, labels[2:]), of=fitted) == (1, 1)


HALF = replace(BAL, kept=BAL.kept / 3)
LAPLACE = Release("DirM(L)", directions=np.eye(5)[:, :1], scale=1.0)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        ([], DistprivError, "no release"),
        ([Part(LAPLACE), RAW], NotApplicable, "Laplace"),
        ([Part(AS_IT_IS, ("mean height",))], DistprivError, "no figure 'mean height'"),
        ([Part(OPT, LABELS[:2])], DistprivError, "not 5"),
        ([Part(AS_IT_IS, None, 100)], DistprivError, "count it as the whole"),
        ([Part(BAL), Part(BAL, None, 80)], DistprivError, "keeps more records"),
        ([Part(replace(BAL, stands_for=None)), RAW], DistprivError, "tell the share"),
        ([Part(HALF), Part(HALF, None, 50)], NotApplicable, "one draw"),
        ((AS_IT_IS, [1]), DistprivError, "promise"),
        ((BAL, [0]), DistprivError, "from 1 on, not 0"),
        ((LAPLACE, [2], Promise(1.0, 1e-3)), NotApplicable, "Laplace"),
    ],
)
def test_releases_that_cannot_be_counted_end_in_a_sentence(call, error, sentence):
    """Of parts together, or of one release repeated."""
    with pytest.raises(error, match=sentence):
        joint_release(MODEL, call) if isinstance(call, list) else repeated(MODEL, *call)


def test_all_laws_that_are_as_likely_count_of_several_releases():
    (pair,) = MODEL.pairs
    far = replace(pair, means=pair.means + 0.3 * np.array([pair.difference, -pair.difference]))
    parts = [Part(AS_IT_IS, labels=QUERY.labels[:2]), Part(AS_IT_IS, labels=QUERY.labels[2:])]
    both, one, other = (
        joint_release(replace(MODEL, pairs=(law,)), parts).accuracy()
        for law in (replace(pair, alternatives=(far,)), pair, far)
    )
    assert both == other > one + 0.01
