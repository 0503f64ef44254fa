"""The lecture that the reader has prepared: its steps, and which of them is on."""

from collections.abc import Callable

import streamlit as st

from core import lecture
from core.errors import Refusal
from core.lecture import Lecture, Step
from core.link import MAX_LENGTH
from ui import language, session
from ui.lecture.walk import PAGES

_KEY = "lecture:prepared"
_LEFT = "lecture:left"  # the step at which the reader left it
_STEP, IDEA = "step", "idea"
# How the app looks, not what it shows: that stays when a step is opened.
_OF_THE_SCREEN = ("lang", "lecture", "palette", "guess", _STEP, IDEA)


def begin() -> None:
    """On the session's first run: the lecture of the link, at the step of the link."""
    if _KEY in st.session_state:
        return
    st.session_state[_KEY] = Lecture()
    try:
        _keep(lecture.from_link(session.carried_list(), PAGES))
    except Refusal as refusal:
        session.carry_list("")
        session.notify(language.sentence(refusal))
    place = current()
    if place is not None and not session.address_names_experiment():
        idea = session.chosen(IDEA)
        open_step(place)
        session.set_option(IDEA, "", idea)  # a reload in the middle of a step


def lecture_on_hand() -> Lecture:
    """The steps that were prepared, or opened from a link or a file."""
    made: Lecture = st.session_state[_KEY]
    return made


def change(make: Callable[[Lecture], Lecture]) -> None:
    """Replace the lecture by ``make(lecture)``; a refusal becomes a notice instead."""
    try:
        _keep(make(lecture_on_hand()))
    except Refusal as refusal:
        session.notify(language.sentence(refusal))


def _keep(made: Lecture) -> None:
    st.session_state[_KEY] = made
    session.carry_list(lecture.to_link(made))


def on_screen(title: str = "") -> Step:
    """What is on screen, as a step."""
    words, _whole = session.state_in_words(longest=lecture.MAX_WORD)
    skipped = (*_OF_THE_SCREEN, "list")
    return Step(session.page(), {k: v for k, v in words.items() if k not in skipped}, title)


def current() -> int | None:
    """Which of the steps is on, from 0; None outside of a prepared lecture."""
    steps = range(1, len(lecture_on_hand().steps) + 1)
    text = session.option(_STEP, tuple(map(str, steps)), "") if session.lectures() else ""
    return int(text) - 1 if text else None


def open_step(place: int) -> bool:
    """Open a step; one whose state cannot be used leaves all as it is and gives False."""
    step = lecture_on_hand().steps[place]
    if not session.open_words(step.state, _OF_THE_SCREEN):
        return False
    session.set_option(_STEP, "", str(place + 1))
    session.set_option(IDEA, "", "")
    session.turn_to(step.page)
    return True


def short_words() -> dict[str, str] | None:
    """What the link needs while a step is on screen as it was prepared: the lecture, and which."""
    place = current()
    text = session.carried_list()
    if place is None or len(text) > MAX_LENGTH:
        return None
    step = lecture_on_hand().steps[place]
    if on_screen(step.title) != step:
        return None
    words = {name: session.chosen(name) for name in _OF_THE_SCREEN}
    return {name: value for name, value in words.items() if value} | {"list": text}


def start(step: int = 0) -> None:
    """Go into lecture mode at a step; one that is damaged is told, and left out."""
    count = len(lecture_on_hand().steps)
    if any(open_step(place) for place in range(step, count)):  # the first that can be opened
        session.set_option("lecture", "", "on")


def leave() -> None:
    """Remember the step that is on, if one is; before lecture mode ends."""
    place = current()
    if place is not None:
        st.session_state[_LEFT] = lecture_on_hand().steps[place]


def left() -> int:
    """The step at which the reader left the list, from 0; 0 where it is in it no more."""
    step: Step | None = st.session_state.get(_LEFT)
    steps = lecture_on_hand().steps
    return steps.index(step) if step in steps else 0
