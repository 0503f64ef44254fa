"""Python side of the matrix component.

Python owns the truth: it sends matrices, the pick and what it has seen of the
browser's messages; the browser (``matrix.js``) draws and sends events back.

One state value, ``events``, carries everything the browser has to say::

    {"client": str,                       # one id for each mounted component
     "pick": {"seq": int, "panel": str, "row": int, "col": int} or None,
     "edits": [{"id": int, "panel": str, "row": int, "col": int, "text": str}, ...]}

Streamlit may merge two messages and keep only the newer one. So ``edits`` is an
outbox: an edit stays in it until Python has acknowledged its id, and Python
applies an id only once. Nothing is lost and nothing is applied twice.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike, NDArray

from ui.mounting import mounted

Slot = Literal["left", "right", "product"]
Scale = Literal["signed", "weights", "plain"]

MAX_TEXT = 10_000
"""Longest text, in characters, that one edit may carry."""

MAX_FLOAT64_CELLS = 4096
"""Panels with more cells than this are sent as float32, at half the bytes."""

DEFAULT_TEXTS: Mapping[str, str] = {
    "masked": "masked",
    "row": "row",
    "column": "column",
    "edit_hint": "Enter or double click to edit",
    "toggle_hint": "click or Space to switch",
    "pick_hint": "Point at a cell to read it",
    "panels": "Matrix to show",
    "too_long": "Nothing was pasted: the text is longer than 10 000 characters",
    "take": "Save as a picture or as numbers",
    "take_svg": "Picture (SVG)",
    "take_png": "Picture (PNG)",
    "take_csv": "Numbers (CSV)",
    "below_zero": "below 0",
}
"""What the component itself says, in English; ``texts`` replaces any of it."""

_mount, matrix_code = mounted("matrix", Path(__file__).parent)


@dataclass(frozen=True)
class Pick:
    """The outlined cell.

    Attributes
    ----------
    panel : {"left", "right", "product"}
        The panel that holds the cell.
    row, col : int
        Position in that panel, from 0.
    """

    panel: Slot
    row: int
    col: int


@dataclass(frozen=True)
class Edit:
    """What a person typed into, or pasted onto, a cell.

    Attributes
    ----------
    panel : {"left", "right", "product"}
        The panel that was edited.
    row, col : int
        The cell; the top left one when `text` is a pasted block.
    text : str
        Raw text, at most ``MAX_TEXT`` characters. A block holds tabs or newlines.
        From a toggle panel it is "0" or "1".
    """

    panel: Slot
    row: int
    col: int
    text: str


@dataclass(frozen=True, eq=False)
class Panel:
    """One checked matrix with its labels; make it with `panel`.

    Attributes
    ----------
    name, title : str
        `name` is used in the read-out, as in ``Q[it·8, 2]``; `title` heads the panel.
    values : ndarray of float64, shape (n_rows, n_cols)
        The numbers.
    rows, cols : tuple of str
        Labels, n_rows and n_cols of them.
    row_axis, col_axis : str
        What rows and columns are; may be empty.
    scale : {"signed", "weights", "plain"}
        Diverging around 0, sequential from 0 to 1, or no colour at all.
    limit : float
        The magnitude with the strongest colour, more than 0.
    digits : int
        Most decimals shown in a cell.
    editable, toggle : bool
        Whether a cell opens an input field; whether a click flips it.
    masked : ndarray of bool, shape (n_rows, n_cols), or None
        True where the cell is hatched and its number withheld.
    saved_as : str
        Title of its numbers in a CSV file, by which :mod:`core.tables` knows them again; empty for
        the title on screen.
    """

    name: str
    title: str
    values: NDArray[np.float64]
    rows: tuple[str, ...]
    cols: tuple[str, ...]
    row_axis: str
    col_axis: str
    scale: Scale
    limit: float
    digits: int
    editable: bool
    toggle: bool
    masked: NDArray[np.bool_] | None
    saved_as: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return len(self.rows), len(self.cols)


def panel(
    name: str,
    values: ArrayLike,
    rows: Sequence[str],
    cols: Sequence[str],
    *,
    title: str | None = None,
    row_axis: str = "",
    col_axis: str = "",
    scale: Scale = "signed",
    limit: float | None = None,
    digits: int = 2,
    editable: bool = False,
    toggle: bool = False,
    masked: ArrayLike | None = None,
    saved_as: str = "",
) -> Panel:
    """Check a matrix and its labels, and make a panel of them.

    Parameters
    ----------
    name : str
        Short name, such as ``"Q"``.
    values : array_like of float, shape (n_rows, n_cols)
        The numbers. NaN and infinities are allowed and shown as such.
    rows, cols : sequence of str
        One label for each row and each column. Shown as plain text, whatever they hold.
    title : str, optional
        Heading of the panel; the name by default.
    row_axis, col_axis : str
        What rows and columns are, such as ``"query: who looks"``.
    scale : {"signed", "weights", "plain"}
        ``"signed"`` diverges around 0; ``"weights"`` runs from 0 to 1, always; ``"plain"`` has
        no colour, for numbers of different kinds side by side.
    limit : float, optional
        Shared colour range of a signed panel: the magnitude with the strongest colour.
        The largest finite magnitude that is shown by default.
    digits : int
        Most decimals shown in a cell, 0 to 6; fewer when the cell is narrow.
    editable : bool
        Whether cells can be edited in place.
    toggle : bool
        Whether a click, Space or Enter flips a cell between 0 and 1.
    masked : array_like of bool, shape (n_rows, n_cols), optional
        True where the cell is hatched and its number withheld.
    saved_as : str
        Title of its numbers in a CSV file, such as ``"W_Q"``; the title on screen by default.

    Returns
    -------
    Panel

    Raises
    ------
    ValueError
        If the values are not a real matrix, or a shape, a label count, the scale, the
        limit or the digits do not fit; the sentence names both numbers.

    Examples
    --------
    >>> panel("Q", [[1.0, -2.0]], ["it·0"], ["0", "1"]).limit
    2.0
    """
    matrix = np.asarray(values)
    if matrix.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers, but its type is {matrix.dtype}.")
    if matrix.ndim != 2:
        raise ValueError(
            f"{name} must have 2 dimensions (rows, columns), but its shape is {matrix.shape}."
        )
    row_labels = _labels(name, "row", rows, matrix.shape[0])
    col_labels = _labels(name, "column", cols, matrix.shape[1])
    hidden = None if masked is None else np.array(masked, dtype=bool)
    if hidden is not None and hidden.shape != matrix.shape:
        raise ValueError(
            f"The mask of {name} has shape {hidden.shape}, but {name} has shape {matrix.shape}."
        )
    if scale not in get_args(Scale):
        raise ValueError(
            f'The scale of {name} must be "signed", "weights" or "plain", not {scale!r}.'
        )
    if not 0 <= digits <= 6:
        raise ValueError(f"The digits of {name} must be 0 to 6, not {digits}.")
    matrix = matrix.astype(np.float64)
    return Panel(
        name=name,
        title=name if title is None else title,
        values=matrix,
        rows=row_labels,
        cols=col_labels,
        row_axis=row_axis,
        col_axis=col_axis,
        scale=scale,
        limit=_limit(name, scale, limit, matrix, hidden),
        digits=digits,
        editable=editable,
        toggle=toggle,
        masked=hidden,
        saved_as=saved_as,
    )


def matrix_product(
    product: Panel,
    left: Panel | None = None,
    right: Panel | None = None,
    *,
    key: str,
    pick: Pick | None = None,
    on_pick: Callable[[Pick], None] | None = None,
    on_edit: Callable[[Edit], None] | None = None,
    texts: Mapping[str, str] | None = None,
    max_height: int | None = None,
) -> None:
    """Draw ``left × right = product`` side by side, or one panel alone.

    Parameters
    ----------
    product : Panel
        Shape (n, m). The only panel when `left` and `right` are None.
    left, right : Panel, optional
        Shapes (n, k) and (k, m); both or neither.
    key : str
        Key of the component, unique on the page, without a double underscore.
    pick : Pick, optional
        The cell to outline. One that lies outside its panel draws no outline.
    on_pick : callable, optional
        Called with a checked `Pick`, in a Streamlit callback, so before the rerun.
        Without it a cell can be read but not picked.
    on_edit : callable, optional
        Called with each checked `Edit` exactly once, in order, in a Streamlit callback.
        Without it no panel can be edited. What Python draws next is the truth: an edit
        that is not taken over shows the old number again.
    texts : mapping of str to str, optional
        Translations of entries of `DEFAULT_TEXTS`.
    max_height : int, optional
        Height in pixels that rows shrink to fit into.

    Raises
    ------
    ValueError
        If the shapes are not those of a product, only one operand is given, the key holds
        a double underscore, or `texts` has an entry that the component does not know.
    """
    panels = _panels(product, left, right)
    if "__" in key:
        raise ValueError(f"A matrix key must not hold a double underscore, but this is {key!r}.")
    unknown = sorted(set(texts or {}) - set(DEFAULT_TEXTS))
    if unknown:
        raise ValueError(f"Texts unknown to the matrix: {', '.join(unknown)}.")
    _tell(key, panels, pick)
    seen = st.session_state.get(_seen_key(key), _NOTHING_SEEN)
    _mount(
        key=key,
        data={
            "panels": [_encode(slot, one, on_edit is not None) for slot, one in panels.items()],
            "pick": _encode_pick(pick, panels),
            "picks": on_pick is not None,
            "ack": {"client": seen.client, "pick": seen.pick, "edit": seen.edit},
            "texts": {**DEFAULT_TEXTS, **(texts or {})},
            "maxHeight": max_height,
            "name": key,
        },
        on_events_change=partial(_receive, key, panels, on_pick, on_edit),
    )


@dataclass(frozen=True)
class Seen:
    """How far Python has read one browser's messages.

    Attributes
    ----------
    client : str
        Id of the mounted component.
    pick, edit : int
        Highest pick number and edit id that were taken.
    """

    client: str = ""
    pick: int = 0
    edit: int = 0


_NOTHING_SEEN = Seen()

Told = Callable[[str, "Mapping[Slot, Panel]", "Pick | None"], None]
_tell: Told = lambda key, panels, pick: None  # noqa: E731


def on_draw(tell: Told) -> None:
    """From now on ``tell`` hears of each drawn matrix: its key, panels by slot, and pick."""
    global _tell
    _tell = tell


def read_events(
    message: object, panels: Mapping[Slot, Panel], seen: Seen
) -> tuple[Pick | None, list[Edit], Seen]:
    """Take what is new and valid from a browser's message.

    Parameters
    ----------
    message : object
        The ``events`` value, as it came: nothing about it is taken for granted.
    panels : mapping of slot to Panel
        The panels that the browser was shown.
    seen : Seen
        What was taken before.

    Returns
    -------
    pick : Pick or None
        The new pick, if there is one.
    edits : list of Edit
        New edits in the order in which they were made.
    seen : Seen
        What has been taken now. Events that are refused count too, so that the browser
        stops sending them.
    """
    client = message.get("client") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(client, str) or not 0 < len(client) <= 64:
        return None, [], seen
    if client != seen.client:
        seen = Seen(client)

    pick, pick_seen = None, seen.pick
    sent = message.get("pick")
    if isinstance(sent, dict) and _is_int(sent.get("seq")) and sent["seq"] > pick_seen:
        pick_seen = sent["seq"]
        cell = _cell(sent, panels)
        pick = Pick(*cell) if cell else None

    edits, edit_seen = [], seen.edit
    outbox = message.get("edits")
    for one in outbox if isinstance(outbox, list) else []:
        if not isinstance(one, dict) or not _is_int(one.get("id")) or one["id"] <= edit_seen:
            continue
        edit_seen = one["id"]
        cell, text = _cell(one, panels), one.get("text")
        if cell is None or not isinstance(text, str) or len(text) > MAX_TEXT:
            continue
        if panels[cell[0]].editable or (panels[cell[0]].toggle and text in {"0", "1"}):
            edits.append(Edit(*cell, text))
    return pick, edits, Seen(client, pick_seen, edit_seen)


def _receive(
    key: str,
    panels: Mapping[Slot, Panel],
    on_pick: Callable[[Pick], None] | None,
    on_edit: Callable[[Edit], None] | None,
) -> None:
    """Streamlit callback: hand new events to the page, each once."""
    seen = st.session_state.get(_seen_key(key), _NOTHING_SEEN)
    pick, edits, seen = read_events(st.session_state[key].get("events"), panels, seen)
    # Noted first: an event whose callback raises must not come back for ever.
    st.session_state[_seen_key(key)] = seen
    if pick is not None and on_pick is not None:
        on_pick(pick)
    if on_edit is not None:
        for edit in edits:
            on_edit(edit)


def _seen_key(key: str) -> str:
    return f"{key}:seen"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _cell(event: dict[str, Any], panels: Mapping[Slot, Panel]) -> tuple[Slot, int, int] | None:
    """Slot, row and column of an event, or None when there is no such cell."""
    slot, row, col = event.get("panel"), event.get("row"), event.get("col")
    for known, one in panels.items():
        if known == slot and _is_int(row) and _is_int(col):
            inside = 0 <= row < one.shape[0] and 0 <= col < one.shape[1]  # type: ignore[operator]
            return (known, row, col) if inside else None  # type: ignore[return-value]
    return None


def _labels(name: str, what: str, labels: Sequence[str], count: int) -> tuple[str, ...]:
    if isinstance(labels, str):
        raise ValueError(f"The {what} labels of {name} must be a sequence of texts, not one text.")
    if len(labels) != count:
        raise ValueError(
            f"{name} needs {count} {what} labels, one for each {what}, but {len(labels)} came."
        )
    return tuple(str(label) for label in labels)


def _limit(
    name: str,
    scale: Scale,
    limit: float | None,
    values: NDArray[np.float64],
    masked: NDArray[np.bool_] | None,
) -> float:
    """Magnitude with the strongest colour; 1 when there is nothing to scale by."""
    if scale != "signed":
        if limit is not None:
            raise ValueError(f"{name} has a {scale} scale, which takes no limit, but {limit} came.")
        return 1.0
    if limit is None:
        shown = np.isfinite(values) if masked is None else np.isfinite(values) & ~masked
        limit = float(np.max(np.abs(values), where=shown, initial=0.0))
    if not (np.isfinite(limit) and limit >= 0):
        raise ValueError(f"The limit of {name} must be a finite number of 0 or more, not {limit}.")
    return float(limit) or 1.0


def _panels(product: Panel, left: Panel | None, right: Panel | None) -> dict[Slot, Panel]:
    """Panels by slot, in drawing order, with the shapes of a product."""
    if left is None and right is None:
        return {"product": product}
    if left is None or right is None:
        raise ValueError("A product needs both operands, left and right, or neither.")
    if left.shape[1] != right.shape[0]:
        raise ValueError(
            f"{left.name} has {left.shape[1]} columns, but {right.name} has {right.shape[0]} rows."
        )
    expected = (left.shape[0], right.shape[1])
    if product.shape != expected:
        raise ValueError(
            f"{left.name} × {right.name} has shape {expected}, "
            f"but {product.name} has shape {product.shape}."
        )
    return {"left": left, "right": right, "product": product}


def _encode(slot: Slot, one: Panel, can_edit: bool) -> dict[str, Any]:
    """JSON form of a panel; numbers as base64 of little-endian floats, mask as packed bits."""
    dtype = "<f8" if one.values.size <= MAX_FLOAT64_CELLS else "<f4"
    return {
        "slot": slot,
        "name": one.name,
        "title": one.title,
        "rows": one.rows,
        "cols": one.cols,
        "rowAxis": one.row_axis,
        "colAxis": one.col_axis,
        "scale": one.scale,
        "limit": one.limit,
        "digits": one.digits,
        "editable": one.editable and can_edit,
        "toggle": one.toggle and can_edit,
        "dtype": dtype,
        "values": _base64(one.values.astype(dtype)),
        "savedAs": one.saved_as,
        "masked": None if one.masked is None else _base64(np.packbits(one.masked)),
    }


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def _encode_pick(pick: Pick | None, panels: Mapping[Slot, Panel]) -> dict[str, Any] | None:
    if pick is None:
        return None
    event = {"panel": pick.panel, "row": int(pick.row), "col": int(pick.col)}
    return event if _cell(event, panels) else None
