"""Numbers that a person types or pastes."""

import re

import numpy as np

from core.arrays import Array
from core.errors import Refusal, mark, mark_n
from core.experiment import MAX_ABS, MAX_D_MODEL

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# What print(repr(array)) shows, with or without a type.
_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\((.*?)(?:,\s*dtype=[\w.]+)?\)", re.DOTALL)
MAX_PASTE = 1_000_000  # characters


def parse_number(text: str) -> float:
    """Read one decimal number with a point: ``-0.5``, ``.5``, ``1e-3``; a true minus sign too.

    Raises
    ------
    Refusal
        For anything else. A comma is refused, never dropped: 0,5 must not become 5.
    """
    stripped = text.strip().replace("−", "-")
    if not stripped:
        raise Refusal(mark("The cell is empty; write a number such as 0.5."))
    if "," in stripped:
        raise Refusal(
            mark("“{text}” has a comma; write decimals with a point: 0.5."), text=_short(text)
        )
    if not _NUMBER.fullmatch(stripped):
        raise Refusal(mark("“{text}” is not a number; write one such as -0.5."), text=_short(text))
    number = float(stripped)
    if abs(number) > MAX_ABS:
        raise Refusal(
            mark("“{text}” is too large; numbers lie within ±1 000 000."), text=_short(text)
        )
    return number


def parse_input(text: str) -> Array:
    """Read what was typed into a cell or pasted over it: one number, or a block of them."""
    if "\t" in text or "\n" in text.strip() or text.lstrip().startswith("["):
        return parse_block(text)
    return np.array([[parse_number(text)]])


def parse_block(text: str) -> Array:
    """Read a rectangle of numbers as a spreadsheet, a CSV file or ``print(array)`` gives it.

    Rows are lines, or the inner brackets of a list. Columns are separated by tabs, semicolons,
    commas or blanks, whichever the text holds first in this order.

    Returns
    -------
    array (rows, columns), at least 1 × 1

    Raises
    ------
    Refusal
        Naming the row or the cell, counted from 1 as a spreadsheet does.
    """
    if len(text) > MAX_PASTE:
        raise Refusal(
            mark("The text is {count} characters long; at most {limit} can be read."),
            count=len(text),
            limit=MAX_PASTE,
        )
    rows = _rows(_lines(text))
    if not rows:
        raise Refusal(mark("There is no number in the text."))
    for i, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise Refusal(
                mark_n(
                    "Row {row} has {count} number, but row 1 has {expected}.",
                    "Row {row} has {count} numbers, but row 1 has {expected}.",
                ),
                row=i,
                count=len(row),
                expected=len(rows[0]),
            )
        if len(row) > MAX_D_MODEL * 2:
            raise Refusal(
                mark("Row {row} has {count} numbers; at most {limit} can be read."),
                row=i,
                count=len(row),
                limit=MAX_D_MODEL * 2,
            )
    return np.array(
        [
            [parse_cell(cell, i, j) for j, cell in enumerate(row, start=1)]
            for i, row in enumerate(rows, start=1)
        ]
    )


def _lines(text: str) -> list[str]:
    text = text.strip("\r\n ")
    if array := _ARRAY.fullmatch(text):
        text = array[1].strip()
    if text.startswith("["):
        return [
            line.strip("[] ,\t\r\n").replace("\n", " ")
            for line in re.split(r"\]\s*(?:,\s*)?\[", text)
        ]
    return [line for line in text.splitlines() if line.strip(" \r")]


def _rows(lines: list[str]) -> list[list[str]]:
    for separator in ("\t", ";", ","):
        if any(separator in line for line in lines):
            return [[cell.strip() for cell in line.split(separator)] for line in lines]
    return [line.split() for line in lines]


def parse_cell(cell: str, row: int, column: int) -> float:
    """Read one number as :func:`parse_number` does; a refusal names its row and column."""
    try:
        return parse_number(cell)
    except Refusal:
        raise Refusal(
            mark("Row {row}, column {column}: “{text}” is not a number that can be used."),
            row=row,
            column=column,
            text=_short(cell),
        ) from None


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"
