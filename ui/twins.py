"""The same numbers as a picture shows, as tables and as a page of their own; no Streamlit."""

import base64
import csv
import gzip
import html
import io
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources

import plotly.graph_objects as go

from core import carried
from core.tables import quoted
from ui.language import _, current
from ui.palettes import DEFAULT, Palette, recolour
from ui.parts import Table


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
    parts = [table_html(table) for table in figure.tables]
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
