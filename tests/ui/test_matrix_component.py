"""The Python side of the matrix component: what is checked, sent and taken."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from ui.matrix import Edit, Panel, Pick, matrix_product, panel
from ui.matrix.component import (
    DEFAULT_TEXTS,
    MAX_TEXT,
    Seen,
    _encode,
    _encode_pick,
    _panels,
    _receive,
    read_events,
)


def some(n: int = 2, m: int = 3, name: str = "Q", **options: Any) -> Panel:
    labels = [f"r{i}" for i in range(n)], [f"c{j}" for j in range(m)]
    return panel(name, np.arange(n * m, dtype=float).reshape(n, m), *labels, **options)


def message(client: str = "a", pick: Any = None, edits: Any = ()) -> dict[str, Any]:
    return {"client": client, "pick": pick, "edits": list(edits)}


def edit(number: int, text: Any = "1", where: str = "product", row: Any = 0, col: Any = 0) -> dict:
    return {"id": number, "panel": where, "row": row, "col": col, "text": text}


def pick(seq: int, row: Any = 0, col: Any = 0, where: Any = "product") -> dict:
    return {"seq": seq, "panel": where, "row": row, "col": col}


# ---- panels ----


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"values": [1.0, 2.0]}, r"Q must have 2 dimensions .* shape is \(2,\)"),
        ({"values": [[1j, 0], [0, 0]]}, "Q must hold real numbers.*complex128"),
        ({"values": [["x", "y"], ["z", "w"]]}, "Q must hold real numbers"),
        ({"rows": ["a"]}, "Q needs 2 row labels, one for each row, but 1 came"),
        ({"cols": ["a", "b", "c"]}, "Q needs 2 column labels, one for each column, but 3 came"),
        ({"rows": "ab"}, "row labels of Q must be a sequence of texts"),
        ({"masked": [[True]]}, r"mask of Q has shape \(1, 1\), but Q has shape \(2, 2\)"),
        ({"scale": "rainbow"}, "scale of Q must be"),
        ({"limit": -1.0}, "limit of Q must be a finite number of 0 or more, not -1.0"),
        ({"limit": float("nan")}, "limit of Q"),
        ({"scale": "weights", "limit": 2.0}, "weights scale, which takes no limit, but 2.0 came"),
        ({"digits": 9}, "digits of Q must be 0 to 6, not 9"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(change: dict[str, Any], sentence: str) -> None:
    good: dict[str, Any] = {"values": np.eye(2), "rows": ["a", "b"], "cols": ["c", "d"]}
    with pytest.raises(ValueError, match=sentence):
        panel("Q", **(good | change))


def test_the_limit_is_the_largest_number_that_is_shown() -> None:
    values = [[1.0, -3.0], [-np.inf, np.nan]]
    labels = ["a", "b"], ["c", "d"]
    assert panel("Q", values, *labels).limit == 3
    assert panel("Q", values, *labels, masked=[[False, True], [True, False]]).limit == 1
    assert panel("Q", np.zeros((2, 2)), *labels).limit == 1
    assert panel("Q", values, *labels, limit=0).limit == 1
    assert panel("Q", values, *labels, scale="weights").limit == 1
    assert panel("Q", np.zeros((0, 2)), [], labels[1]).shape == (0, 2)


def test_a_panel_keeps_its_own_numbers() -> None:
    values = np.eye(2)
    made = panel("Q", values, ["a", "b"], ["c", "d"])
    values[0, 0] = 9
    assert made.values[0, 0] == 1
    assert made.title == "Q"


def test_numbers_and_mask_are_sent_as_bytes() -> None:
    mask = np.zeros((2, 5), bool)
    mask[1, 4] = True
    values = np.random.default_rng(0).normal(size=(2, 5))
    sent = _encode("left", panel("Q", values, ["ab"] * 2, list("vwxyz"), masked=mask), True)
    assert sent["dtype"] == "<f8"
    got = np.frombuffer(base64.b64decode(sent["values"]), "<f8").reshape(2, 5)
    np.testing.assert_array_equal(got, values)
    bits = np.unpackbits(np.frombuffer(base64.b64decode(sent["masked"]), np.uint8), count=10)
    np.testing.assert_array_equal(bits.reshape(2, 5), mask)


def test_large_panels_are_sent_as_float32() -> None:
    assert _encode("left", some(64, 64), True)["dtype"] == "<f8"
    assert _encode("left", some(64, 65), True)["dtype"] == "<f4"


def test_nothing_is_editable_without_a_callback() -> None:
    assert not _encode("left", some(editable=True, toggle=True), False)["editable"]
    assert not _encode("left", some(editable=True, toggle=True), False)["toggle"]


def test_operands_must_multiply() -> None:
    q, w, x = some(2, 4), some(3, 4, "W"), some(2, 3, "X")
    assert list(_panels(q, x, w)) == ["left", "right", "product"]
    assert list(_panels(q, None, None)) == ["product"]
    with pytest.raises(ValueError, match="both operands"):
        _panels(q, x, None)
    with pytest.raises(ValueError, match="X has 3 columns, but W has 4 rows"):
        _panels(q, x, some(4, 4, "W"))
    with pytest.raises(ValueError, match=r"X × W has shape \(2, 4\), but Q has shape \(2, 5\)"):
        _panels(some(2, 5), x, w)


def test_key_and_texts_are_checked() -> None:
    with pytest.raises(ValueError, match=r"double underscore.*'a__b'"):
        matrix_product(some(), key="a__b")
    with pytest.raises(ValueError, match="Texts unknown to the matrix: maskd"):
        matrix_product(some(), key="a", texts={"maskd": "x"})


def test_a_pick_outside_draws_no_outline() -> None:
    panels = _panels(some(), None, None)
    assert _encode_pick(None, panels) is None
    assert _encode_pick(Pick("product", 1, 2), panels) == {"panel": "product", "row": 1, "col": 2}
    assert _encode_pick(Pick("product", np.int64(1), 2), panels) is not None  # type: ignore[arg-type]
    assert _encode_pick(Pick("product", 2, 0), panels) is None
    assert _encode_pick(Pick("left", 0, 0), panels) is None


# ---- events ----

EDITABLE = _panels(some(editable=True), None, None)


@pytest.mark.parametrize(
    "nonsense",
    [
        *(None, 3, "x", [], {}, {"client": 1}, {"client": ""}, {"client": "x" * 65}),
        {"client": "a", "pick": 3, "edits": 4},
        {"client": "a", "pick": [], "edits": [None, 1, {}, {"id": True}]},
        message(pick=pick(True)),
        *(message(pick=pick(1, **bad)) for bad in (
            {"row": -1}, {"row": 2}, {"col": 3}, {"row": 0.0}, {"row": True}, {"row": "0"},
            {"row": None}, {"where": "left"}, {"where": None}, {"where": []},
        )),
        *(message(edits=[edit(1, **bad)]) for bad in (
            {"row": -1}, {"col": 3}, {"row": 1.5}, {"where": "right"}, {"text": 5}, {"text": None},
            {"text": "x" * (MAX_TEXT + 1)},
        )),
    ],
)  # fmt: skip
def test_nonsense_is_not_taken(nonsense: object) -> None:
    taken, edits, _ = read_events(nonsense, EDITABLE, Seen())
    assert taken is None
    assert edits == []


def test_a_pick_is_taken_once() -> None:
    taken, _, seen = read_events(message(pick=pick(3, 1, 2)), EDITABLE, Seen())
    assert taken == Pick("product", 1, 2)
    assert seen == Seen("a", 3, 0)
    assert read_events(message(pick=pick(3, 1, 2)), EDITABLE, seen)[0] is None
    assert read_events(message(pick=pick(2, 0, 0)), EDITABLE, seen)[0] is None
    assert read_events(message(pick=pick(4)), EDITABLE, seen)[0] == Pick("product", 0, 0)


def test_edits_are_taken_once_and_in_order() -> None:
    _, edits, seen = read_events(message(edits=[edit(1, "1"), edit(2, "x\ty")]), EDITABLE, Seen())
    assert [e.text for e in edits] == ["1", "x\ty"]
    assert edits[0] == Edit("product", 0, 0, "1")
    again = message(edits=[edit(1, "1"), edit(2, "x\ty"), edit(3, "3")])
    _, edits, seen = read_events(again, EDITABLE, seen)
    assert [e.text for e in edits] == ["3"]
    assert seen.edit == 3


def test_a_refused_edit_is_acknowledged() -> None:
    _, edits, seen = read_events(message(edits=[edit(1, row=99), edit(2)]), EDITABLE, Seen())
    assert len(edits) == 1
    assert seen.edit == 2


def test_a_new_browser_starts_from_nothing() -> None:
    old = Seen("a", 9, 9)
    taken, edits, seen = read_events(message("b", pick(1), [edit(1)]), EDITABLE, old)
    assert taken is not None
    assert len(edits) == 1
    assert seen == Seen("b", 1, 1)


def test_only_what_can_be_edited_is() -> None:
    one = [edit(1, "1"), edit(2, "5")]
    assert read_events(message(edits=one), _panels(some(), None, None), Seen())[1] == []
    toggles = _panels(some(toggle=True), None, None)
    assert [e.text for e in read_events(message(edits=one), toggles, Seen())[1]] == ["1"]


def test_the_callback_hands_out_each_event_once(monkeypatch: pytest.MonkeyPatch) -> None:
    session: dict[str, Any] = {"m": {"events": message(pick=pick(1, 1, 2), edits=[edit(1)])}}
    monkeypatch.setattr("ui.matrix.component.st.session_state", session)
    picks: list[Pick] = []
    edits: list[Edit] = []

    def fail(one: Edit) -> None:
        edits.append(one)
        raise RuntimeError("the page is wrong")

    with pytest.raises(RuntimeError, match="the page is wrong"):
        _receive("m", EDITABLE, picks.append, fail)
    _receive("m", EDITABLE, picks.append, fail)
    assert picks == [Pick("product", 1, 2)]
    assert edits == [Edit("product", 0, 0, "1")]
    _receive("m", EDITABLE, None, None)


def script() -> None:
    import numpy as np
    import streamlit as st

    from ui.matrix import Pick, matrix_product, panel

    matrix_product(
        panel("Q", np.eye(2), ["a", "b"], ["c", "d"]),
        key="m",
        pick=Pick("product", 0, 1),
        on_pick=lambda taken: st.session_state.update(taken=taken),
        texts={"masked": "verdeckt"},
        max_height=300,
    )


def test_the_component_is_mounted_with_its_data() -> None:
    import json

    app = AppTest.from_function(script).run()
    assert not app.exception
    proto = app.get("bidi_component")[0].proto
    data = json.loads(proto.json)
    assert data["pick"] == {"panel": "product", "row": 0, "col": 1}
    assert data["picks"] is True
    assert data["ack"] == {"client": "", "pick": 0, "edit": 0}
    assert data["texts"] == {**DEFAULT_TEXTS, "masked": "verdeckt"}
    assert data["maxHeight"] == 300
    assert data["panels"][0]["rows"] == ["a", "b"]
