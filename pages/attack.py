"""Attack: how often a property-inference attacker names the right share."""

import streamlit as st

from distpriv.dashboard.attack import curves, inspection, simulation, undoing
from distpriv.dashboard.shell import frame
from distpriv.dashboard.widgets import code, promise

view = frame.modelled()

result_first = st.container()
choice = simulation.choose(view)
published = undoing.compare(view)
code.note(
    "attack",
    names=list(choice.noises),
    adaptive=choice.adaptive,
    classifier=choice.classifier,
    repetitions=choice.repetitions,
    published={pair.name: pair.calibration for pair in published if pair.needs_noise},
)
run = simulation.show(view, choice, result_first)
with result_first:
    inspection.caption(view)
    promise.guarantee(view)
against, undone, inside = st.tabs(
    ["Against ε and n", "Noise taken off again", "Inside the attack"], key="attack_tab"
)
with against:
    curves.show(view, choice.noises, run.result())
with undone:
    undoing.section(view, published)
if not run.running:
    with inside:
        inspection.details(view, choice, run.result())
inspection.formulas()
