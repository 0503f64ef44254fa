"""Numbers as people type and paste them; ``tests/data/cells.json`` lists the texts."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from strategies import numbers

from core.errors import Refusal
from core.numbers import MAX_PASTE, parse_block, parse_number

CASES = json.loads((Path(__file__).parents[1] / "data" / "cells.json").read_text("utf-8"))
ACCEPTED = [case for case in CASES["cases"] if case["accept"] is True]
REFUSED = [case["text"] for case in CASES["cases"] if case["accept"] is not True]
PASTED = {case["id"]: case for case in CASES["paste"]}


def test_no_case_was_lost():
    assert (len(ACCEPTED), len(REFUSED), len(PASTED)) == (5, 13, 6)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["text"])
def test_number(case):
    assert parse_number(case["text"]) == case["value"]


@pytest.mark.parametrize("text", REFUSED)
def test_anything_else_is_refused_and_quoted(text):
    with pytest.raises(Refusal, match=r"a number such as|not a number|has a comma") as refusal:
        parse_number(text)
    assert text in str(refusal.value)


@pytest.mark.parametrize(("text", "number"), [("−0.5", -0.5), (" +2 ", 2), ("-0", -0.0)])
def test_signs(text, number):
    assert str(parse_number(text)) == str(float(number))


@pytest.mark.parametrize("text", ["1000000.1", "-1e7", "1e400", "9" * 400])
def test_too_large(text):
    with pytest.raises(Refusal, match="is too large; numbers lie within ±1 000 000"):
        parse_number(text)


@pytest.mark.parametrize("text", ["9" * 999, "x" * 999, "0," * 999])
def test_a_long_text_is_quoted_in_short(text):
    with pytest.raises(Refusal) as refusal:
        parse_number(text)
    assert len(str(refusal.value)) < 120


@given(numbers(np.float64))
def test_what_python_writes_comes_back_to_the_last_bit(number):
    assert np.float64(parse_number(repr(number))).tobytes() == np.float64(number).tobytes()


@pytest.mark.parametrize("name", ["tab_2x2", "crlf", "numpy_print", "python_list"])
def test_paste(name):
    case = PASTED[name]
    block = parse_block(case["text"])
    assert block.shape == (case["rows"], case["cols"])
    np.testing.assert_array_equal(block, case["values"])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (PASTED["ragged"]["text"], "Row 2 has 1 number, but row 1 has 2"),
        (PASTED["header_row"]["text"], "Row 1, column 1: “a” is not a number"),
        ("1,2\n3,", "Row 2, column 2: “” is not a number"),
        ("1;2\n3;4,5", "Row 2, column 2: “4,5” is not a number"),
        ("1;2\n3,4", "Row 2 has 1 number, but row 1 has 2"),
        ("1 2\n3 nan", "Row 2, column 2: “nan” is not a number"),
        ("[[1, 2], [3]]", "Row 2 has 1 number"),
        ("[1 2 ... 8 9]", "Row 1, column 3: “...” is not a number"),
        ("1 1e7", "Row 1, column 2: “1e7” is not a number that can be used"),
        (" \n\r\n", "no number in the text"),
        ("1 " * 1025, "Row 1 has 1025 numbers; at most 1024"),
        ("1" * (MAX_PASTE + 1), "1000001 characters long; at most 1000000"),
    ],
    ids=lambda text: text[:12],
)
def test_paste_refused_naming_the_place(text, place):
    with pytest.raises(Refusal, match=place):
        parse_block(text)


blocks = arrays(np.float64, array_shapes(min_dims=2, max_dims=2), elements=numbers(np.float64))


@given(blocks, st.sampled_from(["\t", ";", ",", " ", ", "]), st.sampled_from(["\n", "\r\n"]))
def test_every_way_to_write_a_block(block, separator, line_end):
    text = line_end.join(separator.join(map(repr, row)) for row in block.tolist())
    assert parse_block(text).tobytes() == block.tobytes()


@given(blocks)
def test_what_python_and_numpy_print(block):
    with np.printoptions(floatmode="unique", threshold=10_000):
        typed = repr(block)[:-1] + ", dtype=float64)"
        for text in (str(block.tolist()), str(block), repr(block), "np." + repr(block), typed):
            np.testing.assert_array_equal(parse_block(text), block)
