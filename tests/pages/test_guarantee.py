"""The page about guarantees: what is left where curves are wrong, once somebody asks."""

from __future__ import annotations

from distpriv.files import PAGES


def test_what_is_left_where_curves_are_wrong_is_said_once_asked(fresh):
    app = fresh.switch_page(PAGES / "guarantee.py").run()
    assert not any("curves say" in one.value for one in app.main.markdown)
    app.main.segmented_control[0].set_value("OptM").run()
    app.session_state["relaxed"] = True
    app.run()
    texts = [one.value for one in app.main.markdown]
    assert any(
        "**60.3** times in\u00a0100. For laws of" in one and "**70.2**" in one for one in texts
    )
    app.main.segmented_control[0].set_value("BalM").run()
    assert any("none can be wrong" in one.value for one in app.main.markdown)
