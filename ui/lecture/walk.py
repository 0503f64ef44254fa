"""The walk through the whole app that is there before anybody has prepared a lecture. Data only."""

from collections.abc import Mapping
from typing import NamedTuple


class Stop(NamedTuple):
    """One view of a page and the ideas in it, in the order in which they are shown.

    Attributes
    ----------
    page : str
        Name of the page's file.
    options : mapping of str to str
        The options that make the view, as they stand in the link: "" for a default.
    ideas : tuple of str
        Names of :func:`ui.ideas.idea`; empty for a view that is one idea.
    pair : bool
        Whether the pinned pair is what the view is about, so that its sentence belongs there.
    """

    page: str
    options: Mapping[str, str]
    ideas: tuple[str, ...] = ()
    pair: bool = True


class Place(NamedTuple):
    """One idea of a stop."""

    page: str
    options: Mapping[str, str]
    idea: str


STOPS = (
    Stop("start", {"start": ""}, ("lines", "pipeline")),
    Stop("start", {"start": "library"}, ("shelf", "values", "found", "taken")),
    Stop("tokens", {}, ("sentence", "vectors", "positions")),
    Stop("projections", {"roles": "two"}, ("weights", "outputs", "words"), pair=False),
    Stop("projections", {"roles": "", "role": ""}, ("matrices", "arithmetic")),
    Stop("projections", {"roles": "", "role": "key"}, ("matrices", "arithmetic")),
    Stop("projections", {"roles": "", "role": "value"}, ("matrices", "arithmetic")),
    Stop("dot", {"dot": ""}, ("plane", "numbers"), pair=False),
    Stop("dot", {"dot": "people"}, ("people", "arrows"), pair=False),
    Stop("dot", {"dot": "dimensions"}, pair=False),
    Stop("dot", {"dot": "attention"}, ("row", "sum", "terms", "why")),
    Stop("scaling", {"why": ""}, ("pictures", "numbers")),
    Stop("scaling", {"why": "spread"}, ("law", "scores", "words"), pair=False),
    Stop("scaling", {"why": "learning"}, ("curves", "words"), pair=False),
    Stop("scaling", {"why": "overflow"}, pair=False),
    Stop("scaling", {"why": "figures"}, ("said-1", "said-2", "said-3", "said-4"), pair=False),
    Stop("learning", {"lesson": ""}, ("task", "weights", "curves", "numbers")),
    Stop("learning", {"lesson": "formed"}, ("patterns", "matrices", "words")),
    Stop("learning", {"lesson": "seeds"}),
    Stop("learning", {"lesson": "depth"}, ("weights", "curves", "numbers")),
    Stop("softmax", {"soft": ""}, ("bars", "numbers"), pair=False),
    Stop("softmax", {"soft": "temperature"}, ("bars", "curves"), pair=False),
    Stop("softmax", {"soft": "constant"}, ("stable", "naive", "words"), pair=False),
    Stop("softmax", {"soft": "differences"}, ("pictures", "words"), pair=False),
    *(Stop("heatmap", {"stage": stage}, ("matrices", "arithmetic"))
      for stage in ("scores", "scaled_scores", "masked_scores", "", "head_outputs", "output")),
    Stop("masks", {"masks": ""}, ("pictures", "words")),
    Stop("masks", {"masks": "minus"}, ("pictures", "more", "words")),
    Stop("masks", {"masks": "arrive"}, ("picture", "words"), pair=False),
    Stop("heads", {"part": ""}),
    Stop("heads", {"part": "query"}, ("lines", "table"), pair=False),
    Stop("heads", {"part": "job"}, ("matrix", "terms")),
    Stop("heads", {"part": "one"}, ("pictures", "relations"), pair=False),
    Stop("heads", {"part": "cost"}, ("experiment", "models"), pair=False),
    Stop("heads", {"part": "output"}, ("product", "sum"), pair=False),
    Stop("heads", {"part": "mistakes"}, pair=False),
    Stop("code", {}, ("program", "table")),
    Stop("summary", {}, ("pipeline", "chain", "words"), pair=False),
)  # fmt: skip

PLACES = tuple(
    Place(stop.page, stop.options, idea) for stop in STOPS for idea in stop.ideas or ("",)
)
IDEAS = frozenset(place.idea for place in PLACES)
PAGES = frozenset(stop.page for stop in STOPS)
OPTIONS = frozenset(name for stop in STOPS for name in stop.options)
