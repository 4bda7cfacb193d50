"""The tour: every value computes, one option holds by computation, and figures are as elsewhere."""

from __future__ import annotations

import pytest

from distpriv.errors import DistprivError
from distpriv.lessons import STEPS


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.key)
def test_every_value_of_a_step_fills_its_texts_and_one_option_holds(step):
    for value in step.choices(3):
        shown = step.show(value, 3)
        texts = [step.text(name, shown) for name in ("intro", "answer", "sentence", "note")]
        texts += [step.text("options", shown, option) for option in range(3)]
        assert not [text for text in texts if "{" in text or "nan" in text]
        assert shown.right == step.show(None, 3).right or step.key == "limit"
        assert shown.right in range(3)


def test_a_value_that_the_control_has_not_is_a_sentence():
    with pytest.raises(DistprivError, match="^noise has no value 61; take 52, 54"):
        STEPS[2].show(61)
