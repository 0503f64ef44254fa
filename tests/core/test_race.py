"""Learners side by side, and the same over many seeds."""

from dataclasses import replace

import numpy as np
import pytest

from core.training.learner import Learner, Settings
from core.training.race import Race, Sweep

QUICK = Settings(d_model=8, num_heads=2, d_k=4, d_v=4, batch=4)
ARMS = {"with": QUICK, "without": replace(QUICK, scaled=False)}


def test_a_race_keeps_its_learners_at_the_same_step_and_ends():
    race = Race(ARMS, limit=3)
    assert (race.step, race.finished) == (0, False)
    steps = []
    for _ in range(5):
        race.advance()
        steps.append(race.step)
        assert {learner.frames[-1].step for learner in race.learners.values()} == {race.step}
    assert steps == [1, 2, 3, 3, 3]
    assert race.finished


def test_a_race_is_its_learners_run_alone():
    race = Race(ARMS, limit=4)
    for _ in range(4):
        race.advance()
    for name, settings in ARMS.items():
        alone = Learner(settings)
        for _ in range(4):
            alone.step()
        for step in range(5):
            assert race.frames_at(step)[name].loss == alone.frames[step].loss


def test_both_begin_with_the_same_numbers_and_letters():
    one, other = Race(ARMS, limit=1).learners.values()
    assert one.example == other.example
    for name, start in one.start.items():
        np.testing.assert_array_equal(start, other.start[name])


def test_a_sweep_runs_every_seed_and_no_step_too_many():
    sweep = Sweep(ARMS, seeds=3, limit=2)
    shares = [sweep.progress]
    for _ in range(6):
        assert not sweep.finished
        sweep.advance()
        shares.append(sweep.progress)
    assert sweep.finished
    sweep.advance()
    assert len(sweep.outcomes) == 3
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    for seed, outcome in enumerate(sweep.outcomes):
        for name, settings in ARMS.items():
            alone = Learner(replace(settings, seed=seed))
            alone.step()
            alone.step()
            assert outcome[name].accuracy == alone.frames[-1].accuracy
            assert outcome[name].reached is None


def test_a_learner_that_has_learned_waits_for_the_other(monkeypatch):
    """Its step is kept as the outcome; it is not trained on."""
    monkeypatch.setattr("core.training.learner.LEARNED", 0.0)  # everything counts as learned
    sweep = Sweep(ARMS, seeds=1, limit=50)
    sweep.advance()
    assert sweep.finished
    assert [outcome.reached for outcome in sweep.outcomes[0].values()] == [0, 0]


@pytest.mark.parametrize("limit", [1, 2])
def test_progress_counts_the_seed_that_runs(limit):
    sweep = Sweep(ARMS, seeds=2, limit=limit)
    sweep.advance()
    assert sweep.progress == 0.5 if limit == 1 else sweep.progress == 0.25
