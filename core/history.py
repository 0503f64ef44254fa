"""Undo and redo."""

from dataclasses import dataclass
from typing import Self

from core.experiment import Experiment

MAX_STEPS = 100


@dataclass(frozen=True)
class History:
    """Experiments in the order in which they were made, and the one that is on screen."""

    present: Experiment
    past: tuple[Experiment, ...] = ()
    future: tuple[Experiment, ...] = ()

    def record(self, experiment: Experiment) -> Self:
        """Make ``experiment`` the present; what had been undone is dropped."""
        if experiment == self.present:
            return self
        past = (*self.past, self.present)[-MAX_STEPS:]
        return type(self)(experiment, past)

    def undo(self) -> Self:
        """Go one step back, if there is one."""
        if not self.past:
            return self
        return type(self)(self.past[-1], self.past[:-1], (self.present, *self.future))

    def redo(self) -> Self:
        """Go one step forward, if there is one."""
        if not self.future:
            return self
        return type(self)(self.future[0], (*self.past, self.present), self.future[1:])
