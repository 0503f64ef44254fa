"""Changes to an experiment: what they change, and that they change nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import experiments, texts

from core import edit, link
from core.draw import weight_matrix, word_vector
from core.errors import Refusal
from core.experiment import BIAS_NAMES, MAX_HEADS, MAX_WIDTH, SYMBOLS, WEIGHT_NAMES, Experiment
from core.presets import PRESETS, build, is_drawn, random, vector_for, with_d_k
from core.trace import trace

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


# Number of heads, width of each ------------------------------------------------------------------

CUTS = [(p, h) for p in PRESETS for h in range(1, MAX_HEADS + 1) if build(p).d_model % h == 0]
BY_HAND = [p for p in PRESETS if not is_drawn(build(p))]
DRAWN = [p for p in PRESETS if is_drawn(build(p))]
OF_HEADS = ("num_heads", "head_names", *WEIGHT_NAMES, *BIAS_NAMES)


def with_biases(experiment):
    arrays = {"b_q": experiment.w_q[0], "b_k": experiment.w_k[1], "b_v": experiment.w_v[2]}
    return experiment.with_(**arrays, b_o=None if experiment.w_o is None else experiment.w_o[0])


@pytest.mark.parametrize(("name", "count"), CUTS)
def test_another_number_of_heads(name, count):
    before = build(name).with_(mask="causal", divisor="none", temperature=2.0)
    after = edit.set_heads(before, count)
    assert after.num_heads == count
    assert after.with_(**{field: getattr(before, field) for field in OF_HEADS}) == before

    redrawn = ["w_q", "w_k"] if before.w_q.shape[1] % count else []
    redrawn += ["w_v", "w_o"] if before.w_v.shape[1] % count else []
    d_model = before.d_model
    for field in WEIGHT_NAMES:
        matrix = getattr(before, field)
        if field in redrawn and matrix is not None:
            matrix = weight_matrix(field, d_model, d_model, before.seed)
        assert after.with_(**{field: matrix}) == after
    symbols = tuple(SYMBOLS[field] for field in redrawn if getattr(before, field) is not None)
    assert edit.changed_matrices(before, after) == symbols

    own = build(name)
    assert after.head_names == (own.head_names if own.num_heads == count else ())
    assert edit.set_heads(after, own.num_heads).head_names == own.head_names


@pytest.mark.parametrize("count", [2, 8])
def test_a_bias_goes_with_its_matrix(count):
    before = with_biases(build("article-sentence-en"))  # matrices are 4 wide
    after = edit.set_heads(before, count)
    for name in ("b_q", "b_k", "b_v"):
        bias = getattr(after, name)
        assert (bias is None) == (count == 8)
        assert bias is None or bias.tobytes() == getattr(before, name).tobytes()
    np.testing.assert_array_equal(after.b_o, before.b_o)


def test_a_number_that_does_not_divide_the_width_is_a_draw_of_its_own():
    words = random(("a", "b"), seed=3)
    assert edit.set_heads(words, 3) == random(("a", "b"), seed=3, num_heads=3)


@pytest.mark.parametrize("count", [-1, 0, 17])
def test_heads_outside_of_the_limits_are_refused(count):
    with pytest.raises(Refusal, match=f"{count} heads were asked for; there can be 1 to 16"):
        edit.set_heads(CAT, count)


def by_head(array, heads):
    """Columns of all heads: (..., h·d) → (..., h, d)."""
    return array.reshape(*array.shape[:-1], heads, -1)


@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("d_k", [1, 3, 7, 40])
@pytest.mark.parametrize("name", BY_HAND)
def test_another_d_k_of_heads_by_hand(name, d_k, biased):
    before = with_biases(build(name)) if biased else build(name)
    after = edit.set_d_k(before, d_k)
    assert after.d_k == d_k
    kept = min(d_k, before.d_k)
    fields = ("w_q", "w_k", *(("b_q", "b_k") if biased else ()))
    for field in fields:
        old, new = (by_head(getattr(e, field), e.num_heads) for e in (before, after))
        assert new[..., :kept].tobytes() == old[..., :kept].tobytes()
        assert not new[..., kept:].any()
    assert after.with_(**{field: getattr(before, field) for field in fields}) == before
    assert edit.changed_matrices(before, after) == ("W_Q", "W_K")
    if d_k >= before.d_k:
        # Not to the last bit: a longer sum may be added up in another order.
        np.testing.assert_allclose(trace(after).scores, trace(before).scores, 1e-12, 1e-12)


@pytest.mark.parametrize("d_k", [5, 64, 256])
def test_wider_heads_of_whole_numbers_keep_every_score(d_k):
    wider = edit.set_d_k(CAT, d_k)
    np.testing.assert_array_equal(trace(wider).scores[:3], trace(CAT).scores[:3])


@pytest.mark.parametrize("d_k", [1, 3, 64])
@pytest.mark.parametrize("name", DRAWN)
def test_another_d_k_of_drawn_heads_is_drawn(name, d_k):
    before = with_biases(build(name))
    after = edit.set_d_k(before, d_k)
    assert (after.d_k, after.b_q, after.b_k) == (d_k, None, None)
    assert after == with_d_k(before, d_k)


@pytest.mark.parametrize("name", ["relations-en", "random", "article-numbers"])
def test_a_d_k_outside_of_the_limits_is_refused(name):
    now = build(name)
    limit = MAX_WIDTH // now.num_heads
    assert edit.set_d_k(now, limit).d_k == limit
    for d_k in (-1, 0, limit + 1):
        heads = "1 head" if now.num_heads == 1 else f"{now.num_heads} heads"
        message = f"d_k is {d_k}; with {heads} it can be 1 to {limit}"
        with pytest.raises(Refusal, match=message):
            edit.set_d_k(now, d_k)


@pytest.mark.parametrize("d_k", [1, 6])
@pytest.mark.parametrize(("name", "count"), CUTS)
def test_heads_and_d_k_come_back_from_a_link(name, count, d_k):
    cut = edit.set_heads(build(name), count)
    for now in (cut, edit.set_d_k(cut, d_k), edit.set_heads(edit.set_d_k(cut, d_k), 2)):
        assert link.from_link(name, link.to_link(now)) == now
