"""What attention costs, counted; the shapes of known models."""

from collections import Counter

import numpy as np
import pytest

from core.attention import softmax
from core.cost import MODELS, attention_cost
from core.experiment import BIAS_NAMES, WEIGHT_NAMES
from core.presets import random
from core.trace import trace

BY_NAME = {model.name: model for model in MODELS}


def cost_of(experiment, **options):
    e = experiment
    return attention_cost(e.n, e.d_model, e.num_heads, e.d_k, e.d_v, **options)


# ---- published models ----


def test_gpt_3():
    model = BY_NAME["GPT-3 175B"]
    assert model.d_model * model.d_head == 1_572_864  # W_Q of one head
    assert model.parameters == 603_979_776
    assert model.layers * model.parameters == 57_982_058_496


@pytest.mark.parametrize(
    ("name", "heads", "width", "product"),
    [
        ("GPT-3 Medium", 16, 64, 1024),
        ("GPT-3 Large", 16, 96, 1536),
        ("GPT-3 6.7B", 32, 128, 4096),
        ("GPT-3 13B", 40, 128, 5120),
        ("GPT-3 175B", 96, 128, 12288),
    ],
)
def test_heads_times_width(name, heads, width, product):
    model = BY_NAME[name]
    assert (model.num_heads, model.d_head, model.width) == (heads, width, product)


def test_gpt_2_small():
    model = BY_NAME["GPT-2 small"]
    assert (model.d_model, model.num_heads, model.d_model / model.num_heads) == (768, 12, 64)
    assert model.d_head == 64


def test_two_rows_of_the_paper_do_not_multiply_out():
    printed = {m.name: (m.width, m.d_model) for m in MODELS if not m.multiplies_out}
    assert printed == {"GPT-3 XL": (3072, 2048), "GPT-3 13B": (5120, 5140)}


# ---- counting ----


def counted(experiment):
    """Attention by plain loops that count each multiplication: its output and the counts."""
    counts = Counter()

    def product(name, left, right):
        rows = []
        for row in left:
            sums = []
            for column in zip(*right, strict=True):
                total = 0.0
                for a, b in zip(row, column, strict=True):
                    total += a * b
                    counts[name] += 1
                sums.append(total)
            rows.append(sums)
        return rows

    e = experiment
    x = e.token_vectors.tolist()
    answers = []
    for head in range(e.num_heads):
        query, key, value = (
            product("projections", x, getattr(e, name)[:, e.head_columns(head, name)].tolist())
            for name in ("w_q", "w_k", "w_v")
        )
        scores = product("pairs", query, list(zip(*key, strict=True)))
        weights = softmax(np.array(scores) / np.sqrt(e.d_k))
        counts["weights"] += weights.size
        answers.append(product("pairs", weights.tolist(), value))
    output = np.hstack(answers)
    if e.w_o is not None:
        output = np.array(product("projections", output.tolist(), e.w_o.tolist()))
    return output, counts


@pytest.mark.parametrize("joined", [True, False], ids=["with W_O", "without W_O"])
@pytest.mark.parametrize(("heads", "d_k", "d_v"), [(1, 1, 1), (2, 3, 3), (3, 2, 4)])
def test_every_multiplication_is_counted(heads, d_k, d_v, joined):
    now = random(("a", "b", "c"), d_model=5, num_heads=heads, d_k=d_k)
    values = random(now.tokens, d_model=5, num_heads=heads, d_k=d_v)
    now = now.with_(w_v=values.w_v, w_o=values.w_o if joined else None)
    output, counts = counted(now)
    np.testing.assert_allclose(output, trace(now).output, rtol=1e-12)
    cost = cost_of(now, output_projection=joined)
    assert (cost.projections, cost.pairs, cost.weights) == tuple(
        counts[name] for name in ("projections", "pairs", "weights")
    )
    assert cost.multiplications == counts["projections"] + counts["pairs"]


@pytest.mark.parametrize("joined", [True, False], ids=["with W_O", "without W_O"])
@pytest.mark.parametrize("biases", [True, False], ids=["biases", "no biases"])
def test_parameters_are_the_numbers_of_the_arrays(biases, joined):
    now = random(("a", "b"), d_model=6, num_heads=2, d_k=4)
    zeros = dict(zip(BIAS_NAMES, map(np.zeros, (8, 8, 8, 6)), strict=True))
    now = now.with_(**zeros) if biases else now
    now = now if joined else now.with_(w_o=None, b_o=None)
    arrays = [getattr(now, name) for name in (*WEIGHT_NAMES, *BIAS_NAMES)]
    cost = cost_of(now, output_projection=joined, biases=biases)
    assert cost.parameters == sum(array.size for array in arrays if array is not None)
    assert cost.projections == cost_of(now, output_projection=joined).projections


@pytest.mark.parametrize("heads", [2, 8, 64])
def test_many_heads_cost_more_weights_and_nothing_else(heads):
    many = attention_cost(10, 512, heads, 512 // heads, 512 // heads)
    one = attention_cost(10, 512, 1, 512, 512)
    assert many.parameters == one.parameters == 4 * 512**2
    assert many.multiplications == one.multiplications
    assert many.weights == heads * one.weights
