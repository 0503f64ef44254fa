"""The hatch over masked cells, for palettes whose greys mean numbers; no Streamlit in here."""

import base64
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from core.arrays import BoolArray

_LINES = 18  # about as many in a picture's tile, however many cells it has


def hatched(trace: Mapping[str, Any], colour: str) -> dict[str, Any]:
    """A Plotly shape: slanted lines over the cells that a layer of masked cells covers.

    Parameters
    ----------
    trace : mapping
        A heatmap as it is sent, a number where a cell is masked and NaN elsewhere.
    colour : str
    """
    masked = _masked(trace["z"])
    if "x0" in trace:
        x0, dx, y0, dy = (float(trace[name]) for name in ("x0", "dx", "y0", "dy"))
    else:  # categories are counted from 0
        x0, dx, y0, dy = 0.0, 1.0, 0.0, 1.0
    path = "".join(
        f"M{x0 + (j - 0.5) * dx:.6g},{y0 + (i + 0.5) * dy:.6g}"
        f"L{x0 + (b + 0.5) * dx:.6g},{y0 + (a - 0.5) * dy:.6g}"
        for i, j, a, b in _slants(masked.tobytes(), masked.shape)
    )
    return {
        "type": "path", "path": path, "xref": trace.get("xaxis", "x"),
        "yref": trace.get("yaxis", "y"), "line": {"color": colour, "width": 0.8},
    }  # fmt: skip


def _masked(packed: Any) -> BoolArray:
    if isinstance(packed, dict):
        numbers = np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
        shape = tuple(int(size) for size in str(packed["shape"]).split(","))
        return np.asarray(np.isfinite(numbers).reshape(shape))
    return np.asarray(np.isfinite(np.asarray(packed, dtype=float)))


@lru_cache(maxsize=32)
def _slants(masked: bytes, shape: tuple[int, int]) -> list[tuple[int, int, int, int]]:
    """Runs of masked cells on the slants of a matrix: the row and column where each begins, below
    and left, and where it ends. All tiles of a picture have the same ones.

    Of a large matrix only every few slants are drawn, and all short runs, which may lie alone.
    """
    rows, columns = shape
    turned = np.frombuffer(masked, dtype=bool).reshape(shape)[::-1]
    every = max(1, -(-max(shape) // _LINES))
    found = []
    for slant in range(1 - rows, columns):
        run = np.diff(np.diagonal(turned, slant).astype(np.int8), prepend=0, append=0)
        row, column = rows - 1 + min(0, slant), max(0, slant)
        for begin, end in zip(np.flatnonzero(run > 0), np.flatnonzero(run < 0), strict=True):
            if slant % every == 0 or end - begin < every:
                last = int(end) - 1
                found.append((row - int(begin), column + int(begin), row - last, column + last))
    return found
