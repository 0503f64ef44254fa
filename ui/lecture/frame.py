"""What stands around a page on a lecture screen: a heading, where we are, nothing else."""

from collections.abc import Mapping

import streamlit as st

from ui import controls, session
from ui.ideas import only
from ui.language import _
from ui.lecture import keys, overview, place, prepared
from ui.literal import literal
from ui.style import LECTURE


def style() -> None:
    """The look of a lecture screen, and which idea is on it; outside of a lecture no style.

    It is drawn always: Streamlit keeps a style that a fragment drew once and then no more.
    """
    if not session.lectures():
        st.html("<style></style>")
        return
    shown = place.idea()
    st.html(LECTURE + (only(shown) if shown else ""))


def head(heading: str, pinned: str, titles: Mapping[str, str]) -> None:
    """Draw the heading with the buttons for one step back and on; below it the pinned pair.

    Parameters
    ----------
    heading : str
        In the reader's language.
    pinned : str
        The sentence of the pinned pair; "" where the page has none.
    titles : mapping
        The pages with their titles in the reader's language.
    """
    own = prepared.current()
    if own is not None:
        heading = literal(prepared.lecture_on_hand().steps[own].title) or heading
    with st.container(key="page-title", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"# {heading}", width="content")
        st.space("stretch")
        with st.container(
            key="lecture-way", horizontal=True, vertical_alignment="center", gap=None,
            width="content", wrap=False,
        ):  # fmt: skip
            _button("back", "chevron_left", _("Back: ← or Page Up"), -1)
            overview.button(titles)
            if own is not None:
                st.markdown(_dots(), width="content")
            _button("next", "chevron_right", _("On: → or Page Down"), 1)
            controls.icon_button(
                "lecture-end", "close", _("Leave lecture mode"), on_click=place.switch_off
            )
    now = place.stop()
    if pinned and (now is None or now.pair):
        st.markdown(f"**{literal(pinned)}**")
    keys.listen(_move, session.set_head)


def _dots() -> str:
    """Which of the ideas of a prepared step is on screen."""
    now = place.stop()
    ideas = now.ideas if now else ()
    return "".join("●" if one == place.idea() else "○" for one in ideas) if len(ideas) > 1 else ""


def _button(name: str, icon: str, explanation: str, by: int) -> None:
    controls.icon_button(f"lecture-{name}", icon, explanation, on_click=place.go, args=(by,))


def _move(query: int, key: int) -> None:
    at, looked_at = session.pair()
    session.pin(at + query, looked_at + key)
