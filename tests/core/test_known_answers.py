"""The core against answers that others published or computed with another implementation.

``tests/data/known_answers.json`` lists the cases, one a line, each with its source;
``known_answers.npz`` holds their arrays.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.attention import (
    merge_heads,
    multi_head_attention,
    project,
    scaled_dot_product_attention,
    softmax,
    split_heads,
)
from core.gradients import attention_backward, softmax_jacobian, softmax_vjp
from core.masks import causal_mask

DATA = Path(__file__).parents[1] / "data"
CASES = json.loads((DATA / "known_answers.json").read_text(encoding="utf-8"))
with np.load(DATA / "known_answers.npz") as archive:
    ARRAYS = dict(archive)

Case = dict[str, Any]


def each(kind: str) -> pytest.MarkDecorator:
    cases = [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", cases)


def inputs(case: Case) -> dict[str, np.ndarray]:
    return {name: ARRAYS[f"{case['id']}/{name}"] for name in case["inputs"]}


def attention_arguments(case: Case) -> dict[str, Any]:
    arguments = inputs(case) | case["params"]
    offset = arguments.pop("causal_offset", 0)
    if offset:
        n_queries, n_keys = arguments["query"].shape[-2], arguments["key"].shape[-2]
        arguments["attn_mask"] = causal_mask(n_queries, n_keys, offset)
    return arguments


def assert_as_known(case: Case, stages: dict[str, np.ndarray]) -> None:
    numbers = [array for name, array in inputs(case).items() if name != "attn_mask"]
    single = all(array.dtype == np.float32 for array in numbers)
    assert case["expected"]
    for stage in case["expected"]:
        known = ARRAYS[f"{case['id']}/expected/{stage}"]
        np.testing.assert_allclose(
            stages[stage], known, rtol=case["rtol"], atol=case["atol"], err_msg=stage
        )
        assert stages[stage].dtype == (np.float32 if single else np.float64), stage


def test_no_case_was_lost():
    assert Counter(case["kind"] for case in CASES) == {
        "softmax": 19,
        "log_softmax": 5,
        "attention": 45,
        "self_attention": 13,
        "multi_head": 12,
        "multi_head_qkv": 4,
        "project": 1,
        "split_heads": 3,
        "merge_heads": 2,
        "causal_mask": 4,
        "dot": 1,
        "attention_grad": 6,
        "softmax_jacobian": 3,
        "softmax_vjp": 2,
    }


@each("softmax")
def test_softmax(case):
    assert_as_known(case, {"y": softmax(**inputs(case), **case["params"])})


@each("log_softmax")
def test_log_softmax(case):
    assert_as_known(case, {"y": np.log(softmax(**inputs(case), **case["params"]))})


@each("attention")
def test_attention(case):
    assert_as_known(case, vars(scaled_dot_product_attention(**attention_arguments(case))))


@each("self_attention")
def test_self_attention(case):
    arguments = inputs(case)
    x = arguments.pop("x")
    query, key, value = (project(x, arguments.pop(w)) for w in ("w_q", "w_k", "w_v"))
    attention = scaled_dot_product_attention(query, key, value, **arguments, **case["params"])
    assert_as_known(case, {"query": query, "key": key, "value": value, **vars(attention)})


@each("multi_head")
def test_multi_head(case):
    attention = multi_head_attention(**inputs(case), **case["params"])
    weights_mean = attention.weights.mean(axis=-3)
    assert_as_known(case, {"weights_mean": weights_mean, **vars(attention)})


@each("multi_head_qkv")
def test_multi_head_of_given_projections(case):
    arguments = attention_arguments(case)
    num_heads = arguments.pop("num_heads")
    for name in ("query", "key", "value"):
        arguments[name] = split_heads(arguments[name], num_heads)
    assert_as_known(case, {"output": merge_heads(scaled_dot_product_attention(**arguments).output)})


@each("project")
def test_project(case):
    assert_as_known(case, {"y": project(**inputs(case))})


@each("split_heads")
def test_split_heads(case):
    assert_as_known(case, {"heads": split_heads(**inputs(case), **case["params"])})


@each("merge_heads")
def test_merge_heads(case):
    assert_as_known(case, {"x": merge_heads(**inputs(case))})


@each("causal_mask")
def test_causal_mask(case):
    allowed = ARRAYS[f"{case['id']}/expected/allowed"]
    np.testing.assert_array_equal(causal_mask(**case["params"]), allowed, strict=True)


@each("dot")
def test_one_score_is_a_dot_product(case):
    a, b = inputs(case).values()
    scores = scaled_dot_product_attention(a[np.newaxis], b[np.newaxis], b[np.newaxis]).scores
    assert_as_known(case, {"value": scores[0, 0]})


@each("attention_grad")
def test_attention_backward(case):
    arguments = attention_arguments(case)
    d_output = arguments.pop("d_output")
    attention = scaled_dot_product_attention(**arguments)
    gradients = attention_backward(
        *(arguments[name] for name in ("query", "key", "value")),
        attention.weights,
        d_output,
        scale=arguments.get("scale"),
    )
    d_stages = {f"d_{stage}": array for stage, array in vars(gradients).items()}
    assert_as_known(case, {"output": attention.output, **d_stages})


@each("softmax_jacobian")
def test_softmax_jacobian(case):
    assert_as_known(case, {"jacobian": softmax_jacobian(softmax(**inputs(case)))})


@each("softmax_vjp")
def test_softmax_vjp(case):
    axis = case["params"]["axis"]
    x, d_weights = (np.moveaxis(array, axis, -1) for array in inputs(case).values())
    d_scores = softmax_vjp(softmax(x), d_weights)
    assert_as_known(case, {"d_scores": np.moveaxis(d_scores, -1, axis)})


SEED_42 = {
    stage: np.array(numbers)
    for stage, numbers in json.loads((DATA / "seed42.json").read_text(encoding="utf-8")).items()
}


@pytest.fixture
def seed_42_projections():
    draw = np.random.RandomState(42).randn
    x = draw(4, 8)
    return [project(x, draw(8, 4)) for _ in ("query", "key", "value")]


def assert_as_seed_42(**stages: np.ndarray) -> None:
    for stage, actual in stages.items():
        np.testing.assert_allclose(actual, SEED_42[stage], rtol=0, atol=1e-12, err_msg=stage)


def test_seed_42_stages(seed_42_projections):
    query, key, value = seed_42_projections
    attention = scaled_dot_product_attention(query, key, value)
    assert_as_seed_42(
        Q=query,
        K=key,
        V=value,
        scores=attention.scores,
        scaled_scores=attention.scaled_scores,
        weights=attention.weights,
        output=attention.output,
    )


def test_seed_42_unscaled(seed_42_projections):
    attention = scaled_dot_product_attention(*seed_42_projections, scale=1.0)
    assert_as_seed_42(weights_unscaled=attention.weights, output_unscaled=attention.output)


def test_seed_42_divided_by_sqrt_d_model(seed_42_projections):
    attention = scaled_dot_product_attention(*seed_42_projections, scale=1 / np.sqrt(8))
    assert_as_seed_42(weights_scaled_by_sqrt_d_model=attention.weights)


def test_seed_42_causal(seed_42_projections):
    attention = scaled_dot_product_attention(*seed_42_projections, is_causal=True)
    assert_as_seed_42(weights_causal=attention.weights, output_causal=attention.output)
