"""Parts of a page that a lecture shows one at a time; outside of a lecture they are all there.

A part is a container with a name. Which one a lecture shows is a matter of style alone, so that
going from one to the next draws nothing again.
"""

from collections.abc import Sequence
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui import session

_DRAWN = "ideas:drawn"


def begin() -> None:
    """Forget which ideas were drawn: a page begins."""
    drawn().clear()


def drawn() -> set[str]:
    """The ideas that the page on screen has; some come only once there is something to show."""
    names: set[str] = st.session_state.setdefault(_DRAWN, set())
    return names


def idea(name: str) -> DeltaGenerator:
    """A container for one idea of a page.

    Parameters
    ----------
    name : str
        As in :data:`ui.lecture.walk.STOPS`.
    """
    drawn().add(name)
    return st.container(key=f"idea-{name}", gap="small")


def columns(
    weights: Sequence[float],
    names: Sequence[str],
    gap: Literal["small", "medium", "large"] | None = "medium",
) -> list[DeltaGenerator]:
    """Ideas side by side; one below the other in a lecture, where each has the screen for itself.

    Parameters
    ----------
    weights : sequence of float
        Widths of the columns.
    names : sequence of str
        Of the ideas, one for each column.
    """
    if session.lectures():
        return [idea(name) for name in names]
    made = []
    for column, name in zip(st.columns(weights, gap=gap), names, strict=True):
        with column:
            made.append(idea(name))
    return made


def only(name: str) -> str:
    """Style that leaves this idea on the screen and no other."""
    wrapper = '.st-key-page [data-testid="stLayoutWrapper"]'
    return (
        f'<style>{wrapper}:has(> [class*="st-key-idea-"]):not(:has(> .st-key-idea-{name}))'
        " { display: none; }</style>"
    )


def height(normal: int, lecture: int) -> int:
    """Height of a picture, which has the screen for itself in a lecture; before it is enlarged."""
    return lecture if session.lectures() else normal
