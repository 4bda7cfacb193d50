"""Whatever is passed to a public function or class, a result or a sentence comes back."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike, NDArray

import distpriv as dp
from distpriv import mechanisms
from distpriv.arguments import POSITIVE, Axes, Within, checked
from distpriv.attacks import hypothesis, posterior

HOSTILE: dict[str, Any] = {
    "a text": "x",
    "a number as text": "1",
    "an empty text": "",
    "bytes": b"x",
    "None": None,
    "True": True,
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "minus one": -1,
    "zero": 0,
    "a half": 0.5,
    "next to nothing": 1e-200,
    "huge": 1e300,
    "beyond floats": 10**400,
    "complex": 1 + 2j,
    "an object": object(),
    "a function": len,
    "a class": dict,
    "an empty list": [],
    "texts": ["x", "y"],
    "ragged": [[1.0], [1.0, 2.0]],
    "NaN in a row": np.array([1.0, math.nan]),
    "infinity in a row": np.array([1.0, math.inf]),
    "minus one in a row": np.array([-1.0, 1.0]),
    "tiny units": np.array([1e-200, 1e-200]),
    "huge units": np.array([1e200, 1e200]),
    "units far apart": np.array([1e-50, 1e50]),
    "another length": np.arange(1.0, 8.0),
    "another dimension": np.ones((2, 3, 4)),
    "no entries": np.empty((0, 2)),
    "objects": np.array([None, "x"], dtype=object),
    "an empty dictionary": {},
    "a dictionary": {"x": 1},
    "nothing of a table": pd.DataFrame(),
    "another table": pd.DataFrame({"x": [1, 2]}),
}


@dataclass(frozen=True)
class Call:
    """One valid call."""

    function: Callable[..., Any]
    arguments: dict[str, Any]

    def __call__(self, **changed: Any) -> Any:
        return self.function(**{**self.arguments, **changed})


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    """A valid call of every public function and of every class that takes a user's arguments."""
    rng = np.random.default_rng(3)
    rich = np.repeat([True, False], 60)
    table = pd.DataFrame(
        {
            "age": (30 + 9 * rich + rng.integers(0, 20, 120)).astype(int),
            "sex": pd.Categorical(np.where(rng.random(120) < 0.4 + 0.2 * rich, "F", "M")),
            "rich": rich,
        }
    )
    secret = dp.SensitiveProperty("rich")
    query, pair = dp.Query([dp.Mean("age"), dp.Count("sex", "F")]), dp.Pair(secret, 0.4, 0.6)
    counts = dp.Query([dp.Count("sex", "F")])
    files = tmp_path_factory.mktemp("scanned") / "people.parquet"
    table.to_parquet(files)
    model = dp.fit_gaussian(table, query, pair, 20)
    counted = dp.fit_gaussian(table, counts, pair, 20)
    fit = model.pairs[0]
    noise = dp.calibrate("ExpM", model, 1.0, 1e-3)
    laplace = dp.calibrate("ExpM(L)", model, 1.0)
    moments, groups = (make(table, query, secret) for make in (dp.group_moments, dp.record_groups))
    replicates = dp.robustness.bootstrap_moments(groups, 100, rng=1)
    attack = dp.run_attack(
        table, query, pair, 20, {"noise": noise}, repetitions=2, shadows=8, tests=8, rng=1,
        keep_scores=True,
    )  # fmt: skip
    simulated = np.random.default_rng(1).normal(size=(2, 40, 2)) + fit.means[:, None]
    school = dp.attribute.school()
    net, asked = school.networks[0], school.queries[0]
    hospital = dp.attribute.hospital()
    scenario = dp.Scenario(secret=secret, query=query, n=20, mechanism="ExpM")
    promises = [dp.Promise(1.0, 1e-3), dp.Promise(0.5)]
    privacy = dp.frameworks.DistributionPrivacy({"a": [0.5, 0.5], "b": [0.2, 0.8]}, (("a", "b"),))
    shares = posterior.share_grid(20)
    prior, belief = (
        posterior.uniform_prior(shares),
        posterior.ReleaseModel(moments, query, 20, noise),
    )
    test = hypothesis.GaussianTest(1.0)
    both = {"model": model, "noise": noise}
    points = {"x": [[0.0, 1.0], [1.0, 2.0]], "y": [[0.0, 0.0]]}
    weighted = {**points, "x_weights": [0.5, 0.5], "y_weights": [1.0]}
    knowledge = {"prior": 0.1, "records": 0.1, "time": 0.1}
    box = hospital.assumptions[0]
    shift = dp.robustness.fitted_shift(simulated, fit, 1)
    evidence = dp.robustness.Evidence(model, 0, noise, shift, None)
    made: list[tuple[Any, dict[str, Any]]] = [
        (dp.Mean, {"column": "age"}),
        (dp.Sum, {"column": "age"}),
        (dp.Median, {"column": "age"}),
        (dp.StandardDeviation, {"column": "age"}),
        (dp.Count, {"column": "sex", "value": "F"}),
        (dp.Proportion, {"column": "sex", "value": "F"}),
        (dp.Quantile, {"column": "age", "q": 0.5}),
        (dp.Correlation, {"column": "age", "other": "age"}),
        (dp.Query, {"statistics": [dp.Mean("age")]}),
        (dp.SensitiveProperty, {"column": "age", "between": (1.0, 2.0)}),
        (dp.Pair, {"secret": secret, "p_i": 0.4, "p_j": 0.6}),
        (dp.model.Theta, {"secret": secret, "proportion": 0.4, "n": 20, "replacement": False}),
        (dp.Promise, {"epsilon": 1.0, "delta": 0.1}),
        (dp.composition.Part, {**both, "promise": promises[0]}),
        (dp.Limit, {"kind": "guesses", "value": 60, "base_rate": 0.5, "recall": 0.5, "beta": 1.0,
                    "confidence": 0.9}),
        (dp.Persons, {"epsilon": 1.0, "delta": 0.1, "bounds": {"age": (0.0, 120.0)}}),
        (dp.Noise, {"mechanism": "own", "distribution": "gaussian", "directions": np.eye(2),
                    "scales": np.ones(2), "epsilon": 1.0, "delta": 0.1, "calibration": "exact",
                    "caveats": (), "floor": np.ones(2)}),
        (dp.distances.Outcomes, {"points": (np.ones((2, 1)), np.ones((1, 1))),
                       "weights": (np.array([0.5, 0.5]), None), "exact": True}),
        (dp.composition.CompositionExample, {"shift": 1.0, "correlation": 0.5, "noise": 1.0}),
        (dp.attribute.QuiltQuery, {"name": "q", "attributes": asked.attributes,
                         "sensitivity": asked.sensitivity}),
        (dp.BayesianNetwork, {"edges": [("a", "b")],
                              "tables": {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.2, 0.8]]},
                              "states": {"a": ["1", "2"]}}),
        (dp.attribute.AttributeAssumption,
            {name: getattr(box, name) for name in box.__dataclass_fields__}),
        (dp.attribute.GaussianBox, {"covariance": (0.1, 0.2), "protected_variance": (1.0, 2.0),
                          "released_variance": (1.0, 2.0), "diameter": 1.0, "n": 20}),
        (dp.Scenario, {"secret": secret, "query": query, "center": 0.5, "width": 0.1, "n": 20,
                       "mechanism": "ExpM", "epsilon": 1.0, "delta": 0.1, "seed": 1,
                       "grid": (0.2, 0.6, 0.2), "others": (pair,), "calibration": "exact",
                       "units": "raw", "tolerances": (1.0, 1.0), "bounds": (("age", (0.0, 99.0)),),
                       "replacement": True, "whole": False, "digest": "", "view": "analyst"}),
        (dp.frameworks.DistributionPrivacy, {"thetas": privacy.thetas, "pairs": privacy.pairs}),
        (dp.frameworks.Pufferfish, {"secrets": ("s", "t"), "secret_pairs": (("s", "t"),),
                         "distributions": {"x": {"s": (0.5, [0.5, 0.5]), "t": (0.5, [0.1, 0.9])}}}),
        (dp.attacks.audit_attackers,
            {"results": [attack], "name": "noise", "epsilon": 1.0, "delta": 1e-3,
             "confidence": 0.9}),
        (dp.analysis.audit, {"evaluation": dp.evaluate(scenario, table), "repetitions": 2}),
        (dp.analysis.bracket, {"evaluation": dp.evaluate(scenario, table), "audited": None}),
        (dp.attacks.PropertyInferenceAttack,
            {"groups": groups, "query": query, "pair": pair, "n": 20,
                                      "noises": {"noise": noise}, "adaptive": True, "shadows": 8,
                                      "tests": 8, "replacement": False, "seed": 1,
                                      "classifier": "logistic", "rounded": True, "split": False}),
        (dp.composition.accumulate,
            {"parts": [dp.composition.Part(model, noise)], "shared": True, "delta": 1e-3,
                         "pair": 0}),
        (dp.accuracy_ceiling, {"epsilon": 1.0, "delta": 0.1}),
        (dp.align, {"reference": table, "table": table}),
        (dp.attribute_private_gaussian, {"sensitivities": [1.0], "variances": [1.0],
                                         "epsilon": 1.0, "delta": 1e-3, "calibration": "exact"}),
        (dp.audit_attack, {"result": attack, "name": "noise", "noise": noise, "delta": 1e-3,
                           "confidence": 0.9}),
        (dp.binding_pair, both),
        (dp.robustness.bootstrap_model, {"replicates": replicates, "fit": fit, "query": query}),
        (dp.robustness.bootstrap_moments, {"groups": groups, "replicates": 100, "rng": 1}),
        (dp.robustness.delivered_intervals,
            {"replicates": dp.robustness.bootstrap_model(replicates, fit, query),
                                  "noise": noise, "delta": 1e-3}),
        (dp.export.build_report, {"evaluation": dp.evaluate(scenario, table), "names": ["ExpM"],
                           "data": "t", "link": "", "truth": False, "records": False,
                           "repetitions": 2}),
        (dp.evaluate, {"scenario": scenario, "table": table, "reference": table,
                       "units": {"age": "years"}}),
        (dp.calibrate, {"mechanism": "ExpM", "model": model, "epsilon": 1.0, "delta": 1e-3,
                        "calibration": "exact", "units": [1.0, 2.0], "grid_safe": True,
                        "floor": [1.0, 1.0]}),
        (dp.choose, {"limit": dp.Limit("guesses", 60), "model": model, "names": ["ExpM(L)"],
                     "delta": 1e-3, "calibration": "exact", "units": [1.0, 2.0],
                     "report": [1.0, 2.0]}),
        (dp.ErrorLimit, {"statistic": 0, "value": 1.0, "counted_in": "deviation"}),
        (dp.choose_by_error, {"limits": [dp.ErrorLimit(0, 9.0)], "model": model,
                              "names": ["ExpM(L)"], "delta": 1e-3, "calibration": "exact",
                              "units": [1.0, 2.0], "report": [1.0, 2.0]}),
        (dp.analysis.frontier, {"limit": dp.Limit("guesses", 60),
                                "limits": [dp.ErrorLimit(0, 9.0)], "model": model,
                                "names": ["DirM(L)"], "delta": 1e-3, "calibration": "exact",
                                "units": [1.0, 2.0], "report": [1.0, 2.0]}),
        (dp.analysis.error_sizes, {"model": model, "noise": noise, "units": ["years", ""],
                                   "valued": True}),
        (dp.analysis.expected_values, {"model": model}),
        (dp.analysis.promised_epsilon, {"limit": dp.Limit("guesses", 60), "delta": 1e-3}),
        (dp.robustness.close_attacker_divergence, {"believed": (0.4, 0.6), "thetas": [fit.thetas],
                                        "independent": True}),
        (dp.closeness, {**weighted, "delta": 0.1}),
        (dp.wasserstein_inf, weighted),
        (dp.distances.optimal_coupling, {**weighted, "delta": 0.1}),
        (dp.distances.normal_closeness,
            {"difference": np.ones(2), "covariance": np.eye(2), "delta": 0.1}),
        (dp.column_types, {"table": table}),
        (dp.digest, {"table": table}),
        (dp.summarise, {"table": table}),
        (dp.how_read, {"table": table}),
        (dp.retype, {"table": table, "types": {"age": "number"}}),
        (dp.read_table, {"source": b"a,b\n1,2\n", "name": "x.csv", "types": {"a": "number"}}),
        (dp.compose, {"promises": promises, "premise": "independent"}),
        (dp.composition.mixture, {"promises": promises, "weights": [0.5, 0.5]}),
        (dp.composition.delivered_after, {**both, "matrix": [[1.0, 0.0]], "epsilon": 1.0}),
        (dp.composition.joint_release, {"model": model, "first": [0], "epsilon": 1.0, "delta": 1e-3,
                            "mechanism": "ExpM", "calibration": "exact", "units": [1.0, 2.0]}),
        (dp.composition.repeated_release, {**both, "counts": [1, 2], "delta": 1e-3}),
        (dp.composition.joint_noise, {"noises": [noise, noise]}),
        (dp.composition.TableRelease, {"query": query, "noise": noise, "n": 20, "whole": False,
                                       "replacement": False, "pairs": (pair,)}),
        (dp.composition.joint_releases, {
            "releases": [dp.composition.TableRelease(query, noise, 20)], "records": table,
            "pairs": pair, "seed": 1, "table": table}),
        (dp.delivered_delta, {**both, "epsilon": 1.0, "law": None}),
        (dp.delivered_epsilon, {**both, "delta": 1e-3, "law": None}),
        (dp.privacy.worst_case, {**both, "epsilon": 1.0, "law": None}),
        (dp.privacy_profile, {"fit": fit, "noise": noise, "epsilons": [0.5, 1.0]}),
        (dp.robustness.distance_measure, {"delta": 0.1, "units": np.ones(2)}),
        (dp.robustness.eta_measure, {"noise": noise, "lambdas": np.array([0.1, 0.2])}),
        (dp.draw_release, {"table": table, "query": query, "secret": secret, "noise": noise,
                           "n": 20, "replacement": False}),
        (dp.robustness.errors_with_extra_noise,
            {"noise": noise, "scales": [1.0], "units": np.ones(2),
                                      "rng": 1}),
        (dp.exact_law, {"table": table, "query": counts, "pair": pair, "n": 20,
                        "replacement": False}),
        (dp.coupling_bound, {"records": table, "query": counts, "pairs": pair, "n": 20,
                             "noise": None, "epsilon": 1.0, "replacement": False,
                             "matched": "alike", "confidence": 0.99, "rng": 1}),
        (dp.privacy.bounded_delta, {**both, "epsilon": 1.0}),
        (dp.privacy.bounded_epsilon, {**both, "delta": 1e-3}),
        (dp.privacy.known_law, {"fit": fit}),
        (dp.privacy.known_laws, {"model": model}),
        (dp.privacy.model_laws, {"model": counted}),
        (dp.attribute.find_quilts,
            {"networks": net, "protected": school.protected[0], "largest": 2}),
        (dp.attribute.max_influence, {"networks": net, "attributes": ["gender"],
                            "protected": school.protected[0]}),
        (dp.markov_quilt, {"networks": net, "protected": [school.protected[0]],
                           "query": asked.attributes, "sensitivity": asked.sensitivity,
                           "epsilon": 2.0, "largest": 2}),
        (dp.robustness.fit_diagnostics, {"simulated": simulated, "fit": fit, "points": 20}),
        (dp.robustness.fitted_shift, {"simulated": simulated, "fit": fit, "rng": 1}),
        (dp.verdicts, {"assumptions": [dp.robustness.Assumption.GAUSSIAN], "evidence": evidence}),
        (dp.fit_gaussian, {"table": table, "query": query, "pairs": [pair], "n": 20,
                           "method": "exact", "replacement": False, "bounds": {"age": (0.0, 99.0)},
                           "subsets": 20, "rng": 1, "progress": None}),
        (dp.privacy.gaussian_dp, {**both, "delta": 1e-3, "law": None}),
        (dp.release_intervals, {"release": dp.draw_release(table, query, secret, noise, n=20),
                                "bounds": {"age": (0.0, 99.0)}, "level": 0.9}),
        (dp.privacy.gaussian_distance, {"epsilon": 1.0, "delta": 1e-3, "calibration": "exact"}),
        (dp.attribute.gaussian_from_model, {"models": model, "epsilon": 1.0, "delta": 1e-3,
                                  "calibration": "exact"}),
        (dp.attribute.noise_by_release,
            {"assumptions": hospital.assumptions, "epsilon": 1.0, "delta": 1e-3,
                               "calibration": "exact"}),
        (dp.group_moments, {"table": table, "query": query, "secret": secret}),
        (dp.record_groups, {"table": table, "query": query, "secret": secret}),
        (dp.attribute.learn_network,
            {"table": table, "columns": ["age", "sex"], "edges": [("age", "sex")],
                            "states": 2, "cut": "quantiles", "smoothing": 1.0}),
        (dp.attacks.linear_attack_accuracy, {**both, "weights": np.ones(2)}),
        (dp.load_adult, {"directory": "nowhere"}),
        (dp.scan, {"files": files, "size": 10, "seconds": 60.0}),
        (dp.connect, {"url": "postgresql://nobody@/none?host=/nowhere", "table": "people",
                      "schema": "public", "size": 10, "seconds": 60.0}),
        (dp.from_spark, {"frame": None, "title": "The people", "size": 10, "seconds": 60.0}),
        (dp.load_example, {"key": "staff"}),
        (dp.attribute.load_assumptions, {"content": dp.attribute.save_assumptions(hospital)}),
        (dp.attribute.save_assumptions, {"file": hospital}),
        (dp.attribute.load_network, {"content": dp.attribute.save_network(school)}),
        (dp.attribute.save_network, {"file": school}),
        (dp.robustness.max_divergence, {"p": [0.5, 0.5], "q": [0.4, 0.6]}),
        (dp.model.KnownRecords, {"without": 2, "having": 3}),
        (dp.model.conditional_model, {"model": model, "known": 4}),
        (dp.model.model_from_moments,
            {"moments": {secret: moments}, "query": query, "pairs": [pair],
                                 "n": 20, "replacement": False, "bounds": {"age": (0.0, 99.0)},
                                 "steps": [1.0, 1.0], "regular": True}),
        (dp.robustness.normal_etas, {"model": model, "lambdas": np.array([0.1]), "noise": noise}),
        (dp.optimal_attack_accuracy, {**both, "law": None}),
        (dp.attacks.optimal_attack_accuracies, {"cases": [(model, noise)], "directions": 1}),
        (dp.attacks.pooled_attack_accuracy, both),
        (dp.optimal_attack_estimate, {"model": model, "noise": laplace, "rng": 1,
                                      "tolerance": 0.05}),
        (dp.attacks.optimal_precision_recall, {**both, "points": 11, "base_rate": 0.5}),
        (dp.attacks.optimal_roc, {**both, "points": 11}),
        (dp.analysis.center_of, {"lowest": 0.0, "highest": 0.2, "width": 0.1}),
        (dp.analysis.hiding, {"evaluation": dp.evaluate(scenario, table)}),
        (dp.analysis.meaning, {"evaluation": dp.evaluate(scenario, table), "prior": 0.3}),
        (dp.analysis.recommend, {"evaluation": dp.evaluate(scenario, table)}),
        (dp.analysis.curve_price, {"evaluation": dp.evaluate(scenario, table)}),
        (dp.compare_mechanisms, {"evaluation": dp.evaluate(scenario, table),
                                 "limit": dp.Limit("guesses", 60), "names": ["OptM"]}),
        (dp.analysis.pack_scenario, {"scenario": scenario}),
        (dp.write_scenario, {"scenario": scenario}),
        (dp.read_scenario, {"text": dp.write_scenario(scenario), "columns": list(table)}),
        (dp.analysis.unpack_scenario,
            {"packed": dp.analysis.pack_scenario(scenario), "columns": list(table)}),
        (dp.robustness.relaxed_promise,
            {"epsilon": 1.0, "delta": 1e-3, "lambdas": [0.1], "etas": [0.1]}),
        (dp.run_attack, {"table": table, "query": query, "pair": pair, "n": 20,
                         "noises": {"noise": noise}, "adaptive": True, "repetitions": 1,
                         "shadows": 8, "tests": 8, "replacement": False, "rng": 1,
                         "classifier": "logistic", "keep_scores": False, "rounded": True}),
        (dp.model.simulate, {"groups": groups, "query": query, "theta": fit.thetas[0], "subsets": 3,
                       "rng": np.random.default_rng(1)}),
        (dp.frameworks.to_pufferfish, {"privacy": privacy, "prior": 0.5}),
        (dp.frameworks.to_distribution_privacy,
            {"pufferfish": dp.frameworks.to_pufferfish(privacy)}),
        (dp.frameworks.convert, {"epsilon": 1.0, "framework": "DP", "records": "dependent"}),
        (mechanisms.get, {"name": "ExpM"}),
        (dp.queries.get, {"name": "mean"}),
        (dp.queries.read_statistic, {"label": "mean age", "columns": ["age", "sex"]}),
        (dp.attacks.get_attacker, {"name": "logistic"}),
        (dp.attacks.reading_accuracy, {"k": 3, "p_i": 0.4, "p_j": 0.6, "n": 20}),
        (dp.attacks.draws_to_match, {"accuracy": 0.6, "p_i": 0.4, "p_j": 0.6}),
        (dp.attacks.records_to_match, {"accuracy": 0.6, "p_i": 0.4, "p_j": 0.6, "n": 20}),
        (dp.attacks.leaked_records, {"accuracy": 0.6, "p_i": 0.4, "p_j": 0.6}),
        (dp.attacks.share_belief, {"fit": fit, "noise": noise, "prior": 0.3, "confidence": 0.9,
                                   "rng": 1}),
        (mechanisms.names, {"distribution": "gaussian", "baseline": False, "protects": True}),
        (posterior.Belief, {"shares": shares, "weights": np.ones(len(shares))}),
        (posterior.ReleaseModel, {"moments": moments, "query": query, "n": 20, "noise": noise,
                                  "replacement": False}),
        (posterior.beta_prior, {"shares": shares, "a": 1.0, "b": 2.0}),
        (posterior.normal_prior, {"shares": shares, "center": 0.5, "deviation": 0.1}),
        (posterior.pair_prior, {"pair": pair, "n": 20, "weight": 0.5}),
        (posterior.posterior, {"model": belief, "prior": prior, "released": [40.0, 10.0]}),
        (posterior.share_grid, {"n": 20}),
        (posterior.simulate_release, {"model": belief, "share": 0.4, "rng": 1}),
        (posterior.uniform_prior, {"shares": shares}),
        (hypothesis.GaussianTest, {"distance": 1.0}),
        (hypothesis.LaplaceTest, {"epsilon": 1.0}),
        (hypothesis.PromiseTest, {"epsilon": 1.0, "delta": 0.1}),
        (hypothesis.CurveTest, {"false_positive": np.array([0.0, 0.2, 1.0]),
                                "true_positive": np.array([0.0, 0.6, 1.0])}),
        (hypothesis.auxiliary_factor, knowledge),
        (hypothesis.believed_after, {"test": test, "base_rate": 0.5, "confidence": 0.9}),
        (hypothesis.best_accuracy, {"test": test, "base_rate": 0.5}),
        (hypothesis.best_f_score, {"test": test, "beta": 1.0, "factor": 0.5}),
        (hypothesis.epsilon_table, {"f_scores": [0.8], "betas": [1.0], **knowledge}),
        (hypothesis.f_score, {"precision": 0.5, "recall": 0.5, "beta": 1.0}),
        (hypothesis.f_score_against_epsilon, {
            "model": model, "mechanisms": ["ExpM"], "epsilons": np.array([1.0]), "delta": 1e-3,
            "calibration": "exact", "beta": 1.0, "base_rate": 0.5, "units": [1.0, 2.0], "pair": 0}),
        (hypothesis.f_score_floor, {"beta": 1.0, "factor": 0.5}),
        (hypothesis.knowledge_before, {"factor": 0.5}),
        (hypothesis.max_epsilon, {"f_score": 0.8, "beta": 1.0, **knowledge, "delta": 1e-3,
                                  "calibration": "exact"}),
        (hypothesis.max_f_score, {"epsilon": 1.0, "beta": 1.0, **knowledge, "delta": 1e-3,
                                  "calibration": "exact", "numerical": False}),
        (hypothesis.odds_against, {"base_rate": 0.5}),
        (hypothesis.optimal_f_score, {**both, "beta": 1.0, "base_rate": 0.5}),
        (hypothesis.plausible_deniability, {"epsilon": 1.0, "false_alarm": 0.1}),
        (hypothesis.precision_at, {"test": test, "recall": 0.5, "factor": 0.5}),
        (hypothesis.record_rates, {"epsilon": 1.0, "threshold": 0.5, "delta": 1e-3,
                                   "calibration": "exact"}),
        (hypothesis.record_test, {"epsilon": 1.0, "delta": 1e-3, "calibration": "exact",
                                  "separation": 1.0}),
        (hypothesis.release_test, both),
        (hypothesis.turning_point, {"beta": 1.0, **knowledge}),
    ]  # fmt: skip
    names = {id(thing): name for name, thing in public().items()}
    return {names[id(function)]: Call(function, arguments) for function, arguments in made}


# Results that the package makes, and what draws and runs them; their arguments are its own.
MADE = {
    "AssumptionFile", "AttackResult", "AttributeGaussian", "Audit", "Brackets", "Choice",
    "Contender", "EqualTerms",
    "Coupling", "Design", "ErrorChoice", "ErrorDesign", "ErrorSize", "Frontier", "FrontierLine",
    "JointAudit",
    "Evaluation",
    "Evidence",
    "CalibratedFor", "CouplingBound", "ExactLaw", "GaussianModel", "GroupMoments", "Interval",
    "JointPerRecord", "JointRelease", "JointReleases", "Records",
    "Uncounted",
    "CurvePrice", "GaussianDP", "Hiding", "LearnedNetwork", "Meaning", "NormalsTest", "WorstTest",
    "Recommendation",
    "NetworkFile", "PairModel", "Quilt", "QuiltResult", "RecordGroups", "RelaxationRun", "Release",
    "PerRecord", "RecordMoves", "ReleasedInterval", "ShareBelief",
    "Report", "ReportRun", "ScaledQuilt", "Shift", "SimulatedFit", "Standing", "Statistic",
    "Verdict", "Assumption", "Framework", "Range", "Relation", "Rates", "OptimalTest", "Mechanism",
}  # fmt: skip
# Functions without arguments, what extends the package, and what runs a function that is given.
OTHERS = {
    "Attacker", "Classifier", "GaussianMechanism", "LaplaceMechanism", "Nonlinear", "NumberRange",
    "Parameter", "attack_accuracies", "attacker_names", "delivered_deltas", "delivered_epsilons",
    "expected_errors", "hospital", "load_census_income", "models_along", "queries.names",
    "register", "school", "searching", "sweep", "unregister",
}  # fmt: skip
ROOMS = (
    dp, dp.queries, dp.distances, dp.model, dp.privacy, dp.mechanisms, dp.attribute, dp.frameworks,
    dp.attacks, hypothesis, posterior, dp.robustness, dp.composition, dp.analysis, dp.tables,
    dp.export,
)  # fmt: skip


def public() -> dict[str, Any]:
    """Functions and classes that the package offers, by their names with that of the package."""
    things: dict[int, tuple[str, Any]] = {}
    for room in ROOMS:
        for name in room.__all__:
            thing = getattr(room, name)
            if not name.endswith("Error") and (inspect.isroutine(thing) or isinstance(thing, type)):
                things.setdefault(id(thing), (f"{room.__name__}.{name}", thing))
    return dict(things.values())


def test_no_public_name_is_left_out(calls: dict[str, Call]) -> None:
    own = {
        name
        for name in public()
        if {name.rpartition(".")[2], name.partition(".")[2]}.isdisjoint(MADE | OTHERS)
    }
    assert own == set(calls)


def test_every_call_is_valid_and_names_every_argument(calls: dict[str, Call]) -> None:
    for name, call in calls.items():
        if not name.endswith(("load_adult", "connect", "from_spark")):  # need files or a server
            call()
        left_out = set(inspect.signature(call.function).parameters) - set(call.arguments)
        assert all(
            inspect.signature(call.function).parameters[each].default is not inspect.Parameter.empty
            for each in left_out
        )


def test_hostile_arguments_end_in_a_result_or_a_sentence(calls: dict[str, Call]) -> None:
    failures = []
    for name, call in calls.items():
        for parameter, (what, value) in itertools.product(call.arguments, HOSTILE.items()):
            if name.endswith("load_adult") and what in ("None", "an empty text"):
                continue  # would fetch the data
            try:
                call(**{parameter: value})
            except dp.DistprivError as error:
                if not str(error).endswith("."):
                    failures.append(f"{name}, {parameter} = {what}: no sentence: {error}")
            except Exception as error:  # noqa: BLE001 - any other is what this looks for
                failures.append(f"{name}, {parameter} = {what}: {error!r:.150}")
    assert not failures, "\n".join([f"{len(failures)} failures", *failures])


@checked(dp.errors.CalibrationError)
def served(
    size: int,
    share: Annotated[float, Within(0, 1)] = 0.5,
    names: Sequence[str] = (),
    *,
    row: Annotated[ArrayLike, Axes(1), POSITIVE] | None = None,
    weights: NDArray[np.float64] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    kind: Literal["one", "other"] = "one",
    parts: Iterable[dp.Promise] = (),
    anything: Any = None,
) -> tuple[Any, ...]:
    """Give the arguments back."""
    return size, share, names, row, weights, bounds, kind, parts, anything


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"size": "x"}, "In served, size must be a whole number, got 'x'."),
        ({"size": 2.5}, "In served, size must be a whole number, got 2.5."),
        ({"size": math.nan}, "In served, size must be a whole number, got nan."),
        ({"size": True}, "In served, size must be a whole number, got True."),
        ({"size": 10**400}, "In served, size must be a whole number, got 1000"),
        ({"share": 1.5}, "In served, share must be a number, at least 0, at most 1, got 1.5."),
        ({"share": math.nan}, "In served, share must be a number, at least 0, at most 1, got nan."),
        ({"names": "abc"}, "In served, names must be a list, got 'abc'."),
        ({"names": ["a", 1]}, "In served, names[1] must be a text, got 1."),
        ({"row": [[1.0]]}, "row must be an array of numbers along 1 axis, at least 1e-50"),
        ({"row": [1.0, 0.0]}, "or None, got a list."),
        ({"weights": ["x"]}, "In served, weights must be an array of numbers or None, got a list."),
        ({"bounds": {"a": (0.0, "x")}}, "In served, bounds['a'][1] must be a number, got 'x'."),
        ({"bounds": {"a": (0.0,)}}, "In served, bounds['a'] must be a row of 2, got a tuple."),
        ({"bounds": {1: (0.0, 1.0)}}, "In served, bounds's keys must be a text, got 1."),
        ({"kind": 1}, "In served, kind must be one of one, other, got 1."),
        ({"parts": [1]}, "In served, parts's entries must be a Promise, got 1."),
        ({"parts": 1}, "In served, parts must be a collection, got 1."),
    ],
)
def test_what_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(dp.errors.CalibrationError) as refused:
        served(**{"size": 1, **given})
    assert says in str(refused.value)


def test_what_is_taken_as_what() -> None:
    promise = dp.Promise(1.0)
    found = served(
        np.float64(3.0), np.array(0.25), ["a"], row=(1, 2), weights=[1, 2],
        bounds={"a": [0, math.inf]}, kind="other", parts=(each for each in [promise]),
        anything=served,
    )  # fmt: skip
    assert found[:4] == (3, 0.25, ["a"], (1, 2))
    assert isinstance(found[0], int)
    assert isinstance(found[4], np.ndarray)
    assert found[4].tolist() == [1.0, 2.0]
    assert found[5:] == ({"a": [0, math.inf]}, "other", (promise,), served)
    # Which text it is is up to the function; what the signature does not have is up to Python.
    assert served(1, kind="x")[6] == "x"  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword"):
        served(1, colour=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        served(1, 0.5, (), 4)  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing"):
        served()  # type: ignore[call-arg]


class Named:
    """What NumPy makes of NDArray from 2.5 on, on Python 3.12 and later: a `type` statement."""

    def __init__(self, value: Any) -> None:
        self.__value__ = value


Number, Unheard, Own = Named(float), object(), TypeVar("Own")


@checked(dp.errors.CalibrationError)
def forms(number: Number = 1.0, unheard: Unheard = 1, own: Own = 1) -> tuple[Any, ...]:  # type: ignore[valid-type]
    """Give the arguments back."""
    return number, unheard, own


def test_annotations_of_other_forms_are_followed_or_allow_anything() -> None:
    assert forms(2.0, "x", []) == (2.0, "x", [])
    with pytest.raises(dp.errors.CalibrationError, match="number must be a number, got 'x'"):
        forms("x")


def test_the_first_of_several_wrong_arguments_is_named() -> None:
    with pytest.raises(dp.errors.CalibrationError, match="In served, share must be"):
        served(size=1, share="x", names="y", kind=1)  # type: ignore[arg-type]


def test_a_class_is_checked_where_it_is_made() -> None:
    with pytest.raises(dp.errors.QueryError, match="In Mean, column must be a text, got 3"):
        dp.Mean(3)  # type: ignore[arg-type]
    assert dp.Mean("age") == dp.Mean(column="age")
    assert str(inspect.signature(dp.Mean)) == "(column: 'str') -> None"
    assert dp.calibrate.__doc__
    assert inspect.signature(dp.calibrate).parameters["epsilon"].annotation == "float"
