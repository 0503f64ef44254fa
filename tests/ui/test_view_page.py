"""The view as one page: what it holds, what it escapes, how large it gets, and its experiment."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import files, presets
from core.trace import trace
from ui import formulas, language, palettes, view_page
from ui.figures import gallery
from ui.heatmaps import Tile
from ui.matrix import Pick, panel
from ui.panels import Panels
from ui.view_page import Heading, Line, Picture, Product, page

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENT = presets.build("relations-en")
RESULT = trace(EXPERIMENT)
JSON = files.to_json(EXPERIMENT)
HOSTILE = ("</script><script>alert(1)</script>", "<b>b</b>", '"', "'", "&lt;", "<!--", "]]>", "\0")


class Seen(HTMLParser):
    """Tables as rows of cells, scripts, and the names of all elements."""

    def __init__(self, text):
        super().__init__()
        self.names, self.tables, self.scripts, self.language = [], [], {}, ""
        self.texts = []
        self._script, self._inside = None, False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.names.append(tag)
        if tag == "html":
            self.language = found["lang"]
        if tag == "script":
            self._script = found.get("id") or found.get("data-of") or ""
            self.scripts[self._script] = ""
        if tag == "table":
            self._inside = True
            self.tables.append((found, []))
        if tag == "tr":
            self.tables[-1][1].append([])
        if tag in ("td", "th"):
            self.tables[-1][1][-1].append([found, ""])

    def handle_endtag(self, tag):
        if tag == "script":
            self._script = None
        if tag == "table":
            self._inside = False

    def handle_data(self, data):
        if self._script is not None:
            self.scripts[self._script] += data
            return
        self.texts.append(data)
        if self._inside and self.tables[-1][1]:
            self.tables[-1][1][-1][-1][1] += data.strip()


def numbers(rows):
    """What a table of cells holds at full precision; NaN where there is nothing."""
    return np.array(
        [
            [float(found.get("data-v") or text.strip() or "nan") for found, text in row[1:]]
            for row in rows[1:]
        ]
    )


def scores():
    panels = Panels(EXPERIMENT, RESULT, 2)
    left, right = panels.role("query"), panels.key_transposed()
    return {"left": left, "right": right, "product": panels.pairs("scores")}


def test_a_product_is_three_tables_with_every_digit():
    panels = scores()
    seen = Seen(page([Product(panels, Pick("product", 8, 1))], JSON))
    assert [found["data-slot"] for found, _ in seen.tables] == ["left", "right", "product"]
    for (_, rows), one in zip(seen.tables, panels.values(), strict=True):
        assert np.array_equal(numbers(rows), one.values)
        assert [row[0][1].strip() for row in rows[1:]] == list(one.rows)
        assert [cell[1].strip() for cell in rows[0][1:]] == list(one.cols)
    picked = [
        (i, j)
        for i, row in enumerate(seen.tables[2][1][1:])
        for j, (found, _) in enumerate(row[1:])
        if "pick" in found.get("class", "")
    ]
    assert picked == [(8, 1)]


def test_cells_have_the_colour_of_their_sign_and_size():
    one = panel("M", [[1.0, -1.0, 0.5, 0.0]], ["r"], list("abcd"))
    (_, rows), *_rest = Seen(page([Product({"product": one}, None)], JSON)).tables
    assert [found.get("class") for found, _ in rows[1][1:]] == ["p16", "n16", "p8", None]
    text = page([Product({"product": one}, None)], JSON, palettes.SAFE)
    blue = palettes.SAFE.inks[view_page.BLUE].rgb
    assert re.search(rf"\.p16 {{ background: rgb\({blue}, 0\.800\) }}", text)


def test_in_a_grey_palette_more_is_darker():
    one = panel("M", [[1.0, 0.0, -1.0]], ["r"], list("abc"))
    text = page([Product({"product": one}, None)], JSON, palettes.GREY_SAFE)
    (_, rows), *_rest = Seen(text).tables
    assert [found.get("class") for found, _ in rows[1][1:]] == ["p16", "p8", None]


def test_masked_cells_tell_nothing():
    hidden = np.array([[True, False]])
    one = panel("M", [[123.0, 4.0]], ["r"], ["a", "b"], masked=hidden)
    text = page([Product({"product": one}, None)], JSON)
    (_, rows), *_rest = Seen(text).tables
    assert [(found.get("class"), text) for found, text in rows[1][1:]] == [("m", ""), ("p16", "4")]
    assert "123" not in "".join(Seen(text).texts)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"), (0.5, ".5"), (-0.25, "−.25"), (1.0, "1"), (0.001, ".00"), (12.5, "12.5"),
        (-3e7, "-3e+07"), (np.inf, "∞"), (-np.inf, "-∞"), (np.nan, "nan"),
    ],
)  # fmt: skip
def test_short_numbers(number, text):
    assert view_page._short(number, 2) == text


def test_a_large_matrix_is_small_cells_with_seven_digits():
    values = np.random.default_rng(0).normal(size=(65, 64))
    names = [f"t{i}" for i in range(65)]
    one = panel("S", values, names, names[:64])
    (found, rows), *_rest = Seen(page([Product({"product": one}, None)], JSON)).tables
    assert "small" in found["class"]
    np.testing.assert_allclose(numbers(rows), values, rtol=1e-6)


def hostile_page():
    values = np.eye(len(HOSTILE))
    one = panel(HOSTILE[0], values, HOSTILE, HOSTILE, title=HOSTILE[0])
    figure = gallery([("row", [Tile(HOSTILE[0], values, HOSTILE, HOSTILE)])], height=200)
    experiment = presets.random(HOSTILE, d_model=3, num_heads=1)
    things = [
        Heading(HOSTILE[0], HOSTILE[0]),
        Line(HOSTILE[0]),
        Product({"product": one}, None),
        Picture(figure, HOSTILE[0]),
    ]
    return page(things, files.to_json(experiment)), experiment


def test_hostile_words_are_text_everywhere():
    text, experiment = hostile_page()
    seen = Seen(text)
    assert sorted(seen.scripts) == ["", "attention-experiment", "picture3"]
    assert seen.names.count("script") == 4
    assert seen.names.count("b") == 1, "that of the pinned pair"
    assert "alert(1)" not in seen.scripts[""]
    assert "".join(seen.texts).count(HOSTILE[0]) >= 5
    assert json.loads(seen.scripts["picture3"])["data"]
    assert json.loads(seen.scripts["attention-experiment"])["tokens"] == list(HOSTILE)
    assert files.read("x.html", text.encode(), EXPERIMENT) == experiment


def test_it_asks_for_nothing_outside():
    text, _ = hostile_page()
    own = re.sub(r'atob\("[^"]+"\)', "", text)  # Plotly itself
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?\s*(?:https?:)?//""", own)
    assert not re.search(r"@import|<link|<img|<iframe", own)


@pytest.mark.parametrize("preset", presets.PRESETS)
def test_every_preset_comes_back_from_a_page(preset):
    experiment = presets.build(preset)
    panels = Panels(experiment, trace(experiment), 0)
    things = [Heading("h", "s"), Product({"product": panels.pairs("weights")}, None)]
    text = page(things, files.to_json(experiment))
    assert files.read("view.html", text.encode(), EXPERIMENT) == experiment


def test_a_page_never_becomes_too_large_and_says_what_is_left_out():
    values = np.random.default_rng(0).normal(size=(512, 512))
    names = [str(i) for i in range(512)]
    wide = Product({"product": panel("W", values, names, names)}, None)
    tiles = [Tile(f"head {t}", values, names, names) for t in range(4)]
    picture = Picture(gallery([("row", tiles)], height=300), "four")
    large = presets.random(("a",) * 64, d_model=512, num_heads=16)
    small = Product(scores(), None)
    text = page([Heading("h", ""), wide, picture, small], files.to_json(large))
    assert len(text.encode()) < 5_000_000
    assert text.count("too large for this page") == 3
    assert len(Seen(text).tables) == 3, "what is small is still there"
    assert "attention-experiment" not in Seen(text).scripts


def test_sixty_four_tokens_fit_with_their_experiment():
    words = tuple(f"token{i}" for i in range(64))
    large = presets.random(words)
    panels = Panels(large, trace(large), 0)
    products = [Product({"product": panels.pairs(stage)}, None)
                for stage in ("scores", "scaled_scores", "masked_scores", "weights")]  # fmt: skip
    text = page(products, files.to_json(large))
    assert len(Seen(text).tables) == 4
    assert len(text.encode()) < 1_500_000
    assert files.read("x.html", text.encode(), EXPERIMENT) == large


# ---- the language ----


def test_the_page_is_in_the_language_of_when_it_was_offered(monkeypatch):
    monkeypatch.setattr(language, "_ask", lambda: "zh")
    make = language.later(lambda: page([Product(scores(), None)], JSON))
    monkeypatch.setattr(language, "_ask", lambda: "en")
    assert Seen(make()).language == "zh"
    assert "指向单元格" in make()
    assert language.current() == "en"


# ---- the arithmetic ----


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"1 \cdot 3 + (-2) \cdot 0.5 + \cdots = 2", "1 · 3 + (−2) · 0.5 + … = 2"),
        (r"\frac{9}{\sqrt{4}} = \frac{9}{2} = 4.5", "9 / (√4) = 9 / 2 = 4.5"),
        (r"3 - \infty = -\infty", "3 − ∞ = −∞"),
        (r"\frac{e^{-\infty}}{0} \;\to\; 0", "(e^(−∞)) / 0 → 0"),
        (
            r"\frac{e^{9 - 9}}{\sum_k e^{s_k - 9}} = \frac{1}{1.012} = 0.988",
            "(e^(9 − 9)) / (Σ_k e^(s_k − 9)) = 1 / 1.012 = 0.988",
        ),
        (r"1.20 \cdot 10^{-7}", "1.20 · 10^(−7)"),
    ],
)
def test_a_formula_as_plain_text(latex, text):
    assert formulas.plain(latex) == text


# ---- what pages draw is what is taken away ----


def drawn_on(name, **parameters):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in {"lang": "en", **parameters}.items():
        app.query_params[key] = value
    app.switch_page(f"pages/{name}.py").run()
    assert not app.exception
    return app, app.session_state["drawn:things"]


@pytest.mark.parametrize(
    "name",
    ["start", "tokens", "projections", "dot", "scaling", "learning", "softmax", "heatmap",
     "masks", "heads", "code", "summary"],
)  # fmt: skip
def test_everything_that_is_drawn_is_noted(name):
    app, things = drawn_on(name)
    pictures = [one for one in things.values() if isinstance(one, Picture)]
    products = [one for one in things.values() if isinstance(one, Product)]
    assert len(pictures) == len(app.get("plotly_chart"))
    sent = [json.loads(one.proto.json or "{}") for one in app.get("bidi_component")]
    assert len(products) == sum("panels" in data for data in sent)
    heading = things["heading"]
    assert any(one.value == f"# {heading.text}" for one in app.markdown)
    assert len(page(things.values(), JSON).encode()) < files.MAX_BYTES


def test_the_pinned_pair_and_the_arithmetic_are_noted():
    _, things = drawn_on("heatmap", preset="relations-en")
    assert things["heading"].sentence == "In head 2, it·8 takes 98.8% from cat·1."
    assert things["arithmetic"].text.startswith("weights[it·8, cat·1] = (e^(9 − 9)) / ")


def test_another_page_begins_anew():
    app, _ = drawn_on("heatmap")
    app.switch_page("pages/code.py").run()
    assert list(app.session_state["drawn:things"]) == ["heading"]
