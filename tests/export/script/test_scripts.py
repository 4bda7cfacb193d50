"""Scripts run by themselves and give the package's numbers, whatever the scenario."""

from __future__ import annotations

import ast
import json
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.attacks.posterior import uniform_prior
from distpriv.dashboard.shell.pages import PAGES
from distpriv.export.script import Script, Setting, Source, notebook
from distpriv.export.script.script import literal
from distpriv.model.gaussian import model_from_moments

QUERY = dp.Query([dp.Mean("age"), dp.Sum("hours"), dp.Count("status", "married")])
RICH = dp.SensitiveProperty("income", "high")


def script_of(page: str, *given: Any) -> Script:
    """The script of a page of that name."""
    return next(spec for spec in PAGES if spec.name == page).script(*given)


def run(script: Script) -> tuple[dict[str, Any], str]:
    """Variables and output of a script in a namespace of its own."""
    names: dict[str, Any] = {"__name__": "script"}
    printed = StringIO()
    with redirect_stdout(printed):
        exec(compile(script.text, "script.py", "exec"), names)
    return names, printed.getvalue()


def room_of(node: ast.expr) -> object:
    """The package, or the one in it, that an expression of a script names; None for others."""
    if isinstance(node, ast.Name) and node.id == "dp":
        return dp
    if isinstance(node, ast.Attribute) and (room := room_of(node.value)):
        return getattr(room, node.attr)
    return None


@pytest.fixture
def folder(people: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where people.csv lies and scripts run."""
    people.to_csv(tmp_path / "people.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def table(folder: Path) -> pd.DataFrame:
    return dp.read_table(folder / "people.csv")


def setting(table: pd.DataFrame, **changes: Any) -> Setting:
    values: dict[str, Any] = {
        "secret": RICH, "query": QUERY, "digest": dp.digest(table), "center": 0.4, "width": 0.2,
        "n": 60, "mechanism": "DauM", "epsilon": 1.3, "delta": 0.01, "seed": 3,
    }  # fmt: skip
    scenario = dp.Scenario(**(values | changes))
    return Setting(scenario, Source("people.csv", digest=scenario.digest))


@pytest.mark.parametrize("page", [spec.name for spec in PAGES])
def test_a_page_s_script_uses_public_names_only_and_prints_its_numbers(table, page):
    shown = {
        "attack": {"repetitions": 2},
        "wasserstein": {"datasets": 60},
        "papers": {"repetitions": 1},
    }
    script = script_of(page, setting(table), shown.get(page))
    tree = ast.parse(script.text)
    assert ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {each.name for each in node.names} <= {"distpriv", "numpy"}
        if isinstance(node, ast.ImportFrom):
            names = {each.name for each in node.names}
            assert node.module == "dataclasses" or names <= {"papers", "lessons"}
        if isinstance(node, ast.Attribute):
            assert not node.attr.startswith("_")
            if isinstance(room := room_of(node.value), ModuleType):
                assert node.attr in room.__all__
    names, printed = run(script)
    assert names["result"]
    for name, value in names["result"].items():
        assert f"{name}: {value:.6g}\n" in printed
    assert "another table" not in printed


@pytest.mark.parametrize(
    "changes",
    [
        {"grid": (0.3, 0.5, 0.1), "others": (dp.SensitiveProperty("remote").pair(0.5, 0.3),)},
        {"others": (dp.SensitiveProperty("age", above=50).pair(0.4, 0.3),),
         "look": "age > 50: 25 % or 55 %"},
        {"units": "standardised", "report": "custom", "tolerances": (1.0, 50.0, 2.0),
         "mechanism": "ExpM"},
        {"units": "custom", "report": "standardised", "tolerances": (1.0, 50.0, 2.0),
         "mechanism": "ExpM"},
        {"mechanism": "GroupDP", "bounds": (("age", (0.0, 120.0)), ("hours", (0.0, 100.0)))},
        {"mechanism": "DirM(L)", "replacement": True, "calibration": "classical"},
        {"whole": True, "replacement": True, "calibration": "guarded", "mechanism": "OptM"},
        {"mechanism": "DP"},
    ],
    ids=lambda changes: "-".join(changes),
)  # fmt: skip
def test_every_choice_of_the_scenario_reaches_the_model_and_the_noise(table, changes):
    given = setting(table, **changes)
    scenario = given.scenario
    names, _ = run(script_of("question", given))
    secrets = {pair.secret for pair in scenario.pairs}
    moments = {each: dp.group_moments(table, QUERY, each) for each in secrets}
    n = sum(moments[RICH].counts) if scenario.whole else scenario.n
    model = model_from_moments(
        moments, QUERY, scenario.pairs, n,
        replacement=scenario.replacement, share_of=scenario.hidden_share,
        bounds=dict(scenario.bounds),
    )  # fmt: skip
    sizes = {"raw": np.ones(3), "custom": np.array(scenario.tolerances)}
    sizes["standardised"] = model.standard_deviations
    noise = dp.calibrate(
        scenario.mechanism, model, scenario.epsilon, scenario.delta, scenario.calibration,
        None if scenario.units == "raw" else sizes[scenario.units],
    )  # fmt: skip
    evaluation = names["evaluation"]
    assert evaluation.model.pairs[-1].pair == scenario.pairs[-1]
    np.testing.assert_allclose(evaluation.model.pairs[-1].means, model.pairs[-1].means)
    np.testing.assert_allclose(evaluation.noise.covariance, noise.covariance, rtol=1e-12)
    error = noise.in_units(sizes[scenario.report]).expected_error()
    assert names["result"]["expected L2 error"] == pytest.approx(error, rel=1e-12)
    looked_at = evaluation.fit.pair
    if scenario.look:
        assert looked_at.label == scenario.look
    else:
        assert looked_at == model.pairs[dp.binding_pair(model, noise)].pair
    assert ("promised δ" in names["result"]) == (scenario.mechanism != "DP")


def test_noise_by_the_exact_law_is_the_dashboard_s(table):
    """And the figures beside it."""
    counts = dp.Query([dp.Count("status", "married"), dp.Count("remote", True)])
    changes = {"query": counts, "n": 30, "mechanism": "OptM", "calibration": "exact-law"}
    also = {"others": (dp.SensitiveProperty("age", above=50).pair(0.4, 0.3),)}
    for page, given in (
        ("question", setting(table, **changes)),
        ("guarantee", setting(table, **changes)),
        ("question", setting(table, **changes, **also)),
    ):
        names, printed = run(script_of(page, given))
        evaluation = names["evaluation"]
        assert evaluation.noise.calibration == "exact-law"
        assert 0.0099 < evaluation.delivered_delta <= 0.01
        assert f"delivered δ: {evaluation.delivered_delta:.6g}\n" in printed


def test_statistics_without_a_closed_form_are_simulated_as_in_the_dashboard(table):
    query = dp.Query([dp.Median("age"), dp.Quantile("hours", 0.9), dp.Mean("hours")])
    given = setting(table, query=query)
    names, _ = run(script_of("question", given))
    groups = {RICH: dp.record_groups(table, query, RICH)}
    model = dp.model.SimulatedFit(groups, query, given.scenario.pairs, 60, seed=3).run()
    np.testing.assert_array_equal(names["evaluation"].model.pairs[0].means, model.pairs[0].means)


def test_simulated_distances_are_those_of_the_dashboard(table):
    query = dp.Query([dp.Mean("age")])
    given = setting(table, query=query, distances="simulated", mechanism="Wasserstein", n=20)
    names, _ = run(script_of("question", given))
    groups = dp.record_groups(table, query, RICH)
    first, second = (
        dp.model.simulate(groups, query, theta, 1000, np.random.default_rng((3, 1000, place)))
        for place, theta in enumerate(names["evaluation"].fit.thetas)
    )
    distance = dp.distances.Outcomes((first, second)).closeness(0.0)
    np.testing.assert_allclose(names["evaluation"].noise.scales, distance / 1.3)


def test_a_whole_table_modelled_on_reference_data(table, folder):
    table.head(900).to_csv(folder / "public.csv", index=False)
    given = setting(table, whole=True, replacement=True)
    given = replace(given, reference=Source("public.csv"))
    names, _ = run(script_of("question", given))
    model = dp.fit_gaussian(
        table.head(900), QUERY, given.scenario.pair, n=len(table), replacement=True
    )
    np.testing.assert_allclose(names["evaluation"].model.pairs[0].means, model.pairs[0].means)
    assert given.referring


def test_corrected_types_and_hostile_names(folder):
    hostile = 'x"]); raise SystemExit #\n\u202e{name}'
    table = pd.DataFrame(
        {
            hostile: np.tile([1.0, 2.0, 4.0, 7.0, 3.0], 40),
            '"""': np.tile(["a'b", 'c"d\\', "e"], 67)[:200],
            "code": np.tile([1, 2, 3, 4], 50),
        }
    )
    table.to_parquet(folder / "odd \"name'.parquet")
    read = dp.retype(dp.read_table(folder / "odd \"name'.parquet"), {"code": "category"})
    column = next(name for name in read.columns if "raise" in name)
    query = dp.Query([dp.Mean(column), dp.Proportion('"""', 'c"d\\')])
    secret = dp.SensitiveProperty("code", values=list(read["code"].cat.categories[:2]))
    scenario = dp.Scenario(secret=secret, query=query, digest=dp.digest(read), n=30)
    source = Source(
        "odd \"name'.parquet", corrected=(("code", "category"),), digest=scenario.digest
    )
    script = script_of("question", Setting(scenario, source))
    names, printed = run(script)
    assert "another table" not in printed
    assert names["scenario"].query == query
    assert names["scenario"].secret == secret
    assert "\u202e" not in script.text


@pytest.mark.parametrize(
    "page", ["question", "answer", "compare", "fit", "attack", "belief", "release", "tradeoff"]
)
def test_the_script_of_a_table_that_stays_where_it_is_gives_the_same_numbers(table, folder, page):
    table.to_parquet(folder / "people.parquet")
    given = setting(table, whole=True, replacement=True)
    stays = replace(given, source=Source("The people", kind="files", digest="0" * 64))
    shown = {"attack": {"repetitions": 2}}.get(page)
    script = script_of(page, stays, shown)
    assert str(folder) not in script.text
    placed = script.text.replace("the path of your files", str(folder / "people.parquet"))
    names: dict[str, Any] = {"__name__": "script"}
    with redirect_stdout(StringIO()):
        exec(compile(placed, "script.py", "exec"), names)
    expected = run(script_of(page, given, shown))[0]["result"]
    assert set(names["result"]) == set(expected)
    # Simulations draw records in the order of the file or of the engine.
    if page not in ("answer", "attack", "fit"):
        for name, value in expected.items():
            assert names["result"][name] == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("kind", ["postgres", "spark"])
def test_a_script_says_where_its_reader_s_own_address_belongs(table, kind):
    given = setting(table, whole=True, replacement=True)
    stays = replace(given, source=Source("The people", kind=kind, digest="0" * 64, size=70))
    text = script_of("question", stays).text
    ast.parse(text)
    assert 'the name of your table"' in text
    assert "size=70" in text
    assert ("YOUR_DATABASE_URL" in text) == (kind == "postgres")


def test_another_table_is_told(table):
    given = setting(table)
    other = replace(given, source=replace(given.source, digest="0" * 64))
    assert (
        "another table"
        in run(script_of("frameworks", other))[1] + run(script_of("question", other))[1]
    )


def test_a_comparison_goes_through_the_kept_scenarios(table):
    given = setting(table)
    kept = setting(table, mechanism="ExpM", epsilon=4.0, report="standardised")
    result = run(script_of("compare", given, {"others": {'so "called"': kept}}))[0]["result"]
    model = dp.fit_gaussian(table, QUERY, given.scenario.pair, n=60)
    for name, each in (("now", given), ('so "called"', kept)):
        scenario = each.scenario
        noise = dp.calibrate(scenario.mechanism, model, scenario.epsilon, scenario.delta)
        best = dp.optimal_attack_accuracy(model, noise)
        assert result[f"{name}: best attacker with noise"] == pytest.approx(best)
    error = noise.in_units(model.standard_deviations).expected_error()
    assert result['so "called": expected L2 error'] == pytest.approx(error)
    assert not any("half the ε" in name for name in result)


def test_the_least_epsilon_of_the_errors_that_were_accepted(table):
    given = setting(table, calibration="exact")
    limits = (dp.ErrorLimit(0, 2.5), dp.ErrorLimit(2, 0.4, "value"))
    limit = dp.Limit("guesses", 65)
    shown = {"limit": limit, "limits": limits}
    names, printed = run(script_of("answer", given, shown))
    model = dp.fit_gaussian(table, QUERY, given.scenario.pair, n=60)
    both = []
    for choice in names["least"].choices:
        (found,) = dp.choose_by_error(
            limits, model, [choice.mechanism], delta=0.01, calibration="exact"
        ).choices
        assert names["result"][f"{choice.mechanism}: least ε for the errors"] == found.epsilon
        both += [choice.mechanism] * (limit.reached(found.test) <= 65)
    assert names["least"].choices
    assert f"satisfies both limits: {', '.join(both) or 'nothing'}\n" in printed
    assert "choose_by_error" not in script_of("answer", given, {"limit": limit}).text


def test_belief_about_values_that_were_entered(table):
    given = setting(table)
    released = (40.0, 2500.0, 30.0)
    names, _ = run(script_of("belief", given, {"released": released}))
    moments = dp.group_moments(table, QUERY, RICH)
    model = dp.attacks.posterior.ReleaseModel(moments, QUERY, 60, names["evaluation"].noise, False)
    prior = uniform_prior(dp.attacks.posterior.share_grid(60))
    expected = dp.attacks.posterior.posterior(model, prior, released).mean
    assert names["result"]["share expected after"] == pytest.approx(expected)


def test_the_notebook_holds_the_script_cell_by_cell(table):
    script = script_of("directions", setting(table))
    text = notebook(script)
    assert text == notebook(script)
    book = nbformat.reads(text, as_version=4)
    nbformat.validate(book)
    code = [cell.source for cell in book.cells if cell.cell_type == "code"]
    assert code == [section.code for section in script.sections]
    names: dict[str, Any] = {"__name__": "notebook"}
    with redirect_stdout(StringIO()):
        for cell in code:
            exec(cell, names)
    assert names["result"] == pytest.approx(run(script)[0]["result"])
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize(
    "value",
    ['a "b" \\ \n', "é…☃", "\ud800", 1.5, -2, True, None, (1,), ["a", (2.0, "b")],
     {frozenset({"x"}): 1.0}, float("inf"), np.float64(0.1), np.int64(3), np.bool_(True)],
    ids=repr,
)  # fmt: skip
def test_a_literal_reads_back(value):
    assert eval(literal(value)) == value
    assert literal(value).isprintable()
