"""Keys of a lecture: steps, and the pinned pair and the head moved without a mouse."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

_KEY, _SEEN = "lecture-keys", "lecture:keys"
_MOST = 10**6  # moves in one message; a browser's message may say anything

_mount = st.components.v2.component(
    "attention_keys", js=Path(__file__).with_name("keys.js").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class Moved:
    """What the keys have said since a page was opened.

    Attributes
    ----------
    client : str
        Id of the page in the browser.
    query, key : int
        Sums of all moves down and to the right.
    heads : int
        How often a head was chosen.
    head : int or None
        The last one.
    """

    client: str = ""
    query: int = 0
    key: int = 0
    heads: int = 0
    head: int | None = None


def listen(on_move: Callable[[int, int], None], on_head: Callable[[int], None]) -> None:
    """Listen to the keys while a lecture is on.

    Parameters
    ----------
    on_move : callable
        Called with how far the pinned query and key move.
    on_head : callable
        Called with the number of a head.
    """

    def receive() -> None:
        before: Moved = st.session_state.get(_SEEN, Moved())
        # A key pressed while a page turns may come without the component.
        state = st.session_state.get(_KEY)
        now = read(state.get("moved")) if state is not None else None
        if now is None:
            return
        st.session_state[_SEEN] = now
        if now.client != before.client:
            before = Moved(now.client)
        if (now.query, now.key) != (before.query, before.key):
            on_move(now.query - before.query, now.key - before.key)
        if now.heads != before.heads and now.head is not None:
            on_head(now.head)

    _mount(key=_KEY, on_moved_change=receive, height=1)


def read(message: object) -> Moved | None:
    """A browser's message, checked; None for what is not ours."""
    if not isinstance(message, dict) or not isinstance(message.get("client"), str):
        return None
    sums = [one for name in ("query", "key", "heads") if type(one := message.get(name)) is int]
    if len(sums) < 3 or max(map(abs, sums)) > _MOST:
        return None
    head = message.get("head")
    query, key, heads = sums
    return Moved(message["client"][:64], query, key, heads, head if type(head) is int else None)
