"""What the fields of an experiment may hold when they come from outside: a file or a link."""

from typing import Any, get_args

import numpy as np

from core.arrays import Array
from core.errors import Refusal, mark
from core.experiment import (
    BIAS_NAMES,
    MATRIX_NAMES,
    MAX_D_MODEL,
    MAX_HEADS,
    MAX_TOKENS,
    MAX_WIDTH,
    SYMBOLS,
    Divisor,
    Mask,
    Positions,
)

ARRAYS = (*MATRIX_NAMES, *BIAS_NAMES)
TEXT_LISTS = ("tokens", "dimension_names", "head_names")
SETTINGS = ("num_heads", "positions", "mask", "divisor", "temperature", "preset", "seed")
FIELD = {name.lower(): name for name in (*ARRAYS, *TEXT_LISTS, *SETTINGS, "allowed")} | {
    symbol.lower(): name for name, symbol in SYMBOLS.items()
}
"""Fields by how a file may call them, in small letters."""

_WHOLE_NUMBERS = {"num_heads": (1, MAX_HEADS), "seed": (0, 2**31 - 1)}


def named_twice() -> Refusal:
    """The refusal of a file that names something twice."""
    return Refusal(mark("The file names something twice; each name may stand once."))


def plain_numbers(value: Any, name: str) -> Array:
    """Turn lists into an array; refuse text, truth values, deep nesting and ragged rows."""

    def plain(item: Any, depth: int) -> bool:
        if isinstance(item, list):
            return depth > 0 and all(plain(part, depth - 1) for part in item)
        return isinstance(item, int | float) and not isinstance(item, bool)

    if not isinstance(value, list) or not plain(value, depth=2):
        raise Refusal(
            mark("{name} must be rows of plain numbers, without text or true and false."), name=name
        )
    try:
        return np.array(value, dtype=np.float64)
    except (ValueError, OverflowError):
        raise Refusal(
            mark("{name} has rows of unequal length or a number that is too large."), name=name
        ) from None


def check_matrix(array: Array, name: str) -> None:
    """Refuse a matrix or bias that is empty, not finite or too large to be shown."""
    expected = 1 if name in BIAS_NAMES else 2
    if array.ndim != expected or array.size == 0:
        raise Refusal(
            mark("{name} has shape {shape}; it must have rows and columns."),
            name=SYMBOLS[name],
            shape=" × ".join(map(str, array.shape)),
        )
    if not np.isfinite(array).all():
        cell = np.argwhere(~np.isfinite(array))[0]
        raise Refusal(
            mark("{name} [{cell}] is {value}; every number must be finite."),
            name=SYMBOLS[name],
            cell=", ".join(map(str, cell)),
            value=float(array[tuple(cell)]),
        )
    limit = MAX_TOKENS if name == "token_vectors" else max(MAX_WIDTH, MAX_D_MODEL)
    if array.shape[0] > limit or array.shape[-1] > MAX_WIDTH:
        raise Refusal(
            mark("{name} has shape {shape}; that is more than can be shown."),
            name=SYMBOLS[name],
            shape=" × ".join(map(str, array.shape)),
        )


def check_settings(content: dict[str, Any]) -> None:
    """Refuse settings and names of the wrong kind; a temperature becomes a float in place."""
    for name in TEXT_LISTS:
        value = content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise Refusal(mark("{name} must be a list of text."), name=name)
    for name, choices in (("positions", Positions), ("mask", Mask), ("divisor", Divisor)):
        if name in content and content[name] not in get_args(choices):
            raise Refusal(
                mark("{name} is “{value}”, but must be one of: {options}."),
                name=name,
                value=str(content[name])[:40],
                options=", ".join(get_args(choices)),
            )
    for name, (low, high) in _WHOLE_NUMBERS.items():
        value = content.get(name, low)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise Refusal(
                mark("{name} must be a whole number from {low} to {high}."),
                name=name,
                low=low,
                high=high,
            )
    value = content.get("temperature", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal(mark("{name} must be a number."), name="temperature")
    if "temperature" in content:
        content["temperature"] = float(value)
    if not isinstance(content.get("preset", ""), str):
        raise Refusal(mark("{name} must be text."), name="preset")
