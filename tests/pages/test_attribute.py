"""The page Attribute privacy: its views answer, what is entered stays, what is wrong is said."""

from __future__ import annotations

import json

from tests.pages.conftest import widget
from tests.pages.test_pages import NO_ANSWER, drawn

AB = {"a": [0.3, 0.7], "b": [[0.2, 0.8], [0.6, 0.4]]}
CYCLE = json.dumps({"edges": [["a", "b"], ["b", "a"]], "tables": AB})
MANY = json.dumps({"edges": [], "tables": {f"x{place}": [1.0] for place in range(25)}})
GENDER = "only through *gender*, whose influence is 0.262"
STEPS = [  # control, its label and value, then the title and words of the page
    ("segmented_control", "View", "averages", "3 of 3 need noise", "± 18.4"),
    ("segmented_control", "Noise", "exact", "2 of 3 need noise", "asks for none"),
    ("text_input", "ε", "zero", NO_ANSWER, "'zero' is not a number"),
    ("segmented_control", "View", "network", "No noise is needed", GENDER),
    ("multiselect", "Released", ["height", "SAT score"], "Noise of scale 105", "counts both sides"),
    ("text_input", "Sensitivity to all", "100", "Noise of scale 100", "No quilt needs less"),
    ("segmented_control", "Network", "file", "Noise of scale 100", "No quilt needs less"),
    ("text_area", "Or paste it", CYCLE, NO_ANSWER, "make a cycle through"),
    ("text_area", "Or paste it", MANY, NO_ANSWER, "not 25"),
    ("segmented_control", "View", "averages", NO_ANSWER, "'zero' is not a number"),
    ("segmented_control", "View", "network", NO_ANSWER, "not 25"),
    ("segmented_control", "Network", "school", "Noise of scale 100", "No quilt needs less"),
    ("segmented_control", "Network", "table", "No noise is needed", "You assume that"),
]


def test_every_view_answers_keeps_what_is_entered_and_says_what_is_wrong(fresh):
    assert drawn(fresh, "attribute") == "21\u00a0% off to hide it"
    assert "with OptM by" in fresh.main.markdown[0].value
    for kind, label, value, title, words in STEPS:
        widget(getattr(fresh.main, kind), label).set_value(value).run()
        assert not fresh.exception
        text = " ".join(one.value for one in (*fresh.main.markdown, *fresh.main.caption))
        assert (fresh.title[0].value, label) == (title, label)
        assert words in text.replace("\\", "")
