"""The numbers of a picture, as tables, as CSV and as a page that needs nothing else."""

import csv
import io
import json
import re

import numpy as np
import pytest
from every_picture import SAMPLE

from core import carried, files, presets
from core.trace import trace
from ui import curves, figures, twins
from ui.bars import Bars, bar_charts
from ui.heads.figures import query_lines
from ui.heatmaps import Tile
from ui.parts import Table
from ui.tiles import tiles

EXPERIMENT = presets.build("relations-en")
RESULT = trace(EXPERIMENT)
STAGES = tiles(EXPERIMENT, RESULT, 2)
HOSTILE = ("</script><script>alert(1)</script>", "=1+1", "<b>", "a\nb", "%{y}", "-x", '"')


def numbers(table):
    return np.array([[float(cell) if cell else np.nan for cell in row[1:]] for row in table.rows])


def test_a_pipeline_is_a_table_for_each_stage():
    found = {table.title: table for table in figures.pipeline(STAGES, {}).tables}
    for tile in STAGES.values():
        table = found[tile.title]
        np.testing.assert_allclose(numbers(table), tile.values, rtol=1e-5)
        assert [row[0] for row in table.rows] == list(tile.rows)
        assert table.header[1:] == list(tile.columns)


def test_a_grid_is_a_table_for_each_tile():
    made = [Tile(f"head {t}", RESULT.weights[t], EXPERIMENT.labels(), EXPERIMENT.labels(),
                 weights=True) for t in range(4)]  # fmt: skip
    found = figures.grid(made, columns=4, axes=("q", "k"), clickable=True).tables
    assert [table.title for table in found] == [tile.title for tile in made]
    for table, tile in zip(found, made, strict=True):
        np.testing.assert_allclose(numbers(table), tile.values, rtol=1e-5)


def test_what_is_masked_has_no_number():
    masked = np.eye(2, dtype=bool)
    tile = Tile("t", np.full((2, 2), 0.5), ["a", "b"], ["a", "b"], weights=True, masked=masked)
    (table,) = figures.gallery([("row", [tile])], height=200).tables
    assert [row[1:] for row in table.rows] == [["", "0.5"], ["0.5", ""]]


def test_curves_stand_side_by_side_over_their_x():
    x, y = np.array([1.0, 4.0]), np.array([0.25, 0.5])
    drawn = [curves.Curve("one", y, curves.WITH, error=y / 10), curves.Curve("", -y, curves.WITH)]
    (table,) = curves.charts([curves.Chart("c", x, drawn, name_x="step")], 1, height=200).tables
    assert (table.title, table.header) == ("c", ["step", "one", "± one", "c"])
    assert table.rows == [["1", "0.25", "0.025", "-0.25"], ["4", "0.5", "0.05", "-0.5"]]


def test_what_is_no_number_has_no_bar_and_says_so():
    bars = Bars("t", ["a", "b"], np.array([np.nan, 0.5]), ["NaN", ".5"], weights=True)
    figure = bar_charts([bars], height=200)
    assert figure.tables[0].rows == [["a", "NaN"], ["b", "0.5"]]
    assert list(figure.data[0].y) == [0, 0.5]


def test_lines_of_heads_are_a_column_for_each_head():
    rows = np.array([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
    figure = query_lines("ab", rows, 1, ["h", "i", "j"], [0, 2], threshold=0.3, height=99)
    (table,) = figure.tables
    assert (table.title, table.header) == ("b", ["", "h", "j"])
    assert table.rows == [["a", "0.2", "0.9"], ["b", "0.8", "0.1"]]


@pytest.mark.parametrize("name", SAMPLE)
def test_every_picture_has_its_numbers_as_tables(name):
    found = SAMPLE[name]().tables
    assert found
    for table in found:
        assert len(table.rows) > 0
        assert {len(row) for row in table.rows} == {len(table.header)}
        assert all(
            any(cell for cell in column) for column in list(zip(*table.rows, strict=True))[1:]
        )


@pytest.fixture
def hostile():
    tile = Tile(HOSTILE[0], np.eye(len(HOSTILE)), HOSTILE, HOSTILE)
    return figures.gallery([("row", [tile])], height=200)


def test_csv_is_read_back_and_runs_nothing(hostile):
    rows = list(csv.reader(io.StringIO(twins.to_csv(hostile.tables))))
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    assert "'=1+1" in cells
    assert "'-x" in cells
    assert rows[-1][-1] == "1"


def test_a_negative_number_stays_a_number():
    table = Table("", ["", "a"], [["r"], [-0.5]])
    assert list(csv.reader(io.StringIO(twins.to_csv([table]))))[-1] == ["r", "-0.5"]


def test_the_page_needs_nothing_else_and_is_small(hostile):
    page = twins.to_html(hostile, "what <it> shows", files.to_json(EXPERIMENT))
    assert len(page.encode()) < 5_000_000
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//""", page)
    assert page.count("<script") == page.count("</script>") == 2, "its experiment, and its own"
    assert "what &lt;it&gt; shows" in page
    figure = json.loads(re.search(r"const figure = (\{.*\});", page).group(1))
    assert figure["layout"]["paper_bgcolor"] == "#fff"
    assert len(figure["data"]) == len(hostile.data)


def test_the_page_of_a_picture_brings_its_experiment_back(hostile):
    whole = EXPERIMENT.with_(tokens=(*HOSTILE, *EXPERIMENT.tokens)[:11])
    page = twins.to_html(hostile, f'id="{carried.ID}"', files.to_json(whole))
    assert files.read("x.html", page.encode(), presets.random(("a",))) == whole
    assert "can open this page again" in page


def test_the_page_of_a_picture_says_that_its_experiment_is_too_large(hostile):
    page = twins.to_html(hostile, "alt", "x" * (carried.MAX_IN_PAGE + 1))
    assert "too large for this page" in page
    assert carried.ID not in page


def test_paper_leaves_the_picture_on_screen_as_it_was():
    figure = figures.pipeline(STAGES, {})
    before = figure.to_json()
    assert twins.on_paper(figure).layout.paper_bgcolor == "#fff"
    assert figure.to_json() == before
