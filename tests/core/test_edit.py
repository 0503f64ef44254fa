"""Changes to an experiment: what they change, and that they change nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments, texts

from core import edit
from core.draw import word_vector
from core.errors import Refusal
from core.experiment import Experiment
from core.presets import PRESETS, build, random, vector_for

# The three words "the" have vectors of their own, as after an edit.
THE = random(("the", "cat", "the", "dog", "the"), d_model=4, num_heads=2)
THE = THE.with_(token_vectors=np.arange(20.0).reshape(5, 4))
MASKED = THE.with_(mask="manual", allowed=np.arange(25).reshape(5, 5) % 3 > 0)
CAT = build("relations-en")


def vectors_of(experiment):
    return experiment.token_vectors.tolist()


def assert_only_sentence_changed(before, after):
    names = ("tokens", "token_vectors", "allowed")
    assert after.with_(**{name: getattr(before, name) for name in names}) == before


# Numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["token_vectors", "w_q", "w_k", "w_v", "w_o"])
def test_set_cell_changes_that_cell_alone(name):
    changed = edit.set_cell(THE, name, 3, 2, -0.5)
    cells = np.argwhere(getattr(changed, name) != getattr(THE, name))
    assert cells.tolist() == [[3, 2]]
    assert getattr(changed, name)[3, 2] == -0.5
    assert changed.with_(**{name: getattr(THE, name)}) == THE


def test_set_cell_leaves_the_old_experiment_alone():
    before = THE.with_()
    edit.set_cell(THE, "w_q", 0, 0, 9)
    assert before == THE


def test_set_cell_refuses_what_an_experiment_refuses():
    with pytest.raises(Refusal, match=r"W_Q \[1, 2\] is nan"):
        edit.set_cell(THE, "w_q", 1, 2, np.nan)


def test_paste_lays_the_block_at_its_corner():
    changed = edit.paste(THE, "w_q", 1, 2, np.array([[1, 2], [3, 4]]))
    expected = np.array(THE.w_q)
    expected[1:3, 2:4] = [[1, 2], [3, 4]]
    np.testing.assert_array_equal(changed.w_q, expected)


@pytest.mark.parametrize(("row", "column"), [(3, 0), (0, 3), (3, 3)])
def test_paste_over_the_edge_is_refused(row, column):
    message = rf"2 × 2 does not fit at row {row + 1}, column {column + 1} of W_Q \(4 × 4\)"
    with pytest.raises(Refusal, match=message):
        edit.paste(THE, "w_q", row, column, np.ones((2, 2)))


# Tokens -----------------------------------------------------------------------------------------


def test_words_that_stay_keep_their_vectors():
    changed = edit.set_tokens(THE, ("dog", "sees", "cat"))
    old = vectors_of(THE)
    assert vectors_of(changed) == [old[3], word_vector("sees", 4, THE.seed).tolist(), old[1]]
    assert_only_sentence_changed(THE, changed)


def test_the_kth_the_keeps_the_vector_of_the_kth():
    changed = edit.set_tokens(THE, ("the", "the", "dog", "the"))
    assert changed.token_vectors[:, 0].tolist() == [0, 8, 12, 16]


def test_one_more_the_gets_the_vector_of_an_equal_word():
    changed = edit.set_tokens(THE, ("the", "the", "the", "the"))
    assert changed.token_vectors[:, 0].tolist() == [0, 8, 16, 0]


def test_a_mask_by_hand_moves_with_its_tokens():
    changed = edit.set_tokens(MASKED, ("dog", "new", "cat"))
    old = MASKED.allowed
    expected = [[old[3, 3], True, old[3, 1]], [True] * 3, [old[1, 3], True, old[1, 1]]]
    assert changed.allowed.tolist() == expected
    assert changed.mask == "manual"


@given(experiments(), st.lists(texts, min_size=1, max_size=6))
def test_new_words_that_are_equal_get_equal_vectors(experiment, words):
    words = ["new·" + word[:50] for word in words]
    changed = edit.set_tokens(experiment, (*experiment.tokens, *words, *words))
    first, second = np.split(changed.token_vectors[experiment.n :], 2)
    np.testing.assert_array_equal(first, second)
    assert changed.token_vectors[: experiment.n].tobytes() == experiment.token_vectors.tobytes()
    assert_only_sentence_changed(experiment, changed)


def test_rename_brings_the_vector_of_the_new_word():
    changed = edit.rename(MASKED, 1, "dog")
    assert changed.tokens == ("the", "dog", "the", "dog", "the")
    assert vectors_of(changed)[1] == vectors_of(MASKED)[3]
    assert vectors_of(changed.with_(tokens=MASKED.tokens))[2:] == vectors_of(MASKED)[2:]
    np.testing.assert_array_equal(changed.allowed, MASKED.allowed)
    assert edit.rename(MASKED, 2, "the") == MASKED


def test_rename_to_half_a_character_is_refused():
    with pytest.raises(Refusal, match="Token 0 holds a broken character"):
        edit.rename(THE, 0, "\ud83d")


@pytest.mark.parametrize("index", [0, 2, 5])
def test_insert(index):
    changed = edit.insert(MASKED, index, "dog")
    assert changed.tokens[index] == "dog"
    assert vectors_of(changed)[index] == vectors_of(MASKED)[3]
    assert changed.allowed[index].all()
    assert changed.allowed[:, index].all()


@given(experiments(), st.data())
def test_remove_takes_an_inserted_token_out_again(experiment, data):
    index = data.draw(st.integers(0, experiment.n))
    inserted = edit.insert(experiment, index, data.draw(texts))
    assert inserted.n == experiment.n + 1
    assert edit.remove(inserted, index) == experiment


def test_remove():
    changed = edit.remove(MASKED, 2)
    rest = [0, 1, 3, 4]
    assert changed.tokens == ("the", "cat", "dog", "the")
    assert vectors_of(changed) == [vectors_of(MASKED)[i] for i in rest]
    np.testing.assert_array_equal(changed.allowed, MASKED.allowed[np.ix_(rest, rest)])


def test_the_last_token_stays():
    with pytest.raises(Refusal, match="write at least one word"):
        edit.remove(random(("one",)), 0)
    with pytest.raises(Refusal, match="write at least one word"):
        edit.set_tokens(THE, ())


@pytest.mark.parametrize(
    ("index", "to", "order"),
    [(0, 4, [1, 2, 3, 4, 0]), (4, 0, [4, 0, 1, 2, 3]), (1, 2, [0, 2, 1, 3, 4]), (3, 3, range(5))],
)
def test_move(index, to, order):
    order = list(order)
    changed = edit.move(MASKED, index, to)
    assert changed.tokens == tuple(MASKED.tokens[i] for i in order)
    assert vectors_of(changed) == [vectors_of(MASKED)[i] for i in order]
    np.testing.assert_array_equal(changed.allowed, MASKED.allowed[np.ix_(order, order)])


@given(experiments(), st.data())
def test_move_back(experiment, data):
    index, to = (data.draw(st.integers(0, experiment.n - 1)) for _ in range(2))
    assert edit.move(edit.move(experiment, index, to), to, index) == experiment


def test_float32_vectors_stay_float32():
    single = THE.with_(token_vectors=THE.token_vectors.astype(np.float32))
    for changed in (edit.insert(single, 0, "new"), edit.rename(single, 0, "new")):
        assert changed.token_vectors.dtype == np.float32


# New words of presets ---------------------------------------------------------------------------


def test_words_of_the_dictionary_have_its_features():
    changed = edit.set_tokens(CAT, (*CAT.tokens, "Dog", "qwertz"))
    dog = dict(zip(CAT.dimension_names, vectors_of(changed)[-2], strict=True))
    assert {name for name, number in dog.items() if number} == {"noun", "animal", "doer", "canine"}
    assert not any(vectors_of(changed)[-1])


@pytest.mark.parametrize("name", PRESETS)
def test_dictionary_is_left_when_dimensions_are_no_longer_its_own(name):
    w = np.ones((2, 2))
    other = Experiment(tokens="a", token_vectors=w[:1], w_q=w, w_k=w, w_v=w, preset=name, seed=7)
    assert vector_for(other, "cat").tolist() == word_vector("cat", 2, 7).tolist()


# Mask and redraw --------------------------------------------------------------------------------


def test_toggle_mask_starts_from_the_mask_on_screen():
    changed = edit.toggle_mask(THE.with_(mask="causal"), 0, 3)
    expected = np.tri(5, dtype=bool)
    expected[0, 3] = True
    assert changed.mask == "manual"
    np.testing.assert_array_equal(changed.allowed, expected)


@given(experiments(), st.data())
def test_toggle_mask_twice_shows_the_same(experiment, data):
    row, column = (data.draw(st.integers(0, experiment.n - 1)) for _ in range(2))
    once = edit.toggle_mask(experiment, row, column)
    assert np.argwhere(once.may_attend != experiment.may_attend).tolist() == [[row, column]]
    twice = edit.toggle_mask(once, row, column)
    np.testing.assert_array_equal(twice.may_attend, experiment.may_attend)


def test_redraw_keeps_tokens_and_settings():
    before = MASKED.with_(divisor="none", temperature=2.0, positions="sinusoidal")
    changed = edit.redraw(before, seed=5, d_model=6, num_heads=3)
    drawn = random(before.tokens, seed=5, d_model=6, num_heads=3)
    settings = ("mask", "allowed", "divisor", "temperature", "positions")
    assert changed == drawn.with_(**{name: getattr(before, name) for name in settings})


def test_redraw_keeps_sizes_where_none_is_given():
    changed = edit.redraw(CAT, seed=1)
    assert (changed.d_model, changed.num_heads, changed.seed) == (16, 4, 1)
    assert (changed.preset, changed.positions) == ("random", "off")
    assert changed != edit.redraw(CAT, seed=2)
    assert changed == edit.redraw(CAT, seed=1)
