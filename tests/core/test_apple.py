"""One word in two sentences: the same rows of X, Q, K and V, another output."""

import numpy as np
import pytest

from core import edit, presets
from core.presets import apple
from core.presets.views import first_view
from core.tokens import join, split
from core.trace import trace

LANGUAGES = ("en", "zh")
every_language = pytest.mark.parametrize("language", LANGUAGES)
every_name = pytest.mark.parametrize("name", apple.SENTENCES)


@every_language
@pytest.mark.parametrize("stage", ["embeddings", "query", "key", "value"])
def test_what_no_neighbour_changes(stage, language):
    fruit, company = apple.readings(language)
    rows = [getattr(one.trace, stage)[..., one.place, :] for one in (fruit, company)]
    np.testing.assert_array_equal(*rows)
    assert rows[0].any()
    assert apple.difference(fruit, company, stage) == 0
    assert stage in apple.SAME


@every_language
def test_the_output_leans_to_the_sense(language):
    fruit, company = apple.readings(language)
    for one, right, wrong in (
        (fruit, apple.FOOD_AT, apple.COMPANY_AT),
        (company, apple.COMPANY_AT, apple.FOOD_AT),
    ):
        assert one.output[right] > 0.7
        assert one.output[wrong] < 0.15
    assert apple.difference(fruit, company, "output") > 0.6


@every_language
def test_the_word_holds_both_senses_half_and_half(language):
    for one in apple.readings(language):
        x = one.trace.embeddings[one.place]
        assert x[apple.FOOD_AT] == x[apple.COMPANY_AT] == 0.5
        assert one.word == apple.WORDS[language]
        assert one.experiment.positions == "off"
        np.testing.assert_array_equal(one.weights, one.trace.weights[0, one.place])


@every_name
def test_the_weights_are_spread_but_not_flat(name):
    weights = np.sort(trace(presets.build(name)).weights[0, apple.place(name)])[::-1]
    assert 0.25 < weights[0] < 0.45
    assert weights[:4].sum() > 0.75


@every_name
def test_the_first_view_is_the_word_and_its_strongest_key(name):
    now = presets.build(name)
    view = first_view(now)
    assert view.query == apple.place(name)
    row = trace(now).weights[0, view.query]
    assert row[view.key] == row.max()


@every_name
def test_a_sentence_can_be_typed_again(name):
    tokens = presets.build(name).tokens
    assert split(join(tokens), "words") == tokens
    assert split(("" if name.endswith("zh") else " ").join(tokens), "words") == tokens


@pytest.mark.parametrize(
    ("name", "sentence", "leans"),
    [
        ("apple-fruit-en", "she drank apple juice", "food"),
        ("apple-fruit-en", "he baked an apple pie", "food"),
        ("apple-fruit-en", "she sold her apple shares", "company"),
        ("apple-company-en", "Apple announced a computer", "company"),
        ("apple-company-en", "we ate a blackberry cake", "food"),
        ("apple-fruit-zh", "妈妈 喝 小米 粥", "food"),
        ("apple-fruit-zh", "小米 推出 了 新手机", "company"),
    ],
)
def test_variations(name, sentence, leans):
    now = edit.set_tokens(presets.build(name), split(sentence, "words"))
    assert presets.unknown_words(now) == ()
    senses = now.dimension_names.index(apple.NAMES_ZH["2 senses"] if "zh" in name else "2 senses")
    (place,) = np.flatnonzero(now.token_vectors[:, senses])
    output = trace(now).output[place]
    food, company = output[apple.FOOD_AT], output[apple.COMPANY_AT]
    assert (food - company if leans == "food" else company - food) > 0.3


def test_what_is_bought_may_be_either():
    now = edit.set_tokens(presets.build("apple-fruit-en"), ("she", "bought", "an", "apple"))
    output = trace(now).output[3]
    assert abs(output[apple.FOOD_AT] - output[apple.COMPANY_AT]) < 1e-9
