"""The same numbers as a picture shows, as tables and as a page of their own; no Streamlit."""

import base64
import csv
import gzip
import html
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import plotly.graph_objects as go

from core import carried
from core.tables import quoted
from ui.language import _, current
from ui.palettes import DEFAULT, Palette, recolour


@dataclass(frozen=True)
class Table:
    """Numbers with names of rows and columns."""

    title: str
    header: Sequence[str]  # of every column, that of the row names too
    rows: Sequence[Sequence[str]]


def tables(figure: go.Figure) -> list[Table]:
    """Every heatmap as a table, and every curve or bar as one; what only decorates is left out."""
    titles = _titles(figure)
    found: list[Table] = []
    for trace in figure.data:
        if trace.type == "heatmap" and trace.colorscale[0][1] != trace.colorscale[-1][1]:
            found.append(_of_heatmap(trace, titles[sum(t.title != "" for t in found)]
                                     if len(found) < len(titles) else ""))  # fmt: skip
        elif trace.type in ("scatter", "bar") and trace.hoverinfo != "skip" and trace.name:
            found.append(_of_curve(trace))
    return found


def _titles(figure: go.Figure) -> list[str]:
    """What is written in bold over the tiles, in their order."""
    texts = [str(note.text) for note in figure.layout.annotations or () if note.text]
    return [html.unescape(t.partition("</b>")[0][3:]) for t in texts if t.startswith("<b>")]


def _of_heatmap(trace: Any, title: str) -> Table:
    values = np.asarray(trace.z, dtype=float)
    rows, columns = values.shape
    if trace.x0 is not None:  # tiles on shared axes carry "row · column" in every cell
        names = [str(row[0]).rpartition(" · ")[0] for row in trace.text]
        header = [str(cell).rpartition(" · ")[2] for cell in trace.text[0]]
    else:
        names = [str(name) for name in (trace.y if trace.y is not None else range(rows))]
        header = [str(name) for name in (trace.x if trace.x is not None else range(columns))]
    cells = [[_number(value) for value in row] for row in values]
    return Table(
        title,
        ["", *map(html.unescape, header)],
        [[html.unescape(name), *row] for name, row in zip(names, cells, strict=True)],
    )


def _of_curve(trace: Any) -> Table:
    x, y = (np.asarray(axis) for axis in (trace.x, trace.y))
    rows = [[_cell(a), _cell(b)] for a, b in zip(x, y, strict=True)]
    return Table(html.unescape(str(trace.name)), ["x", "y"], rows)


def _cell(value: Any) -> str:
    return _number(float(value)) if isinstance(value, int | float | np.number) else str(value)


def _number(value: float) -> str:
    """Six digits; nothing where there is no number."""
    return "" if np.isnan(value) else f"{value:.6g}"


def to_csv(found: Sequence[Table]) -> str:
    """Tables one below the other, each under its title."""
    out = io.StringIO()
    writer = csv.writer(out)
    for number, table in enumerate(found):
        if number:
            writer.writerow([])
        if table.title:
            writer.writerow([quoted(table.title)])
        writer.writerow(map(quoted, table.header))
        writer.writerows(map(quoted, row) for row in table.rows)
    return out.getvalue()


def to_html(figure: go.Figure, alt: str, experiment: str, palette: Palette = DEFAULT) -> str:
    """One page that needs nothing else: the figure, still with its hover texts, and its tables.

    Plotly's code is packed, and unpacked by the browser itself: 1.9 MB instead of 4.8.

    Parameters
    ----------
    figure : go.Figure
    alt : str
    experiment : str
        What :func:`core.files.to_json` wrote; the page carries it.
    palette : Palette
    """
    content = json.loads(on_paper(figure, palette).to_json())
    data = carried.harmless(json.dumps(content))
    inside = carried.element(experiment)
    parts = [table_html(table) for table in tables(figure)]
    return _PAGE.format(
        language=current(),
        alt=html.escape(alt),
        height=int(figure.layout.height or 400),
        tables="\n".join(parts),
        summary=html.escape(_("The numbers as tables")),
        plotly=load_plotly(),
        data=data,
        note=html.escape(opens_again(inside)),
        experiment=inside,
    )


def opens_again(inside: str) -> str:
    """What a page says of the experiment in it, if there is one."""
    if inside:
        return _("Attention Explorer can open this page again: on the page Tokens, under Files.")
    return _("The experiment is too large for this page. Save it as NPZ.")


def on_paper(figure: go.Figure, palette: Palette = DEFAULT) -> go.Figure:
    """The figure on white, whatever the page's theme, in a palette."""
    paper = go.Figure(recolour(figure.to_dict(), palette) if palette.inks else figure)
    paper.update_layout(
        template="none", paper_bgcolor="#fff", plot_bgcolor="#fff", font_color="#111"
    )
    return paper


def table_html(table: Table) -> str:
    """A table as HTML."""

    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    body = "".join(row(cells, "td") for cells in table.rows)
    caption = f"<caption>{html.escape(table.title)}</caption>"
    return f"<table>{caption}{row(table.header, 'th')}{body}</table>"


@cache
def load_plotly() -> str:
    """JavaScript of a promise that Plotly's code, which it holds packed, has been unpacked."""
    code = resources.files("plotly").joinpath("package_data/plotly.min.js").read_bytes()
    return _LOAD.replace("PACKED", base64.b64encode(gzip.compress(code, 9)).decode())


_LOAD = """new Response(
  new Blob([Uint8Array.from(atob("PACKED"), c => c.charCodeAt(0))])
    .stream().pipeThrough(new DecompressionStream("gzip"))
).text().then(code => {
  const script = document.createElement("script");
  script.textContent = code;
  document.head.append(script);
})"""


_PAGE = """<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>Attention Explorer</title>
<style>
body {{ font: 16px system-ui, sans-serif; margin: 2rem; color: #1d2530; background: #fff; }}
table {{ border-collapse: collapse; margin: 1rem 0; font-size: 13px; }}
th, td {{ border: 1px solid #ccc; padding: .15rem .5rem; text-align: right; }}
</style></head><body>
<h1>Attention Explorer</h1>
<p>{alt}</p>
<div id="figure" role="img" aria-label="{alt}" style="height: {height}px"></div>
<details><summary>{summary}</summary>{tables}</details>
<p>{note}</p>
{experiment}
<script>
{plotly}.then(() => {{
  const figure = {data};
  Plotly.newPlot("figure", figure.data, figure.layout, {{responsive: true, displaylogo: false}});
}});
</script></body></html>
"""
