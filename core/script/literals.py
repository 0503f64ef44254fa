"""Arrays and words as Python source that gives them back to the last bit."""

import base64
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from numpy.typing import NDArray

LINE = 100  # characters in a line

# Defines what :func:`packed` calls.
UNPACK = '''\
def unpack(shape, dtype, text):
    """Undo base64, undo zlib, and take the bytes for numbers."""
    content = zlib.decompress(base64.b64decode(text))
    return np.frombuffer(content, dtype).reshape(shape)'''


def written(name: str, array: NDArray[Any], comment: str, notes: Sequence[str] = ()) -> str:
    """Write an array as nested lists, the points of a column one below the other.

    Parameters
    ----------
    name : str
        The variable that holds it.
    array : float or bool array (columns,) or (rows, columns)
    comment : str
        Stands at the end of the first line.
    notes : sequence of str, optional
        One comment for each row, left out where a row leaves no room for it.
    """
    kind = {"bool": "bool", "float64": "float", "float32": "np.float32"}[array.dtype.name]
    if array.ndim == 1:
        rows: Iterable[str] = _filled([_number(x) for x in array], "    ", "    ", ",")
    else:
        rows = _rows(array, notes)
    return "\n".join([f"{name} = np.array([  # {comment}", *rows, f"], dtype={kind})"])


def packed(name: str, array: NDArray[Any], comment: str) -> str:
    """Write an array as a call of ``unpack`` on compressed bytes in base64."""
    little = array.dtype.newbyteorder("<")
    content = zlib.compress(array.astype(little).tobytes(), level=1)  # random bits hardly shrink
    text = base64.b64encode(content).decode()
    lines = [text[i : i + LINE] for i in range(0, len(text), LINE)]
    call = f'{name} = unpack({array.shape}, "{little.str}", """'
    return "\n".join([call, *lines, f'""")  # {comment}'])


def word_list(name: str, words: Sequence[str]) -> str:
    """Write words as a list; what is no visible character is escaped."""
    literals = [repr(word) for word in words]
    # Two right-to-left words in one line would be seen in exchanged places.
    right_to_left = any(
        unicodedata.bidirectional(character) in ("R", "AL") for word in words for character in word
    )
    if right_to_left:
        rows: Iterable[str] = [f"    {literal}," for literal in literals]
    else:
        rows = _filled(literals, "    ", "    ", ",")
    return "\n".join([f"{name} = [", *rows, "]"])


def _rows(array: NDArray[Any], notes: Sequence[str]) -> Iterator[str]:
    columns = [_aligned([_number(number) for number in column]) for column in array.T]
    for row, note in zip_longest(zip(*columns, strict=True), notes, fillvalue=""):
        *lines, last = _filled(row, "    [", "     ", "],")
        yield from lines
        commented = f"{last}  # {note}" if note else last
        yield commented if len(commented) <= LINE else last


def _aligned(numbers: Sequence[str]) -> list[str]:
    """Pad with blanks on both sides, so that the points stand one below the other."""
    parts = [number.partition(".") for number in numbers]
    left = max(len(whole) for whole, _point, _digits in parts)
    right = max(len(point + digits) for _whole, point, digits in parts)
    return [
        whole.rjust(left) + (point + digits).ljust(right) for whole, point, digits in parts
    ]  # fmt: skip


def _filled(parts: Sequence[str], first: str, later: str, end: str) -> Iterator[str]:
    """Lay parts into lines: ``first`` begins the first line, ``later`` the others."""
    line = first + parts[0]
    for part in parts[1:]:
        number = line.rstrip()
        if len(line) + len(part.rstrip()) + len(", ") + len(end) > LINE:
            yield f"{number},"
            line = later + part
        else:
            blanks = " " * (len(line) - len(number))
            line = f"{number},{blanks} {part}"
    yield line.rstrip() + end


def _number(number: Any) -> str:
    """As short as it can be written and read back; a whole number without its point."""
    value = float(number)
    if value.is_integer() and str(value) != "-0.0":
        return str(int(value))
    text = str(number)
    # What is shortest for float32 is read as float64 first; should that round it wrongly:
    return text if number.dtype.type(float(text)) == number else repr(value)
