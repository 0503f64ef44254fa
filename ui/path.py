"""The path: a thread through all pages, with a question to answer first on each."""

from collections.abc import Mapping

import streamlit as st

from ui import controls, questions, session
from ui.language import _
from ui.literal import literal

_GUESSES = "path-guesses"
_SHOW_ME = -1


def asks(page: str) -> bool:
    """Whether the page's question is still to be answered, so that the page waits."""
    return session.guesses_first() and questions.ask(page) is not None and _guess(page) is None


def question(page: str) -> None:
    """Draw the question of a page and its answers to click."""
    asked = questions.ask(page)
    if asked is None:
        return
    with st.container(key="question", border=True):
        st.caption(_("Guess first"))
        st.markdown(f"## {literal(asked.text)}")
        with st.container(horizontal=True, gap="small"):
            for index, answer in enumerate(asked.answers):
                st.button(
                    literal(answer),
                    key=f"answer-{page}-{index}",
                    on_click=_answer,
                    args=(page, asked.text, index),
                )
        st.button(
            _("Just show me"),
            key=f"answer-{page}-show",
            on_click=_answer,
            args=(page, asked.text, _SHOW_ME),
            type="tertiary",
        )


def answer(page: str) -> None:
    """Say whether the guess was right, and why."""
    asked, guess = questions.ask(page), _guess(page)
    if not session.guesses_first() or asked is None or guess is None:
        return
    if guess == _SHOW_ME:
        st.caption(literal(asked.because))
    elif guess in asked.right:
        st.success(literal(_("Right. {because}", because=asked.because)), icon=":material/check:")
    else:
        text = _("You said {guess}. {because}", guess=asked.answers[guess], because=asked.because)
        st.info(literal(text), icon=":material/lightbulb:")


def strip(page: str, titles: Mapping[str, str]) -> None:
    """Where the reader is, what has been seen, one step back and one on.

    Parameters
    ----------
    page : str
        The page on screen.
    titles : mapping
        All pages in the order of the path, with their titles.
    """
    session.mark_seen(page)
    order = list(titles)
    place = order.index(page)
    seen = session.seen_pages()
    marks = "".join("●" if name == page else "✓" if name in seen else "○" for name in order)
    with st.container(key="path", horizontal=True, vertical_alignment="center", gap="small"):
        if place:
            _link(order[place - 1], titles, ":material/chevron_left:")
        st.caption(
            _("{marks} step {step} of {count}", marks=marks, step=place + 1, count=len(order)),
            width="content",
        )
        controls.option("guess", _("Guess first"), {"": _("show"), "first": _("guess first")}, "")
        st.space("stretch")
        if place + 1 < len(order):
            _link(order[place + 1], titles, ":material/chevron_right:")


def _link(page: str, titles: Mapping[str, str], icon: str) -> None:
    st.page_link(f"pages/{page}.py", label=titles[page], icon=icon, width="content")


def _answer(page: str, text: str, index: int) -> None:
    st.session_state.setdefault(_GUESSES, {})[page] = (text, index)


def _guess(page: str) -> int | None:
    """The reader's guess at this very question, while it is one of the answers that there are."""
    text, guess = st.session_state.get(_GUESSES, {}).get(page, ("", None))
    asked = questions.ask(page)
    if guess is None or asked is None or text != asked.text or guess >= len(asked.answers):
        return None
    return int(guess)
