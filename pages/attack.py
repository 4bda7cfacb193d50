"""Attack: how often a property-inference attacker names the right share."""

import numpy as np
import sklearn.linear_model  # noqa: F401  (a first import inside a fragment would race)
import streamlit as st

from distpriv import mechanisms
from distpriv.analysis.sweeps import UNDEFENDED, accuracy_against_epsilon, accuracy_against_width
from distpriv.attacks.property_inference import (
    ARITHMETIC,
    AttackResult,
    PropertyInferenceAttack,
    attacker_names,
    get_attacker,
    optimal_attack_accuracy,
)
from distpriv.charts.attack import accuracy_by_mechanism, accuracy_curves
from distpriv.dashboard import widgets
from distpriv.dashboard.attack import inspection, undoing
from distpriv.dashboard.shell import cache, frame
from distpriv.dashboard.widgets import code, promise
from distpriv.dashboard.widgets.live import AttackRun
from distpriv.mechanisms.curves import Curves
from distpriv.privacy.ceilings import accuracy_ceiling
from distpriv.privacy.noise import Noise
from distpriv.words import escape, percent

view = frame.modelled()
scenario, state = view.scenario, st.session_state

st.title("Can an attacker tell?")
result_first = st.container()
mode, kind, count, which = st.columns([2, 2, 1, 4])
adaptive = (
    mode.segmented_control(
        "Attacker trains on",
        ["noisy data", "clean data"],
        default="noisy data",
        required=True,
        key="attack_training",
        persist_state="session",
        disabled=state.get("attack_classifier") == ARITHMETIC.name,
        help="An attacker who knows the mechanism trains on noisy statistics (adaptive). The paper "
        "trains on clean ones, which understates the leak. Arithmetic needs no training.",
    )
    == "noisy data"
)
classifier = kind.selectbox(
    "Attacker",
    attacker_names(),
    format_func=lambda name: get_attacker(name).title,
    key="attack_classifier",
    persist_state="session",
    help="\n".join(
        f"- **{get_attacker(name).title}**: {get_attacker(name).summary}"
        for name in attacker_names()
    ),
)
repetitions = count.selectbox(
    "Repetitions", [20, 50, 200, 1000], index=1, key="attack_repetitions", persist_state="session"
)
offered = mechanisms.names()
shown = which.multiselect(
    "Mechanisms",
    offered,
    default=widgets.shown_at_first(offered),
    key="attack_mechanisms",
    persist_state="session",
    wrap=True,
)
noises = view.noises(tuple(dict.fromkeys([*shown, scenario.mechanism])))
shown = list(noises)
published = undoing.compare(view)
code.note(
    "attack",
    names=shown,
    adaptive=adaptive,
    classifier=classifier,
    repetitions=repetitions,
    published={each.name: each.calibration for each in published if each.needs_noise},
)
undefended = optimal_attack_accuracy(view.focused)
optimal = {UNDEFENDED: undefended}
optimal |= {name: widgets.accuracy(view.focused, noise) for name, noise in noises.items()}
own = optimal[scenario.mechanism]
ceiling = accuracy_ceiling(scenario.epsilon, scenario.delta)

pair = view.fit.pair
trained = ", adaptive" if adaptive else ", trained without noise"
attacker = get_attacker(classifier).title.lower()
attacker += "" if classifier == ARITHMETIC.name else trained
key = (scenario, view.source.digest, pair, adaptive, classifier, repetitions, tuple(shown))
run: AttackRun | None = state.get("attack_run")
if run is None or run.key != key:
    run = AttackRun(
        PropertyInferenceAttack(
            cache.records(view.source, scenario.query, pair.secret),
            scenario.query,
            pair,
            scenario.n,
            {UNDEFENDED: None, **noises},
            adaptive=adaptive,
            replacement=scenario.replacement,
            seed=scenario.seed,
            classifier=classifier,
        ),
        repetitions,
        key,
    )
    state["attack_run"] = run

start, stop, _ = st.columns([1, 1, 4])
if start.button(
    "Run" if run.stopped else "Run again",
    icon=":material/play_arrow:",
    disabled=run.running,
    width="stretch",
):
    if run.stopped:
        run.stopped = False
    else:
        state["attack_run"] = AttackRun(run.attack, repetitions, key)
    st.rerun()
if stop.button("Stop", icon=":material/stop:", disabled=not run.running, width="stretch"):
    run.stopped = True
    st.rerun()


@st.fragment(run_every=0.2 if run.running else None)
def live() -> None:
    """The result in words and as a picture, growing while repetitions come in."""
    run: AttackRun = state["attack_run"]
    was_running = run.running
    run.step(0.08 if run.done else 0.0)  # the first picture must not wait
    result = run.result()
    st.markdown(sentence(run, result))
    st.progress(
        run.done / run.wanted,
        text=f"{run.done} of {run.wanted} repetitions, {run.attack.tests} datasets guessed in each",
    )
    if run.failure:
        st.error(escape(run.failure), icon=":material/error:")
    widgets.chart(
        accuracy_by_mechanism(
            {name: result.interval(name) for name in result.accuracy} if result else {},
            optimal=optimal,
            undefended_optimal=undefended,
            ceiling=ceiling,
            repetitions=run.done,
            seed=run.attack.seed,
            attacker=attacker,
            selected=scenario.mechanism,
        ),
        "attack",
    )
    if was_running and not run.running:
        st.rerun()


def sentence(run: AttackRun, result: AttackResult | None) -> str:
    """How often the attacker names the right share, in words."""
    name = escape(scenario.mechanism)
    known = [f"the best possible attacker in **{percent(own)}**"]
    if result:
        measured = result.interval(scenario.mechanism)
        known.append(
            f"the simulated one in {percent(measured.estimate)} "
            f"(95\u00a0% interval {percent(measured.low)} to {percent(measured.high)}, "
            f"{run.done} repetitions, seed {run.attack.seed})"
        )
    return (
        f"With {name} at ε\u00a0=\u00a0{scenario.epsilon:g} {' and '.join(known)} of cases tells "
        f"{widgets.pair_words(view)}; without noise {percent(undefended)}, by guessing 50\u00a0%."
    )


with result_first:
    live()
    st.caption(
        "A simulation, not a release. An attack's accuracy is a lower bound on the risk, not a "
        "guarantee; the optimal attack is computed from the two fitted normals, each share with "
        "its own covariance, exactly for Gaussian noise and to about ±0.15 percentage points for "
        "Laplace noise."
    )
    st.markdown(inspection.training_gap(view, own))
    promise.guarantee(view)
result = run.result()

drawn = tuple(name for name in shown if inspection.is_quick(noises[name]))
budget = (scenario.delta, scenario.calibration)
over_epsilon, over_width = st.columns(2, gap="large")
with over_epsilon:
    epsilons = widgets.epsilon_grid(scenario)
    widgets.chart(
        accuracy_curves(
            widgets.remembered(
                view,
                f"accuracy by ε {drawn} {view.focus}",
                lambda: accuracy_against_epsilon(
                    view.model, drawn, epsilons, *budget, units=view.sizes, pair=view.focus
                ),
                epsilon=False,
            ),
            x_title="ε",
            x_log=True,
            current=scenario.epsilon,
            undefended=undefended,
            ceiling=np.array([accuracy_ceiling(float(e), scenario.delta) for e in epsilons]),
            points={name: [(scenario.epsilon, result.interval(name))] for name in drawn}
            if result
            else None,
            title="Best attack against ε",
            selected=scenario.mechanism,
        ),
        "attack_epsilon",
    )
with over_width:
    if widgets.needs_closed_form(view, "The best attack against Δp"):
        widths = widgets.width_grid(scenario)
        models, along = widgets.models_by_width(view, widths), widgets.along_width(view, drawn)
        curves = widgets.remembered(
            view,
            f"accuracy by Δp {along}",
            lambda: accuracy_against_width(
                models, widths, along, scenario.epsilon, *budget, units=view.sizes
            ),
            epsilon=True,
        )
        widgets.chart(
            accuracy_curves(
                Curves(widths, {name: curves.y[name] for name in along}),
                x_title="Δp",
                x_log=False,
                current=scenario.width,
                undefended=curves.y[UNDEFENDED],
                ceiling=None,
                points=None,
                title=f"Best attack against Δp at ε = {scenario.epsilon:g}"
                + (", hardest pair" if len(view.model.pairs) > 1 else ""),
                selected=scenario.mechanism,
            ),
            "attack_width",
        )

undoing.section(view, published)
if result and not run.running:
    releases: dict[str, Noise | None] = {UNDEFENDED: None, **noises}
    inspection.error_curves(view, releases, result, attacker)
    inspection.audit(view, releases, result)
with st.expander("The formulas", icon=":material/function:"):
    st.latex(
        r"\text{optimal accuracy}=\tfrac12+\tfrac12\,\mathrm{TV}\bigl(N(\mu_i,\Sigma_i+S),"
        r"N(\mu_j,\Sigma_j+S)\bigr)\qquad \text{promise: at most }"
        r"\frac{e^\varepsilon+\delta}{1+e^\varepsilon}"
    )
    st.latex(
        r"\Sigma_i=\Sigma_j=\Sigma:\quad\text{optimal accuracy}=\Phi\!\left(\tfrac12"
        r"\sqrt{(\mu_i-\mu_j)^\top(\Sigma+S)^{-1}(\mu_i-\mu_j)}\right)"
    )
    st.latex(
        r"\text{arithmetic: guess } p_j \text{ if } \sum_x N(x;\mu_j,\Sigma_j)\,p(y-x)>"
        r"\sum_x N(x;\mu_i,\Sigma_i)\,p(y-x),\quad x \text{ on the grid}"
    )
    st.markdown(
        "A repetition splits the records into an auxiliary and a testing part, trains the "
        "classifier on 200 shadow datasets and guesses 200 test datasets, half at each share "
        "(Chen & Ohrimenko 2023, Section 5.3). Every mechanism meets the same datasets. TV is the "
        "total variation: the best test is the likelihood ratio's (Neyman & Pearson), quadratic in "
        "the statistics where the covariances differ."
    )
