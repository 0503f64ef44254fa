"""A model while it learns: one step at a time, each step with its measurements."""

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from core.arrays import Array
from core.experiment import Experiment
from core.training.adam import Adam
from core.training.measures import position_patterns, role_mass, saturated, score_gradient
from core.training.model import (
    LAYER_NAMES,
    Forward,
    Parameters,
    backward,
    cross_entropy,
    forward,
    initial_parameters,
)
from core.training.tasks import LETTERS, TASKS, IntArray, TaskName

LEARNED = 0.99  # share of right answers at which a task counts as learned
NAMED = 0.5  # a head is called after a role when it puts this much weight on its places


@dataclass(frozen=True)
class Settings:
    """What a run depends on: equal settings give equal frames."""

    task: TaskName = "four_questions"
    layers: int = 1
    num_heads: int = 4
    d_model: int = 64
    d_k: int = 16
    d_v: int = 16
    rate: float = 3e-3
    batch: int = 32
    seed: int = 0
    scaled: bool = True  # scores / √d_k, else scores as they are


@dataclass(frozen=True)
class Frame:
    """The model after ``step`` updates, on a batch of problems that it has not yet learned from."""

    step: int
    loss: float  # mean cross-entropy, nats
    accuracy: float  # share of all answers that are right
    accuracies: Array  # (questions,)
    saturated: float  # share of all rows of weights with a choice of keys that are one-hot
    score_gradient: float  # mean |∂L/∂softmax input| over all cells that may be looked at
    query_gradient: float  # Frobenius norm of ∂L/∂W_Q, all layers together
    weights: Array  # (layers, h, T, T) float32  of the example
    patterns: Array  # (h, T, T) float32  scaled scores of the first layer between positions alone
    role_mass: Array  # (h, questions)  mean weight of the last layer on the places of the answers


class Learner:
    """A model and all frames of its way so far. Frame 0 is there from the start.

    Two learners that differ only in ``scaled`` or ``rate`` start from the same parameters and see
    the same problems.
    """

    def __init__(self, settings: Settings) -> None:
        """Draw parameters, example and first batch; measure frame 0."""
        self.settings = settings
        self.task = TASKS[settings.task]
        self.start: Parameters = initial_parameters(
            length=self.task.length,
            questions=len(self.task.questions),
            layers=settings.layers,
            num_heads=settings.num_heads,
            d_model=settings.d_model,
            d_k=settings.d_k,
            d_v=settings.d_v,
            spread=self.task.spread,
            seed=settings.seed,
        )
        self.parameters = self.start
        self.frames: list[Frame] = []
        self.reached: int | None = None  # first step with at least 99 % of the answers right
        self._scale = 1 / float(np.sqrt(settings.d_k)) if settings.scaled else 1.0
        self._adam = Adam(settings.rate)
        self._rng = _generator("problems", settings.seed)
        self._example = self.task.draw(_generator("example", settings.seed), 1).tokens
        self._measure()

    @property
    def example(self) -> tuple[str, ...]:
        """The letters of the problem whose weights every frame holds."""
        return tuple(LETTERS[token] for token in self._example[0])

    def step(self) -> Frame:
        """Learn from the batch at hand, draw the next one, and return how the model does on it."""
        self.parameters = self._adam.updated(self.parameters, self._gradients)
        return self._measure()

    def experiment(self, layer: int = 0) -> Experiment:
        """One layer as it is now, on the example, as an experiment of the app.

        The token vectors are what enters the attention of that layer: normalised, and in the
        first layer letter and position together. A head is called after the role that it puts at
        least half of its weight on, over the last batch; "" when there is none.
        """
        seen = self._forward(self._example).layers[layer].seen.vectors[0]
        mass = role_mass(self._passed.layers[layer].attention.weights, self._problems)
        return Experiment(
            tokens=self.example,
            token_vectors=seen,
            **{name: self.parameters[name][layer] for name in LAYER_NAMES},
            num_heads=self.settings.num_heads,
            mask="causal" if self.task.is_causal else "none",
            divisor="sqrt_d_k" if self.settings.scaled else "none",
            head_names=tuple(
                self.task.roles[best] if row[best] >= NAMED else ""
                for row, best in zip(mass, mass.argmax(axis=1), strict=True)
            ),
            seed=self.settings.seed,
        )

    def _forward(self, tokens: IntArray) -> Forward:
        return forward(
            self.parameters,
            tokens,
            num_heads=self.settings.num_heads,
            is_causal=self.task.is_causal,
            scale=self._scale,
        )

    def _measure(self) -> Frame:
        task, num_heads = self.task, self.settings.num_heads
        self._problems = problems = task.draw(self._rng, self.settings.batch)
        self._passed = passed = self._forward(problems.tokens)
        loss, d_logits = cross_entropy(passed.logits, problems.answers, problems.scored)
        back = backward(self.parameters, passed, d_logits, scale=self._scale)
        self._gradients = back.parameters

        right = (passed.logits.argmax(axis=-1) == problems.answers)[problems.scored]
        example = self._forward(self._example)
        weights = np.stack([layer.attention.weights[0] for layer in example.layers])
        patterns = position_patterns(self.parameters, num_heads=num_heads, scale=self._scale)
        mass = role_mass(passed.layers[-1].attention.weights, problems)
        frame = Frame(
            step=len(self.frames),
            loss=loss,
            accuracy=float(right.mean()),
            accuracies=np.asarray(right.mean(axis=0)),
            saturated=saturated(passed, is_causal=task.is_causal),
            score_gradient=score_gradient(back, is_causal=task.is_causal),
            query_gradient=float(np.linalg.norm(back.parameters["w_q"])),
            weights=weights.astype(np.float32),
            patterns=patterns.astype(np.float32),
            role_mass=mass[:, : len(task.questions)],
        )
        self.frames.append(frame)
        if self.reached is None and frame.accuracy >= LEARNED:
            self.reached = frame.step
        return frame


def _generator(name: str, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(name.encode())])
