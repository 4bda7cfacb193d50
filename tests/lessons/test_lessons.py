"""The results of the guided tour."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import norm

import distpriv as dp
from distpriv import lessons
from distpriv.dashboard.tour.lesson import Question
from distpriv.dashboard.tour.steps import LESSONS
from distpriv.lessons.course import (
    COUNTS,
    DELTA,
    EPSILONS,
    MECHANISMS,
    NAMES,
    PAIR,
    PLAIN,
    QUERY,
    RELEASES,
    SECRET,
    SIZES,
)
from distpriv.lessons.subtracting import TRIED


@pytest.fixture(scope="module")
def course() -> lessons.Course:
    return lessons.course_of(dp.load_census_income())


def test_the_data_are_those_of_the_public_api(course: lessons.Course) -> None:
    expected = dp.fit_gaussian(dp.load_census_income(), QUERY, PAIR, n=100)
    model = course.model()
    np.testing.assert_allclose(model.pairs[0].means, expected.pairs[0].means)
    np.testing.assert_allclose(model.pairs[0].pooled, expected.pairs[0].pooled)
    # The real Adult's Mahalanobis distance is 1.4225; the embedded data agree within 1 %.
    assert model.pairs[0].mahalanobis == pytest.approx(1.4225, rel=0.01)


def test_the_scenario_of_the_sidebar_is_that_of_the_tour(course: lessons.Course) -> None:
    scenario = course.scenario("abc")
    assert (scenario.secret, scenario.pair, scenario.query) == (SECRET, PAIR, QUERY)
    assert scenario.digest == "abc"
    noise = dp.calibrate(
        scenario.mechanism, course.model(scenario.n), scenario.epsilon, scenario.delta
    )
    np.testing.assert_allclose(noise.covariance, course.noise("OptM").covariance)


def test_1_whoever_takes_columns_out_still_gives_the_share_away(course: lessons.Course) -> None:
    steps = [lessons.hidden(course, count) for count in range(len(QUERY))]
    assert steps[0].before == pytest.approx(0.761, abs=0.005)
    assert [each.before for each in steps] == [steps[0].before] * len(QUERY)
    assert all(more.after < less.after for less, more in pairwise(steps))
    last = steps[-1]
    assert sorted((*last.taken_out, *last.left)) == list(range(len(QUERY)))
    # What is left last is worth as much as that statistic alone.
    (left,) = last.left
    model = course.model().pairs[0]
    first, second = (
        norm(mean[left], math.sqrt(covariance[left, left]))
        for mean, covariance in zip(model.means, model.covariances, strict=True)
    )
    line = np.linspace(first.mean() - 12 * first.std(), first.mean() + 12 * first.std(), 100_001)
    larger = np.maximum(first.pdf(line), second.pdf(line))
    assert last.after == pytest.approx(np.trapezoid(larger, line) / 2, abs=1e-6)
    assert last.after > 0.6
    # No other first loss would have cost the attacker more.
    others = [
        dp.optimal_attack_accuracy(course.model().of_statistics(*set(range(5)) - {place}))
        for place in range(5)
    ]
    assert steps[1].after == min(others)


def test_2_more_records_pull_the_clouds_apart(course: lessons.Course) -> None:
    found = [lessons.seen(course, n) for n in SIZES]
    assert all(less.accuracy < more.accuracy for less, more in pairwise(found))
    assert all(each.accuracy < each.together for each in found)
    assert found[2].accuracy == pytest.approx(0.698, abs=0.005)
    assert found[2].together == pytest.approx(0.761, abs=0.005)
    np.testing.assert_array_equal(found[3].widest.pooled, found[0].fit.pooled)


def test_3_noise_helps_along_the_shift(course: lessons.Course) -> None:
    model = course.model().of_statistics(*COUNTS)
    found = [lessons.turned(course, degrees) for degrees in (0, 30, 60, 90)]
    assert all(less.accuracy < more.accuracy for less, more in pairwise(found))
    assert found[0].accuracy == found[0].along
    assert found[-1].accuracy == pytest.approx(found[-1].across)
    assert found[0].along == pytest.approx(0.572, abs=0.005)
    assert found[0].along == pytest.approx(found[0].around, abs=0.005)
    assert found[0].undefended - found[0].across < 0.01
    for each in found:
        assert np.trace(each.noise.covariance) == pytest.approx(
            np.trace(dp.calibrate("DirM", model, 1.0, DELTA, PLAIN).covariance)
        )
    angle = found[1].noise.directions[:, 0] @ found[0].noise.directions[:, 0]
    assert angle == pytest.approx(math.cos(math.radians(30)))


def test_4_what_varies_anyway_need_not_be_added(course: lessons.Course) -> None:
    for epsilon in EPSILONS:
        found = lessons.ally(course, epsilon)
        assert found.varied_more < found.using < found.ignoring
        # Along the axes the noise is that of EigM.
        assert sorted(found.axes) == list(range(len(NAMES)))
        variances = [each.variance for each in found.axes.values()]
        published = dp.calibrate("EigM", course.model(), epsilon, DELTA, PLAIN, grid_safe=False)
        assert sum(variances) == pytest.approx(np.trace(published.covariance))
        safe = course.noise("EigM", epsilon, PLAIN)
        assert found.using == safe.expected_error() >= published.expected_error()
    assert course.noise("DauM", found.noiseless * 1.001, PLAIN).is_zero
    assert not course.noise("DauM", found.noiseless * 0.999, PLAIN).is_zero
    assert found.noiseless == pytest.approx(4.87, abs=0.02)


def test_5_the_same_promise_costs_least_with_optm(course: lessons.Course) -> None:
    found = lessons.least(course)
    errors = found.errors
    assert min(errors, key=errors.__getitem__) == "OptM"
    assert list(errors) == list(MECHANISMS)
    assert errors["OptM"] == pytest.approx(8.15, abs=0.1)
    assert errors["ExpM"] == pytest.approx(23.5, abs=0.3)
    at_one = int(np.flatnonzero(found.curves.x == 1.0)[0])
    assert {name: y[at_one] for name, y in found.curves.y.items()} == pytest.approx(errors)
    assert all(np.all(y >= found.curves.y["OptM"] - 1e-9) for y in found.curves.y.values())
    assert max(found.accuracies.values()) - min(found.accuracies.values()) < 0.01
    # Off the shift, to where the statistics vary less.
    assert 0.5 < found.tilt < 5
    fit, direction = course.model().pairs[0], course.noise("OptM", 1.0, PLAIN).directions[:, 0]
    shift = fit.difference / np.linalg.norm(fit.difference)
    assert direction @ fit.pooled @ direction < shift @ fit.pooled @ shift


@pytest.mark.parametrize("guesses", [51, 60, 70, 76])
def test_6_the_largest_epsilon_that_keeps_the_limit(course: lessons.Course, guesses: int) -> None:
    found = lessons.allowed(course, guesses)
    model = course.model()
    assert found.reached == dp.optimal_attack_accuracy(model, course.noise("OptM", found.epsilon))
    assert found.reached <= guesses / 100
    assert dp.optimal_attack_accuracy(model, course.noise("OptM", found.epsilon * 1.02)) > (
        guesses / 100
    )
    assert found.epsilon == float(f"{found.epsilon:.3g}")
    assert found.promised > found.reached


def test_6_a_limit_that_no_release_keeps_is_refused(course: lessons.Course) -> None:
    with pytest.raises(dp.errors.HypothesisError):
        lessons.allowed(course, 49)


def test_7_releases_average_the_noise_away(course: lessons.Course) -> None:
    found = [lessons.again(course, count) for count in RELEASES]
    # From 50 releases on the grid shows through their average, and arithmetic undoes the rest.
    assert {each.undone_from for each in found} == {50}
    noisy = found[: RELEASES.index(50) + 1]
    assert all(less.accuracy < more.accuracy for less, more in pairwise(noisy))
    assert all(less.epsilon < more.epsilon for less, more in pairwise(noisy))
    for each in found[RELEASES.index(50) :]:
        assert each.accuracy == each.undefended
        assert each.epsilon == dp.delivered_epsilon(course.model(), None, DELTA)
    assert found[0].accuracy == found[0].single
    assert found[-1].undefended - found[-1].accuracy < 0.02
    np.testing.assert_allclose(
        found[0].curves.y["OptM"], [each.accuracy for each in found], rtol=1e-12
    )
    # Pooling the covariances breaks the promise by a little; guarded, the default, keeps it.
    assert DELTA < found[0].pooled < 3 * DELTA
    assert 0.99 * DELTA < found[0].delta <= DELTA


def test_7_arithmetic_subtracts_noise_along_one_direction(course: lessons.Course) -> None:
    found = lessons.subtracted(course)
    counted = found.answer / found.steps
    np.testing.assert_allclose(counted, np.rint(counted), atol=1e-9)
    # One value of the count puts all the others on their grids: the true one, and all is known.
    (place,) = np.flatnonzero(found.published.fits)
    assert found.tried[place] == round(found.answer[TRIED])
    np.testing.assert_allclose(found.published.left[place], found.answer, atol=1e-9)
    assert np.sort(found.published.farthest)[1] > 0.1
    assert (found.published.off <= 0.5).all()
    # It hides nothing, although on paper it hides as much as it does with the floor.
    assert found.published.accuracy == found.undefended == pytest.approx(0.761, abs=0.005)
    assert found.on_paper == pytest.approx(0.5756, abs=0.0005)
    # With the floor no value fits, and the true one fits no better than others.
    assert not found.covered.fits.any()
    assert (found.covered.farthest < found.covered.farthest[place]).sum() > 3
    assert found.covered.farthest.min() > 0.1
    assert found.covered.accuracy == pytest.approx(found.on_paper, abs=1e-3)
    assert 0 < found.cost < 0.01
    # Every other dataset is found out as well: whatever is drawn, only the truth fits.
    model, noise, rng = course.model(), found.published.noise, np.random.default_rng(1)
    direction = noise.directions[:, 0]
    for mean in np.repeat(model.pairs[0].means, 20, axis=0):
        drawn = rng.multivariate_normal(mean, model.pairs[0].pooled)
        answer = np.rint(drawn / model.steps) * model.steps
        released = noise.release(answer, rng)
        tried = np.arange(101)
        implied = (released[TRIED] - tried) / direction[TRIED]
        counted = (released - implied[:, None] * direction) / model.steps
        off = np.abs(counted - np.rint(counted)).max(axis=1)
        assert tried[off < 1e-6].tolist() == [round(answer[TRIED])]


def test_no_figure_is_of_noise_that_arithmetic_undoes(course: lessons.Course) -> None:
    model = course.model()
    counts = model.of_statistics(*COUNTS)
    for degrees in (0, 45, 90):
        assert lessons.turned(course, degrees).noise.smoothness(counts) < 1e-6
    for name in MECHANISMS:
        for epsilon in (*EPSILONS, 0.1):
            noise = course.noise(name, epsilon, PLAIN)
            assert noise.is_zero or noise.smoothness(model) < 1e-3


def test_the_eigenvector_example_of_the_paper() -> None:
    example = lessons.eigenvector_example()
    assert example.needed == pytest.approx(28.52, abs=0.005)
    np.testing.assert_allclose(example.own, [10, 25])
    expected = np.array([[1.0, 2.0], [2.0, -1.0]]) / math.sqrt(5)
    np.testing.assert_allclose(np.abs(example.axes), np.abs(expected))
    np.testing.assert_allclose(example.along("EigM"), [18.52, 3.52], atol=0.005)
    np.testing.assert_allclose(example.along("ExpM"), [28.52, 28.52], atol=0.005)
    totals = {name: np.trace(each.covariance) for name, each in example.noises.items()}
    assert min(totals, key=totals.__getitem__) == "OptM"


@pytest.mark.parametrize("number", range(len(LESSONS)))
def test_exactly_one_answer_holds_and_each_says_why(course: lessons.Course, number: int) -> None:
    lesson = LESSONS[number]
    questions = [lesson.question(course)]
    questions += [lesson.exercise.question(course)] if lesson.exercise else []
    for question in questions:
        one_holds(question)


def one_holds(question: Question) -> None:
    assert [option.holds for option in question.options].count(True) == 1
    assert len({option.statement for option in question.options}) == len(question.options) == 3
    assert all(option.why.endswith(".") for option in question.options)
    assert question.chosen(question.right.statement) == question.right
    assert question.chosen(None) is None
    assert question.chosen("something else") is None


def test_the_right_answer_follows_the_data(course: lessons.Course) -> None:
    """A secret that hardly shows in the statistics turns the answer of the first question."""
    moments = course.moments
    alike = moments.means.mean(axis=0) + 0.1 * (moments.means - moments.means.mean(axis=0))
    quiet = lessons.Course(dataclasses.replace(moments, means=alike))
    first = LESSONS[0].question
    assert first(course).options.index(first(course).right) == 2
    assert first(quiet).options.index(first(quiet).right) == 0
