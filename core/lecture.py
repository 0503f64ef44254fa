"""A lecture: named steps through the app, each a page with the state that it is to show.

A step holds its state as the words of a link, so whatever a link can open a lecture can walk
through. A lecture itself is a JSON file, or a short text for an address.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from core import link
from core.errors import Refusal, mark
from core.files import MAX_BYTES

MAX_STEPS = 100
MAX_NAME = 80  # characters
MAX_WORD = 1_000_000  # characters of an experiment in a file
FORMAT, VERSION = "attention-explorer-lecture", 1

_EXPERIMENT = "x"  # the one long word of a state
_MAX_WORDS, _MAX_KEY, _MAX_OPTION = 30, 20, 80


@dataclass(frozen=True)
class Step:
    """What is on screen at one moment.

    Attributes
    ----------
    page : str
        Name of the page's file.
    state : mapping of str to str
        The words of the link: experiment, pinned pair, head, options of the page.
    title : str
        What the lecturer calls it.
    """

    page: str
    state: Mapping[str, str]
    title: str = ""


@dataclass(frozen=True)
class Lecture:
    """Steps in their order, under a name."""

    name: str = ""
    steps: tuple[Step, ...] = ()

    def called(self, name: str) -> Self:
        """The same steps under another name, which is cut to ``MAX_NAME`` characters."""
        return replace(self, name=name.strip()[:MAX_NAME])

    def add(self, step: Step) -> Self:
        """One more step at the end.

        Raises
        ------
        Refusal
            If there are ``MAX_STEPS`` already.
        """
        if len(self.steps) >= MAX_STEPS:
            raise Refusal(mark("A lecture has at most {limit} steps."), limit=MAX_STEPS)
        return replace(self, steps=(*self.steps, step))

    def entitle(self, place: int, title: str) -> Self:
        """Another title for the step at this place, cut to ``MAX_NAME`` characters."""
        step = replace(self.steps[place], title=title.strip()[:MAX_NAME])
        return replace(self, steps=(*self.steps[:place], step, *self.steps[place + 1 :]))

    def remove(self, place: int) -> Self:
        """Without the step at this place."""
        return replace(self, steps=(*self.steps[:place], *self.steps[place + 1 :]))

    def move(self, place: int, by: int) -> Self:
        """The step at this place moved on by so many; not beyond either end."""
        rest = [*self.steps[:place], *self.steps[place + 1 :]]
        rest.insert(max(0, min(place + by, len(rest))), self.steps[place])
        return replace(self, steps=tuple(rest))


def to_json(lecture: Lecture) -> str:
    """Write a lecture as a file."""
    return json.dumps({"format": FORMAT, "version": VERSION, **_content(lecture)}, indent=1)


def from_json(text: str | bytes, pages: Collection[str]) -> Lecture:
    """Read what :func:`to_json` wrote.

    Parameters
    ----------
    text : str or bytes
        The file, as it came.
    pages : collection of str
        Names of the pages that there are.

    Raises
    ------
    Refusal
        If the file is too large, not a lecture, or names a page that there is not.
    """
    if len(text) > MAX_BYTES:
        raise Refusal(mark("The file is larger than {limit} MB."), limit=MAX_BYTES // 1_000_000)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise _not_a_lecture() from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise _not_a_lecture()
    if content.get("version") != VERSION:
        raise Refusal(mark("The lecture is of another version of this app."))
    return _lecture(content, pages, longest=MAX_WORD)


def to_link(lecture: Lecture) -> str:
    """Write a lecture as text for an address; empty for one without steps and without a name.

    The text may be longer than ``link.MAX_LENGTH``; whoever puts it into an address looks.
    """
    return link.pack(_content(lecture)) if lecture != Lecture() else ""


def from_link(text: str, pages: Collection[str]) -> Lecture:
    """Read what :func:`to_link` wrote; see :func:`from_json` for the pages.

    Raises
    ------
    Refusal
        If the text is cut, of another version, not ours, or names a page that there is not.
    """
    return _lecture(link.unpack(text), pages, longest=link.MAX_LENGTH) if text else Lecture()


def _content(lecture: Lecture) -> dict[str, Any]:
    """Steps as JSON holds them. Steps on one experiment share it, since it is long."""
    experiments = list(dict.fromkeys(s.state[_EXPERIMENT] for s in lecture.steps
                                     if _EXPERIMENT in s.state))  # fmt: skip
    steps = []
    for step in lecture.steps:
        words: dict[str, Any] = dict(step.state)
        if _EXPERIMENT in words:
            words[_EXPERIMENT] = experiments.index(words[_EXPERIMENT])
        steps.append([step.page, step.title, words])
    return {"name": lecture.name, "experiments": experiments, "steps": steps}


def _lecture(content: dict[str, Any], pages: Collection[str], *, longest: int) -> Lecture:
    try:
        name, experiments, steps = (content[key] for key in ("name", "experiments", "steps"))
    except KeyError:
        raise _not_a_lecture() from None
    if not (
        _is_text(name, MAX_NAME)
        and isinstance(experiments, list)
        and all(_is_text(x, longest) for x in experiments)
        and isinstance(steps, list)
        and len(steps) <= MAX_STEPS
    ):
        raise _not_a_lecture()
    return Lecture(name, tuple(_step(step, experiments, pages) for step in steps))


def _step(content: Any, experiments: list[str], pages: Collection[str]) -> Step:
    match content:
        case [str(page), title, dict(words)] if len(words) <= _MAX_WORDS and _is_text(
            title, MAX_NAME
        ):
            pass
        case _:
            raise _not_a_lecture()
    if page not in pages:
        raise Refusal(mark("The lecture names a page that does not exist."))
    state: dict[str, str] = {}
    for key, value in words.items():
        known = isinstance(value, int) and not isinstance(value, bool)
        if key == _EXPERIMENT and known and 0 <= value < len(experiments):
            state[key] = experiments[value]
        elif key != _EXPERIMENT and _is_text(key, _MAX_KEY) and _is_text(value, _MAX_OPTION):
            state[key] = value
        else:
            raise _not_a_lecture()
    return Step(page, state, title)


def _is_text(value: Any, longest: int) -> bool:
    """Whether it is text that is not too long and can be written again: no half characters."""
    return (
        isinstance(value, str)
        and len(value) <= longest
        and (value.isascii() or not any("\ud800" <= one <= "\udfff" for one in value))
    )


def _not_a_lecture() -> Refusal:
    return Refusal(mark("This is not a lecture that was saved here."))
