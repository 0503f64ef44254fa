"""From a sentence to tokens and back."""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import texts

from core.errors import Refusal
from core.experiment import MAX_TOKEN_LENGTH
from core.presets import random
from core.tokens import join, split
from core.trace import trace

CASES = json.loads((Path(__file__).parents[1] / "data" / "tokens.json").read_text("utf-8"))["cases"]
LISTS = {case["id"]: tuple(case["tokens"]) for case in CASES}


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."]),
        ("It didn't, e-mail C++ 3.14!", ["It", "didn't", ",", "e-mail", "C++", "3.14", "!"]),
        ("it’s (so)", ["it’s", "(", "so", ")"]),
        ("  a \n\t b  ", ["a", "b"]),
        ("我爱北京", ["我", "爱", "北京"]),
        ("小猫在睡觉，它很饿。", ["小猫", "在", "睡觉", "，", "它", "很", "饿", "。"]),
        ("GPT模型 ok", ["GPT", "模型", "ok"]),
    ],
)
def test_words(text, tokens):
    assert split(text, "words") == tuple(tokens)


def test_characters():
    assert split("猫 sat。", "characters") == ("猫", "s", "a", "t", "。")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("a  b.c\nd", ["a", "b.c", "d"]),
        ("New York | is | big ", ["New York", "is", "big"]),
        ("a||b", ["a", "", "b"]),
        ("我爱北京 猫", ["我爱北京", "猫"]),
    ],
)
def test_as_typed(text, tokens):
    assert split(text, "as typed") == tuple(tokens)


@given(st.text())
def test_splitting_loses_nothing_but_blanks(text):
    assume(text.split() and len("".join(text.split())) <= 64)
    for how in ("words", "characters"):
        assert "".join(split(text, how)) == "".join(text.split())


@pytest.mark.parametrize("how", ["words", "characters", "as typed"])
@pytest.mark.parametrize("text", ["", " \n\t\u3000"])
def test_no_token(text, how):
    with pytest.raises(Refusal, match="write at least one word"):
        split(text, how)


@pytest.mark.parametrize("how", ["words", "characters", "as typed"])
def test_at_most_64_tokens(how):
    assert len(split("a " * 64, how)) == 64
    with pytest.raises(Refusal, match="65 tokens; there can be at most 64"):
        split("a " * 65, how)


def test_a_very_long_text_is_refused_before_it_is_cut():
    with pytest.raises(Refusal, match="5000 characters long; at most 4032"):
        split("a" * 5000, "words")


def comes_back(token):
    return "|" not in token and token == token.strip()


@given(st.lists(texts.filter(comes_back), min_size=2, max_size=64).map(tuple))
def test_joined_tokens_split_into_the_same(tokens):
    assert split(join(tokens), "as typed") == tokens


@given(texts.filter(lambda token: token.split() == [token] and "|" not in token))
def test_one_word_comes_back(token):
    assert split(join((token,)), "as typed") == (token,)


def test_the_longest_sentence_comes_back():
    tokens = (*["x" * MAX_TOKEN_LENGTH] * 63, "x " * (MAX_TOKEN_LENGTH // 2 - 1) + "xx")
    assert split(join(tokens), "as typed") == tokens


def test_no_list_was_lost():
    assert len(LISTS) == 14


@pytest.mark.parametrize("name", [name for name in LISTS if name != "none"])
def test_every_list_makes_an_experiment(name):
    experiment = random(LISTS[name])
    assert experiment.tokens == LISTS[name]
    assert len(set(experiment.labels())) == len(LISTS[name])
    assert trace(experiment).weights.shape == (4, experiment.n, experiment.n)


def test_the_empty_list_is_refused():
    with pytest.raises(Refusal, match="no token"):
        random(LISTS["none"])
