"""The library: a search is attention, and the same attention as one sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import edit
from core.attention import softmax
from core.presets import build, knows, library, unknown_words
from core.trace import trace

LANGUAGES = ("en", "zh")
HALVES = st.lists(st.integers(0, 4).map(lambda n: n / 2), min_size=6, max_size=6)
NOTHING = (0.0,) * 6


@given(HALVES, st.sampled_from(LANGUAGES))
def test_the_row_of_the_experiment_is_the_look_up(search, language):
    found, result = library.look_up(search), trace(library.experiment(search, language))
    weights = result.weights[0, library.SEARCH]
    assert weights[library.SEARCH] == 0
    np.testing.assert_allclose(weights[1:], found.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.output[library.SEARCH], found.output, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        result.head_outputs[0, library.SEARCH], found.soft, rtol=0, atol=1e-12
    )


@given(HALVES)
def test_a_look_up_by_hand(search):
    found = library.look_up(search)
    announced = np.array([book[2] for book in library._SHELF], dtype=float)
    inside = np.array([book[3] for book in library._SHELF], dtype=float)
    scores = announced @ (library.SHARPNESS * np.array(search))
    np.testing.assert_allclose(found.scores, scores, atol=1e-12)
    np.testing.assert_allclose(found.weights, softmax(scores / np.sqrt(6)), atol=1e-12)
    np.testing.assert_allclose(found.soft, found.weights @ inside, atol=1e-12)
    np.testing.assert_allclose(found.parts.sum(axis=0), found.soft, atol=1e-12)
    np.testing.assert_array_equal(found.hard, inside[found.best[0]])
    np.testing.assert_allclose(found.output, [0] * 6 + list(found.soft), atol=1e-12)
    assert found.best == tuple(np.flatnonzero(np.isclose(scores, scores.max())))


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ((0, 1), (0,)), ((0, 4), (1,)), ((4, 5), (3,)), ((2, 3), (6,)), ((1, 2), (7,)),
        ((0,), (0, 1)), ((5,), (3, 4)), ((), tuple(range(8))),
    ],
)  # fmt: skip
def test_which_books_are_best(asked, best):
    assert library.look_up([float(i in asked) for i in range(6)]).best == best


@pytest.mark.parametrize("asked", [(0, 1), (0, 4), (4, 5), (2, 3), (1, 2)])
def test_a_good_match_gets_a_clear_majority_but_not_all(asked):
    weights = np.sort(library.look_up([float(i in asked) for i in range(6)]).weights)
    assert 0.5 < weights[-1] < 0.9
    assert weights[-1] > 3 * weights[-2]


def test_a_search_for_nothing_takes_the_average():
    found = library.look_up(NOTHING)
    np.testing.assert_allclose(found.weights, 1 / 8)
    np.testing.assert_allclose(found.soft, found.values.mean(axis=0))


def test_a_tie_that_rounding_would_break():
    """0.6 and 0.8 are no binary fractions: sums in another order differ in the last bit."""
    found = library.look_up((0.0, 1.0, 1.0, 0.0, 1.0, 1.0))
    assert np.isclose(found.scores, found.scores.max()).sum() == len(found.best)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_preset_is_the_default_search(language):
    now = build(f"library-{language}")
    assert now == library.experiment(library.DEFAULT_SEARCH, language)
    assert now.labels()[1:] == tuple(
        f"{title}·{i}" for i, title in enumerate(library.titles(language), start=1)
    )
    assert now.dimension_names == library.labels(language) + library.contents(language)
    assert unknown_words(now) == ()
    assert np.argwhere(~now.may_attend).tolist() == [[library.SEARCH, library.SEARCH]]


def test_both_languages_have_the_same_numbers():
    one, two = (build(f"library-{language}") for language in LANGUAGES)
    np.testing.assert_array_equal(one.token_vectors, two.token_vectors)
    np.testing.assert_array_equal(trace(one).output, trace(two).output)
    for named in (library.titles, library.labels, library.contents):
        assert len(named("en")) == len(set(named("en"))) == len(set(named("zh")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_words_get_zeros(language):
    now = build(f"library-{language}")
    grown = edit.insert(now, now.n, "qwertz")
    assert not grown.token_vectors[-1].any()
    assert not knows(now, "qwertz")
    assert unknown_words(grown) == ("qwertz",)
