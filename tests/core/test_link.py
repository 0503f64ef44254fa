"""Links: what is written is read back to the last bit, and what is not ours is refused."""

import base64
import contextlib
import json
import time
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import experiments, texts

from core import edit, files, link, presets
from core.errors import Refusal
from core.experiment import MAX_ABS, Experiment

RELATIONS = "relations-en"
NUMBERS = presets.build("article-numbers")
GOOD = link.to_link(edit.set_cell(NUMBERS, "w_q", 0, 0, 0.5))

few = settings(max_examples=100, deadline=None)


def again(experiment: Experiment) -> Experiment:
    return link.from_link(experiment.preset, link.to_link(experiment))


def packed(content: object) -> str:
    """A link with any content, as somebody could make one by hand."""
    return packed_bytes(json.dumps(content).encode())


def packed_bytes(data: bytes) -> str:
    text = base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")
    return link.VERSION + text


def refused_or_read(preset: str, text: str) -> None:
    """A refusal or an experiment; any other exception is an error of ours."""
    with contextlib.suppress(Refusal):
        assert isinstance(link.from_link(preset, text), Experiment)


# ---- there and back ----


@pytest.mark.parametrize("name", presets.PRESETS)
def test_a_preset_needs_no_text(name):
    assert link.to_link(presets.build(name)) == ""
    assert again(presets.build(name)) == presets.build(name)


@few
@given(experiments())
def test_any_experiment_comes_back(experiment):
    text = link.to_link(experiment)
    assert text.isascii()
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    assert link.from_link(experiment.preset, text) == experiment


@few
@given(
    tokens=st.lists(texts, min_size=1, max_size=8).map(tuple),
    seed=st.integers(0, 2**31 - 1),
    d_model=st.integers(1, 20),
    heads=st.integers(1, 6),
)
def test_a_random_draw_is_written_as_its_seed(tokens, seed, d_model, heads):
    drawn = presets.random(tokens, seed=seed, d_model=d_model, num_heads=heads)
    assert again(drawn) == drawn
    longest = packed({"draw": [list(tokens), seed, d_model, heads]})
    assert len(link.to_link(drawn)) <= len(longest) + 8, "numbers were written out"


@few
@given(data=st.data(), name=st.sampled_from(presets.PRESETS))
def test_edits_of_a_preset_come_back(data, name):
    now = presets.build(name)
    numbers = st.sampled_from((0.0, -0.0, 1e-300, MAX_ABS)) | st.floats(-MAX_ABS, MAX_ABS)
    for _ in range(data.draw(st.integers(1, 4))):
        matrix = data.draw(st.sampled_from(("token_vectors", "w_q", "w_k", "w_v")))
        rows, columns = getattr(now, matrix).shape
        row, column = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
        now = edit.set_cell(now, matrix, row, column, data.draw(numbers))
    if data.draw(st.booleans()):
        now = edit.toggle_mask(now, data.draw(st.integers(0, now.n - 1)), 0)
    if data.draw(st.booleans()):
        now = edit.set_tokens(now, data.draw(st.lists(texts, min_size=1, max_size=12)))
    now = now.with_(temperature=data.draw(st.floats(0.01, 100)))
    assert again(now) == now


@pytest.mark.parametrize("d_k", [1, 64, 256])
@pytest.mark.parametrize("name", ["random", "article-numbers"])
def test_another_d_k_is_a_short_link(name, d_k):
    wide = presets.with_d_k(presets.build(name), d_k)
    edited = edit.set_cell(wide, "w_q", 1, 0, 0.1 + 0.2)
    for now in (wide, edited, edited.with_(mask="causal")):
        assert again(now) == now
        assert len(link.to_link(now)) < 200
    by_hand = edit.toggle_mask(edited, 0, 1)
    assert again(by_hand) == by_hand
    assert len(link.to_link(by_hand)) < 250, "besides its table, numbers were written out"


def test_a_d_k_that_came_with_other_heads_comes_back():
    """What the base lacks, the numbers themselves bring."""
    for now in (NUMBERS.with_(num_heads=2), presets.random(("a", "b"), d_k=5)):
        assert again(now) == now


def test_one_edit_is_a_short_link():
    assert len(link.to_link(edit.set_cell(presets.build(RELATIONS), "w_q", 0, 0, 0.5))) < 100


@pytest.mark.parametrize("value", [0, False, "", "é猫👍"], ids=repr)
def test_empty_and_zero_values_are_not_lost(value):
    now = NUMBERS.with_(tokens=(str(value) if value != "" else "", "b", "c", "d"))
    now = now.with_(w_q=np.zeros_like(now.w_q), seed=0, allowed=np.zeros((4, 4), dtype=bool))
    assert again(now) == now


@few
@given(experiments())
def test_a_file_comes_back_through_a_link(experiment):
    loaded = files.from_json(files.to_json(experiment), NUMBERS)
    assert again(loaded) == experiment
    archived = files.read("x.npz", files.to_npz(experiment), NUMBERS)
    assert again(archived) == experiment


def test_a_table_comes_back_through_a_link():
    loaded = files.read("x.csv", b"token,a,b\r\nx,1,2\r\ny,3,4\r\n", NUMBERS)
    assert again(loaded) == loaded


def test_a_file_that_names_a_preset_of_tomorrow():
    """A later version may know more presets; the numbers are all in the file."""
    content = json.loads(files.to_json(NUMBERS)) | {"preset": "of tomorrow"}
    try:
        loaded = files.from_json(json.dumps(content), NUMBERS)
    except Refusal:
        return
    assert again(loaded) == loaded


# ---- not ours ----


@pytest.mark.parametrize("end", range(1, len(GOOD)))
def test_a_link_that_was_cut(end):
    with pytest.raises(Refusal):
        link.from_link("article-numbers", GOOD[:end])


@pytest.mark.parametrize("version", ["0", "2", "9", "x", "é", " "])
def test_a_link_of_another_version(version):
    with pytest.raises(Refusal, match="version"):
        link.from_link("article-numbers", version + GOOD[1:])


@pytest.mark.parametrize("preset", ["nonsense", "RANDOM", "../x", "relations-en ", "\0"])
def test_a_preset_that_does_not_exist(preset):
    with pytest.raises(Refusal):
        link.from_link(preset, "")


@few
@given(preset=st.sampled_from(("", *presets.PRESETS)), text=st.text(min_size=1, max_size=80))
@example("", link.VERSION)
@example("", link.VERSION + "=")
@example("", link.VERSION + "====")
@example("", link.VERSION + "é")
@example("", link.VERSION + "A" * 100_000)
def test_any_text(preset, text):
    for one in (text, link.VERSION + text):
        with pytest.raises(Refusal):
            link.from_link(preset, one)


@few
@given(data=st.binary(max_size=200))
def test_any_bytes(data):
    raw = base64.urlsafe_b64encode(data).decode().rstrip("=")
    with pytest.raises(Refusal):
        link.from_link("", link.VERSION + raw)
    refused_or_read("", packed_bytes(data))


@few
@given(place=st.integers(0, len(GOOD) - 1), character=st.characters(codec="utf-8"))
def test_one_character_changed(place, character):
    refused_or_read("article-numbers", GOOD[:place] + character + GOOD[place + 1 :])


@pytest.mark.parametrize("d_k", [0, -1, 1.5, 2.0, "a", 10**9, float("nan"), None, [], [4], {}])
@pytest.mark.parametrize("name", ["random", "article-numbers"])
def test_a_d_k_that_is_none(name, d_k):
    with pytest.raises(Refusal):
        link.from_link(name, packed({"d_k": d_k}))


@pytest.mark.parametrize("name", ["", RELATIONS, "article-sentence-zh"])
def test_a_d_k_for_weights_that_no_rule_drew(name):
    with pytest.raises(Refusal, match="not drawn by a rule"):
        link.from_link(name, packed({"d_k": 4}))


def test_a_d_k_too_wide_for_the_heads_of_the_link():
    assert link.from_link("random", packed({"draw": [["a"], 0, 4, 16], "d_k": 64})).d_k == 64
    with pytest.raises(Refusal, match="1 to 64"):
        link.from_link("random", packed({"draw": [["a"], 0, 4, 16], "d_k": 65}))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 20)
    | st.sampled_from((10**30, -1, 1e308, float("nan"), float("inf"), 0.5, 2**31))
    | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3)
)
NAMES = (
    *("tokens", "token_vectors", "X", "w_q", "W_Q", "w_o", "b_q", "allowed", "num_heads", "mask"),
    *("seed", "preset", "dtype", "version", "temperature", "positions", "divisor", "head_names"),
)
fields = st.dictionaries(st.sampled_from(NAMES) | texts, values, max_size=4)
cells = st.dictionaries(
    st.sampled_from(NAMES) | texts,
    st.lists(st.tuples(scalars, scalars) | values, max_size=3) | values,
    max_size=3,
)
draws = st.tuples(st.lists(texts, max_size=3) | values, scalars, scalars, scalars) | values
contents = st.fixed_dictionaries(
    {},
    optional={
        "draw": draws,
        "d_k": scalars | values,
        "set": fields | values,
        "whole": fields | values,
        "cells": cells | values,
        "gone": fields | values,
        "float32": st.lists(st.sampled_from(NAMES) | values) | values,
        "more": values,
    },
)


@settings(max_examples=400, deadline=None)
@given(preset=st.sampled_from(("", *presets.PRESETS)), content=contents | values)
@example("random", {"draw": [["a"], 0, 512, 16]})
@example("random", {"draw": [["a"], -1, 4, 1]})
@example("random", {"draw": [["a"], 10**30, 4, 1]})
@example("random", {"draw": [["a"], 0, True, True]})
@example("random", {"draw": [["a"], 0, 4.0, 1.5]})
@example("random", {"draw": ["abc", 0, 4, 2]})
@example("random", {"draw": [{"a": 1}, 0, 4, 2]})
@example("article-numbers", {"cells": {"w_q": [[0, 1e308]]}, "float32": ["w_q"]})
@example("article-numbers", {"cells": {"w_q": [[10**30, 1]]}})
@example("article-numbers", {"cells": {"w_q": [[-1, 1]]}})
@example("article-numbers", {"cells": {"w_q": [[0, "1"]]}})
@example("article-numbers", {"cells": {"w_q": [[0, 10**400]]}})
@example("article-numbers", {"cells": {"seed": [[0, 1]]}})
@example("article-numbers", {"gone": {"w_q": 1}})
@example("article-numbers", {"gone": {"tokens": 1}})
@example("article-numbers", {"gone": ["allowed"]})
@example("article-numbers", {"set": {"mask": "manual"}})
@example("article-numbers", {"set": {"mask": "manual", "allowed": [[1]]}})
@example("article-numbers", {"set": {"X": [[1]], "W_Q": [[1]]}})
@example("article-numbers", {"whole": {"allowed": [[[]]]}})
@example("relations-en", {"set": {"num_heads": 3}})
def test_any_content(preset, content):
    refused_or_read(preset, packed(content))


@pytest.mark.parametrize("part", ["set", "whole", "cells", "gone", "draw", "more"])
def test_nested_as_deep_as_it_can_be_read(part):
    """Just below what the reader of JSON can take, the writer may already give up."""
    for depth in (*range(100, 900, 100), *range(900, 1010, 2), 100_000):
        for content in (
            f'{{"{part}": {"[" * depth}{"]" * depth}}}',
            f'{{"{part}": {{"x": {"[" * depth}{"]" * depth}}}}}',
        ):
            refused_or_read("article-numbers", packed_bytes(content.encode()))


@pytest.mark.parametrize(
    "content",
    [
        b"0" * 200_000_000,
        b'{"set": {"tokens": ["' + b"a" * 100_000_000 + b'"]}}',
        b"[" * 50_000_000,
    ],
    ids=["number", "text", "lists"],
)
def test_a_bomb_is_refused_before_it_unpacks(content):
    bomb = packed_bytes(content)
    assert len(bomb) < 500_000
    start = time.perf_counter()
    with pytest.raises(Refusal):
        link.from_link("", bomb)
    assert time.perf_counter() - start < 1


def test_unpacking_stops_in_time():
    """Not only quick: most of the bomb is never held in memory."""
    bomb = packed_bytes(b" " * 100_000_000)
    tracemalloc.start()
    with pytest.raises(Refusal):
        link.from_link("", bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000


@pytest.mark.parametrize(
    "draw", [["ab", 1, 4, True], ["ab", True, 4, 1], ["ab", 2**31, 4, 1], ["ab", -1, 4, 1]]
)
def test_a_draw_of_what_is_no_number_of_heads_or_no_seed_is_refused(draw):
    with pytest.raises(Refusal):
        link.from_link("random", link.pack({"draw": draw}))
