"""All heads at once, on one colour scale, each with its numbers."""

import numpy as np
import streamlit as st

from core.heads import NAMED_FROM, HeadFacts, head_facts, job
from core.trace import trace
from ui import describe, figures, plot, session, side_by_side
from ui.heads.names import head_name, job_name
from ui.ideas import height
from ui.language import _, decimal, percent
from ui.literal import literal
from ui.matrix import Pick
from ui.panels import pair_axes
from ui.tiles import weights_tile

_KEY = "heads-grid"


def grid() -> None:
    """A heatmap a head. A click makes it the current one, and pins the cell."""
    experiment = session.experiment()
    result = trace(experiment)
    query, key = session.pair()
    facts = head_facts(result.weights, result.allowed)
    count = experiment.num_heads
    columns = count if count <= 5 else (count + 1) // 2 if count <= 12 else 8
    tiles = [
        weights_tile(experiment, result, t, title=_title(t, short=columns > 5))
        for t in range(count)
    ]
    notes = [_notes(facts, t, short=columns > 5) for t in range(count)]
    if side_by_side.fits(tiles):
        below = side_by_side.weights(_KEY, tiles, _pick, max_height=345)
        for column, lines in zip(below, notes, strict=True):
            column.caption("  \n".join(map(literal, lines)))
    else:
        plot.show(
            figures.grid(
                tiles,
                columns=columns,
                axes=pair_axes(),
                outline=(query, key),
                height=height(430 if count <= columns else 520, 345),
                notes=notes,
                narrow=session.lectures(),
                clickable=True,
            ),
            key=_KEY,
            on_select=_click,
            selection_mode="points",
            alt=describe.heads_alt(experiment, result, query),
        )
    if session.lectures():
        return
    st.caption(
        _(
            "Click a cell: its head becomes the current one on all pages. A head “{example}” when "
            "it puts {share} of its weight or more there, on average over its queries.",
            example=job_name("previous"),
            share=percent(NAMED_FROM),
        )
    )


def _pick(head: int, pick: Pick) -> None:
    session.set_head(head)
    session.pin(pick.row, pick.col)


def _click() -> None:
    """Take the clicked cell out of what the browser says, checked."""
    points = st.session_state[_KEY].selection.points
    if not points:
        return
    experiment = session.experiment()
    clicked = points[0].get("customdata")
    limits = (experiment.num_heads, experiment.n, experiment.n)
    if not (isinstance(clicked, list) and len(clicked) == len(limits)):
        return
    if all(type(c) is int and 0 <= c < limit for c, limit in zip(clicked, limits, strict=True)):
        head, row, column = clicked
        session.set_head(head)
        session.pin(row, column)


def _title(head: int, *, short: bool) -> str:
    experiment = session.experiment()
    name = experiment.head_names[head] if experiment.head_names else ""
    title = f"{head} {name}".strip() if short else head_name(experiment, head)
    return f"▸ {title}" if head == session.head() else title


def _notes(facts: HeadFacts, head: int, *, short: bool) -> list[str]:
    def share(values: np.ndarray) -> str:
        return "–" if np.isnan(values[head]) else percent(values[head])

    earned = [f"“{name}”"] if (name := job_name(job(facts, head))) else []
    if session.lectures():  # there is no room for numbers that large
        return earned
    values = {
        "bits": "–" if np.isnan(facts.entropy[head]) else decimal(facts.entropy[head], 2),
        "distance": "–" if np.isnan(facts.distance[head]) else decimal(facts.distance[head], 1),
        "previous": share(facts.previous),
        "itself": share(facts.itself),
        "first": share(facts.first),
    }
    if short:
        return [
            _("{bits} bits, {distance} away", **values),
            _("back {previous}, self {itself}", **values),
            _("first {first}", **values),
            *earned,
        ]
    return [
        _("entropy {bits} bits · {distance} tokens away", **values),
        _("one back {previous} · itself {itself} · first {first}", **values),
        *earned,
    ]
