"""Presets say what they promise."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.edit import set_cell, set_tokens, toggle_mask
from core.errors import Refusal
from core.experiment import MAX_WIDTH
from core.presets import (
    PRESETS,
    apple,
    article,
    build,
    is_drawn,
    knows,
    random,
    relations,
    with_d_k,
)
from core.trace import trace

SEED_42 = json.loads((Path(__file__).parents[1] / "data" / "seed42.json").read_text("utf-8"))
SENTENCES = {"relations-en": relations.TOKENS_EN, "relations-zh": relations.TOKENS_ZH}
SENTENCES |= {"article-sentence-en": article.TOKENS_EN, "article-sentence-zh": article.TOKENS_ZH}
SENTENCES |= {name: apple.build(name).tokens for name in apple.SENTENCES}
PAIRS = [
    pytest.param(name, pair, id=f"{name}-{pair.head}-{pair.query}-{pair.key}")
    for name, pairs in (("relations-en", relations.PAIRS_EN), ("relations-zh", relations.PAIRS_ZH))
    for pair in pairs
]
DICTIONARIES = [
    pytest.param(relations.VOCABULARY_EN, relations.DIMENSIONS[:-4], id="relations-en"),
    pytest.param(relations.VOCABULARY_ZH, relations.DIMENSIONS_ZH[:-4], id="relations-zh"),
    pytest.param(article.VOCABULARY_EN, article.DIMENSIONS, id="article-en"),
    pytest.param(article.VOCABULARY_ZH, article.DIMENSIONS_ZH, id="article-zh"),
    pytest.param(apple.VOCABULARY_EN, apple.DIMENSIONS, id="apple-en"),
    pytest.param(apple.VOCABULARY_ZH, apple.DIMENSIONS_ZH, id="apple-zh"),
]


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_builds_alike_each_time(name):
    experiment = build(name)
    assert experiment.preset == name
    assert experiment == build(name)
    assert (trace(experiment).weights.sum(axis=-1) > 0.99).all()


def test_unknown_preset():
    with pytest.raises(KeyError):
        build("relations")


@pytest.mark.parametrize("name", SENTENCES)
def test_every_word_of_a_sentence_is_in_its_dictionary(name):
    experiment = build(name)
    assert experiment.tokens == SENTENCES[name]
    assert all(knows(experiment, token) for token in experiment.tokens)
    assert not knows(experiment, "qwertz")


@pytest.mark.parametrize(("vocabulary", "dimensions"), DICTIONARIES)
def test_dictionaries_use_known_dimensions_only(vocabulary, dimensions):
    assert vocabulary
    for word, features in vocabulary.items():
        assert word == word.lower()
        assert features.keys() <= set(dimensions), word


@pytest.mark.parametrize(("name", "pair"), PAIRS)
def test_a_head_finds_its_pair(name, pair):
    row = trace(build(name)).weights[pair.head, pair.query]
    assert row.argmax() == pair.key
    assert row[pair.key] >= 0.6


def test_every_head_of_the_relations_has_a_pair():
    for pairs in (relations.PAIRS_EN, relations.PAIRS_ZH):
        assert {pair.head for pair in pairs} == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("name", "it", "keys"),
    [
        ("article-sentence-en", article.IT, (article.ANIMAL, article.TIRED, article.STREET)),
        (
            "article-sentence-zh",
            article.IT_ZH,
            (article.ANIMAL_ZH, article.TIRED_ZH, article.STREET_ZH),
        ),
    ],
)
def test_scores_of_the_pronoun_are_the_article_s(name, it, keys):
    result = trace(build(name))
    scores = result.scaled_scores[0, it]
    np.testing.assert_allclose(scores[list(keys)], [3.2, 1.8, 0.4], rtol=0, atol=1e-12)
    assert np.delete(scores, keys).max() < 0.4
    exponentials = np.exp(scores)
    np.testing.assert_allclose(result.weights[0, it], exponentials / exponentials.sum())


def test_places_of_the_article_s_words():
    english = (article.IT, article.ANIMAL, article.STREET, article.TIRED)
    assert [article.TOKENS_EN[i] for i in english] == ["it", "animal", "street", "tired"]
    chinese = (article.IT_ZH, article.ANIMAL_ZH, article.STREET_ZH, article.TIRED_ZH)
    assert [article.TOKENS_ZH[i] for i in chinese] == ["它", "动物", "马路", "累"]


@pytest.mark.parametrize(
    ("changes", "stages"),
    [
        (
            {},
            {
                "query": "Q", "key": "K", "value": "V", "scores": "scores",
                "scaled_scores": "scaled_scores", "weights": "weights", "output": "output",
            },
        ),
        ({"divisor": "none"}, {"weights": "weights_unscaled", "output": "output_unscaled"}),
        ({"divisor": "sqrt_d_model"}, {"weights": "weights_scaled_by_sqrt_d_model"}),
        ({"mask": "causal"}, {"weights": "weights_causal", "output": "output_causal"}),
    ],
)  # fmt: skip
def test_article_numbers(changes, stages):
    result = trace(build("article-numbers").with_(**changes))
    for stage, known in stages.items():
        actual = getattr(result, stage).reshape(4, 4)
        np.testing.assert_allclose(actual, SEED_42[known], rtol=0, atol=1e-12, err_msg=stage)


@pytest.mark.parametrize("d_model", [8, 64, 256])
def test_random_scaled_scores_spread_by_about_one(d_model):
    words = tuple(f"word{i}" for i in range(12))
    spreads = [
        trace(random(words, seed=seed, d_model=d_model)).scaled_scores.std() for seed in range(20)
    ]
    assert 0.7 < np.mean(spreads) < 1.4


def test_random_vectors_stay_when_a_word_is_added():
    small = random(("a", "b"))
    large = random(("c", "a", "b", "a"))
    np.testing.assert_array_equal(large.token_vectors[[1, 2, 3]], small.token_vectors[[0, 1, 0]])
    assert set_tokens(small, large.tokens) == large


def test_random_depends_on_the_seed():
    assert random(("a",), seed=1) == random(("a",), seed=1)
    for name in ("token_vectors", "w_q", "w_k", "w_v", "w_o"):
        one, two = (getattr(random(("a",), seed=seed), name) for seed in (1, 2))
        assert (one != two).all()


def test_random_takes_a_width_for_its_heads():
    assert random(("a",), num_heads=3, d_k=5).w_q.shape == (16, 15)
    assert random(("a",), d_model=2, num_heads=4).d_k == 1


# ---- another d_k ----

DRAWN = ("random", "article-numbers")
every_drawn = pytest.mark.parametrize("name", DRAWN)


def test_which_weights_were_drawn():
    assert {name for name in PRESETS if is_drawn(build(name))} == set(DRAWN)


@every_drawn
@pytest.mark.parametrize("d_k", [1, 7, 64, 256])
def test_another_d_k_draws_queries_and_keys_only(name, d_k):
    before = toggle_mask(build(name), 0, 1).with_(divisor="none", temperature=2.0)
    after = with_d_k(before, d_k)
    assert after.d_k == d_k
    assert after.w_q.shape == after.w_k.shape == (before.d_model, before.num_heads * d_k)
    assert after.w_q.std() > 0
    assert (after.w_q != after.w_k).all()
    assert after.with_(w_q=before.w_q, w_k=before.w_k) == before


@every_drawn
def test_the_first_d_k_again_is_the_very_first_experiment(name):
    first = build(name)
    assert with_d_k(with_d_k(first, 64), first.d_k) == first


@every_drawn
def test_another_d_k_drops_what_was_edited_and_does_not_fit(name):
    first = build(name)
    width = first.w_q.shape[1]
    edited = set_cell(first, "w_q", 0, 0, 9).with_(b_q=np.ones(width), b_k=np.ones(width))
    assert with_d_k(edited, first.d_k) == first
    assert with_d_k(edited, 2) == with_d_k(first, 2)


def test_another_d_k_follows_the_seed():
    one, two = (with_d_k(random(("a",), seed=seed), 8) for seed in (1, 2))
    assert (one.w_q != two.w_q).all()


@pytest.mark.parametrize("d_k", [4, 8, 64, 256])
def test_random_scaled_scores_spread_by_about_one_at_every_d_k(d_k):
    words = tuple(f"word{i}" for i in range(12))
    spreads = [trace(with_d_k(random(words, seed=s), d_k)).scaled_scores.std() for s in range(20)]
    assert 0.7 < np.mean(spreads) < 1.4


@pytest.mark.parametrize(
    "now",
    [
        *(pytest.param(build(name), id=name) for name in PRESETS if name not in DRAWN),
        pytest.param(build("random").with_(preset=""), id="file"),
        pytest.param(
            build("article-numbers").with_(
                token_vectors=np.ones((4, 2)), **dict.fromkeys(("w_q", "w_k", "w_v"), np.eye(2))
            ),
            id="other-d_model",
        ),
    ],
)
def test_weights_that_no_rule_drew_keep_their_d_k(now):
    assert not is_drawn(now)
    with pytest.raises(Refusal, match="not drawn by a rule"):
        with_d_k(now, now.d_k)


@every_drawn
@pytest.mark.parametrize("d_k", [0, -1, MAX_WIDTH + 1, 10**9])
def test_a_d_k_that_does_not_fit(name, d_k):
    most = MAX_WIDTH // build(name).num_heads
    with pytest.raises(Refusal, match=rf"d_k is {d_k}; .* 1 to {most}\."):
        with_d_k(build(name), d_k)


@every_drawn
def test_the_widest_d_k(name):
    most = MAX_WIDTH // build(name).num_heads
    assert with_d_k(build(name), most).d_k == most
    with pytest.raises(Refusal):
        with_d_k(build(name), most + 1)
