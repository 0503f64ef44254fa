"""The scores that all lessons of the page share: where they begin, and what was moved."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from core.arrays import Array
from core.softmax_steps import TRIAD
from core.trace import trace
from ui import controls, describe, drag, session
from ui.language import _
from ui.literal import short

_ROUND = (
    1.0,
    1.2,
    1.6,
    2.0,
    3.0,
    4.0,
    5.0,
    6.0,
    8.0,
    10.0,
)  # ends of a scale that are easy to read
_MOVED = "soft:moved"  # in the session: what the moved scores were at first, and what they are


@dataclass(frozen=True)
class Row:
    """One row of scores, at least one."""

    source: str  # "article", "pinned" or "even"
    labels: tuple[str, ...]
    first: Array  # (n,)  as they were before anything was moved
    values: Array  # (n,)
    left_out: tuple[str, ...] = ()  # keys that the mask forbids

    @property
    def moved(self) -> bool:
        """Whether a score is not where it began."""
        return not np.array_equal(self.first, self.values)

    @property
    def limit(self) -> float:
        """How far bars may go: the same before and after a move."""
        needed = max(5.0, 1.15 * float(np.abs(self.first).max()))
        power = 10.0 ** math.floor(math.log10(needed))
        return next(part * power for part in _ROUND if part * power >= needed)

    @property
    def step(self) -> float:
        """One press of an arrow key: 0.1, more where scores are huge."""
        return float(max(0.1, 10 ** math.floor(math.log10(self.limit / 50))))


def choose(*, shown: bool = True) -> Row | None:
    """Draw the choice of where the scores begin; None when the mask leaves the pinned row none."""
    names = {
        "article": _("animal, tired, street"),
        "pinned": _("your pinned row"),
        "even": _("all equal"),
    }
    if shown:
        st.markdown(_("scores"), width="content")
        controls.option("scores", _("Scores to start from"), names, "article")
    row = _begun(session.option("scores", tuple(names), "article"))
    if shown and row is not None:
        controls.icon_button(
            "soft-reset",
            "restart_alt",
            _("Scores as they were at first"),
            on_click=put,
            args=(row, row.first),
            disabled=not row.moved,
        )
    return row


def put(row: Row, values: Array | tuple[float, ...]) -> None:
    """Move the scores of a row."""
    limit = row.limit
    moved = tuple(float(value) for value in np.clip(values, -limit, limit))
    st.session_state[_MOVED] = (row.source, tuple(row.first), moved)


def draw(row: Row, key: str, height: int) -> None:
    """Draw the scores as bars to drag."""
    drag.bars(
        key,
        [short(label) for label in row.labels],
        list(row.values),
        partial(put, row),
        limit=row.limit,
        step=row.step,
        height=height,
    )


def _begun(source: str) -> Row | None:
    """The row as it is now. What was moved counts only on the scores that it was moved on."""
    labels, scores, left_out = _source(source)
    if not labels:
        return None
    first = np.array(scores, dtype=np.float64)
    of, at_first, moved = st.session_state.get(_MOVED, ("", (), ()))
    same = of == source and at_first == tuple(first)
    return Row(source, labels, first, np.array(moved) if same else first, left_out)


def _source(source: str) -> tuple[tuple[str, ...], Array | tuple[float, ...], tuple[str, ...]]:
    """Labels, scores, and who is left out."""
    if source == "article":
        return (_("animal"), _("tired"), _("street")), TRIAD, ()
    if source == "even":
        return ("a", "b", "c", "d"), (0.0,) * 4, ()
    experiment = session.experiment()
    result = trace(experiment)
    query = session.pair()[0]
    labels, allowed = describe.short_labels(experiment), result.allowed[query]
    kept = tuple(label for label, may in zip(labels, allowed, strict=True) if may)
    out = tuple(label for label, may in zip(labels, allowed, strict=True) if not may)
    return kept, result.masked_scores[session.head(), query][allowed], out
