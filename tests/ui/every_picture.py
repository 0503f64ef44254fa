"""A picture of every kind that the app draws."""

import numpy as np
import plotly.graph_objects as go

from core import presets
from core.presets.apple import readings
from core.presets.library import look_up
from core.trace import trace
from ui import curves, figures
from ui.bars import Bars, bar_charts
from ui.curves import WITH, WITHOUT, Chart, Curve
from ui.dot.figures import people
from ui.heads.figures import product_by_heads, query_lines, sum_of_heads
from ui.heatmaps import Tile
from ui.library_figures import shelf, take_home
from ui.parts import GREY, VIOLET
from ui.tiles import tiles, weights_tile
from ui.two_sentences_figures import two_sentences

EXPERIMENT = presets.build("relations-en")
RESULT = trace(EXPERIMENT)


def causal_tile() -> Tile:
    n = 6
    mask = np.triu(np.ones((n, n), bool), 1)
    weights = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    names = [f"w{i}" for i in range(n)]
    return Tile("causal", weights, names, names, weights=True, masked=mask)


def charts() -> go.Figure:
    x = np.arange(1.0, 9)
    return curves.charts(
        [
            Chart(
                "lines", x,
                [Curve("without", x, WITHOUT, x / 9), Curve("with", x / 2, WITH),
                 Curve("third", x / 3, VIOLET), Curve("predicted", x, GREY, dash="dot")],
                mark=3, shaded=x > 5,
            ),
            Chart("points", x, [Curve("a", x, WITHOUT, x / 9, points=True),
                                Curve("b", x, WITH, x / 9, points=True),
                                Curve("c", x, VIOLET, points=True)]),
        ],
        2, height=200,
    )  # fmt: skip


def sixteen_heads() -> go.Figure:
    rows = np.full((16, 3), 1 / 3)
    names = [f"h{t}" for t in range(16)]
    return query_lines("abc", rows, 0, names, range(16), threshold=0.0, height=200)


def product() -> go.Figure:
    values = np.arange(64.0).reshape(8, 8) - 20
    one = Tile("M", values, [f"r{i}" for i in range(8)], [f"c{i}" for i in range(8)])
    return product_by_heads(one, one, one, 8, [f"h{t}" for t in range(8)], 200)


def added() -> go.Figure:
    one = Tile("M", np.eye(4), "abcd", "abcd", limit=1)
    return sum_of_heads([one] * 4, one, 200)


def library() -> tuple[go.Figure, go.Figure]:
    found = look_up((1, 0, 0, 0, 0, 1))
    n, d = found.keys.shape
    titles, labels = [f"book {i}" for i in range(n)], [f"label {i}" for i in range(d)]
    contents = [f"content {i}" for i in range(found.values.shape[1])]
    return shelf(found, titles, labels, contents), take_home(found, contents, height=150)


STAGES = tiles(EXPERIMENT, RESULT, 2)
SAMPLE = {
    "pipeline": lambda: figures.pipeline(STAGES, {"scores": (8, 1), "weights": (8, 1)}),
    "grid": lambda: figures.grid(
        [weights_tile(EXPERIMENT, RESULT, head) for head in range(4)], 4, axes=("q", "k"),
        outline=(8, 1), clickable=True,
    ),
    "causal": lambda: figures.grid([causal_tile()], 1, axes=("q", "k")),
    "gallery": lambda: figures.gallery([("row", [STAGES["scores"], STAGES["embeddings"]])],
                                       height=200),
    "lines": lambda: figures.token_lines(EXPERIMENT.labels(), RESULT.weights[2], 8, 1),
    "charts": charts,
    "distributions": lambda: curves.distributions(
        [("before", np.linspace(-9, 9, 99), WITHOUT), ("after", np.linspace(-2, 2, 99), WITH)],
        5, "score", height=200,
    ),
    "bars": lambda: bar_charts(
        [Bars("signed", ["a", "b"], np.array([2.0, -1]), ["2", "−1"], total=("sum", "1")),
         Bars("weights", ["a", "b"], np.array([0.7, 0.3]), [".7", ".3"], weights=True)],
        height=200,
    ),
    "people": lambda: people(
        ["a", "b", "c"], np.array([[1.0, 0], [0, 1], [0.5, 0.5]]), (0, 1), ("x", "y"), height=200
    ),
    "heads": sixteen_heads, "product": product, "sum": added,
    "shelf": lambda: library()[0], "take home": lambda: library()[1],
    "two sentences": lambda: two_sentences(readings("en"), []),
}  # fmt: skip
