"""What all Plotly pictures are made of: the hues, and parts that become a figure at once."""

from typing import Any

import plotly.graph_objects as go

# The hues of the matrix component, so that both ways of drawing speak alike.
BLUE, ORANGE, VIOLET, GREY = "47, 129, 247", "224, 112, 32", "124, 92, 240", "128, 128, 128"
LEGEND = {"orientation": "h", "x": 0.5, "xanchor": "center", "y": 1, "yanchor": "top"}
_LAYOUT = {
    "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "showlegend": False,
    "dragmode": False,
}


class Parts:
    """Parts of a picture as plain dictionaries, made into a figure once.

    Adding to a Figure checks all that is in it again, which took most of a page's time.
    """

    def __init__(self) -> None:
        """Begin with an empty picture."""
        self.data: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.axes: dict[str, Any] = {}

    @classmethod
    def on_whole(cls) -> "Parts":
        """An empty picture whose one pair of axes, unseen, goes from 0 to 1 over all of it."""
        parts = cls()
        whole = {"visible": False, "fixedrange": True, "range": [0, 1], "domain": [0, 1]}
        parts.axes = {"xaxis": whole, "yaxis": whole}
        return parts

    def figure(self, height: int, **layout: Any) -> go.Figure:
        """Make the figure, of this height in pixels; ``layout`` adds to its layout."""
        own = {"shapes": self.shapes, "annotations": self.annotations, "height": height}
        return go.Figure(data=self.data, layout={**_LAYOUT, **own, **self.axes, **layout})
