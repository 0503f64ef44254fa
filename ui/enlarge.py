"""A figure for a lecture screen: the same picture with texts that the last row can read."""

import math
from typing import Any

import plotly.graph_objects as go

ZOOM = 1.5  # of the page on a screen 1280 pixels wide (ui/style.py)
LEAST = 20  # pixels of the screen that a text has at least
_WIDTH, _ROOM = 1240, 36  # pixels of the screen: of a picture there; for a number in a cell
_LINE, _LETTER = 22, 11  # and for a line of text, for a letter


def enlarged(figure: go.Figure) -> go.Figure:
    """The figure with texts and lines enlarged; places are parts of the whole and stay.

    Its height stays too: the page around it is enlarged, and Plotly takes the room that it has.

    A number in a cell that has no room for it is left out: what the cell holds is said by its
    colour, and in a sentence where it is pinned.
    """
    content = figure.to_plotly_json()
    layout = content["layout"]
    for trace in content["data"]:
        if "texttemplate" in trace and not _has_room(trace, layout):
            del trace["texttemplate"], trace["textfont"]
        if trace.get("mode") == "markers+text" and trace.get("text") is not None:
            _thin_points(trace, layout["xaxis"])
        _enlarge(trace)
    for note in layout.get("annotations", ()):
        # A title loses what is not in bold, its shape: there is no room for both.
        if note.get("text", "").startswith("<b>"):
            note["text"] = note["text"].partition("</b>")[0] + "</b>"
    for name, axis in layout.items():
        if "axis" in name and axis.get("tickvals") is not None and axis.get("type") == "category":
            _thin(axis, _WIDTH if name[0] == "x" else ZOOM * layout["height"])
    _enlarge(layout)
    layout["font"] = {"size": LEAST, **layout.get("font", {})}
    layout["legend"] = {"font": {"size": LEAST}} | layout.get("legend", {})
    layout["hoverlabel"] = {"font": {"size": LEAST}}
    return go.Figure(content)


def _has_room(trace: dict[str, Any], layout: dict[str, Any]) -> bool:
    axis = layout.get(f"xaxis{trace.get('xaxis', 'x')[1:]}", {})
    left, right = axis.get("domain", (0, 1))
    return bool((right - left) * _WIDTH / len(trace["text"][0]) >= _ROOM)


def _thin(axis: dict[str, Any], length: float) -> None:
    """Leave labels out where they would lie on each other."""
    first, last = axis.get("domain", (0, 1))
    every = math.ceil(len(axis["tickvals"]) * _LINE / ((last - first) * length))
    axis["tickvals"], axis["ticktext"] = axis["tickvals"][::every], axis["ticktext"][::every]


def _thin_points(trace: dict[str, Any], axis: dict[str, Any]) -> None:
    """The same for texts at points in a row; what is in bold stays, and the ends have room."""
    texts = list(trace["text"])
    longest = max(len(part) for text in texts for part in _plain(text).split("<br>"))
    slots = (longest + 1) * _LETTER * len(texts) / _WIDTH  # that a text takes
    every = math.ceil(slots)
    left, right = axis["range"]
    axis["range"] = [min(left, -slots / 2), max(right, len(texts) - 1 + slots / 2)]
    trace["text"] = [
        text if i % every == 0 or str(text).startswith("<b>") else ""
        for i, text in enumerate(texts)
    ]


def _plain(text: Any) -> str:
    return str(text).removeprefix("<b>").removesuffix("</b>")


def _enlarge(part: Any) -> None:
    """Enlarge what is measured in pixels, in place and all the way down."""
    if isinstance(part, list | tuple):
        for one in part:
            _enlarge(one)
    elif isinstance(part, dict):
        for name, value in part.items():
            if name in ("font", "tickfont", "textfont", "title_font") and "size" in value:
                value["size"] = max(LEAST, round(ZOOM * value["size"]))
            elif name == "line" and "width" in value:
                value["width"] = _scaled(value["width"])
            elif name == "marker" and "size" in value:
                value["size"] = _scaled(value["size"])
            elif name in ("standoff", "thickness", "arrowwidth"):
                part[name] = _scaled(value)
            if name not in ("z", "x", "y", "text", "customdata"):
                _enlarge(value)


def _scaled(size: Any) -> Any:
    return [ZOOM * one for one in size] if isinstance(size, list | tuple) else ZOOM * size
