"""The words of an address, or of a step of a lecture, checked: pair, head and options."""

from collections.abc import Mapping

from core.experiment import Experiment
from core.presets.views import View, first_view

LIST = "list"  # a prepared lecture
_OWN = ("preset", "x", "head", "q", "k", LIST)
_OF_STREAMLIT = ("embed", "embed_options")  # it lets nobody else write them, in any case
_MAX_OPTIONS, _MAX_NAME, _MAX_VALUE = 40, 20, 40


def options(words: Mapping[str, str]) -> dict[str, str]:
    """What the words say beside the experiment: options of pages that may be opened later.

    Each is checked by its page when it is read.
    """
    others = (*_OWN, *_OF_STREAMLIT)
    given = {name: value for name, value in words.items() if name.lower() not in others}
    short = [
        (name, value)
        for name, value in given.items()
        if len(name) <= _MAX_NAME and len(value) <= _MAX_VALUE
    ]
    return dict(short[:_MAX_OPTIONS])


def view(words: Mapping[str, str], experiment: Experiment) -> View:
    """Head and pinned pair; where the words name none, those at which the experiment begins."""
    first = first_view(experiment)

    def number(name: str, default: int) -> int:
        text = words.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 4 else default

    asked = View(number("head", first.head), number("q", first.query), number("k", first.key))
    return clamped(asked, experiment)


def clamped(view: View, experiment: Experiment) -> View:
    """The view, moved inside the experiment."""
    last = experiment.n - 1
    return View(
        max(0, min(view.head, experiment.num_heads - 1)),
        max(0, min(view.query, last)),
        max(0, min(view.key, last)),
    )
