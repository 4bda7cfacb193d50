"""The rules that keep the package a house."""

from __future__ import annotations

import ast
import inspect

import networkx as nx

import distpriv
from distpriv.dashboard.shell.pages import PAGES
from tests.house import MODULES, PACKAGE, ROOT, imports, modules, namesake, relative, sources

# A file past 400 lines wants to be two concepts; one that is cut at a limit wants to be one again.
LONGEST, LONGEST_PAGE = 450, 60
# Whatever stands to the left knows nothing of what stands to the right.
ORDER = (
    ["errors", "registry", "arguments", "version", "resources", "words", "glossary"],
    ["tables"],
    ["queries"],
    ["distances"],
    ["model"],
    ["sources"],
    ["privacy"],
    ["mechanisms"],
    ["attribute"],
    ["frameworks"],
    ["attacks"],
    ["robustness"],
    ["composition"],
    ["analysis"],
    ["papers", "lessons", "store"],
    ["charts"],
    ["export"],
    ["dashboard"],
    ["__main__"],
)


CODE = [ROOT / "app.py", *sources("distpriv", "pages", "benchmarks", "question")]

# Names, values and errors only.
VALUES = (
    "analysis/scenario",
    "attacks/results",
    "errors",
    "mechanisms/curves",
    "model/theta",
    "papers/items",
    "papers/printed",
    "resources",
    "store/models",
    "version",
)
# Parts of what is tested as a whole, and whole folders of such parts.
ELSEWHERE = {
    "__main__": "dashboard/test_command.py",
    "analysis/evaluating": "analysis/test_evaluation.py",
    "analysis/fitting": "analysis/test_evaluation.py",
    "analysis/basis": "analysis/test_evaluation.py",
    "analysis/json_values": "analysis/test_scenario_file.py",
    "analysis/measuring": "analysis/test_evaluation.py",
    "analysis/units": "analysis/test_evaluation.py",
    "analysis/bracketing": "analysis/test_design.py",
    "analysis/error_search": "analysis/test_acceptable_error.py",
    "attacks/error_curves": "attacks/test_optimal.py",
    "attacks/laplace_problem": "attacks/test_laplace_optimum.py",
    "attacks/pair_normals": "attacks/test_arithmetic.py",
    "attacks/statistics_grid": "attacks/test_arithmetic.py",
    "store/migrations/versions": "store/test_migrations.py",
    "charts/alternatives": "charts/test_ledger.py",
    "charts/attack_curves": "charts/test_attack.py",
    "charts/frame": "charts/conftest.py",
    "charts/frameworks": "charts/test_choosing.py",
    "charts/lines": "charts/test_drawn.py",
    "charts/guessing": "charts/test_drawn.py",
    "charts/intervals": "charts/test_papers.py",
    "charts/paper_figures": "charts/test_papers.py",
    "charts/plane": "charts/test_directions.py",
    "composition/datasets": "composition/test_joint_releases.py",
    "composition/joint_loss": "composition/test_stacked.py",
    "composition/observed": "composition/test_stacked.py",
    "composition/table_releases": "composition/test_joint_releases.py",
    "dashboard": "app/test_pages.py",
    "export/report": "export/report/test_report.py",
    "export/script": "export/script/test_scripts.py",
    "mechanisms/assumptions": "robustness/test_verdicts.py",
    "model/fit": "model/test_gaussian.py",
    "model/matched_draws": "model/test_swaps.py",
    "model/regularity": "model/test_gaussian.py",
    "papers/report": "papers/test_cells.py",
    "privacy/bell_mixtures": "privacy/test_covered.py",
    "privacy/count_laws": "privacy/test_exact_laws.py",
    "privacy/laplace_mixture": "privacy/test_laplace_profile.py",
    "privacy/noise_lengths": "privacy/test_noise.py",
    "privacy/noised": "mechanisms/test_sizes.py",
    "privacy/normal_laplace": "privacy/test_laplace_profile.py",
    "sources/engine": "sources/test_table.py",
    "robustness/shifts": "robustness/test_verdicts.py",
    "store/texts": "store/test_decisions.py",
    "analysis/decision": "store/test_ledger.py",
    "queries/base": "queries/test_statistics.py",
    "tables/json_tables": "tables/test_parsing.py",
    "tables/labels": "tables/test_types.py",
    "tables/loading": "tables/test_repairs.py",
    "tables/predicates": "queries/test_statistics.py",
    "tables/workbook": "tables/test_excel.py",
}


def _room(module: str) -> int:
    room = module.split(".")[1]
    (place,) = (index for index, rooms in enumerate(ORDER) if room in rooms)
    return place


def test_imports_go_one_way() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, path in MODULES.items()
        if module != "distpriv"
        for other in modules(path) - {"distpriv"}
        if _room(other) > _room(module)
    ]
    assert not wrong


def test_nothing_in_the_package_imports_the_whole_of_it() -> None:
    whole = [
        relative(path)
        for module, path in MODULES.items()
        if module != "distpriv" and "distpriv" in modules(path)
    ]
    assert not whole


def test_there_are_no_circles() -> None:
    graph = nx.DiGraph(
        (module, other) for module, path in MODULES.items() for other in modules(path)
    )
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    circles = [circle for circle in nx.strongly_connected_components(graph) if len(circle) > 1]
    assert not circles


def test_only_the_dashboard_imports_streamlit() -> None:
    allowed = PACKAGE / "dashboard"
    wrong = [
        relative(path)
        for path in MODULES.values()
        if allowed not in path.parents
        and any(name.partition(".")[0] == "streamlit" for name in imports(path))
    ]
    assert not wrong


def test_charts_compute_nothing_but_pictures() -> None:
    wrong = [
        relative(path)
        for path in sources("distpriv/charts")
        if {name.partition(".")[0] for name in imports(path)} & {"scipy", "sklearn"}
    ]
    assert not wrong


def test_nothing_imports_from_pages() -> None:
    wrong = [
        relative(path)
        for path in [*CODE, *sources("tests")]
        if any(name.partition(".")[0] == "pages" for name in imports(path))
    ]
    assert not wrong


def test_no_test_imports_another_test() -> None:
    """What tests share lies in a driver, in the examples, or is a fixture."""
    wrong = [
        f"{relative(path)} imports {name}"
        for path in sources("tests")
        for name in imports(path)
        if name.startswith("tests.")
        and any(part == "conftest" or part.startswith("test_") for part in name.split("."))
    ]
    assert not wrong


def test_what_the_program_sets_lies_in_no_popover() -> None:
    """A browser does not draw what a closed popover holds, and takes back what was set in it."""
    assert {relative(path) for path in CODE if ".popover(" in path.read_text(encoding="utf-8")} == {
        "distpriv/dashboard/attribute/editors.py",  # under new keys whenever they are set
        "distpriv/dashboard/classroom/projector.py",
        "distpriv/dashboard/shell/header.py",
        "distpriv/dashboard/widgets/display.py",
    }


def test_no_file_is_too_long() -> None:
    lengths = {relative(path): len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST}


def test_every_module_says_what_it_is() -> None:
    mute = [
        relative(path)
        for path in CODE
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not mute


def test_every_public_name_has_a_docstring() -> None:
    mute = []
    rooms = [distpriv, *(getattr(distpriv, name) for name in distpriv.__all__)]
    public = {
        name: getattr(room, name)
        for room in rooms
        if inspect.ismodule(room)
        for name in room.__all__
        if inspect.isroutine(getattr(room, name)) or inspect.isclass(getattr(room, name))
    }
    for name, thing in public.items():
        text = (thing.__doc__ or "").strip()
        # A dataclass without a docstring gets its signature for one.
        if not text or text.startswith(f"{name}("):
            mute.append(name)
        if inspect.isclass(thing):
            mute += [
                f"{name}.{member}"
                for member, value in vars(thing).items()
                if not member.startswith("_")
                and (inspect.isfunction(value) or isinstance(value, property))
                and not any(
                    getattr(getattr(base, member, None), "__doc__", None) for base in thing.__mro__
                )
            ]
    assert not mute


def test_the_public_names_are_sorted() -> None:
    assert list(distpriv.__all__) == sorted(distpriv.__all__)


def test_every_module_has_its_tests() -> None:
    """In a file of its name, but for those that another file is named for."""
    untested = [
        name
        for path in MODULES.values()
        for name in (relative(path.with_suffix("")).removeprefix("distpriv/"),)
        if path.stem != "__init__"
        and not namesake(path).exists()
        and name not in VALUES
        and not any(f"{name}/".startswith(f"{part}/") for part in ELSEWHERE)
    ]
    assert not untested
    assert not [where for where in ELSEWHERE.values() if not (ROOT / "tests" / where).exists()]


def test_a_page_is_a_table_of_contents() -> None:
    """At most 60 lines, and no mathematics: what it calls lies in the dashboard."""
    for path in sources("pages"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= LONGEST_PAGE, path
        others = {
            name
            for name in imports(path)
            if not name.startswith(
                ("distpriv.dashboard.", "distpriv.errors.", "distpriv.words.", "streamlit")
            )
        }
        assert not others, path


def test_every_page_is_in_the_list() -> None:
    assert {path.stem for path in sources("pages")} == {page.name for page in PAGES}
