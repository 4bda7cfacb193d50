"""The questions of the problem sets, with code that answers them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SETS", "Problem", "ProblemSet"]


@dataclass(frozen=True)
class Problem:
    """One question.

    Attributes
    ----------
    title, text : str
        In Markdown.
    hint : str
        What to start from, in a line of the cell for the student's code.
    solution : str
        Code that prints the answer; it goes on from the cells before it.
    lesson : str
        What is to be seen, without figures.
    """

    title: str
    text: str
    hint: str
    solution: str
    lesson: str


@dataclass(frozen=True)
class ProblemSet:
    """Questions about one scenario.

    Attributes
    ----------
    key : str
        Of its files.
    example : str
        Key of the example that it is about.
    n : int
        Records that are released.
    intro : str
        In Markdown, with a heading.
    problems : tuple of Problem
    """

    key: str
    example: str
    n: int
    intro: str
    problems: tuple[Problem, ...]


_HOSPITAL = ProblemSet(
    key="hospital",
    example="hospital",
    n=100,
    intro="""\
# What does a hospital's quality report give away?

A hospital publishes five figures on 100 of its stays. A rival wants to know whether 15 or 25 % of
the patients had to come back within 30 days, which the report does not say. All records are
synthetic.

The file `hospital-scenario.json` beside this notebook holds the question; the dashboard opens it
too, on the page *Compare*. You need Python and the package `distpriv`.""",
    problems=(
        Problem(
            "What moves?",
            "By how many of its standard deviations does each statistic move, on average, when the "
            "share of patients who come back rises from 15 to 25 %? Which one tells most?",
            "model.pairs[0].means, model.standard_deviations",
            """\
low, high = model.pairs[0].means
moves = (high - low) / model.standard_deviations
for label, move in zip(scenario.query.labels, moves):
    print(f"{label}: {move:+.2f} standard deviations")
print("tells most:", scenario.query.labels[int(np.argmax(np.abs(moves)))])""",
            "No single statistic moves by as much as one standard deviation: each alone is a weak "
            "hint.",
        ),
        Problem(
            "How often is an attacker right?",
            "How often does the best possible attacker name the right share, without noise, if 100 "
            "stays are released? And with 400, 1 600, 6 400, or all 12 000? Draw the records with "
            "replacement.",
            "dp.fit_gaussian(..., replacement=True), dp.optimal_attack_accuracy(model, None)",
            """\
for n in (100, 400, 1600, 6400, len(table)):
    larger = dp.fit_gaussian(table, scenario.query, scenario.pair, n=n, replacement=True)
    print(f"{n} records: right in {dp.optimal_attack_accuracy(larger, None):.1%}")""",
            "The more records, the less the averages vary by chance, and the same small move shows "
            "ever more clearly. Large tables do not protect a share; they give it away.",
        ),
        Problem(
            "Be the attacker",
            "Draw 20 000 releases under each share from the two normal curves of the model, and "
            "guess for each the share under which it is the likelier one. How often are you right? "
            "Compare with the best possible attacker.",
            "model.pairs[0].means, model.pairs[0].covariances, np.random.default_rng(1)",
            """\
fit, rng = model.pairs[0], np.random.default_rng(1)


def log_density(points, mean, covariance):
    away = points - mean
    inside = np.sum(away @ np.linalg.inv(covariance) * away, axis=1)
    return -(inside + np.linalg.slogdet(covariance)[1]) / 2


right = []
for truth in (0, 1):
    points = rng.multivariate_normal(fit.means[truth], fit.covariances[truth], 20_000)
    low, high = (log_density(points, fit.means[k], fit.covariances[k]) for k in (0, 1))
    right.append(np.mean((high > low) == bool(truth)))
print(f"right in {np.mean(right):.1%} of the simulated releases")
print(f"the best possible attacker: {dp.optimal_attack_accuracy(model, None):.1%}")""",
            "The rule that compares two likelihoods is the best attacker there is (Neyman and "
            "Pearson): no other rule is right more often.",
        ),
        Problem(
            "Add noise",
            "Calibrate the mechanism OptM to ε = 1 and δ = 0.001. How often is the best attacker "
            "right now, what is the ceiling of that promise, and by how much is each published "
            "figure off on average?",
            "dp.calibrate, dp.accuracy_ceiling, noise.expected_absolute_errors()",
            """\
noise = dp.calibrate("OptM", model, scenario.epsilon, scenario.delta)
print(f"right in {dp.optimal_attack_accuracy(model, noise):.1%} with the noise")
print(f"ceiling: {dp.accuracy_ceiling(scenario.epsilon, scenario.delta):.1%}")
errors = noise.expected_absolute_errors()
for label, error, deviation in zip(scenario.query.labels, errors, model.standard_deviations):
    print(f"{label}: ± {error:.3g}, where chance alone makes {deviation:.3g}")""",
            "The promise's ceiling holds for any data; on these the attacker stays well below it. "
            "The noise is of the order of what drawing the records does anyway.",
        ),
        Problem(
            "Again and again",
            "The report comes out every month on the same records, with fresh noise. How often is "
            "the best attacker right after 1, 5, 20 and 100 reports? And what is delivered, as an "
            "ε for δ = 0.001?",
            "noise.after_releases(5), dp.delivered_epsilon",
            """\
for reports in (1, 5, 20, 100):
    left = noise.after_releases(reports)
    right = dp.optimal_attack_accuracy(model, left)
    epsilon = dp.delivered_epsilon(model, left, scenario.delta)
    print(f"{reports} reports: right in {right:.1%}, ε = {epsilon:.2f}")""",
            "Fresh noise averages out; what is left in the end is what the statistics give away "
            "without any. Publish the same noisy figures again, or plan for all releases at once.",
        ),
    ),
)

_SCHOOL = ProblemSet(
    key="school",
    example="school",
    n=400,
    intro="""\
# How much noise does a school district need?

A school district publishes average scores and two counts of 400 pupils. Estate agents should not
learn whether 30 or 40 % of the pupils have free meals. You decide how much noise goes on the
figures. All records are synthetic.

The file `school-scenario.json` beside this notebook holds the question; the dashboard opens it
too, on the page *Compare*. You need Python and the package `distpriv`.""",
    problems=(
        Problem(
            "From right guesses to ε",
            "The board accepts that an attacker is right 60 times of 100. Which ε may OptM have at "
            "most, with δ = 0.001? Which ε would the promise alone allow, whatever the data are?",
            "dp.choose(dp.Limit('guesses', 60), ...), dp.analysis.promised_epsilon",
            """\
limit = dp.Limit("guesses", 60)
design = dp.choose(limit, model, ["OptM"], delta=scenario.delta)
print(f"without noise the attacker is right {design.undefended:.1f} times of 100")
print(f"OptM: ε = {design.choices[0].epsilon:.2f}")
alone = dp.analysis.promised_epsilon(limit, scenario.delta)
print(f"by the promise alone: ε = {alone:.2f}")""",
            "A promise covers the worst data and the worst attacker, so it allows less than what "
            "can be computed for the noise that is really used.",
        ),
        Problem(
            "Which mechanism?",
            "Keep the limit of 60 right guesses. What is the expected error of each statistic with "
            "ExpM, EigM, DirM and OptM, each at its own largest ε? Which one does ExpM spoil, and "
            "why? Try again with units=model.standard_deviations.",
            "dp.choose with several names, choice.noise.expected_absolute_errors()",
            """\
names = ["ExpM", "EigM", "DirM", "OptM"]
for title, units in (("raw units", None), ("in standard deviations", model.standard_deviations)):
    print(title)
    design = dp.choose(limit, model, names, delta=scenario.delta, units=units)
    for choice in sorted(design.choices, key=lambda choice: names.index(choice.mechanism)):
        errors = choice.noise.expected_absolute_errors()
        text = ", ".join(f"{error:.3g}" for error in errors)
        print(f"  {choice.mechanism} at ε = {choice.epsilon:.2f}: {text}")""",
            "ExpM puts as much noise on an average as on a count, which spoils the days missed. "
            "Counted in standard deviations all statistics suffer alike. Mechanisms that know the "
            "direction of the move put noise where the secret shows, and need less of it.",
        ),
        Problem(
            "Is the promise kept?",
            "Calibrate DauM to ε = 1 and δ = 0.001 in three ways: classical, exact, guarded. What "
            "δ does each deliver at ε = 1, and what does it cost in maths points?",
            "dp.calibrate(..., calibration), dp.delivered_delta",
            """\
place = scenario.query.labels.index("mean maths")
for calibration in ("classical", "exact", "guarded"):
    noise = dp.calibrate("DauM", model, 1.0, 1e-3, calibration)
    delivered = dp.delivered_delta(model, noise, 1.0)
    verdict = "kept" if delivered <= 1e-3 else "not kept"
    error = noise.expected_absolute_errors()[place]
    print(f"{calibration}: delivered δ = {delivered:.2g} ({verdict}), maths ± {error:.2f}")""",
            "The classical formula asks for more than is needed. The exact one takes the "
            "statistics to vary alike under both shares, which they do not quite; guarded noise "
            "is raised until the promise holds as they do vary.",
        ),
        Problem(
            "What is not hidden?",
            "The noise is made for shares 10 points apart. How often is the best attacker right if "
            "they are 5, 20, 30 or 40 points apart, under the same noise?",
            "scenario.secret.pair(center, width), dp.fit_gaussian, dp.optimal_attack_accuracy",
            """\
noise = dp.calibrate("OptM", model, scenario.epsilon, scenario.delta)
for width in (0.05, 0.1, 0.2, 0.3, 0.4):
    pair = scenario.secret.pair(scenario.center, width)
    apart = dp.fit_gaussian(table, scenario.query, pair, n=scenario.n)
    print(f"{100 * width:.0f} points: right in {dp.optimal_attack_accuracy(apart, noise):.1%}")""",
            "Δp is part of the promise: differences beyond it show. Choose it as large as what an "
            "attacker could gain from, and say it with the release.",
        ),
        Problem(
            "And the single pupil?",
            "What does the same noise promise to each pupil, as an ε for δ = 0.001, if a record "
            "may be replaced by any other within the public bounds? What changes in the errors if "
            "each pupil is promised ε = 1 as well?",
            "noise.per_record(query, n=..., bounds=...), dp.Persons",
            """\
bounds = dict(scenario.bounds)
alone = noise.per_record(scenario.query, n=scenario.n, bounds=bounds).epsilon(1e-3)
print(f"noise for the share alone: ε = {alone:.2g} for each pupil")
both = dp.calibrate("OptM", model, 1.0, 1e-3, persons=dp.Persons(1.0, 1e-3, bounds=bounds))
kept = both.per_record(scenario.query, n=scenario.n, bounds=bounds).epsilon(1e-3)
print(f"noise for both: ε = {kept:.2f} for each pupil")
errors = zip(noise.expected_absolute_errors(), both.expected_absolute_errors())
for label, (before, after) in zip(scenario.query.labels, errors):
    print(f"{label}: ± {before:.3g}, with each pupil ± {after:.3g}")""",
            "Hiding a share and hiding a person are two promises. One noise can keep both, at a "
            "price that falls with the number of records.",
        ),
    ),
)

SETS = (_HOSPITAL, _SCHOOL)
