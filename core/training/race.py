"""Learners side by side: the same start and the same problems, one thing different."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.training.learner import Frame, Learner, Settings


class Race:
    """A few learners, all at the same step."""

    def __init__(self, arms: Mapping[str, Settings], limit: int) -> None:
        """Line them up at step 0.

        Parameters
        ----------
        arms : mapping
            Settings by the name of the learner.
        limit : int
            The race ends after so many steps.
        """
        self.learners = {name: Learner(settings) for name, settings in arms.items()}
        self.limit = limit

    @property
    def step(self) -> int:
        """How many steps were made."""
        return min(learner.frames[-1].step for learner in self.learners.values())

    @property
    def finished(self) -> bool:
        """Whether the last step was made."""
        return self.step >= self.limit

    def advance(self) -> None:
        """One step of each learner, none after the end."""
        if not self.finished:
            for learner in self.learners.values():
                learner.step()

    def frames_at(self, step: int) -> dict[str, Frame]:
        """How each learner was after ``step`` updates."""
        return {name: learner.frames[step] for name, learner in self.learners.items()}


@dataclass(frozen=True)
class Outcome:
    """How one learner of one seed ended."""

    reached: int | None  # first step with at least 99 % right
    accuracy: float  # at its last step


class Sweep:
    """The same race from one seed after the other; a learner that has learned is done."""

    def __init__(self, arms: Mapping[str, Settings], seeds: int, limit: int) -> None:
        """Plan races from the seeds 0 … ``seeds`` − 1."""
        self.arms = dict(arms)
        self.seeds = seeds
        self.limit = limit
        self.outcomes: list[dict[str, Outcome]] = []
        self._running: dict[str, Learner] = {}

    @property
    def finished(self) -> bool:
        """Whether every seed has run."""
        return len(self.outcomes) == self.seeds

    @property
    def progress(self) -> float:
        """Share of all steps that are made, if every learner needs all of them: 0 … 1."""
        steps = [learner.frames[-1].step for learner in self._running.values()]
        inside = min(steps, default=0) / self.limit
        return min(1.0, (len(self.outcomes) + inside) / self.seeds)

    def advance(self) -> None:
        """One step of each learner of the present seed that is not done, none after the end."""
        if self.finished:
            return
        if not self._running:
            seed = len(self.outcomes)
            self._running = {
                name: Learner(replace(settings, seed=seed)) for name, settings in self.arms.items()
            }
        waiting = [one for one in self._running.values() if not self._done(one)]
        for learner in waiting:
            learner.step()
        if all(map(self._done, self._running.values())):
            self.outcomes.append(
                {
                    name: Outcome(learner.reached, learner.frames[-1].accuracy)
                    for name, learner in self._running.items()
                }
            )
            self._running = {}

    def _done(self, learner: Learner) -> bool:
        return learner.reached is not None or learner.frames[-1].step >= self.limit
