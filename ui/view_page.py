"""What is on screen as one page that needs nothing else; no Streamlit is asked for anything.

Pictures still hover; matrices are tables whose cells are coloured, and pointing at one lights what
it was made from. The page carries the experiment too, so that the app can open it again.
"""

import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import plotly.graph_objects as go

from core import carried
from ui import palettes, twins
from ui.language import _, current
from ui.matrix import Panel, Pick, Slot
from ui.palettes import DEFAULT, Palette
from ui.parts import BLUE, ORANGE, VIOLET

MAX_BYTES = 4_800_000
"""Of a page: a little below what core.files reads."""

_WRITTEN = 24  # columns; a table with more has small cells without numbers
_UPRIGHT = 4  # letters of a column's label; longer ones are turned
_FLOAT64 = 4096  # cells; a larger table has seven digits, as much as its picture on screen
_LEVELS = 16  # of each hue
_STRONGEST = 0.8  # opacity at which black text stays readable on every hue


@dataclass(frozen=True)
class Heading:
    """What the page says at its top: its heading and the pinned pair in words."""

    text: str
    sentence: str


@dataclass(frozen=True)
class Picture:
    """A Plotly figure and its alt text."""

    figure: go.Figure
    alt: str


@dataclass(frozen=True)
class Product:
    """``left × right = product``, or one matrix: panels by slot in this order, and the pick."""

    panels: Mapping[Slot, Panel]
    pick: Pick | None


@dataclass(frozen=True)
class Line:
    """One line of plain text."""

    text: str


Drawn = Heading | Picture | Product | Line


def page(things: Iterable[Drawn], experiment: str, palette: Palette = DEFAULT) -> str:
    """Write a page of what was drawn.

    Parameters
    ----------
    things : iterable of Drawn
        In the order in which they stand on the page.
    experiment : str
        What :func:`core.files.to_json` wrote.
    palette : Palette
        Of the pictures and of the cells.

    Returns
    -------
    str
        HTML of at most ``MAX_BYTES`` in UTF-8, in the reader's language. What does not fit into
        that is left out, and the page says so in its place.
    """
    things = list(things)
    heading = next((one for one in things if isinstance(one, Heading)), Heading("", ""))
    pictured = any(isinstance(one, Picture) for one in things)
    plotly = _SCRIPT_OF_PICTURES % twins.load_plotly() if pictured else ""
    inside = carried.element(experiment)
    room = MAX_BYTES - 20_000 - len(plotly) - len(inside.encode())
    parts = []
    for number, thing in enumerate(things):
        ways = _ways(number, thing, palette)
        part = next((one for one in ways if len(one.encode()) <= room), _too_large())
        room -= len(part.encode())
        parts.append(part)
    return _PAGE.format(
        language=current(),
        title=html.escape(" · ".join(filter(None, (heading.text, "Attention Explorer")))),
        style=_beside("css") + _hues(palette),
        body="\n".join(parts),
        note=html.escape(twins.opens_again(inside)),
        experiment=inside,
        script=_beside("js"),
        plotly=plotly,
    )


def _ways(number: int, thing: Drawn, palette: Palette) -> Iterable[str]:
    """The HTML of one thing; then what remains of it where that is too large."""
    if isinstance(thing, Heading):
        yield f"<h1>{html.escape(thing.text)}</h1>\n<p><b>{html.escape(thing.sentence)}</b></p>"
    elif isinstance(thing, Line):
        yield f"<p>{html.escape(thing.text)}</p>"
    elif isinstance(thing, Product):
        yield _product(thing, palette)
    else:
        picture = _picture(number, thing, palette)
        yield picture + _tables(thing.figure) + "</figure>"
        yield picture + "</figure>"


def _too_large() -> str:
    text = _("What was here is too large for this page. In the app it can be saved by itself.")
    return f'<p class="note">{html.escape(text)}</p>'


def _picture(number: int, picture: Picture, palette: Palette) -> str:
    """A figure to be drawn by the script, without its end tag."""
    paper = palettes.on_paper(palette)
    # Through JSON once more: Plotly writes some characters as they are.
    content = json.loads(twins.on_paper(picture.figure, paper).to_json())
    data = carried.harmless(json.dumps(content))
    alt = html.escape(picture.alt)
    height = int(picture.figure.layout.height or 400)
    return (
        f'<figure><div class="picture" id="picture{number}" role="img" aria-label="{alt}"'
        f' style="height: {height}px"></div><figcaption>{alt}</figcaption>'
        f'<script type="application/json" data-of="picture{number}">{data}</script>'
    )


def _tables(figure: go.Figure) -> str:
    found = "".join(map(twins.table_html, figure.tables))
    summary = html.escape(_("The numbers as tables"))
    return f"<details><summary>{summary}</summary>{found}</details>" if found else ""


# Matrices -----------------------------------------------------------------------------------


def _product(product: Product, palette: Palette) -> str:
    signs = ("", "×", "=") if len(product.panels) > 1 else ("",)
    parts = []
    for sign, (slot, panel) in zip(signs, product.panels.items(), strict=True):
        parts.append(f'<span class="sign">{sign}</span>' if sign else "")
        pick = product.pick if product.pick and product.pick.panel == slot else None
        parts.append(_table(slot, panel, pick, palette))
    masked = html.escape(_("masked out"))
    hint = html.escape(_("Point at a cell to read it"))
    return (
        f'<section class="product" data-masked="{masked}"><div class="panels">{"".join(parts)}'
        f'</div><p class="readout" aria-live="polite">{hint}</p></section>'
    )


def _table(slot: str, panel: Panel, pick: Pick | None, palette: Palette) -> str:
    """One matrix; end tags that HTML does not need are left out, for the size."""
    rows, columns = panel.shape
    written = columns <= _WRITTEN or panel.scale == "plain"  # which has no colours
    name, title = html.escape(panel.name), html.escape(panel.title)
    axes = " · ".join(filter(None, (panel.row_axis, panel.col_axis)))
    kind = "written" if written else "small"
    if max(map(len, panel.cols), default=0) > _UPRIGHT:
        kind += " tall"
    lines = [
        f'<div class="panel"><table class="{kind}" data-slot="{slot}"'
        f' data-name="{name}"><caption>{title} <span>{rows} × {columns}</span>'
        f"<small>{html.escape(axes)}</small></caption>",
        "<tr><td class=corner>" + "".join(f"<th scope=col>{_label(one)}" for one in panel.cols),
    ]
    levels = _levels(panel, palette)
    for i, label in enumerate(panel.rows):
        cells = [f"<tr><th scope=row>{_label(label)}"]
        for j in range(columns):
            picked = pick is not None and (pick.row, pick.col) == (i, j)
            cells.append(_cell(panel, i, j, levels[i][j], picked, written))
        lines.append("".join(cells))
    return "\n".join(lines) + "</table></div>"


def _label(text: str) -> str:
    return f"<bdi>{html.escape(text)}</bdi>"


def _cell(panel: Panel, row: int, column: int, level: str, picked: bool, written: bool) -> str:
    masked = panel.masked is not None and bool(panel.masked[row, column])
    looks = ["m" if masked else level, "pick" if picked else ""]
    look = " ".join(filter(None, looks))
    marked = f' class="{look}"' if " " in look else f" class={look}" if look else ""
    if masked:
        return f"<td{marked}>"
    number = float(panel.values[row, column])
    exact = f"{number:.7g}" if panel.values.size > _FLOAT64 else repr(number).removesuffix(".0")
    if written:
        return f"<td{marked} data-v={exact}>{_short(number, panel.digits)}"
    return f"<td{marked}>{exact}"


def _short(number: float, digits: int) -> str:
    """As short as a cell needs: .52, −.5, 1, 0; what only rounds to 0 is .00."""
    if not np.isfinite(number) or abs(number) >= 1e5:
        return f"{number:.0e}" if np.isfinite(number) else str(number).replace("inf", "∞")
    text = f"{abs(number):.{digits}f}"
    short = text.rstrip("0").rstrip(".") if "." in text else text
    short = "0" if number == 0 else text if short == "0" else short
    return ("−" if number < 0 else "") + (short[1:] if short.startswith("0.") else short)


def _levels(panel: Panel, palette: Palette) -> list[list[str]]:
    """The class of each cell's colour: p, n or w with how strong it is, or none."""
    with np.errstate(invalid="ignore"):
        parts = np.nan_to_num(np.clip(panel.values / panel.limit, -1, 1))
    if panel.scale == "plain":
        parts = np.zeros(parts.shape)
    elif palette.grey and panel.scale == "signed" and parts.min(initial=0) < 0:
        parts = (parts + 1) / 2  # the more ink, the larger
    above = "w" if panel.scale == "weights" else "p"
    steps = np.rint(parts * _LEVELS).astype(int)
    names = {0: ""}
    names |= {step: f"{above}{step}" for step in range(1, _LEVELS + 1)}
    names |= {-step: f"n{step}" for step in range(1, _LEVELS + 1)}
    return [[names[step] for step in row] for row in steps.tolist()]


def _hues(palette: Palette) -> str:
    """A rule of style for each strength of each hue."""
    inks = {"p": BLUE, "n": ORANGE, "w": VIOLET}
    paper = palettes.on_paper(palette)
    rules = []
    for letter, hue in inks.items():
        rgb = paper.inks[hue].rgb if paper.inks else hue
        most = 0.5 if paper.grey else _STRONGEST
        rules += [
            f".{letter}{step} {{ background: rgb({rgb}, {step / _LEVELS * most:.3f}) }}"
            for step in range(1, _LEVELS + 1)
        ]
    return "\n".join(rules)


def _beside(ending: str) -> str:
    return Path(__file__).with_suffix(f".{ending}").read_text("utf-8")


_SCRIPT_OF_PICTURES = """<script>
%s.then(() => {
  for (const data of document.querySelectorAll("script[data-of]")) {
    const figure = JSON.parse(data.textContent);
    const how = {responsive: true, displaylogo: false};
    Plotly.newPlot(data.dataset.of, figure.data, figure.layout, how);
  }
});
</script>"""

_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>{title}</title>
<style>{style}</style></head><body>
<main>
{body}
</main>
<p class="note">{note}</p>
{experiment}
<script>{script}</script>
{plotly}
</body></html>
"""
