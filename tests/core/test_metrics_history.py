"""Summaries of weights, and undo and redo."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments

from core.history import MAX_STEPS, History
from core.metrics import entropy_bits, received, row_sums
from core.presets import random
from core.trace import trace

ONE = random(("one",))


@pytest.mark.parametrize("n", [1, 2, 8, 64])
def test_entropy_of_even_weights(n):
    np.testing.assert_allclose(entropy_bits(np.full((1, n), 1 / n)), [np.log2(n)])


@pytest.mark.parametrize(
    ("row", "bits"),
    [([0, 1, 0], 0), ([0, 0, 0], 0), ([0.5, 0, 0.5], 1), ([0.5, 0.25, 0.25], 1.5)],
)
def test_entropy(row, bits):
    entropy = entropy_bits(np.array([row]))
    assert entropy.tolist() == [bits]
    assert not np.signbit(entropy).any()


@given(experiments())
def test_sums_and_entropy_of_any_weights(experiment):
    weights = trace(experiment).weights
    open_rows = experiment.may_attend.any(axis=1)
    np.testing.assert_allclose(
        row_sums(weights), np.broadcast_to(open_rows, weights.shape[:2]), rtol=1e-6
    )
    np.testing.assert_allclose(received(weights).sum(axis=-1), open_rows.sum(), rtol=1e-5)
    entropy = entropy_bits(weights)
    assert (entropy >= 0).all()
    assert (entropy <= np.log2(experiment.n) + 1e-5).all()


def test_received_adds_up_columns():
    weights = np.array([[[0.25, 0.75], [1, 0]]])
    np.testing.assert_array_equal(received(weights), [[1.25, 0.75]])
    np.testing.assert_array_equal(row_sums(weights), [[1, 1]])


def recorded(count):
    history = History(ONE)
    for seed in range(1, count + 1):
        history = history.record(ONE.with_(seed=seed))
    return history


def test_undo_takes_the_last_step_back():
    history = recorded(3)
    assert [history.present.seed, history.undo().present.seed] == [3, 2]
    assert recorded(1).undo().present == ONE


def test_nothing_to_undo_or_redo():
    history = History(ONE)
    assert history.undo() == history
    assert history.redo() == history


@given(st.integers(0, 5), st.integers(0, 5))
def test_redo_undoes_undo(steps, back):
    history = recorded(steps)
    turned = history
    for _ in range(min(steps, back)):
        turned = turned.undo()
    assert turned.present.seed == steps - min(steps, back)
    for _ in range(min(steps, back)):
        turned = turned.redo()
    assert turned == history


def test_a_new_step_drops_what_was_undone():
    history = recorded(3).undo().undo().record(ONE.with_(seed=9))
    assert history.redo() == history
    assert history.undo().present.seed == 1


def test_an_equal_experiment_is_no_step():
    history = recorded(2)
    assert history.record(ONE.with_(seed=2)) is history
    assert history.undo().record(ONE.with_(seed=1)).redo() == history


def test_only_so_many_steps_are_kept():
    history = recorded(MAX_STEPS + 5)
    assert len(history.past) == MAX_STEPS
    assert history.past[0].seed == 5
