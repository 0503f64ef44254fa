"""The path: a thread through all pages, with a question to answer first on each."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import streamlit as st

from ui import controls, questions, session
from ui.language import _
from ui.literal import literal
from ui.questions import Question

_GUESSES, _READ = "path-guesses", "path-read"
_SHOW_ME = -1


class Asked(NamedTuple):
    """A page's question while guesses come first, and what the reader has said to it so far."""

    question: Question
    guess: int | None  # place of an answer, or that the reader just wants to see
    read: bool  # whether a lecture has gone on from what was said to the guess


def asked(page: str) -> Asked | None:
    """The question of a page; None where pages show at once, or there is nothing to ask."""
    question = questions.ask(page) if session.guesses_first() else None
    if question is None:
        return None
    if session.lectures() and page in st.session_state.get(_READ, ()):
        return Asked(question, _SHOW_ME, read=True)  # whatever is pinned since then
    return Asked(question, _guess(page, question), read=False)


def answer_next(page: str) -> bool:
    """Go on by one: from a question to its answer, from there to the page.

    Returns
    -------
    bool
        False when there is no question in the way.
    """
    now = asked(page)
    if now is None or (now.guess is not None and now.read):
        return False
    if now.guess is None:
        _answer(page, now.question.text, _SHOW_ME)
    else:
        st.session_state.setdefault(_READ, set()).add(page)
    return True


def ask_again() -> None:
    """A lecture asks anew on another page, whatever was guessed there before."""
    st.session_state[_READ] = set()
    st.session_state[_GUESSES] = {}


def ask(page: str, question: Question) -> None:
    """Draw a question and its answers to click."""
    with st.container(key="question", border=True):
        st.caption(_("Guess first"))
        st.markdown(f"## {literal(question.text)}")
        with st.container(horizontal=True, gap="small"):
            for index, answer in enumerate(question.answers):
                st.button(
                    literal(answer),
                    key=f"answer-{page}-{index}",
                    on_click=_answer,
                    args=(page, question.text, index),
                )
        st.button(
            _("Just show me"),
            key=f"answer-{page}-show",
            on_click=_answer,
            args=(page, question.text, _SHOW_ME),
            type="tertiary",
        )


def reply(question: Question, guess: int) -> None:
    """Say whether the guess was right, and why."""
    because = question.because
    if session.lectures():
        st.markdown(f"## {literal(question.text)}")
    if guess == _SHOW_ME:
        say = st.subheader if session.lectures() else st.caption
        say(literal(because))
    elif guess in question.right:
        st.success(literal(_("Right. {because}", because=because)), icon=":material/check:")
    else:
        text = _("You said {guess}. {because}", guess=question.answers[guess], because=because)
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
        choose_guessing("option-guess")
        st.space("stretch")
        if place + 1 < len(order):
            _link(order[place + 1], titles, ":material/chevron_right:")


def choose_guessing(key: str) -> None:
    """Draw the choice of whether pages ask first; where several can be on screen each has a key."""
    names = {"": _("show"), "first": _("guess first")}
    value = session.option("guess", tuple(names), "")
    choose = partial(session.set_option, "guess", "")
    controls.choose(key, _("Guess first"), names, value, choose)


def _link(page: str, titles: Mapping[str, str], icon: str) -> None:
    st.page_link(f"pages/{page}.py", label=titles[page], icon=icon, width="content")


def _answer(page: str, text: str, index: int) -> None:
    st.session_state.setdefault(_GUESSES, {})[page] = (text, index)


def _guess(page: str, question: Question) -> int | None:
    """The reader's guess at this very question, while it is one of the answers that there are."""
    text, guess = st.session_state.get(_GUESSES, {}).get(page, ("", None))
    if guess is None or text != question.text or guess >= len(question.answers):
        return None
    return int(guess)
