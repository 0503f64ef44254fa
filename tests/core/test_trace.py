"""The trace against the formulas, written out as loops over plain numbers."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import experiments

from core.experiment import Experiment
from core.presets import random
from core.trace import masked_rows, trace

TOKENS = ("the", "cat", "sat", "down")
STAGES = (
    "embeddings", "query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights",
    "head_outputs", "concatenated", "output",
)  # fmt: skip
small = experiments(limit=2, dtypes=[(np.float64,)])


def product(left, right):
    """Rows times columns."""
    return [[dot(row, column) for column in zip(*right, strict=True)] for row in left]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def plus(rows, bias):
    return (
        rows if bias is None else [[x + b for x, b in zip(row, bias, strict=True)] for row in rows]
    )


def position(kind, i, j, d_model):
    if kind == "sinusoidal":
        angle = i / 10000 ** ((j - j % 2) / d_model)
        return math.cos(angle) if j % 2 else math.sin(angle)
    if kind == "clock" and j >= d_model - 4:
        turn = 2 * math.pi * i / (4, 4, 12, 12)[j - d_model]
        return math.sin(turn) if (j - d_model) % 2 else math.cos(turn)
    return 0.0


def may_look(experiment, i, j):
    if experiment.mask == "causal":
        return j <= i
    return experiment.mask == "none" or bool(experiment.allowed[i, j])


def softmax(row):
    largest = max(row)
    if largest == -math.inf:
        return [0.0] * len(row)
    exponentials = [math.exp(x - largest) for x in row]
    return [x / sum(exponentials) for x in exponentials]


def by_hand(experiment):
    """Every stage as nested lists."""
    e = experiment
    n, h, d_model = len(e.tokens), e.num_heads, len(e.token_vectors[0])
    d_k, d_v = len(e.w_q[0]) // h, len(e.w_v[0]) // h
    x = [
        [e.token_vectors[i][j] + position(e.positions, i, j, d_model) for j in range(d_model)]
        for i in range(n)
    ]

    def heads_of(w, b, width):
        rows = plus(product(x, w), b)
        return [[row[t * width : (t + 1) * width] for row in rows] for t in range(h)]

    query, key = heads_of(e.w_q, e.b_q, d_k), heads_of(e.w_k, e.b_k, d_k)
    value = heads_of(e.w_v, e.b_v, d_v)
    divisors = {"sqrt_d_k": d_k**0.5, "none": 1, "d_k": d_k, "sqrt_d_model": d_model**0.5}
    divisor = divisors[e.divisor] * e.temperature
    scores = [[[dot(q, k) for k in key[t]] for q in query[t]] for t in range(h)]
    scaled = [[[score / divisor for score in row] for row in head] for head in scores]
    masked = [
        [[head[i][j] if may_look(e, i, j) else -math.inf for j in range(n)] for i in range(n)]
        for head in scaled
    ]
    weights = [[softmax(row) for row in head] for head in masked]
    outputs = [product(weights[t], value[t]) for t in range(h)]
    concatenated = [[number for t in range(h) for number in outputs[t][i]] for i in range(n)]
    output = concatenated if e.w_o is None else plus(product(concatenated, e.w_o), e.b_o)
    stages = (x, query, key, value, scores, scaled, masked, weights, outputs, concatenated, output)
    return dict(zip(STAGES, stages, strict=True))


@given(small)
def test_every_stage_as_by_hand(experiment):
    result = trace(experiment)
    for stage, expected in by_hand(experiment).items():
        actual = getattr(result, stage)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-7, err_msg=stage)


@given(experiments())
def test_shapes(experiment):
    result = trace(experiment)
    n, h = experiment.n, experiment.num_heads
    d_k, d_v = experiment.w_q.shape[1] // h, experiment.w_v.shape[1] // h
    assert result.position_encoding.shape == result.embeddings.shape == (n, experiment.d_model)
    assert result.query.shape == result.key.shape == (h, n, d_k)
    assert result.value.shape == result.head_outputs.shape == (h, n, d_v)
    for stage in (result.scores, result.scaled_scores, result.masked_scores, result.weights):
        assert stage.shape == (h, n, n)
    assert result.allowed.shape == (n, n)
    assert result.concatenated.shape == (n, h * d_v)
    assert result.output.shape == (n, h * d_v if experiment.w_o is None else experiment.d_model)


@given(experiments())
def test_float32_where_all_arrays_are_and_float64_otherwise(experiment):
    given_types = {x.dtype for x in vars(experiment).values() if isinstance(x, np.ndarray)}
    single = given_types <= {np.dtype(np.float32), np.dtype(bool)}
    stages = vars(trace(experiment))
    assert stages.pop("allowed").dtype == bool
    assert {stage.dtype for stage in stages.values()} == {np.dtype("f4" if single else "f8")}


@given(experiments())
def test_every_number_is_finite_but_for_masked_scores(experiment):
    stages = vars(trace(experiment))
    masked_scores, allowed = stages.pop("masked_scores"), stages["allowed"]
    assert all(np.isfinite(stage).all() for stage in stages.values())
    assert (np.isneginf(masked_scores) == ~allowed).all()


def test_float32_agrees_with_float64():
    double = random(TOKENS)
    names = ("token_vectors", "w_q", "w_k", "w_v", "w_o")
    single = double.with_(**{name: getattr(double, name).astype(np.float32) for name in names})
    np.testing.assert_allclose(trace(single).output, trace(double).output, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("divisor", "number"), [("sqrt_d_k", 2), ("none", 1), ("d_k", 4), ("sqrt_d_model", 4)]
)
@pytest.mark.parametrize("temperature", [0.5, 1.0, 8.0])
def test_divisor_and_temperature(divisor, number, temperature):
    result = trace(random(TOKENS).with_(divisor=divisor, temperature=temperature))  # d_k 4 of 16
    np.testing.assert_array_equal(result.scaled_scores, result.scores / (number * temperature))


def test_a_row_without_a_key_gives_the_bias_alone():
    b_o = np.arange(16.0)
    allowed = np.ones((4, 4), bool)
    allowed[2] = False
    experiment = random(TOKENS).with_(mask="manual", allowed=allowed, b_o=b_o)
    result = trace(experiment)
    assert masked_rows(result) == [2]
    np.testing.assert_array_equal(result.weights[:, 2], 0)
    np.testing.assert_array_equal(result.concatenated[2], 0)
    np.testing.assert_array_equal(result.output[2], b_o)
    assert (result.weights[:, [0, 1, 3]].sum(axis=-1) > 0.99).all()


@given(small, st.randoms(use_true_random=False))
def test_order_of_tokens_does_not_matter_without_mask_and_positions(experiment, rng):
    assume(experiment.n > 1)
    plain = experiment.with_(mask="none", positions="off")
    order = rng.sample(range(plain.n), plain.n)
    moved = plain.with_(
        tokens=[plain.tokens[i] for i in order], token_vectors=plain.token_vectors[order]
    )
    np.testing.assert_allclose(
        trace(moved).output, trace(plain).output[order], rtol=1e-9, atol=1e-6
    )


def test_positions_make_the_order_matter():
    plain = random(TOKENS, d_model=8, num_heads=2)
    turned = plain.with_(tokens=TOKENS[::-1], token_vectors=plain.token_vectors[::-1])
    for positions in ("sinusoidal", "clock"):
        there, back = (trace(e.with_(positions=positions)).output for e in (plain, turned))
        assert np.abs(there - back[::-1]).max() > 0.01


@given(experiments())
def test_layout_in_memory_changes_no_bit(experiment):
    names = ("token_vectors", "w_q", "w_k", "w_v")
    columns = {name: np.asfortranarray(getattr(experiment, name)) for name in names}
    same = Experiment(**vars(experiment) | columns)
    assert same == experiment
    for stage, array in vars(trace(same)).items():
        assert array.tobytes() == getattr(trace(experiment), stage).tobytes(), stage
