"""The model that learns: its way back, its problems, its optimiser, and that it does learn."""

from dataclasses import fields, replace

import numpy as np
import pytest
from differences import assert_gradients
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from core.trace import trace
from core.training.adam import Adam
from core.training.learner import Learner, Settings
from core.training.measures import position_patterns, role_mass, saturated, score_gradient
from core.training.model import (
    backward,
    cross_entropy,
    forward,
    initial_parameters,
    layer_norm,
    layer_norm_backward,
)
from core.training.tasks import LETTERS, LONGEST_BLOCK, SHORTEST_BLOCK, TASKS, Problems

seeds = st.integers(0, 2**32 - 1)
tasks = pytest.mark.parametrize("name", list(TASKS))
TINY = {"num_heads": 2, "d_model": 4, "d_k": 2, "d_v": 1}
INDUCTION = Settings(task="induction", layers=2, num_heads=2, d_k=32, d_v=32)


@pytest.fixture(autouse=True)
def one_thread():
    """Threads that wait for each other make small products slower, on a busy machine by far."""
    with threadpool_limits(1):
        yield


def drawn(name, seed=0, batch=3):
    return TASKS[name].draw(np.random.default_rng(seed), batch)


def learned(steps, **changes):
    learner = Learner(Settings(**changes))
    for _ in range(steps):
        learner.step()
    return learner


def tiny(name, layers, scale, seed=0):
    """Task, its problems, and parameters and options of a model that is small enough to probe."""
    task, problems = TASKS[name], drawn(name, batch=2)
    parameters = initial_parameters(
        length=task.length,
        questions=len(task.questions),
        layers=layers,
        seed=seed,
        spread=task.spread,
        **TINY,
    )
    return problems, parameters, {"num_heads": 2, "is_causal": task.is_causal, "scale": scale}


@tasks
@pytest.mark.parametrize(("layers", "scale"), [(1, None), (2, 0.8)])
def test_every_gradient_of_the_model(name, layers, scale):
    problems, parameters, options = tiny(name, layers, scale)

    def run():
        passed = forward(parameters, problems.tokens, **options)
        return passed, *cross_entropy(passed.logits, problems.answers, problems.scored)

    passed, _, d_logits = run()
    gradients = backward(parameters, passed, d_logits, scale=scale).parameters
    assert gradients.keys() == parameters.keys()
    pairs = {key: (parameters[key], gradients[key]) for key in parameters}
    assert_gradients(lambda: run()[1], pairs)
    assert all(gradient.any() for gradient in gradients.values())


@given(seed=seeds, d=st.integers(2, 6))
def test_layer_norm(seed, d):
    draw = np.random.default_rng(seed).standard_normal
    x, d_vectors = draw((2, 3, d)), draw((2, 3, d))
    normalised = layer_norm(x)
    np.testing.assert_allclose(normalised.vectors.mean(axis=-1), 0, atol=1e-12)
    variance = x.var(axis=-1)
    np.testing.assert_allclose(
        normalised.vectors.var(axis=-1), variance / (variance + 1e-5), atol=1e-12
    )
    gradient = layer_norm_backward(normalised, d_vectors)
    loss = lambda: (layer_norm(x).vectors * d_vectors).sum()  # noqa: E731
    assert_gradients(loss, {"x": (x, gradient)})


def test_layer_norm_of_equal_numbers_is_0():
    assert not layer_norm(np.full((1, 4), 7.0)).vectors.any()


@given(seed=seeds)
def test_cross_entropy(seed):
    rng = np.random.default_rng(seed)
    logits = 3 * rng.standard_normal((2, 3, 2, len(LETTERS)))
    answers = rng.integers(len(LETTERS), size=(2, 3, 2))
    scored = rng.random((2, 3)) < 0.5
    scored[0, 0] = True
    loss, d_logits = cross_entropy(logits, answers, scored)

    losses = []
    for b, t in np.argwhere(scored):
        for question in range(2):
            numbers = np.exp(logits[b, t, question])
            losses.append(-np.log(numbers[answers[b, t, question]] / numbers.sum()))
    assert loss == pytest.approx(np.mean(losses), abs=1e-12)
    assert not d_logits[~scored].any()
    assert_gradients(
        lambda: cross_entropy(logits, answers, scored)[0], {"logits": (logits, d_logits)}
    )


def test_cross_entropy_of_huge_logits():
    logits = np.zeros((1, 1, 1, len(LETTERS)))
    logits[..., 0] = 5000
    for answer, expected in ((0, 0), (1, 5000)):
        loss, d_logits = cross_entropy(logits, np.full((1, 1, 1), answer), np.ones((1, 1), bool))
        assert loss == expected
        assert np.isfinite(d_logits).all()


@given(seed=seeds)
def test_four_questions_read_slowly(seed):
    problems = drawn("four_questions", seed)
    assert problems.scored.all()
    for row, answers, places in zip(
        problems.tokens, problems.answers, problems.places, strict=True
    ):
        for t in range(12):
            sources = [t - 1 if t else 11, t + 1 if t < 11 else 0, 0, 11 - t]
            assert [row[s] for s in sources] == list(answers[t])
            assert [list(places[t, :, role]).index(1) for role in range(4)] == sources
    assert (problems.places.sum(axis=2) == 1).all()


@given(seed=seeds)
def test_induction_read_slowly(seed):
    problems = drawn("induction", seed)
    for row, answers, scored, places in zip(
        problems.tokens, problems.answers, problems.scored, problems.places, strict=True
    ):
        row = list(row)
        block = next(t for t in range(1, 16) if row[t] == row[0])
        assert SHORTEST_BLOCK <= block <= LONGEST_BLOCK
        assert len(set(row[:block])) == block
        for t in range(16):
            assert scored[t] == (row[t] in row[:t])
            found = [s for s in range(1, t + 1) if row[s - 1] == row[t]]
            if scored[t]:
                assert {row[s] for s in found} == {answers[t, 0]}
                assert list(np.flatnonzero(places[t, :, 0])) == found
                assert list(np.flatnonzero(places[t, :, 1])) == [t - 1]
            else:
                assert not places[t].any()


def test_every_length_of_block_is_drawn():
    problems = drawn("induction", batch=200)
    lengths = problems.scored.argmax(axis=1)
    assert set(lengths) == set(range(SHORTEST_BLOCK, LONGEST_BLOCK + 1))


def test_adam_by_hand():
    start = {"a": np.array([1.0, -2.0])}
    one, two = np.array([0.5, -4.0]), np.array([-0.25, 1.0])
    adam = Adam(0.1, beta_1=0.9, beta_2=0.98, epsilon=1e-3)
    after_one = adam.updated(start, {"a": one})
    after_two = adam.updated(after_one, {"a": two})

    m, v = 0.1 * one, 0.02 * one**2
    theta = start["a"] - 0.1 * (m / (1 - 0.9)) / (np.sqrt(v / (1 - 0.98)) + 1e-3)
    np.testing.assert_allclose(after_one["a"], theta, rtol=1e-12)
    m, v = 0.9 * m + 0.1 * two, 0.98 * v + 0.02 * two**2
    theta = theta - 0.1 * (m / (1 - 0.9**2)) / (np.sqrt(v / (1 - 0.98**2)) + 1e-3)
    np.testing.assert_allclose(after_two["a"], theta, rtol=1e-12)
    np.testing.assert_array_equal(start["a"], [1, -2])


@pytest.mark.parametrize("settings", [Settings(seed=3), replace(INDUCTION, d_k=8, d_v=8, seed=3)])
def test_equal_settings_give_equal_frames(settings):
    one, two = Learner(settings), Learner(settings)
    for _ in range(3):
        one.step()
    for _ in range(3):
        two.step()
    assert one.example == two.example
    assert [frame.step for frame in one.frames] == [0, 1, 2, 3]
    for a, b in zip(one.frames, two.frames, strict=True):
        for field in fields(a):
            np.testing.assert_array_equal(getattr(a, field.name), getattr(b, field.name))
    other = Learner(replace(settings, seed=4))
    assert other.frames[0].loss != one.frames[0].loss
    assert any(one.parameters[name].tolist() != one.start[name].tolist() for name in one.start)


def test_scaled_and_unscaled_start_equal():
    one, two = Learner(Settings(scaled=True)), Learner(Settings(scaled=False))
    assert one.example == two.example
    for name, array in one.start.items():
        np.testing.assert_array_equal(array, two.start[name])
    np.testing.assert_allclose(one.frames[0].patterns * 4, two.frames[0].patterns, rtol=1e-6)
    # With d_k 1 the scale is 1 either way: whatever else differed would show.
    pair = [learned(5, d_k=1, scaled=scaled) for scaled in (True, False)]
    assert [frame.loss for frame in pair[0].frames] == [frame.loss for frame in pair[1].frames]


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("task", [Settings(), INDUCTION])
def test_experiment_is_the_model(task, scaled):
    learner = Learner(replace(task, scaled=scaled, seed=5))
    learner.step()
    for layer in range(task.layers):
        result = trace(learner.experiment(layer))
        np.testing.assert_allclose(
            result.weights, learner.frames[-1].weights[layer], rtol=0, atol=1e-7
        )
    tokens = np.array([[LETTERS.index(letter) for letter in learner.example]])
    passed = forward(
        learner.parameters,
        tokens,
        num_heads=task.num_heads,
        is_causal=learner.task.is_causal,
        scale=1 / np.sqrt(task.d_k) if scaled else 1.0,
    )
    for layer, stages in enumerate(passed.layers):
        result = trace(learner.experiment(layer))
        for name in ("query", "weights", "head_outputs", "output"):
            known = getattr(stages.attention, name)[0]
            np.testing.assert_allclose(getattr(result, name), known, rtol=0, atol=1e-12)


@tasks
def test_measures_read_slowly(name):
    problems, parameters, options = tiny(name, 2, 40.0)
    passed = forward(parameters, problems.tokens, **options)
    _, d_logits = cross_entropy(passed.logits, problems.answers, problems.scored)
    back = backward(parameters, passed, d_logits, scale=40.0)
    causal = options["is_causal"]

    one_hot, cells = [], []
    for layer, gradients in zip(passed.layers, back.layers, strict=True):
        for b, head, query in np.ndindex(layer.attention.weights.shape[:3]):
            keys = query + 1 if causal else problems.tokens.shape[1]
            row = layer.attention.weights[b, head, query]
            if keys > 1:
                one_hot.append(row.max() > 0.99)
            cells += list(abs(gradients.masked_scores[b, head, query, :keys]))
    assert 0 < np.mean(one_hot) < 1
    assert saturated(passed, is_causal=causal) == pytest.approx(np.mean(one_hot), abs=1e-12)
    assert score_gradient(back, is_causal=causal) == pytest.approx(np.mean(cells), rel=1e-12)


def test_role_mass_counts_queries_that_are_asked():
    weights = np.zeros((1, 2, 2, 2))
    weights[0, 0], weights[0, 1] = [[1, 0], [0.25, 0.75]], [[0.5, 0.5], [1, 0]]
    places = np.zeros((1, 2, 2, 1))
    places[0, 1, 1] = 1
    problems = Problems(np.zeros((1, 2)), np.zeros((1, 2, 1)), np.array([[False, True]]), places)
    np.testing.assert_array_equal(role_mass(weights, problems), [[0.75], [0]])


def test_patterns_are_scores_of_positions():
    parameters = Learner(Settings()).start
    position = parameters["position_embedding"]
    vectors = (position - position.mean(axis=1, keepdims=True)) / position.std(axis=1)[:, None]
    found = position_patterns(parameters, num_heads=4, scale=0.25)
    for head in range(4):
        columns = slice(16 * head, 16 * (head + 1))
        query, key = (vectors @ parameters[name][0][:, columns] for name in ("w_q", "w_k"))
        np.testing.assert_allclose(found[head], query @ key.T / 4, rtol=1e-3, atol=1e-4)


def test_four_questions_are_learned():
    learner = learned(250)
    assert learner.reached is not None
    before, at = learner.frames[learner.reached - 1], learner.frames[learner.reached]
    assert before.accuracy < 0.99 <= at.accuracy
    assert learner.frames[0].accuracy < 0.2
    names = learner.experiment().head_names
    assert sorted(names) == ["first", "mirror", "next", "previous"]


def test_each_head_holds_a_role_of_its_own():
    """In some seeds two heads share the rows of two roles; in this one they keep them apart."""
    mass = learned(150, seed=7).frames[-1].role_mass
    assert sorted(mass.argmax(axis=1)) == [0, 1, 2, 3]
    assert mass.max(axis=1).min() >= 0.9


def test_wide_heads_need_the_scale():
    scaled, unscaled = learned(150, d_k=64), learned(200, d_k=64, scaled=False)
    assert scaled.reached is not None
    assert unscaled.reached is None
    assert unscaled.frames[-1].accuracy < 0.95
    assert unscaled.frames[-1].saturated > 0.95


def test_induction_needs_two_layers():
    two, one = (learned(110, **{**vars(INDUCTION), "layers": layers}) for layers in (2, 1))
    assert two.reached is not None
    assert two.frames[-1].role_mass.max() > 0.6
    assert "induction" in two.experiment(1).head_names
    assert max(frame.accuracy for frame in one.frames) < 0.95
