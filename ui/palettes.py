"""Palettes: the same pictures in other colours, as data and one pure function. No Streamlit.

Pictures are drawn in the hues of :mod:`ui.parts`; :func:`recolour` replaces these in what is sent
to the browser. In a grey palette no hue carries meaning: what is larger has more ink.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ui.hatching import hatched
from ui.heads import colours
from ui.heatmaps import SIGNED, WEIGHTS
from ui.language import _
from ui.parts import BLUE, GREY, ORANGE, VIOLET

_DRAWN = 0.85  # the opacity of what is drawn strong, which another palette draws at its own


@dataclass(frozen=True)
class Ink:
    """What one hue becomes."""

    rgb: str  # "r, g, b"
    strength: float = 1.0  # its opacity where the hue is drawn strong
    dash: str = "solid"  # of a curve or a frame
    symbol: str = "circle"  # of a measured point
    under_text: float = 0.9  # opacity of a cell that a number is written on, at most
    # Heads beyond the eighth have the hues of the first eight again, dotted.
    again: tuple[str, float] = ("dot", 1.0)  # dash and strength then


@dataclass(frozen=True)
class Fills:
    """How a grey palette fills cells: one ink, the more the larger the number."""

    rgb: str
    most: float  # opacity of the largest number
    under_text: float  # the same in pictures that write numbers on their cells
    text: str = ""  # colour of these numbers; "" leaves it to the page


@dataclass(frozen=True)
class Palette:
    """One way to colour all pictures."""

    name: str
    inks: Mapping[str, Ink] = field(default_factory=dict)  # of each default hue; none: as drawn
    fills: Fills | None = None  # of a grey palette; else cells have hues like all else
    paper: str = ""  # the palette of the same picture on white paper; "" is this one

    @property
    def grey(self) -> bool:
        """Whether no hue carries meaning."""
        return self.fills is not None


def _of_heads(inks: Sequence[Ink]) -> dict[str, Ink]:
    return dict(zip(colours.HUES, inks, strict=True))


# Near Okabe & Ito (2008), but each at least 3 : 1 on white and on a dark page, where their sky
# blue, yellow and orange are not; the lightness of the three differs as far as that allows.
_SKY, _VERMILION, _PURPLE = "30, 145, 250", "224, 88, 0", "150, 75, 150"
SAFE = Palette(
    "safe",
    {
        BLUE: Ink(_SKY, under_text=0.69),
        ORANGE: Ink(_VERMILION, dash="dash", symbol="diamond-open", under_text=0.77),
        VIOLET: Ink(_PURPLE, symbol="square", under_text=0.74),
        # Four hues are as many as every reader tells apart; the next four heads are dashed.
        **_of_heads(
            [
                Ink(hue, dash=dash, again=(again, 1.0))
                for dash, again in (("solid", "dot"), ("dash", "dashdot"))
                for hue in (_SKY, _VERMILION, _PURPLE, GREY)
            ]
        ),
    },
)

# Eight dashes that are told apart in any ink.
_DASHES = (
    "solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "14px,3px,3px,3px,3px,3px",
    "3px,9px",
)  # fmt: skip


def _greys(ink: str) -> dict[str, Ink]:
    """Three amounts of one ink: the pinned and the unscaled, the scaled, and what is beside them.

    The faintest still has a contrast of 3 : 1 on the page.
    """
    return {
        ORANGE: Ink(ink, 1.0, "dash", "diamond-open"),
        BLUE: Ink(ink, 0.76, "solid", "circle"),
        VIOLET: Ink(ink, 0.56, "solid", "square"),
        **_of_heads([Ink(ink, 0.95, dash, again=(dash, 0.56)) for dash in _DASHES]),
    }


# A grey of its own, so that ui/style.py finds what is drawn in it and gives it the colour of the
# page's text: dark on light, light on dark. Where nothing does so it is readable on both.
INK = "119, 119, 118"
# Cells are pictures, which no style reaches. A middle grey at growing opacity is told from the page
# in light and dark alike, and its cap leaves the numbers on it readable in both.
GREY_SAFE = Palette("grey", _greys(INK), Fills(GREY, most=0.95, under_text=0.76), paper="print")
PRINT = Palette("print", _greys("17, 17, 17"), Fills("17, 17, 17", 0.8, 0.5, "#111"))

DEFAULT = Palette("")
PALETTES: Mapping[str, Palette] = {one.name: one for one in (DEFAULT, SAFE, GREY_SAFE, PRINT)}
CHOICES = ("", "safe", "grey")
"""What a reader can choose; print is for paper."""


def on_paper(palette: Palette) -> Palette:
    """The palette of the same picture on white paper."""
    return PALETTES[palette.paper] if palette.paper else palette


def look(palette: Palette) -> dict[str, Any]:
    """A palette as the components take it (``ui/mounting``); nothing for the default."""
    if not palette.inks:
        return {}
    hues = {"positive": BLUE, "negative": ORANGE, "weights": VIOLET}
    return {
        "name": palette.name,
        "grey": palette.grey,
        "hues": {
            name: list(map(int, palette.inks[hue].rgb.split(", "))) for name, hue in hues.items()
        },
    }


def legend(palette: Palette) -> str:
    """What lines of tokens and cells look like, in words."""
    if palette.grey:
        return _(
            "Lines are as thick as the weight: strongest to the pinned word, faintest for the "
            "other words. Cells: the more ink, the larger the number; hatched: masked out."
        )
    return _(
        "Lines are as thick as the weight: {pinned} to the pinned word, {others} to the others, "
        "grey for the other words. Cells: {above} above 0, {below} below, {others} for weights.",
        pinned=_("orange"),
        others=_("purple") if palette.name == "safe" else _("violet"),
        above=_("blue"),
        below=_("orange"),
    )


# Pictures ---------------------------------------------------------------------------------------


def recolour(spec: dict[str, Any], palette: Palette) -> dict[str, Any]:
    """Put a picture into the colours of a palette.

    Parameters
    ----------
    spec : dict
        A Plotly figure as plain data (``Figure.to_dict``) in the default hues. It is changed.
    palette : Palette

    Returns
    -------
    dict
        The same ``spec``.
    """
    if not palette.inks:
        return spec
    traces, layout = spec["data"], spec["layout"]
    heatmaps = [trace for trace in traces if trace["type"] == "heatmap"]
    marks: list[dict[str, Any]] = []
    if heatmaps:
        below = _below_0(heatmaps) if palette.grey else [True] * len(heatmaps)
        written = any("texttemplate" in trace for trace in heatmaps)
        for trace, to_below in zip(heatmaps, below, strict=True):
            if trace["colorscale"][0][1] == trace["colorscale"][-1][1]:
                marks.append(hatched(trace, _alpha(palette, GREY, 0.8)))
            trace["colorscale"] = _scale(trace["colorscale"], palette, to_below, written)
            if palette.fills and palette.fills.text and "texttemplate" in trace:
                trace["textfont"] = {**trace["textfont"], "color": palette.fills.text}
    for trace in traces:
        if trace["type"] != "heatmap":
            _mark_points(trace, palette)
            _repaint(trace, palette)
    if layout.get("barmode") == "overlay":
        _pattern(traces)
    _repaint(layout, palette)
    if marks:
        layout["shapes"] = [*layout.get("shapes", ()), *marks]
    return spec


def _mark_points(trace: dict[str, Any], palette: Palette) -> None:
    """Give measured points the symbol of their hue."""
    if trace.get("mode") == "markers" and trace.get("name") and "marker" in trace:
        ink = palette.inks.get(_hue(str(trace["marker"].get("color", ""))))
        if ink:
            trace["marker"] = {**trace["marker"], "symbol": ink.symbol}


def _repaint(part: dict[str, Any], palette: Palette) -> None:
    """Replace the colours of a part and of all parts inside; numbers and texts are not looked at.

    With the colour of a curve goes its dash.
    """
    if part.get("type") == "rect" and palette.grey and "line" in part:
        line = part["line"]
        if _hue(str(line.get("color", ""))) == ORANGE:  # what is outlined, without its hue
            part["line"] = {**line, "width": line.get("width", 2) + 1}
    for key, value in part.items():
        if isinstance(value, dict):
            _repaint(value, palette)
        elif key.endswith("color"):
            dash = part.get("dash", "solid")
            ink = palette.inks.get(_hue(value)) if isinstance(value, str) else None
            if ink and "dash" in part and dash in ("solid", "dot"):
                part["dash"] = ink.dash if dash == "solid" else ink.again[0]
            again = dash == "dot"
            part[key] = (
                _painted(value, palette.name, again)
                if isinstance(value, str)
                else [_painted(one, palette.name) for one in value]
            )
        elif key in ("shapes", "annotations"):
            for one in value:
                _repaint(one, palette)


def _pattern(traces: Sequence[dict[str, Any]]) -> None:
    """Hatch the second of two kinds of bars that lie on or beside each other."""
    named = [one for one in traces if one["type"] == "bar" and one.get("name")]
    for trace in named[1:2]:
        line = f"rgb({_hue(trace['marker']['color'])})"  # thin, so as strong as can be
        trace["marker"]["pattern"] = {"shape": "/", "size": 5, "solidity": 0.4, "fgcolor": line}


_COLOUR = re.compile(r"rgba?\((\d+, \d+, \d+)(?:, ([\d.]+))?\)")


def _hue(colour: str) -> str:
    found = _COLOUR.fullmatch(colour)
    return found[1] if found else ""


@lru_cache(maxsize=1000)
def _painted(colour: str, palette: str, again: bool = False) -> str:
    """A colour of the default palette in another one; what is no hue stays."""
    found = _COLOUR.fullmatch(colour)
    ink = PALETTES[palette].inks.get(found[1]) if found else None
    if found is None or ink is None:
        return colour
    strength = ink.again[1] if again else ink.strength
    return f"rgba({ink.rgb}, {min(1.0, float(found[2] or 1) / _DRAWN) * strength:.3g})"


def _alpha(palette: Palette, hue: str, alpha: float) -> str:
    """A neutral line: the ink of a grey palette, else the hue itself."""
    rgb = palette.inks[ORANGE].rgb if palette.grey else hue
    return f"rgba({rgb}, {alpha})"


# Cells --------------------------------------------------------------------------------------------

Scale = Sequence[Sequence[Any]]


def _scale(scale: Scale, palette: Palette, below: bool, written: bool) -> list[list[Any]]:
    """The scale of a heatmap, or of the layer over what is masked, in a palette.

    Parameters
    ----------
    below : bool
        Whether a signed cell is below 0; else a grey scale begins at 0.
    written : bool
        Whether numbers are written on the cells.
    """
    stops = [[float(place), str(colour)] for place, colour in scale]
    if palette.fills is None:
        return [[place, _cell(str(colour), palette, written)] for place, colour in stops]
    rgb = palette.fills.rgb
    most = palette.fills.under_text if written else palette.fills.most
    empty, full = f"rgba({rgb}, 0)", f"rgba({rgb}, {most})"
    if stops[0][1] == stops[-1][1]:
        return [[0, empty], [1, empty]]  # masked: paper and a hatch, which is no number's look
    if stops == WEIGHTS or below:
        return [[0, empty], [1, full]]
    if stops == SIGNED:
        return [[0, empty], [0.5, empty], [1, full]]
    raise ValueError(f"No grey palette knows the scale {stops}.")


def _cell(colour: str, palette: Palette, written: bool) -> str:
    """The colour of a cell: as strong as in the default palette, or as its number allows."""
    found = _COLOUR.fullmatch(colour)
    ink = palette.inks.get(found[1]) if found else None
    if found is None or ink is None:
        return colour
    alpha = float(found[2] or 1)
    return f"rgba({ink.rgb}, {min(alpha, ink.under_text) if written else alpha:.3g})"


def _below_0(heatmaps: Sequence[Mapping[str, Any]]) -> list[bool]:
    """Whether each heatmap shows a number below 0; any of them, where all are on one range."""
    each = [_goes_below_0(trace) for trace in heatmaps]
    ranges = {trace["zmax"] for trace in heatmaps if trace.get("zmin", 0) < 0}
    return [any(each)] * len(each) if len(ranges) == 1 else each


def _goes_below_0(trace: Mapping[str, Any]) -> bool:
    """Whether a signed heatmap shows a number below 0."""
    if trace.get("zmin", 0) >= 0:
        return False
    numbers = array(trace["z"])
    return float(np.fmin.reduce(numbers.ravel(), initial=0.0)) < 0


def array(packed: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Numbers of a trace, which Plotly packs for the browser."""
    if not isinstance(packed, dict):
        return np.asarray(packed, dtype=float)
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
