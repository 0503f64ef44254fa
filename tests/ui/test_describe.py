"""Sentences made from the data: the right words in them, and the right numbers."""

import numpy as np
import pytest

from core import presets
from core.trace import trace
from ui.describe import heads_alt, lines_alt, pinned_sentence, pipeline_alt, strongest

RELATIONS = presets.build("relations-en")
RESULT = trace(RELATIONS)


def pinned(experiment, head, query, key):
    return pinned_sentence(experiment, trace(experiment), head, query, key)


def masked(**closed):
    allowed = np.ones((RELATIONS.n, RELATIONS.n), dtype=bool)
    for row, keys in closed.items():
        allowed[int(row[1:]), keys] = False
    return RELATIONS.with_(mask="manual", allowed=allowed)


@pytest.mark.parametrize("key", [0, 1, 7])
def test_the_share_is_the_weight(key):
    sentence = pinned(RELATIONS, 2, 8, key)
    assert f"{RESULT.weights[2, 8, key]:.1%}" in sentence
    assert "it·8" in sentence
    assert RELATIONS.labels()[key] in sentence


def test_the_head_counts():
    assert pinned(RELATIONS, 2, 8, 1) != pinned(RELATIONS, 0, 8, 1)


def test_a_key_that_the_mask_forbids_has_no_share():
    sentence = pinned(masked(r8=[1]), 2, 8, 1)
    assert "%" not in sentence
    assert "it·8" in sentence
    assert "cat·1" in sentence
    assert "%" in pinned(masked(r8=[1]), 2, 8, 2)


def test_a_query_with_no_key_left():
    nothing = pinned(masked(r8=range(11)), 2, 8, 1)
    assert "it·8" in nothing
    assert "%" not in nothing
    assert nothing != pinned(masked(r8=[1]), 2, 8, 1)


def test_a_query_that_asks_nothing():
    silent = RELATIONS.with_(w_q=np.zeros_like(RELATIONS.w_q))
    assert f"{1 / 11:.1%}" in pinned(silent, 0, 3, 1)
    assert "11" in pinned(silent, 0, 3, 1)
    half = masked(r3=range(2, 11)).with_(w_q=silent.w_q)
    assert "50.0%" in pinned(half, 0, 3, 1)
    assert "11" not in pinned(half, 0, 3, 1)


def test_one_key_alone_takes_all():
    one = presets.random(("one",), d_model=4, num_heads=1)
    assert "100.0%" in pinned(one, 0, 0, 0)
    assert pinned(one, 0, 0, 0).count("one·0") == 2


def test_equal_words_are_told_apart():
    sentence = pinned(presets.random(("the", "cat", "the"), d_model=4, num_heads=1), 0, 2, 0)
    assert "the·2" in sentence
    assert "the·0" in sentence


def test_words_that_look_like_fields_stay_words():
    tokens = ("{share}", "{0}", "{", "}", "%s", "{key.__class__}")
    now = presets.random(tokens, d_model=4, num_heads=2)
    result = trace(now)
    for query in range(now.n):
        for text in (
            pinned(now, 0, query, 1),
            lines_alt(now, result.weights[0], query),
            heads_alt(now, result, query),
        ):
            assert now.labels()[query] in text


def test_the_strongest_come_first():
    labels = ("a", "b", "c", "d")
    assert strongest(labels, np.array([0.1, 0.6, 0.0, 0.3])) == "b 60%, d 30%, a 10%"
    assert strongest(labels, np.array([0.1, 0.6, 0.0, 0.3]), 1) == "b 60%"
    assert strongest(labels, np.array([0.5, 0.0, 0.5, 0.0])) == "a 50%, c 50%"
    assert strongest(labels, np.zeros(4)) == ""


def test_alt_of_the_lines_says_whom_the_query_looks_at():
    text = lines_alt(RELATIONS, RESULT.weights[2], 8)
    assert "it·8" in text
    assert strongest(RELATIONS.labels(), RESULT.weights[2, 8]) in text


def test_alt_of_the_heads_has_each_of_them():
    text = heads_alt(RELATIONS, RESULT, 8)
    for head in range(4):
        assert strongest(RELATIONS.labels(), RESULT.weights[head, 8], 1) in text
    nothing = masked(r8=range(11))
    assert "it·8" in heads_alt(nothing, trace(nothing), 8)


def test_alt_of_the_pipeline_has_the_sizes():
    text = pipeline_alt(RELATIONS, 3)
    for size in (f"{RELATIONS.n}", f"{RELATIONS.d_model}", f"{RELATIONS.d_k}", "3"):
        assert size in text
