"""Python side of the drag component.

Python owns the truth: it sends numbers and what it has taken of the browser's messages; the browser
(``drag.js``) draws them and sends back what a person moved them to.

One state value, ``events``, carries everything the browser has to say::

    {"client": str,            # one id for each mounted component
     "seq": int,               # grows with every move
     "values": [float, ...]}   # all numbers, the moved one among them

Every message is whole, so that one which Streamlit merges away is not missed.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st

from ui.mounting import mounted

Moved = Callable[[tuple[float, ...]], None]

_mount, drag_code = mounted("drag", Path(__file__).parent)


def arrows(
    key: str,
    labels: tuple[str, str],
    values: Sequence[float],
    on_move: Moved,
    *,
    limit: int = 5,
    step: float = 0.1,
    height: int = 420,
) -> None:
    """Draw two arrows a and b from the origin of a plane, their angle and the shadow of b on a.

    Parameters
    ----------
    key : str
        Key of the component, unique on the page.
    labels : (str, str)
        Names of a and b; shown as plain text.
    values : a₁, a₂, b₁, b₂
    on_move : callable
        Called with four checked numbers, in a Streamlit callback, so before the rerun. What
        Python draws next is the truth: a move that is not taken over goes back.
    limit : int
        The plane reaches from −limit to limit.
    step : float
        One press of an arrow key; moved numbers are whole steps.
    height : int
        In pixels.

    Raises
    ------
    ValueError
        If there are not four finite numbers within the limit.
    """
    if len(labels) != 2 or len(values) != 4:
        raise ValueError(f"2 names and 4 numbers are needed; {len(labels)} and {len(values)} came.")
    _draw("arrows", key, labels, values, on_move, limit, step, height)


def bars(
    key: str,
    labels: Sequence[str],
    values: Sequence[float],
    on_move: Moved,
    *,
    limit: float = 5,
    step: float = 0.1,
    height: int = 300,
) -> None:
    """Draw numbers as bars around 0, each with its name below; parameters as in :func:`arrows`.

    Raises
    ------
    ValueError
        If there is no bar, a name is missing, or a number is not finite and within the limit.
    """
    if not values or len(labels) != len(values):
        raise ValueError(f"Every bar needs a name: {len(labels)} names, {len(values)} numbers.")
    _draw("bars", key, labels, values, on_move, limit, step, height)


@dataclass(frozen=True)
class Seen:
    """How far Python has read one browser's messages: its id, and the highest number taken."""

    client: str = ""
    seq: int = 0


def read_event(
    message: object, count: int, limit: float, seen: Seen
) -> tuple[tuple[float, ...] | None, Seen]:
    """Take the numbers of a message if they are new and valid.

    Parameters
    ----------
    message : object
        The ``events`` value, as it came: nothing about it is taken for granted.
    count : int
        How many numbers the browser was shown.
    limit : float
        No number may be larger, nor smaller than −limit.
    seen : Seen
        What was taken before.

    Returns
    -------
    values : tuple of float, or None
        All numbers, if there is a new move.
    seen : Seen
        What has been taken now. A move that is refused counts too, so that the browser shows the
        truth again.
    """
    if not isinstance(message, dict):
        return None, seen
    client, seq = message.get("client"), message.get("seq")
    if not isinstance(client, str) or not 0 < len(client) <= 64:
        return None, seen
    if not isinstance(seq, int) or isinstance(seq, bool) or seq < 1:
        return None, seen
    if client == seen.client and seq <= seen.seq:
        return None, seen
    return _checked(message.get("values"), count, limit), Seen(client, seq)


def _checked(values: object, count: int, limit: float) -> tuple[float, ...] | None:
    if not isinstance(values, list) or len(values) != count:
        return None
    for value in values:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        if not -limit <= value <= limit:  # NaN is not either
            return None
    return tuple(map(float, values))


def _draw(
    form: Literal["arrows", "bars"],
    key: str,
    labels: Sequence[str],
    values: Sequence[float],
    on_move: Moved,
    limit: float,
    step: float,
    height: int,
) -> None:
    if not all(math.isfinite(value) and abs(value) <= limit for value in values):
        raise ValueError(f"Every number must be finite and within ±{limit}, but {values} came.")
    seen = st.session_state.get(_seen_key(key), Seen())
    data: dict[str, Any] = {
        "form": form,
        "labels": list(labels),
        "values": list(map(float, values)),
        "limit": limit,
        "step": step,
        "height": height,
        "ack": {"client": seen.client, "seq": seen.seq},
    }
    receive = partial(_receive, key, len(values), limit, on_move)
    _mount(key=key, data=data, on_events_change=receive)


def _receive(key: str, count: int, limit: float, on_move: Moved) -> None:
    """Streamlit callback: hand a new move to the page, once."""
    seen = st.session_state.get(_seen_key(key), Seen())
    values, seen = read_event(st.session_state[key].get("events"), count, limit, seen)
    # Noted first: a move whose callback raises must not come back for ever.
    st.session_state[_seen_key(key)] = seen
    if values is not None:
        on_move(values)


def _seen_key(key: str) -> str:
    return f"{key}:seen"
