"""What all Plotly pictures are made of: hues, parts that become a figure at once, its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core.arrays import Array
from ui.literal import visible

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


@dataclass(frozen=True)
class Table:
    """Numbers that a picture shows, column by column; written only when they are asked for.

    Attributes
    ----------
    name : str
    names : texts
        Of every column, that of the names of rows too.
    columns : arrays or lists of text
        ``nan`` where there is no number.
    """

    name: str
    names: Sequence[str]
    columns: Sequence[Sequence[str | float] | Array]

    @classmethod
    def of_matrix(
        cls, name: str, values: Array, rows: Sequence[str], columns: Sequence[str]
    ) -> "Table":
        """The table of a matrix (rows, columns) between its labels."""
        return cls(name, ["", *columns], [rows, *values.T])

    @property
    def title(self) -> str:
        """Its name, without what would disturb the text around it."""
        return visible(self.name)

    @property
    def header(self) -> list[str]:
        """The names of its columns, likewise."""
        return [visible(name) for name in self.names]

    @property
    def rows(self) -> list[list[str]]:
        """Its cells as text."""
        return [[_cell(cell) for cell in row] for row in zip(*self.columns, strict=True)]


def _cell(cell: Any) -> str:
    """Six digits; nothing where there is no number."""
    if isinstance(cell, str):
        return visible(cell)
    return "" if np.isnan(cell) else f"{cell:.6g}"


class Drawing(go.Figure):  # type: ignore[misc]  # Plotly has no types
    """A figure that knows its numbers; a copy of it knows them no more."""

    _tables: tuple[Table, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        """What it shows, as tables."""
        return self._tables


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
        self.tables: list[Table] = []

    @classmethod
    def on_whole(cls) -> "Parts":
        """An empty picture whose one pair of axes, unseen, goes from 0 to 1 over all of it."""
        parts = cls()
        whole = {"visible": False, "fixedrange": True, "range": [0, 1], "domain": [0, 1]}
        parts.axes = {"xaxis": whole, "yaxis": whole}
        return parts

    def figure(self, height: int, **layout: Any) -> Drawing:
        """Make the figure, of this height in pixels; ``layout`` adds to its layout."""
        own = {"shapes": self.shapes, "annotations": self.annotations, "height": height}
        made = Drawing(data=self.data, layout={**_LAYOUT, **own, **self.axes, **layout})
        made._tables = tuple(self.tables)
        return made
