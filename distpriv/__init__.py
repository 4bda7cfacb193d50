"""What released statistics give away about a share of the records, and what hiding it costs.

Start with `read_table`, `Query` and `SensitiveProperty`; then `fit_gaussian`, `calibrate`, and the
functions on what they return. `evaluate` takes a whole `Scenario` instead. ``dir(distpriv)`` lists
the names; each is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "2.0.0.dev0"

# The names by rooms; __init__.pyi says the same to type checkers.
_NAMES = {
    "analysis": "ErrorLimit Limit Scenario choose compare evaluate exposure",
    "attacks": "audit_attack run_attack",
    "attribute": "BayesianNetwork attribute_private_gaussian learn_network markov_quilt",
    "composition": "compose joint_release",
    "distances": "closeness wasserstein_inf",
    "errors": "AttackError DistprivError NotApplicable ReadError SourceError StoreError",
    "mechanisms": "calibrate",
    "model": "GaussianModel Promise Release",
    "privacy": (
        "Persons delivered_delta delivered_epsilon exact_law optimal_attack_accuracy privacy_loss"
    ),
    "queries": (
        "Correlation Count Deviation Mean Median Pair Proportion Quantile Query SensitiveProperty "
        "Statistic Sum"
    ),
    "records": "draw_release",
    "sources": "connect fit_gaussian from_spark scan",
    "tables": "how_read load_census_income load_example read_table",
}
_HOMES = {name: room for room, names in _NAMES.items() for name in names.split()}
_ROOMS = (*_NAMES, "charts", "hypothesis", "lessons", "papers", "plot", "report")
_NO_COUPLING = "is gone; calibrate('BalM', ...) rests on the same assumption and errs less."
_GONE = {
    "AttackResult": "is distpriv.attacks.AttackResult.",
    "CouplingBound": _NO_COUPLING,
    "Evaluation": "is distpriv.analysis.Evaluation.",
    "Noise": "is called distpriv.Release.",
    "PairModel": "is distpriv.model.PairModel.",
    "StandardDeviation": "is called distpriv.Deviation.",
    "TableError": "is called distpriv.ReadError.",
    "accuracy_ceiling": "is gone; it was (e^epsilon + delta) / (1 + e^epsilon).",
    "align": "is gone; pass public records as distpriv.fit_gaussian(..., reference=records).",
    "binding_pair": "is gone; distpriv.privacy_loss(model, release) takes the worst pair.",
    "choose_by_error": "is gone; call distpriv.choose with a distpriv.ErrorLimit.",
    "column_types": "is gone; distpriv.how_read(table) tells how columns were read.",
    "compare_mechanisms": "is called distpriv.compare.",
    "coupling_bound": _NO_COUPLING,
    "digest": "is gone; distpriv.sources.source_of(table).fingerprint takes its place.",
    "export": "is gone; distpriv.report.record, .page and .markdown take its place.",
    "frameworks": "is gone; distpriv.hypothesis.convert and .FRAMEWORKS take its place.",
    "glossary": "is gone; call distpriv.lessons.glossary().",
    "group_moments": "is gone; call distpriv.sources.source_of(table).groups(query, secret).",
    "load_adult": "is gone; read UCI's file by distpriv.read_table.",
    "optimal_attack_estimate": "is gone; distpriv.optimal_attack_accuracy takes its place.",
    "privacy_profile": "is gone; call distpriv.privacy_loss(model, release).delta(epsilons).",
    "read_scenario": "is gone; call distpriv.Scenario.from_json(text).",
    "record_groups": "is gone; call distpriv.sources.source_of(table).groups(query, secret).",
    "release_intervals": "is gone; the intervals stand in what distpriv.draw_release returns.",
    "retype": "is gone; pass types to distpriv.read_table.",
    "robustness": "is gone; distpriv.privacy.verdict says whether a promise is kept.",
    "store": "is called distpriv.records.store.",
    "summarise": "is gone; distpriv.how_read(table) tells how columns were read.",
    "verdicts": "is gone; distpriv.privacy.verdict says whether a promise is kept.",
    "write_scenario": "is gone; call to_json() of a distpriv.Scenario.",
}


__all__ = [*_HOMES, *_ROOMS]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"distpriv.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"distpriv.{name}")
    elif name in _GONE:
        raise AttributeError(f"distpriv.{name} {_GONE[name]}")
    else:
        from distpriv.text import near

        raise AttributeError(f"distpriv has no {name!r}.{near(name, __all__)}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
