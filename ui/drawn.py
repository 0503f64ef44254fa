"""What the page on screen has drawn, in its order, so that it can be taken away as it is.

Pages do not know of this: ``plot.show`` and the matrix component tell what they draw. A part that
runs again by itself replaces what it drew before.
"""

from collections.abc import Mapping

import streamlit as st

from ui.matrix import Panel, Pick, Slot, on_draw
from ui.view_page import Drawn, Heading, Product

_THINGS = "drawn:things"


def begin(heading: str, sentence: str) -> None:
    """Forget what was drawn: a page begins, under its heading and the sentence beside it."""
    things().clear()
    note("heading", Heading(heading, sentence))
    on_draw(_matrix)


def note(key: str, thing: Drawn) -> None:
    """Remember a thing; what has been drawn under this key is replaced in its place."""
    things()[key] = thing


def things() -> dict[str, Drawn]:
    """Everything by its key, in the order drawn; the same dictionary all through the session."""
    known: dict[str, Drawn] = st.session_state.setdefault(_THINGS, {})
    return known


def _matrix(key: str, panels: Mapping[Slot, Panel], pick: Pick | None) -> None:
    note(f"matrix {key}", Product(panels, pick))
