"""Calls that must be refused, in words that name the numbers involved."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from core.attention import (
    multi_head_attention,
    project,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)

CASES = json.loads((Path(__file__).parents[1] / "data" / "refusals.json").read_text("utf-8"))
FUNCTIONS = {
    "attention": scaled_dot_product_attention,
    "multi_head": multi_head_attention,
    "project": project,
    "softmax": softmax,
    "split_heads": split_heads,
}
TOKENS = np.arange(6.0).reshape(3, 2)


def test_no_case_was_lost():
    assert len(CASES) == 10


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_refused_with_its_numbers(case):
    arrays = {name: np.array(numbers) for name, numbers in case["inputs"].items()}
    with pytest.raises((ValueError, TypeError)) as refusal:
        FUNCTIONS[case["kind"]](**arrays, **case["params"])
    named = {int(number) for number in re.findall(r"-?\d+", str(refusal.value))}
    assert named >= set(case["numbers"])


def test_no_tokens_give_an_empty_result():
    none = np.empty((0, 4))
    attention = scaled_dot_product_attention(none, none, none)
    assert attention.weights.shape == (0, 0)
    assert attention.output.shape == (0, 4)


def test_no_keys_leave_nothing_to_look_at():
    output = scaled_dot_product_attention(TOKENS, TOKENS[:0], TOKENS[:0]).output
    np.testing.assert_array_equal(output, np.zeros((3, 2)))


@pytest.mark.parametrize("cells", [[["1", "2"]], [[None, 1]], [[1j, 2]], [[True, False]]], ids=str)
def test_only_real_numbers_are_accepted(cells):
    with pytest.raises(TypeError, match="only real numbers"):
        scaled_dot_product_attention(np.array(cells), TOKENS, TOKENS)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        (np.ones((3, 5)), TOKENS, "query is 2 wide but key is 5 wide"),
        (TOKENS, np.ones((4, 2)), "there are 3 keys but 4 values"),
    ],
)
def test_shapes_that_do_not_fit_are_told_in_words(key, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        scaled_dot_product_attention(TOKENS, key, value)


@pytest.mark.parametrize("shape", [(2, 2), (4,), (2, 3, 3)])
@pytest.mark.parametrize("dtype", [bool, float])
def test_mask_that_does_not_fit_or_would_enlarge_the_scores(shape, dtype):
    sentence = f"attn_mask has shape {shape}, which does not fit the scores (3, 3)"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        scaled_dot_product_attention(TOKENS, TOKENS, TOKENS, attn_mask=np.ones(shape, dtype))


def test_no_width():
    with pytest.raises(ValueError, match="at least 1"):
        scaled_dot_product_attention(TOKENS[:, :0], TOKENS[:, :0], TOKENS)


@pytest.mark.parametrize("scale", [np.nan, np.inf, -np.inf])
def test_scale_that_is_not_finite(scale):
    with pytest.raises(ValueError, match=f"scale is {scale}"):
        scaled_dot_product_attention(TOKENS, TOKENS, TOKENS, scale=scale)


def test_width_that_heads_do_not_divide():
    with pytest.raises(ValueError, match=r"width of 2 .* 3 equal heads"):
        split_heads(TOKENS, 3)


def test_scores_that_overflow():
    with pytest.raises(ValueError, match=r"scaled_scores\[0, 0\] is inf"):
        scaled_dot_product_attention([[1e200]], [[1e200]], [[1.0]])


def test_scale_that_overflows_float32():
    one = np.ones((1, 1), dtype=np.float32)
    with pytest.raises(ValueError, match=r"scaled_scores\[0, 0\] is inf"):
        scaled_dot_product_attention(one, one, one, scale=1e300)


def test_mask_of_plus_infinity():
    with pytest.raises(ValueError, match=r"attn_mask\[1\] is inf"):
        scaled_dot_product_attention(TOKENS, TOKENS, TOKENS, attn_mask=[0, np.inf, 0])


def test_product_that_overflows():
    with pytest.raises(ValueError, match=r"x times w\[0, 0\] is inf"):
        project([[1e200]], [[1e200]])


@pytest.mark.parametrize("shape", [(1,), (3, 2), (4, 1, 2)])
def test_bias_of_another_shape(shape):
    with pytest.raises(ValueError, match=re.escape(f"b has shape {shape}, but w has 2 columns")):
        project(TOKENS, np.eye(2), np.zeros(shape))
