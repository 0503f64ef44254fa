"""Tables of numbers as CSV: tokens with their vectors, plain numbers, matrices under their names.

A matrix that the app hands out stands under its title, with labels around it::

    W_Q head 2
    ,0,1
    noun,0.5,-1.0
    verb,0.0,2.0

Matrices follow each other after an empty line. Those that are no part of an experiment, such as
scores, are passed over.
"""

import csv
import io
import math
import re
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import Refusal, mark, mark_n
from core.experiment import SYMBOLS, Experiment
from core.fields import ARRAYS, FIELD, named_twice
from core.numbers import parse_block, parse_cell

Rows = list[tuple[int, list[str]]]  # each with its number in the file, counted from 1

_OF_HEAD = re.compile(r"(w_[qkvo]) head (\d{1,2})")
_POSITION = re.compile(r"·\d{1,3}$")
# What a spreadsheet would run, in full width too, and what was quoted before.
_RUNS = re.compile(r"'*[-=+@\t\r\n－＝＋＠]")


def quoted(text: str) -> str:
    """A text for a cell, quoted by ``'`` where a spreadsheet would run it as a formula.

    :func:`unquoted` gives back the very text. ``ui/matrix/take.js`` does the same.
    """
    return f"'{text}" if _RUNS.match(text) and not _is_negative(text) else text


def unquoted(text: str) -> str:
    """The text that :func:`quoted` was given."""
    return text[1:] if text.startswith("'") and _RUNS.match(text) else text


def _is_negative(text: str) -> bool:
    """Whether a text is a number below 0, which is no formula."""
    try:
        return text.startswith("-") and math.isfinite(float(text))
    except ValueError:
        return False


def read(text: str, current: Experiment) -> dict[str, Any]:
    """Read a table into fields of an experiment.

    Parameters
    ----------
    text : str
    current : Experiment
        Holds the other heads, where a matrix is that of one head.

    Raises
    ------
    Refusal
        If a row is ragged, a cell is no number, or nothing is known here.
    """
    lines = text[:2000].splitlines()
    if text.lower().startswith("token,"):
        (_first, header), *body = _rows(text)
        return _tokens(header, [row for row in body if row[1]])
    if len(lines) > 1 and lines[1].startswith(",") and not lines[0].startswith(","):
        return _matrices(_rows(text), current)
    if "\0" in text:
        raise Refusal(mark("The file is not text; save it as CSV and try again."))
    return {"token_vectors": parse_block(text)}


def _rows(text: str) -> Rows:
    try:
        return list(enumerate(csv.reader(io.StringIO(text)), start=1))
    except csv.Error:
        raise Refusal(mark("The file is not CSV; save it as CSV and try again.")) from None


def _tokens(header: list[str], body: Rows) -> dict[str, Any]:
    vectors = _numbers(header, body)
    names = [unquoted(name) for name in header[1:]]
    return {
        "tokens": [unquoted(row[0]) for _, row in body],
        "dimension_names": [] if names == [str(i) for i in range(len(names))] else names,
        "token_vectors": vectors,
    }


def _matrices(rows: Rows, current: Experiment) -> dict[str, Any]:
    """Every matrix that is a field; that of one head goes to its columns of the current one."""
    content: dict[str, Any] = {}
    for title, header, body in _blocks(rows):
        name, head = title.strip().lower(), None
        if of_head := _OF_HEAD.fullmatch(name):
            name, head = of_head[1], int(of_head[2])
        field = FIELD.get(name, "")
        if field not in ARRAYS:
            continue
        if field in content:
            raise named_twice()
        numbers = _numbers(header, body)
        content[field] = numbers if head is None else _in_head(field, head, numbers, current)
        if field == "token_vectors":
            content["tokens"] = [_word(row[0]) for _, row in body]
    if not content:
        raise Refusal(mark("The file holds no matrix that can be loaded: X, W_Q, W_K, W_V or W_O."))
    return content


def _blocks(rows: Rows) -> list[tuple[str, list[str], Rows]]:
    """Title, header and body of each matrix; empty lines divide them."""
    blocks: list[Rows] = [[]]
    for number, row in rows:
        if any(row):  # a spreadsheet fills an empty line up with commas
            blocks[-1].append((number, row))
        elif blocks[-1]:
            blocks.append([])
    return [(block[0][1][0], block[1][1], block[2:]) for block in blocks if len(block) > 2]


def _numbers(header: list[str], body: Rows) -> Array:
    """The numbers beside a first column of labels: (rows, columns)."""
    for i, row in body:
        if len(row) != len(header):
            raise Refusal(
                mark_n(
                    "Row {row} has {count} cell, but the header has {expected}.",
                    "Row {row} has {count} cells, but the header has {expected}.",
                ),
                row=i,
                count=len(row),
                expected=len(header),
            )
    if not body:
        raise Refusal(mark("There is no number in the text."))
    return np.array(
        [[parse_cell(cell, i, j) for j, cell in enumerate(row[1:], start=2)] for i, row in body]
    )


def _in_head(field: str, head: int, numbers: Array, current: Experiment) -> Array:
    """The current matrix, with other numbers for one head: its columns, or its rows of W_O."""
    whole = getattr(current, field)
    if whole is not None and head < current.num_heads:
        columns = current.head_columns(head, field)
        place = (columns, slice(None)) if field == "w_o" else (slice(None), columns)
        if whole[place].shape == numbers.shape:
            changed: Array = np.array(whole)
            changed[place] = numbers
            return changed
    raise Refusal(
        mark("{name} of head {head} has shape {shape}, which does not fit the experiment here."),
        name=SYMBOLS[field],
        head=head,
        shape=" × ".join(map(str, numbers.shape)),
    )


def _word(label: str) -> str:
    """A token from its label, without its position."""
    return unquoted(_POSITION.sub("", label))
