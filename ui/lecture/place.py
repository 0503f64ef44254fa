"""Where a lecture is, and one step on or back: in the prepared steps, else in the walk."""

from collections.abc import Mapping

from ui import path, session
from ui.ideas import drawn
from ui.lecture import prepared
from ui.lecture.walk import IDEAS, OPTIONS, PLACES, STOPS, Place, Stop


def position() -> tuple[int, int]:
    """Where the lecture is, from 0, and how many places there are."""
    own = prepared.current()
    if own is not None:
        return own, len(prepared.lecture_on_hand().steps)
    return _in_walk(), len(PLACES)


def stop() -> Stop | None:
    """The stop of the walk that is on screen; None for a view that the walk leaves out."""
    return _stop_at(session.page())


def _stop_at(page: str) -> Stop | None:
    return next((s for s in STOPS if s.page == page and _fits(s.options)), None)


def idea() -> str:
    """The idea on screen; "" on a view that is one idea."""
    now = stop()
    ideas = now.ideas if now else ()
    asked = session.option(prepared.IDEA, IDEAS, "")
    return asked if asked in ideas else ideas[0] if ideas else ""


def switch_on() -> None:
    """Begin with what is on screen."""
    session.set_option("lecture", "", "on")


def walk() -> None:
    """Begin with the first place of the walk."""
    session.set_option("step", "", "")
    switch_on()
    _open(PLACES[0])


def switch_off() -> None:
    """Leave lecture mode; what is on screen stays."""
    prepared.leave()
    for name in ("lecture", "step", prepared.IDEA):
        session.set_option(name, "", "")


def go(by: int) -> None:
    """One step on or back. A question that waits is answered first."""
    if by > 0 and path.answer_next(session.page()):
        return
    if prepared.current() is None:
        to = _in_walk() + by
        while 0 <= to < len(PLACES) and _is_missing(PLACES[to]):
            to += by
        if 0 <= to < len(PLACES):
            _open(PLACES[to])
    elif not _turn_within(by):
        _open_prepared(by)


def _is_missing(place: Place) -> bool:
    """Whether a place is an idea that the view on screen does not have, or not yet."""
    now = stop()
    here = now is not None and (place.page, place.options) == (now.page, now.options)
    return here and place.idea != "" and place.idea not in drawn()


def settle() -> bool:
    """Go to the first idea of the view where the asked one is not there; whether that was so."""
    now = stop()
    if now is None or not now.ideas or idea() == now.ideas[0] or idea() in drawn():
        return False
    session.set_option(prepared.IDEA, "", now.ideas[0])
    return True


def open_page(page: str) -> None:
    """Go to the first place of a page in the walk."""
    _open(next(place for place in PLACES if place.page == page))


def open_step(to: int) -> bool:
    """Go to one of the prepared steps; False for one that is damaged, which is told."""
    if not prepared.open_step(to):
        return False
    if prepared.lecture_on_hand().steps[to].page != session.page():
        path.ask_again()
    return True


def _turn_within(by: int) -> bool:
    """Go to another idea of the view on screen; False where there is none on that side."""
    now = stop()
    ideas = [one for one in now.ideas if one in drawn() or one == idea()] if now else []
    to = ideas.index(idea()) + by if ideas else -1
    if not 0 <= to < len(ideas):
        return False
    session.set_option(prepared.IDEA, "", ideas[to])
    return True


def _open_prepared(by: int) -> None:
    """Go to another of the prepared steps; backwards to its last idea."""
    at, count = position()
    to = at + by
    while 0 <= to < count and not open_step(to):
        to += by
    if not 0 <= to < count:
        return
    now = _stop_at(prepared.lecture_on_hand().steps[to].page)
    if by < 0 and now and now.ideas:
        session.set_option(prepared.IDEA, "", now.ideas[-1])


def _open(place: Place) -> None:
    for name in OPTIONS:  # those of other pages too: whoever comes back there begins anew
        session.set_option(name, "", place.options.get(name, ""))
    session.set_option(prepared.IDEA, "", place.idea)
    if place.page != session.page():
        path.ask_again()
        session.turn_to(place.page)


def _in_walk() -> int:
    """The place of what is on screen; the first of its page where no view fits."""
    page, now = session.page(), idea()
    of_page = [i for i, place in enumerate(PLACES) if place.page == page]
    fitting = [i for i in of_page if _fits(PLACES[i].options)]
    return next((i for i in fitting if PLACES[i].idea == now), (fitting or of_page)[0])


def _fits(options: Mapping[str, str]) -> bool:
    return all(session.chosen(name) == value for name, value in options.items())
