"""The Python side of the drag component: what it sends, and which messages it takes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from ui import drag
from ui.drag.component import Seen, _receive, read_event


def message(client: Any = "a", seq: Any = 1, values: Any = (1.0, 2.0)) -> dict[str, Any]:
    return {"client": client, "seq": seq, "values": list(values)}


def test_a_move_is_taken_once():
    values, seen = read_event(message(seq=3), 2, 5, Seen())
    assert values == (1.0, 2.0)
    assert seen == Seen("a", 3)
    assert read_event(message(seq=3), 2, 5, seen) == (None, seen)
    assert read_event(message(seq=2, values=(0, 0)), 2, 5, seen) == (None, seen)
    assert read_event(message(seq=4, values=(-5, 5)), 2, 5, seen)[0] == (-5.0, 5.0)


def test_a_new_browser_starts_from_nothing():
    values, seen = read_event(message("b", 1), 2, 5, Seen("a", 9))
    assert values == (1.0, 2.0)
    assert seen == Seen("b", 1)


@pytest.mark.parametrize(
    "nonsense",
    [
        *(None, 3, "x", [], {}, {"client": "a"}),
        *(message(client=bad) for bad in (None, 1, "", "x" * 65)),
        *(message(seq=bad) for bad in (None, "1", 1.0, True, 0, -1)),
    ],
)
def test_what_is_no_message_changes_nothing(nonsense):
    assert read_event(nonsense, 2, 5, Seen("z", 7)) == (None, Seen("z", 7))


@pytest.mark.parametrize(
    "bad",
    [
        *([], [1.0], [1.0, 2.0, 3.0]),
        *([1.0, x] for x in (float("nan"), float("inf"), -float("inf"), 5.001, -6, 10**400)),
        *([1.0, x] for x in (None, "1", True, [1.0], {})),
    ],
)
def test_bad_numbers_are_refused_and_answered(bad):
    """The answer lets the browser show the truth again."""
    assert read_event(message(values=bad), 2, 5, Seen()) == (None, Seen("a", 1))


@pytest.mark.parametrize("values", [None, 5, "12", {"0": 1, "1": 2}])
def test_what_is_no_list_is_refused(values):
    sent = {"client": "a", "seq": 1, "values": values}
    assert read_event(sent, 2, 5, Seen()) == (None, Seen("a", 1))


def test_the_callback_hands_out_each_move_once(monkeypatch):
    session: dict[str, Any] = {"d": {"events": message(values=(1, -2))}}
    monkeypatch.setattr("ui.drag.component.st.session_state", session)
    moves: list[tuple[float, ...]] = []

    def fail(values: tuple[float, ...]) -> None:
        moves.append(values)
        raise RuntimeError("the page is wrong")

    with pytest.raises(RuntimeError, match="the page is wrong"):
        _receive("d", 2, 5, fail)
    _receive("d", 2, 5, fail)
    assert moves == [(1.0, -2.0)]
    session["d"] = {}
    _receive("d", 2, 5, fail)


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: drag.arrows("d", ("a", "b"), (1, 2, 3), print), "4 numbers are needed; 2 and 3"),
        (lambda: drag.arrows("d", ("a", "b"), (1, 2, 3, 6), print), "within ±5"),
        (lambda: drag.bars("d", ["a"], (1, 2), print), "1 names, 2 numbers"),
        (lambda: drag.bars("d", [], (), print), "0 names, 0 numbers"),
        (lambda: drag.bars("d", ["a"], (float("nan"),), print), "must be finite"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(draw, sentence):
    with pytest.raises(ValueError, match=sentence):
        draw()


def script() -> None:
    from ui import drag

    drag.drag_code()
    drag.arrows("plane", ("a", "<b>"), (3, 1, -1.5, 2), print)
    drag.bars("row", ["x", "**y**"], (0.25, -7), print, limit=8, step=0.5, height=200)


def test_the_component_is_mounted_with_its_data():
    app = AppTest.from_function(script).run()
    assert not app.exception
    code, plane, row = (json.loads(one.proto.json) for one in app.get("bidi_component"))
    assert ".handle" in code["css"]
    assert plane == {
        "form": "arrows", "labels": ["a", "<b>"], "values": [3.0, 1.0, -1.5, 2.0], "limit": 5,
        "step": 0.1, "height": 420, "ack": {"client": "", "seq": 0},
    }  # fmt: skip
    assert row["form"] == "bars"
    assert row["labels"] == ["x", "**y**"]
    assert (row["limit"], row["step"], row["height"]) == (8, 0.5, 200)


def test_the_code_travels_once():
    """Streamlit sends inline JavaScript again with every change of a component's data."""
    app = AppTest.from_function(script).run()
    code, plane, row = (one.proto.js_content for one in app.get("bidi_component"))
    assert len(code) > 5000
    assert plane == row
    assert len(plane) < 1000
