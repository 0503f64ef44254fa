"""The library on the Start page, and two sentences on the Projections page, without a browser."""

import base64
import json

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from test_pages import charts, control, experiment, fine, keys, opened, press, texts, view

from core import presets
from core.presets import apple, library
from ui.literal import literal

LANGUAGES = ("en", "zh")
every_language = pytest.mark.parametrize("language", LANGUAGES)


def in_library(**parameters: object) -> AppTest:
    return opened("start", start="library", **{"lang": "en", **parameters})


def two(**parameters: object) -> AppTest:
    return opened("projections", roles="two", **{"lang": "en", **parameters})


def numbers(packed: object) -> np.ndarray:
    """An array of a figure, as it is sent to the browser."""
    if not isinstance(packed, dict):
        return np.array(packed, dtype=float)
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])
    return flat.reshape([int(n) for n in packed["shape"].split(",")]) if "shape" in packed else flat


def of_kind(chart: dict, kind: str, field: str) -> list[np.ndarray]:
    return [numbers(part[field]) for part in chart["data"] if part["type"] == kind]


def written(chart: dict) -> list[str]:
    return [one["text"] for one in chart["layout"]["annotations"]]


def shows_library(app: AppTest) -> bool:
    return "library-open" in keys(app)


# ---- the library ----


@every_language
@pytest.mark.parametrize("search", ["", "200000", "000000", "444444", "013402"])
def test_the_library_shows_what_core_computes(search, language):
    app = in_library(lang=language, search=search)
    levels = [int(d) / 2 for d in search] if search else list(library.DEFAULT_SEARCH)
    found = library.look_up(levels)
    shelf, home = charts(app)
    query, table, contents = of_kind(shelf, "heatmap", "z")
    np.testing.assert_array_equal(query[0], found.query)
    np.testing.assert_array_equal(table, found.keys)
    np.testing.assert_array_equal(contents, found.values)
    np.testing.assert_array_equal(of_kind(shelf, "bar", "customdata")[0], found.weights)
    soft, hard = of_kind(home, "bar", "y")
    np.testing.assert_array_equal(soft, found.soft)
    np.testing.assert_array_equal(hard, found.hard)
    plain = [text.removeprefix("<b>").removesuffix("</b>") for text in written(shelf)]
    assert set(library.titles(language)) <= set(plain)
    assert {f"{weight:.0%}" for weight in found.weights} <= set(plain)
    assert any(literal(f"{found.weights[found.best[0]]:.1%}") in text for text in texts(app))


def test_the_default_search_is_not_in_the_link():
    app = in_library()
    assert "search" not in app.query_params
    fine(control(app, "library-words").set_value([0]).run())
    assert app.query_params["search"] == "200000"
    fine(control(app, "library-words").set_value([0, 1]).run())
    assert "search" not in app.query_params


def test_words_and_levels_move_each_other():
    app = in_library()
    assert control(app, "library-words").value == [0, 1]
    fine(control(app, "library-level-3").set_value(1.5).run())
    assert control(app, "library-words").value == [0, 1, 3]
    assert app.query_params["search"] == "220300"
    fine(control(app, "library-words").set_value([3, 5]).run())
    assert app.query_params["search"] == "000302"
    assert control(app, "library-level-0").value == 0
    assert control(app, "library-level-3").value == 1.5
    fine(control(app, "library-words").set_value([]).run())
    assert app.query_params["search"] == "000000"


@every_language
def test_the_search_opens_as_an_experiment(language):
    app = press(in_library(lang=language, search="002200"), "library-open")
    search = (0, 0, 1, 1, 0, 0)
    now = experiment(app)
    assert now == library.experiment(search, language)
    assert now.preset == f"library-{language}"
    assert view(app) == (0, library.SEARCH, 1 + library.look_up(search).best[0])
    assert shows_library(app)


def test_the_library_needs_no_experiment():
    plain, odd = in_library(), in_library(preset="article-numbers")
    assert charts(plain) == charts(odd)


@pytest.mark.parametrize("start", ["Library", "0", "<b>", "library "])
def test_another_start_is_the_sentence(start):
    app = opened("start", start=start, lang="en")
    assert not shows_library(app)
    assert "sentence" in keys(app)


@pytest.mark.parametrize(
    "search",
    ["22000", "2200000", "520000", "-10000", "python", "２20000", "²20000", "<b>abc", "1e5"],
)
def test_another_search_is_the_default(search):
    app = in_library(search=search)
    assert control(app, "library-words").value == [0, 1]


# ---- two sentences ----


@every_language
def test_two_sentences_show_what_core_computes(language):
    app = two(lang=language)
    readings = apple.readings(language)
    (chart,) = charts(app)
    cells = iter(of_kind(chart, "heatmap", "z"))
    bars = iter(of_kind(chart, "bar", "customdata"))
    for one in readings:
        result, i = one.trace, one.place
        for rows in (result.embeddings, result.query[0], result.key[0], result.value[0]):
            np.testing.assert_array_equal(next(cells)[0], rows[i])
        np.testing.assert_array_equal(next(bars), result.weights[0, i])
        np.testing.assert_array_equal(next(bars), result.output[i])
        marked = [text for text in written(chart) if f"<b><u>{one.word}</u></b>" in text]
        assert len(marked) == 2
    said = " ".join(texts(app))
    for one in readings:
        for number in (one.output[apple.FOOD_AT], one.output[apple.COMPANY_AT]):
            assert literal(f"{number:.2f}") in said


@every_language
@pytest.mark.parametrize("sense", ["fruit", "company"])
def test_either_sentence_opens(sense, language):
    name = f"apple-{sense}-{language}"
    app = press(two(lang=language), f"open-{name}")
    assert experiment(app) == presets.build(name)
    assert view(app)[1] == apple.place(name)


def test_two_sentences_need_no_experiment():
    assert charts(two()) == charts(two(preset="article-numbers"))


@pytest.mark.parametrize("roles", ["Two", "2", "", "two "])
def test_other_roles_are_one_sentence(roles):
    app = opened("projections", roles=roles, lang="en")
    assert "option-role" in keys(app)
    assert not charts(app)


def test_the_way_there_and_back():
    app = opened("projections", lang="en")
    fine(control(app, "option-roles").set_value("two").run())
    assert app.query_params["roles"] == "two"
    assert charts(app)
    json.dumps(charts(app), allow_nan=False)
    fine(control(app, "option-roles").set_value("one").run())
    assert "roles" not in app.query_params
