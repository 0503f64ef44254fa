"""What the model learns from: random problems, drawn anew for each step, and their right answers.

``four_questions``: 12 random letters in a ring. At every place the model is asked for the letter
before, the letter behind, the first one, and the one in the mirror (place 11 − t). Four questions
that no single row of weights can answer, so four heads share the work. The ring (before the first
comes the last) spares the two ends a rule of their own.

``induction``: a block of different letters, repeated until the row is full. At every place where
the block has been seen once the model is asked for the next letter: what came after this letter
the last time? One layer cannot answer: it finds the same letter, or copies from a fixed distance,
but a key does not know which letter stands before it. So the length of the block is drawn anew for
each row; were it fixed, a fixed distance would do and one layer would be enough. Two layers can:
the first tells each place its previous letter, the second looks for it (Olsson et al., "In-context
Learning and Induction Heads" (2022)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array, BoolArray

IntArray = NDArray[np.intp]
TaskName = Literal["four_questions", "induction"]

LETTERS = "ABCDEFGHIJKL"  # all tokens that there are
RING = 12  # tokens of a four_questions problem
REPEATED = 16  # tokens of an induction problem
SHORTEST_BLOCK, LONGEST_BLOCK = 4, 8


@dataclass(frozen=True)
class Problems:
    """A batch of problems; T tokens each, every token one of ``LETTERS`` by its number."""

    tokens: IntArray  # (batch, T)
    answers: IntArray  # (batch, T, questions)
    scored: BoolArray  # (batch, T)  where the model is asked
    places: Array  # (batch, T, T, roles)  1 where this query, if asked, finds its answer


@dataclass(frozen=True)
class Task:
    """A kind of problem. A role is something that a head may look for."""

    length: int  # T
    questions: tuple[str, ...]
    roles: tuple[str, ...]  # begin with the questions
    is_causal: bool
    spread: float  # standard deviation that the embeddings are drawn with
    draw: Callable[[np.random.Generator, int], Problems]


def draw_four_questions(rng: np.random.Generator, batch: int) -> Problems:
    """Draw random letters, repeats and all; each of the four roles has one place for each query."""
    tokens = rng.integers(len(LETTERS), size=(batch, RING))
    t = np.arange(RING)
    sources = np.stack([(t - 1) % RING, (t + 1) % RING, 0 * t, RING - 1 - t], axis=1)
    is_source = np.arange(RING)[:, None] == sources[:, None, :]  # (T, T, roles)
    return Problems(
        tokens=tokens,
        answers=tokens[:, sources],
        scored=np.ones((batch, RING), dtype=bool),
        places=np.broadcast_to(is_source.astype(np.float64), (batch, *is_source.shape)),
    )


def draw_induction(rng: np.random.Generator, batch: int) -> Problems:
    """Draw blocks of 4 to 8 different letters and repeat each until its row is full.

    "induction" is every place after an earlier occurrence of the query's letter (after two rounds
    there are two), "previous" the place before the query.
    """
    alphabets = np.tile(np.arange(len(LETTERS)), (batch, 1))
    block = rng.integers(SHORTEST_BLOCK, LONGEST_BLOCK + 1, size=(batch, 1))
    t = np.arange(REPEATED + 1)
    row = np.take_along_axis(rng.permuted(alphabets, axis=1), t % block, axis=1)
    tokens, scored = row[:, :-1], t[:-1] >= block

    places = np.zeros((batch, REPEATED, REPEATED, 2))
    places[:, :, 1:, 0] = tokens[:, :, None] == tokens[:, None, :-1]
    places *= np.tri(REPEATED)[:, :, None]
    places[..., 1] = np.eye(REPEATED, k=-1)
    return Problems(tokens, row[:, 1:, None], scored, places * scored[:, :, None, None])


# Embeddings as small as the rows of a matrix, 1/√64, are quickly outgrown by what is learned, and
# four questions are learned faster. Two layers then find ways of their own to answer "induction",
# which no picture explains; with large embeddings they find the one that is known.
_NARROW, _WIDE = 0.125, 1.0

_FOUR = ("previous", "next", "first", "mirror")
TASKS: dict[TaskName, Task] = {
    "four_questions": Task(RING, _FOUR, _FOUR, False, _NARROW, draw_four_questions),
    "induction": Task(
        REPEATED, ("induction",), ("induction", "previous"), True, _WIDE, draw_induction
    ),
}
