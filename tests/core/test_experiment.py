"""What an experiment takes, and the sentence for what it does not."""

import numpy as np
import pytest
from hypothesis import given
from strategies import experiments

from core.arrays import as_float
from core.errors import Refusal
from core.experiment import BIAS_NAMES, MATRIX_NAMES, Experiment
from core.presets import random

TWO_HEADS = {
    "tokens": ("a", "b", "a"),
    "token_vectors": np.ones((3, 4)),
    "w_q": np.ones((4, 6)),
    "w_k": np.ones((4, 6)),
    "w_v": np.ones((4, 10)),
    "num_heads": 2,
}


def made(**changes):
    return Experiment(**TWO_HEADS | changes)


def with_number(shape, cell, number):
    array = np.zeros(shape)
    array[cell] = number
    return array


def test_sizes_are_read_off_the_arrays():
    experiment = made()
    assert (experiment.n, experiment.d_model, experiment.d_k, experiment.d_v) == (3, 4, 3, 5)
    assert experiment.head_columns(1, "w_q") == experiment.head_columns(1, "w_k") == slice(3, 6)
    assert experiment.head_columns(1, "w_v") == experiment.head_columns(1, "w_o") == slice(5, 10)


def test_labels_keep_equal_words_apart():
    assert made().labels() == ("a·0", "b·1", "a·2")
    assert made().dimension_labels() == ("0", "1", "2", "3")
    assert made(dimension_names=list("wxyz")).dimension_labels() == ("w", "x", "y", "z")


def test_limits_themselves_are_taken():
    assert random(tuple("ab" * 32), d_model=512, num_heads=16).n == 64
    assert made(tokens=("x" * 60, "", "\0"), temperature=0.01).with_(temperature=100.0)
    assert made(token_vectors=np.full((3, 4), -1e6))
    assert made(num_heads=1, w_v=np.ones((4, 1024)))


@pytest.mark.parametrize(
    ("changes", "numbers"),
    [
        ({"tokens": ()}, "no token"),
        ({"tokens": ["a"] * 65}, "65 tokens; there can be at most 64"),
        ({"tokens": ("a", "x" * 61, "b")}, "Token 1 has 61 characters; there can be at most 60"),
        ({"tokens": ("a", "b", 3)}, "Token 2 is not text"),
        ({"tokens": ("a", "\ud83d", "b")}, "Token 1 holds a broken character"),
        ({"tokens": ("a", "b")}, "X has shape 3 × 4; for 2 tokens it needs 2 rows"),
        ({"tokens": ("a",)}, "X has shape 3 × 4; for 1 token it needs 1 row"),
        ({"token_vectors": np.ones(3)}, "X has shape 3; for 3 tokens it needs 3 rows"),
        ({"token_vectors": np.ones((3, 513))}, "d_model is 513; it can be 1 to 512"),
        ({"token_vectors": np.ones((3, 0))}, "d_model is 0; it can be 1 to 512"),
        ({"w_q": np.ones((5, 6))}, "W_Q has shape 5 × 6; X is 4 wide, so it needs 4 rows"),
        ({"w_k": np.ones(4)}, "W_K has shape 4; X is 4 wide"),
        ({"w_v": np.ones((4, 2, 5))}, "W_V has shape 4 × 2 × 5; X is 4 wide"),
        ({"w_v": np.ones((4, 7))}, "W_V is 7 wide; for 2 heads it needs a multiple of 2"),
        ({"w_v": np.ones((4, 0))}, "W_V is 0 wide; for 2 heads"),
        ({"w_v": np.ones((4, 1026))}, "W_V is 1026 wide; .* at most 1024"),
        ({"w_k": np.ones((4, 8))}, "W_Q has shape 4 × 6 and W_K 4 × 8; they must be the same"),
        ({"w_o": np.ones((4, 10))}, "W_O has shape 4 × 10, but must have 10 × 4"),
        ({"b_q": np.ones(10)}, "b_Q has shape 10, but must have 6"),
        ({"b_k": np.ones((6, 1))}, "b_K has shape 6 × 1, but must have 6"),
        ({"b_v": np.ones(6)}, "b_V has shape 6, but must have 10"),
        ({"b_o": np.ones(10)}, "b_O has shape 10, but must have 4"),
        ({"num_heads": 0}, "0 heads were asked for; there can be 1 to 16"),
        ({"num_heads": 17}, "17 heads were asked for; there can be 1 to 16"),
        ({"num_heads": 2.0}, r"2\.0 heads were asked for"),
        ({"num_heads": 1, "w_v": np.ones((4, 1025))}, "1025 wide; with 1 head it can be 1 to 1024"),
        ({"num_heads": 4}, "W_Q is 6 wide; for 4 heads it needs a multiple of 4"),
        ({"temperature": 0.0}, r"temperature is 0\.0, but must lie between 0\.01 and 100"),
        ({"temperature": 100.1}, r"temperature is 100\.1"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"temperature": 1}, "temperature is 1,"),
        ({"divisor": "sqrt"}, "divisor is “sqrt”, but must be one of: sqrt_d_k, none, d_k, sqrt_"),
        ({"mask": "casual"}, "mask is “casual”, but must be one of: none, causal, manual"),
        ({"positions": ""}, "positions is “”, but must be one of: off, sinusoidal, clock"),
        ({"mask": "manual"}, "mask by hand needs its own table"),
        ({"allowed": np.ones((2, 3), bool)}, "mask has shape 2 × 3; for 3 tokens it must be 3 × 3"),
        ({"allowed": np.ones((3, 3))}, "mask has shape 3 × 3"),
        ({"dimension_names": ("x",)}, "There is 1 name; each dimension or head needs one, so 4"),
        ({"head_names": ("x", "y", "z")}, "There are 3 names; each .* needs one, so 2"),
        ({"head_names": ("x", "y" * 61)}, "text of at most 60 characters"),
        ({"head_names": ("x", 2)}, "must be text"),
        ({"dimension_names": ("\udfff", "x", "y", "z")}, "holds a broken character"),
    ],
)
def test_refused_with_its_numbers(changes, numbers):
    with pytest.raises(Refusal, match=numbers):
        made(**changes)


def test_clock_needs_four_dimensions():
    narrow = {name: np.ones((3, 2)) for name in ("token_vectors", "w_q", "w_k", "w_v")}
    three = Experiment(tokens="abc", **narrow | {"token_vectors": np.ones((3, 3))})
    with pytest.raises(Refusal, match="clock needs 4 dimensions; d_model is 3"):
        three.with_(positions="clock")


@pytest.mark.parametrize(
    ("number", "told"),
    [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "-inf"), (1e7, "10000000.0"), (-1000001, "-1000")],
)
@pytest.mark.parametrize(
    ("name", "shape", "cell", "place"),
    [
        ("token_vectors", (3, 4), (2, 1), "X [2, 1]"),
        ("w_q", (4, 6), (0, 5), "W_Q [0, 5]"),
        ("w_k", (4, 6), (3, 0), "W_K [3, 0]"),
        ("w_v", (4, 10), (1, 9), "W_V [1, 9]"),
        ("w_o", (10, 4), (9, 3), "W_O [9, 3]"),
        ("b_q", (6,), 5, "b_Q [5]"),
        ("b_k", (6,), 0, "b_K [0]"),
        ("b_v", (10,), 9, "b_V [9]"),
        ("b_o", (4,), 2, "b_O [2]"),
    ],
)
def test_cell_that_cannot_be_used_is_named(name, shape, cell, place, number, told):
    with pytest.raises(Refusal) as refusal:
        made(w_o=np.zeros((10, 4))).with_(**{name: with_number(shape, cell, number)})
    assert str(refusal.value).startswith(f"{place} is {told}")
    assert str(refusal.value).endswith("every number must lie within ±1 000 000.")


@pytest.mark.parametrize("cells", [[["1"]], [[None]], [[1j]], [[True]]], ids=str)
def test_only_real_numbers(cells):
    with pytest.raises(TypeError, match=r"X holds .* values; only real numbers can be used"):
        made(token_vectors=np.array(cells))


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.float16])
def test_other_numbers_become_float64(dtype):
    assert as_float(np.array([100], dtype), "X").dtype == np.float64


@given(experiments())
def test_arrays_are_read_only_copies(experiment):
    for name in (*MATRIX_NAMES, *BIAS_NAMES, "allowed"):
        array = getattr(experiment, name)
        if array is not None:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_an_array_that_is_changed_later_changes_nothing():
    vectors = np.ones((3, 4))
    experiment = made(token_vectors=vectors)
    vectors[0, 0] = 5
    assert experiment == made()


def test_fields_cannot_be_set():
    with pytest.raises(AttributeError):
        made().temperature = 2.0


@given(experiments())
def test_equal_to_a_copy(experiment):
    assert experiment == Experiment(**vars(experiment))


@pytest.mark.parametrize(
    "changes",
    [
        {"tokens": ("a", "b", "a ")},
        {"token_vectors": with_number((3, 4), (2, 3), 5e-324)},
        {"token_vectors": with_number((3, 4), (2, 3), -0.0)},
        {"token_vectors": np.zeros((3, 4), np.float32)},
        {"w_o": np.zeros((10, 4))},
        {"b_q": np.zeros(6)},
        {"num_heads": 1},
        {"positions": "clock"},
        {"mask": "causal"},
        {"allowed": np.ones((3, 3), bool)},
        {"divisor": "none"},
        {"temperature": np.nextafter(1, 2).item()},
        {"dimension_names": ("", "", "", "")},
        {"head_names": ("x", "y")},
        {"preset": "random"},
        {"seed": 1},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_unequal_in_the_last_bit(changes):
    experiment = made(token_vectors=np.zeros((3, 4)))
    assert experiment != experiment.with_(**changes)


def test_unequal_to_anything_else():
    assert made() != "experiment"
    with pytest.raises(TypeError):
        hash(made())
