"""A class: a teacher's session and two students' on one database, and what goes wrong."""

from __future__ import annotations

from sqlalchemy import select

from distpriv.lessons import course_of, game
from distpriv.store import open_store, rooms
from distpriv.tables.examples import load_census_income
from tests.app.driver import (
    charts,
    clicked_again,
    errors,
    press,
    sound,
    texts,
    titles,
    wrong_numbers,
)


def led(app) -> str:
    return app.session_state["room_led"].code


def pooled(app) -> dict[str, list]:
    (chart,) = (each for each in charts(app) if each["layout"]["title"]["text"] == "Right guesses")
    return {trace["name"]: trace["x"] for trace in chart["data"]}


def test_a_class_from_the_door_to_the_answer(open_app):
    teacher = press(open_app("classroom"), "Open a room")
    code, of = led(teacher), game(course_of(load_census_income()))
    assert teacher.metric[0].value == code
    assert "Start the first round when everybody is in" in texts(teacher)
    # One comes by the link, one types the code as people do.
    ann = open_app("classroom", room=code)
    bob = open_app("classroom")
    bob.text_input(key="room_code").set_value(f"{code[:3].lower()} {code[3:]}")
    press(bob, "Join")
    for student in (ann, bob):
        sound(student)
        assert "You are in." in texts(student)
    assert "**2** have joined" in texts(teacher.run())
    press(teacher, "Start round 1")
    assert "Nobody has guessed yet" in texts(teacher)
    assert pooled(teacher) == {"the best attacker": [of.accuracy], "the class": []}
    seen = {}
    for name, student in (("ann", ann), ("bob", bob)):
        student.run()
        assert "without noise" in texts(student)
        (chart,) = charts(student)
        assert chart["layout"]["title"]["text"] == "Which share is it from?"
        seen[name] = of.draw(code, 1, student.session_state["room_student"])
        star = next(trace for trace in chart["data"] if trace["name"] == "the release")
        assert [star["x"][0], star["y"][0]] == list(seen[name].released)
    # Each has a release of their own; one says what it is, the other what it is not.
    assert (seen["ann"].released != seen["bob"].released).all()
    ann.button(key=f"room_say_{seen['ann'].share}").click().run()
    bob.button(key=f"room_say_{1 - seen['bob'].share}").click().run()
    for student in (ann, bob):
        assert not wrong_numbers(student)
        assert "Now wait for the others" in texts(student)
        assert not charts(student)
    assert "**1 of 2** guesses are right so far" in texts(teacher.run())
    assert pooled(teacher)["the class"] == [0.5]
    press(teacher, "Reveal")
    assert "1 of 2 told apart" in titles(teacher)
    assert not wrong_numbers(teacher)
    assert "right in **1 of 1**" in texts(ann.run())
    assert "not so" in texts(bob.run())
    # The next round has noise; what was said before counts for nothing in it.
    teacher.segmented_control(key="room_noise").set_value("ε\u00a0=\u00a01").run()
    press(teacher, "Start round 2")
    assert "with noise, ε = 1" in texts(ann.run())
    assert len(pooled(teacher)["the best attacker"]) == 2
    press(teacher, "Close the room")
    assert rooms.find_room(open_store(), code) is None
    assert f"Room **{code}** is closed." in texts(ann.run())
    press(ann, "Leave the room")
    assert "Join a room" in [each.value for each in ann.header]


def test_a_room_is_led_on_with_its_key_and_by_nobody_else(open_app):
    teacher = press(open_app("classroom"), "Open a room")
    at = teacher.session_state["room_led"]
    other = open_app("classroom")
    other.text_input(key="room_led_code").set_value(at.code)
    other.text_input(key="room_key").set_value("a guess")
    press(other, "Lead it")
    assert "There is no room with that code and key" in errors(other)
    other.text_input(key="room_led_code").set_value(at.code)
    other.text_input(key="room_key").set_value(at.key)
    press(other, "Lead it")
    assert led(other) == at.code
    # A link to nowhere, and no code at all.
    lost = open_app("classroom", room="CCCCCC")
    sound(lost)
    assert "There is no room CCCCCC" in errors(lost)
    press(lost, "Join")
    assert "type the one on the screen" in errors(lost)


def test_a_second_click_while_a_room_opens_opens_no_other(open_app, monkeypatch):
    cut = clicked_again(monkeypatch, after=(rooms, "open_room"))
    app = press(press(open_app("classroom"), "Open a room").run(), "Open a room")
    assert len(cut) == 1
    with open_store().reading() as session:
        assert list(session.scalars(select(rooms.RoomRow.code))) == [led(app)]


def test_a_click_while_one_comes_by_a_link_keeps_nobody_out(open_app, monkeypatch):
    room = rooms.open_room(open_store(), rooms.new_key())
    cut = clicked_again(monkeypatch, after=(rooms, "join"))
    app = open_app("classroom", room=room.code).run()
    assert len(cut) == 1
    assert "You are in." in texts(app)


def test_without_a_database_a_sentence_says_so(open_app, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/file/kept.sqlite")
    app = open_app("classroom")
    assert "Until then no room can be opened or joined" in texts(app)
    press(app, "Open a room")
    assert "check that its folder exists and can be written" in errors(app)
    assert "room_led" not in app.session_state
