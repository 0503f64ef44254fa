"""What a program for one experiment is made of: steps of code, matrices, shapes."""

import math
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Array
from core.experiment import BIAS_NAMES, MATRIX_NAMES, SYMBOLS, Experiment
from core.trace import trace

_NOTES_FROM = 50  # characters of code after which a note no longer waits for the others

DIMENSIONS = {
    "X": ("n", "d_model"),
    "W_Q": ("d_model", "h·d_k"),
    "W_K": ("d_model", "h·d_k"),
    "W_V": ("d_model", "h·d_v"),
    "W_O": ("h·d_v", "d_model"),
    "b_Q": ("h·d_k",),
    "b_K": ("h·d_k",),
    "b_V": ("h·d_v",),
    "b_O": ("d_model",),
    "Q": ("h", "n", "d_k"),
    "K": ("h", "n", "d_k"),
    "V": ("h", "n", "d_v"),
    "scores": ("h", "n", "n"),
    "divisor": (),
    "mask": ("n", "n"),
    "softmax": ("h", "n", "n"),
    "weights": ("h", "n", "n"),
    "head_outputs": ("h", "n", "d_v"),
    "concatenated": ("n", "h·d_v"),
    "output": ("n", "d_model"),
}


@dataclass(frozen=True)
class Step:
    """A piece of code, one line or more, with a comment at its end."""

    code: str
    note: str = ""
    computes: str = ""  # a name in DIMENSIONS


class Plan:
    """What an experiment has, and so what its program needs."""

    def __init__(self, experiment: Experiment) -> None:
        """Look at an experiment."""
        self.experiment = experiment
        self.many = experiment.num_heads > 1
        self.masked = experiment.mask != "none"
        self.dtype: np.dtype[np.floating] = trace(experiment).embeddings.dtype
        self.arrays: dict[str, Array] = {
            SYMBOLS[name]: array
            for name in (*MATRIX_NAMES, *BIAS_NAMES)
            if (array := getattr(experiment, name)) is not None
        }
        if experiment.w_o is None:
            self.arrays.pop("b_O", None)  # it is added to a product with W_O, or not at all

    @property
    def parameters(self) -> str:
        """What the layer is given, in the order in which it uses it."""
        matrices = [f"{kind}_{of}" for of in "QKVO" for kind in "Wb"]
        given = ["X", *(name for name in matrices if name in self.arrays)]
        return ", ".join(given + ["h"] * self.many + ["allowed"] * self.masked)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of a matrix or stage, as the program holds it."""
        now = self.experiment
        sizes = {"n": now.n, "h": now.num_heads, "d_model": now.d_model, "d_k": now.d_k,
                 "d_v": now.d_v}  # fmt: skip
        return tuple(
            math.prod(sizes[part] for part in dimension.split("·"))
            for dimension in self._dimensions(name)
        )

    def in_letters(self, name: str) -> str:
        """The same shape as a reader of the paper knows it: ``(h, n, d_k)``."""
        dimensions = self._dimensions(name)
        return f"({', '.join(dimensions)}{',' * (len(dimensions) == 1)})"

    def _dimensions(self, name: str) -> tuple[str, ...]:
        """One head has no axis of its own; without W_O the output is the concatenation."""
        dimensions = DIMENSIONS[
            "concatenated" if name == "output" and "W_O" not in self.arrays else name
        ]
        if self.many:
            return dimensions
        return tuple(one.removeprefix("h·") for one in dimensions if one != "h")


def aligned(steps: list[Step]) -> list[Step]:
    """Bring the notes of a block into one column, where the code leaves room."""
    noted = [len(step.code) for step in steps if step.note]
    column = max((length for length in noted if length <= _NOTES_FROM), default=0)
    return [
        replace(step, code=f"{step.code.ljust(column)}  # {step.note}", note="")
        if step.note
        else step
        for step in steps
    ]


def text(steps: list[Step]) -> str:
    """Only the code, line after line."""
    return "\n".join(step.code for step in steps)
