"""The overview of a lecture: go anywhere, change the language, guess first or not."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ui import language, path, session
from ui.language import LANGUAGES, _
from ui.lecture import place, prepared
from ui.literal import literal

_PAGES, _STEPS = 3, 2  # columns; titles of steps are longer
_HEIGHT = 240  # in pixels before they are enlarged; a list of many steps scrolls in it
_FEW = 12  # buttons that need no scrolling


def button(titles: Mapping[str, str]) -> None:
    """Draw where the lecture is, as the button that opens the overview.

    Parameters
    ----------
    titles : mapping
        The pages with their titles in the reader's language.
    """
    at, count = place.position()
    where = f"{at + 1}\u202f/\u202f{count}"
    if st.button(where, key="lecture-overview", help=_("Overview (o)"), type="tertiary"):
        st.dialog(_("Overview"), width="large", on_dismiss="rerun")(_dialog)(titles)


def _dialog(titles: Mapping[str, str]) -> None:
    own = prepared.current()
    if own is None:
        _choose(titles, session.page(), place.open_page, _PAGES)
    else:
        steps = prepared.lecture_on_hand().steps
        names = {i: f"{i + 1}. {step.title or titles[step.page]}" for i, step in enumerate(steps)}
        _choose(names, own, place.open_step, _STEPS)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        path.choose_guessing("lecture-asks")
        _language()


def _choose(
    names: Mapping[Any, str], now: object, go: Callable[[Any], object], across: int
) -> None:
    """A button for each place to go to; the present one stands out."""
    many = len(names) > _FEW
    with st.container(key="lecture-places", height=_HEIGHT if many else "content", border=False):
        columns = st.columns(across)
        rows = -(-len(names) // across)
        for i, (name, text) in enumerate(names.items()):
            pressed = columns[i // rows].button(
                literal(text),
                key=f"lecture-place-{i}",
                icon=":material/location_on:" if name == now else None,
                width="stretch",
            )
            if pressed:
                go(name)
                st.rerun()  # closes the dialog


def _language() -> None:
    """A button for each other language; the whole page speaks it then, so the dialog closes."""
    for code, name in LANGUAGES.items():
        if code == language.current():
            continue
        if st.button(name, key=f"lecture-speak-{code}", icon=":material/translate:"):
            session.set_option("lang", language.best_language(st.context.locale), code)
            st.rerun()
