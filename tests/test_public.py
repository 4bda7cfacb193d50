"""Public names: all there, loaded late; and every name of the former version answers."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import distpriv as dp

# `__all__` of the last commit of the former version (72df1d2).
_FORMER = """
AttackResult BayesianNetwork Correlation Count CouplingBound DistprivError ErrorLimit
Evaluation GaussianModel Limit Mean Median Noise Pair PairModel Persons Promise Proportion
Quantile Query Scenario SensitiveProperty StandardDeviation Statistic Sum TableError
accuracy_ceiling align analysis attacks attribute attribute_private_gaussian audit_attack
binding_pair calibrate charts choose choose_by_error closeness column_types
compare_mechanisms compose composition connect coupling_bound delivered_delta
delivered_epsilon digest distances draw_release errors evaluate exact_law export
fit_gaussian frameworks from_spark glossary group_moments how_read hypothesis lessons
load_adult load_census_income load_example markov_quilt mechanisms model
optimal_attack_accuracy optimal_attack_estimate papers privacy privacy_profile queries
read_scenario read_table record_groups release_intervals retype robustness run_attack scan
sources store summarise tables verdicts wasserstein_inf write_scenario
"""
FORMER = _FORMER.split()


@pytest.mark.parametrize("name", dp.__all__)
def test_public_name_is_there(name):
    assert getattr(dp, name) is getattr(dp, name)
    assert getattr(dp, name).__doc__


@pytest.mark.parametrize("name", sorted({*FORMER, *dp._GONE}))
def test_former_name_exists_or_says_in_a_sentence_what_to_use(name):
    if name in dp.__all__:
        assert name not in dp._GONE
        return
    with pytest.raises(AttributeError) as error:
        getattr(dp, name)
    sentence = str(error.value)
    assert sentence.startswith(f"distpriv.{name} is ")
    assert sentence.endswith(".")
    for path in re.findall(r"(?<!^)\bdistpriv\.(\w+(?:\.\w+)*)", sentence):
        target = dp
        for part in path.split("."):
            target = getattr(target, part)


def test_unknown_name_is_answered_by_the_nearest():
    with pytest.raises(
        AttributeError, match=r"^distpriv has no 'callibrate'\. Did you mean 'calibrate'\?$"
    ):
        _ = dp.callibrate


def test_dir_lists_the_public_names_only():
    assert set(dir(dp)) == {*dp.__all__, "__version__"}
    assert len(dp.__all__) == len(set(dp.__all__))


def test_type_checkers_see_the_names_where_they_are_loaded_from():
    tree = ast.parse(Path(dp.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    imported = {name.asname: node.module for node in imports for name in node.names}
    homes = {name: f"distpriv.{room}" for name, room in dp._HOMES.items()}
    assert imported == homes | dict.fromkeys(dp._ROOMS, "distpriv")


_LATE = "numpy pandas scipy.stats sklearn plotly duckdb pyarrow streamlit sqlalchemy jinja2"
LATE = _LATE.split()


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import distpriv", LATE),
        (
            "import distpriv; distpriv.fit_gaussian, distpriv.calibrate, distpriv.run_attack",
            LATE[1:],
        ),
    ],
)
def test_import_loads_little(code, absent):
    code += "; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {name for name in done.stdout.split() if name in absent}
