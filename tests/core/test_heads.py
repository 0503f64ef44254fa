"""What heads do, measured; how heads and dimensions share in a result."""

import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments

from core.heads import (
    EVEN_FROM,
    NAMED_FROM,
    HeadFacts,
    head_contributions,
    head_facts,
    job,
    output_of,
    score_terms,
)
from core.presets import build, random
from core.trace import trace

FACTS = [field.name for field in fields(HeadFacts)]
ONE_TYPE = ((np.float64,), (np.float32,))
RELATIVE = {"float64": 1e-12, "float32": 1e-5}


def assert_adds_up(found, expected, size):
    """Equal but for rounding; ``size`` says how large the numbers are that were added up."""
    tiny = 1e8 * float(np.finfo(expected.dtype).tiny)  # what was rounded to 0, multiplied again
    assert found.shape == expected.shape
    assert (np.abs(found - expected) <= RELATIVE[str(expected.dtype)] * size + tiny).all()


# ---- what a head adds to the output ----


def bias_and_size(experiment, result):
    """What speaks without any head, and how large the numbers of each cell of the output are."""
    if experiment.w_o is None:
        return 0.0, np.abs(result.output)
    bias = 0.0 if experiment.b_o is None else experiment.b_o
    return bias, np.abs(result.concatenated) @ np.abs(experiment.w_o) + np.abs(bias)


@given(experiments())
def test_contributions_add_up_to_the_output(experiment):
    result = trace(experiment)
    bias, size = bias_and_size(experiment, result)
    parts = head_contributions(experiment, result)
    assert len(parts) == experiment.num_heads
    assert_adds_up(sum(parts) + bias, result.output, size)
    everybody = output_of(experiment, result, list(range(experiment.num_heads)))
    assert_adds_up(everybody, result.output, size)
    nobody = output_of(experiment, result, [])
    np.testing.assert_array_equal(nobody, np.zeros_like(result.output) + bias)


@given(experiments(), st.data())
def test_a_head_switched_off_is_one_whose_rows_of_w_o_are_zeros(experiment, data):
    off = data.draw(st.integers(0, experiment.num_heads - 1))
    rows = experiment.head_columns(off, "w_o")
    result = trace(experiment)
    if experiment.w_o is None:
        silenced = np.array(result.output)
        silenced[:, rows] = 0
    else:
        w_o = np.array(experiment.w_o)
        w_o[rows] = 0
        silenced = trace(experiment.with_(w_o=w_o)).output
    others = [head for head in range(experiment.num_heads) if head != off]
    _bias, size = bias_and_size(experiment, result)
    assert_adds_up(output_of(experiment, result, others), silenced, size)


# ---- a score, dimension by dimension ----


@given(experiments(dtypes=ONE_TYPE), st.data())
def test_terms_add_up_to_the_score(experiment, data):
    query, key = (data.draw(st.integers(0, experiment.n - 1)) for _ in range(2))
    result = trace(experiment)
    x = np.abs(result.embeddings)
    for head in range(experiment.num_heads):
        columns = experiment.head_columns(head, "w_q")
        q, k = (
            x @ np.abs(w[:, columns]) + (0 if b is None else np.abs(b[columns]))
            for w, b in ((experiment.w_q, experiment.b_q), (experiment.w_k, experiment.b_k))
        )
        split = score_terms(experiment, result, head, query, key)
        score = result.scores[head, query, key]
        assert_adds_up(split.terms.sum(), score, float(q[query] @ k[key]))


@given(experiments())
def test_the_strongest_terms_come_first_and_zeros_never(experiment):
    split = score_terms(experiment, trace(experiment), 0, 0, experiment.n - 1)
    sizes = sorted(np.abs(split.terms[split.terms != 0]), reverse=True)
    assert [abs(split.terms[cell]) for cell in split.strongest(5)] == sizes[:5]


@pytest.mark.parametrize("biases", [(), ("b_q",), ("b_k",), ("b_q", "b_k")])
def test_terms_by_plain_loops(biases):
    rng = np.random.default_rng(1)
    now = random(("a", "b", "c"), d_model=3, num_heads=2, d_k=2)
    now = now.with_(**{name: rng.normal(size=4) for name in biases})
    x, head, query, key = now.token_vectors.tolist(), 1, 2, 0
    w_q, w_k = now.w_q[:, 2:].tolist(), now.w_k[:, 2:].tolist()
    if biases:  # one more dimension, which is 1 for every token
        x = [[*row, 1.0] for row in x]
        w_q.append([0.0, 0.0] if now.b_q is None else now.b_q[2:].tolist())
        w_k.append([0.0, 0.0] if now.b_k is None else now.b_k[2:].tolist())
    split = score_terms(now, trace(now), head, query, key)
    assert split.dimensions == ("0", "1", "2", "bias")[: len(w_q)]
    for a in range(len(w_q)):
        for b in range(len(w_k)):
            asks_for = sum(w_q[a][slot] * w_k[b][slot] for slot in range(2))
            assert split.matrix[a, b] == pytest.approx(asks_for, rel=1e-14)
            assert split.terms[a, b] == pytest.approx(x[query][a] * asks_for * x[key][b], rel=1e-14)
    assert (split.query.tolist(), split.key.tolist()) == (x[query], x[key])


def test_a_verb_asks_for_a_doer():
    cat = build("relations-en")
    split = score_terms(cat, trace(cat), 0, 2, 1)  # meows → cat
    names = [tuple(split.dimensions[i] for i in cell) for cell in split.strongest(9)]
    assert names == [("verb", "doer")]
    assert split.terms.sum() == 9


# ---- what a head looks at ----


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else math.nan


def slowly(weights, allowed):
    """The facts of one head, read cell by cell."""
    n = len(weights)
    keys = {i: [j for j in range(n) if allowed[i][j]] for i in range(n)}
    rows = [i for i in range(n) if len(keys[i]) > 1]
    entropies = {i: -sum(p * math.log2(p) for p in weights[i] if p > 0) for i in rows}

    def on(step):
        return mean([weights[i][i + step] for i in rows if i + step in keys[i]])

    return {
        "entropy": mean(list(entropies.values())),
        "previous": on(-1),
        "itself": on(0),
        "following": on(1),
        "first": mean([weights[i][0] for i in rows if i > 0 and 0 in keys[i]]),
        "distance": mean([sum(weights[i][j] * abs(i - j) for j in keys[i]) for i in rows]),
        "evenness": min((entropies[i] / math.log2(len(keys[i])) for i in rows), default=math.nan),
    }


@given(experiments(limit=2, dtypes=((np.float64,),)))
def test_facts_by_a_slow_reading(experiment):
    result = trace(experiment)
    facts = head_facts(result.weights, result.allowed)
    for head in range(experiment.num_heads):
        expected = slowly(result.weights[head].tolist(), result.allowed.tolist())
        found = {name: getattr(facts, name)[head] for name in FACTS}
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def test_rows_without_a_choice_are_left_out():
    weights = np.array([[[0.5, 0.25, 0.25], [0, 0, 0], [0, 0, 1]]])
    facts = head_facts(weights, weights[0] > 0)
    assert {name: getattr(facts, name)[0] for name in FACTS} == pytest.approx(
        {
            "entropy": 1.5, "itself": 0.5, "following": 0.25, "distance": 0.75,
            "previous": math.nan, "first": math.nan, "evenness": 1.5 / math.log2(3),
        },
        nan_ok=True,
    )  # fmt: skip


@pytest.mark.parametrize("allowed", [np.ones((1, 1), bool), np.eye(3, dtype=bool)])
def test_where_nobody_has_a_choice_nothing_is_measured(allowed):
    facts = head_facts(np.array([allowed, allowed], float), allowed)
    for name in FACTS:
        assert np.isnan(getattr(facts, name)).tolist() == [True, True]
    assert job(facts, 1) == ""


# ---- which label the numbers earn ----


def label(weights, allowed=None):
    weights = np.array(weights, float)
    allowed = np.ones(weights.shape, bool) if allowed is None else allowed
    return job(head_facts(weights[None], allowed), 0)


PREVIOUS = np.eye(5, k=-1)
PREVIOUS[0, 0] = 1  # nobody stands before it
HALF_PREVIOUS = np.where(np.eye(4, k=-1) > 0, 0.5, 0.5 / 3)
HALF_PREVIOUS[0] = 0.25


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (np.eye(5), "itself"),
        (PREVIOUS, "previous"),
        (HALF_PREVIOUS, "previous"),
        (PREVIOUS[::-1, ::-1], "following"),
        (np.eye(5)[[0] * 5], "first"),
        (np.full((5, 5), 0.2), "even"),
        (np.eye(6)[::-1], ""),
        ([[1, 0], [1, 0]], "previous"),  # of two tokens, the one before is the first too
    ],
)
def test_a_label_by_hand(weights, expected):
    assert label(weights) == expected


def test_even_is_even_over_what_may_be_looked_at():
    allowed = np.tri(5, dtype=bool)
    weights = allowed / allowed.sum(axis=1, keepdims=True)
    assert label(weights, allowed) == "even"
    assert label(weights) == ""


def facts_of(**known):
    return HeadFacts(**{name: np.array([known.get(name, 0.1)]) for name in FACTS})


@pytest.mark.parametrize("name", ["previous", "itself", "following", "first"])
def test_a_label_from_half_of_the_weight(name):
    assert job(facts_of(**{name: NAMED_FROM}), 0) == name
    assert job(facts_of(**{name: np.nextafter(NAMED_FROM, 0)}), 0) == ""


def test_even_from_its_own_threshold_and_before_all_others():
    assert job(facts_of(evenness=EVEN_FROM, first=0.9), 0) == "even"
    assert job(facts_of(evenness=np.nextafter(EVEN_FROM, 0), first=0.9), 0) == "first"


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("relations-en", ["", "", "", "previous"]),
        ("relations-zh", ["", "", "", "previous"]),
        ("article-sentence-en", [""]),
        ("article-sentence-zh", [""]),
    ],
)
def test_heads_by_hand(preset, expected):
    """Only the position head looks at a place; the others look at words wherever they stand."""
    now = build(preset)
    result = trace(now)
    facts = head_facts(result.weights, result.allowed)
    assert [job(facts, head) for head in range(now.num_heads)] == expected
