"""The one state of the explorer: what the reader chose."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from core.arrays import Array, BoolArray, as_float, frozen
from core.errors import Refusal, mark, mark_n
from core.masks import causal_mask
from core.positions import CLOCK_DIMENSIONS, clock, sinusoidal

MAX_TOKENS = 64
MAX_D_MODEL = 512
MAX_HEADS = 16
MAX_WIDTH = 1024  # of w_q, w_k, w_v: all heads side by side
MAX_TOKEN_LENGTH = 60
MAX_ABS = 1e6  # of any number; products of three such numbers stay far from overflow

Divisor = Literal["sqrt_d_k", "none", "d_k", "sqrt_d_model"]
Mask = Literal["none", "causal", "manual"]
Positions = Literal["off", "sinusoidal", "clock"]

WEIGHT_NAMES = ("w_q", "w_k", "w_v", "w_o")
BIAS_NAMES = ("b_q", "b_k", "b_v", "b_o")
MATRIX_NAMES = ("token_vectors", *WEIGHT_NAMES)

# How a matrix is written on screen and in messages.
SYMBOLS = {
    "token_vectors": "X",
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "b_q": "b_Q",
    "b_k": "b_K",
    "b_v": "b_V",
    "b_o": "b_O",
}


@dataclass(frozen=True, eq=False)
class Experiment:
    """Tokens, vectors, weights and settings: all that attention depends on.

    Shapes: n tokens, h heads; head t owns columns t·d … (t+1)·d−1 of w_q, w_k and w_v. Arrays are
    copied and read-only. Two experiments are equal when every field is, to the last bit.

    Raises
    ------
    Refusal
        If shapes do not fit together, a number is not finite or too large, or a limit is passed.
    """

    tokens: tuple[str, ...]
    token_vectors: Array  # (n, d_model), before the position encoding is added
    w_q: Array  # (d_model, h·d_k)
    w_k: Array  # (d_model, h·d_k)
    w_v: Array  # (d_model, h·d_v)
    w_o: Array | None = None  # (h·d_v, d_model)
    b_q: Array | None = None  # (h·d_k,)
    b_k: Array | None = None  # (h·d_k,)
    b_v: Array | None = None  # (h·d_v,)
    b_o: Array | None = None  # (d_model,)
    num_heads: int = 1
    positions: Positions = "off"
    mask: Mask = "none"
    allowed: BoolArray | None = None  # (n, n), True where a query may look; for mask "manual"
    divisor: Divisor = "sqrt_d_k"
    temperature: float = 1.0  # a second divisor, no part of the paper's formula
    dimension_names: tuple[str, ...] = ()  # one for each of d_model, or none at all
    head_names: tuple[str, ...] = ()  # one for each head, or none at all
    preset: str = ""  # where it came from: a name in core.presets, or "" for a file
    seed: int = 0  # of every random draw, for words yet to come too

    def __post_init__(self) -> None:
        """Copy, freeze and check every field."""
        for name in (*MATRIX_NAMES, *BIAS_NAMES):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, frozen(as_float(array, SYMBOLS[name])))
        if self.allowed is not None:
            object.__setattr__(self, "allowed", frozen(np.asarray(self.allowed)))
        for name in ("tokens", "dimension_names", "head_names"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _check_choices(self)
        _check_tokens(self.tokens)
        _check_names((*self.dimension_names, *self.head_names))
        _check_shapes(self)
        _check_numbers(self)

    @property
    def n(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    @property
    def d_model(self) -> int:
        """Width of a token vector."""
        return int(self.token_vectors.shape[1])

    @property
    def d_k(self) -> int:
        """Width of a query or key of one head."""
        return int(self.w_q.shape[1]) // self.num_heads

    @property
    def d_v(self) -> int:
        """Width of a value of one head."""
        return int(self.w_v.shape[1]) // self.num_heads

    @property
    def divisor_value(self) -> float:
        """The number that the divisor stands for."""
        return {
            "sqrt_d_k": float(np.sqrt(self.d_k)),
            "none": 1.0,
            "d_k": float(self.d_k),
            "sqrt_d_model": float(np.sqrt(self.d_model)),
        }[self.divisor]

    @property
    def position_encoding(self) -> Array:
        """What the positions add to the token vectors: (n, d_model), zeros when off."""
        if self.positions == "sinusoidal":
            return sinusoidal(self.n, self.d_model)
        if self.positions == "clock":
            return clock(self.n, self.d_model)
        return np.zeros((self.n, self.d_model))

    @property
    def may_attend(self) -> BoolArray:
        """Who may look at whom: (n, n), True where a query may attend."""
        if self.mask == "causal":
            return causal_mask(self.n, self.n)
        if self.mask == "manual" and self.allowed is not None:
            return self.allowed
        return np.ones((self.n, self.n), dtype=bool)

    def head_columns(self, head: int, name: str) -> slice:
        """The columns of w_q, w_k or w_v (the rows of w_o) that belong to one head."""
        width = self.d_v if name in ("w_v", "w_o") else self.d_k
        return slice(head * width, (head + 1) * width)

    def labels(self) -> tuple[str, ...]:
        """Tokens with their positions, so that equal words stay apart: ``the·0``, ``the·4``."""
        return tuple(f"{token}·{i}" for i, token in enumerate(self.tokens))

    def dimension_labels(self) -> tuple[str, ...]:
        """Names of the dimensions of X, or their numbers."""
        return self.dimension_names or tuple(str(i) for i in range(self.d_model))

    def head_labels(self) -> tuple[str, ...]:
        """Columns of all heads side by side, as ``head·column``."""
        return tuple(f"{t}·{i}" for t in range(self.num_heads) for i in range(self.d_v))

    def output_labels(self) -> tuple[str, ...]:
        """Columns of the output: dimensions of X, or those of the heads where there is no w_o."""
        return self.head_labels() if self.w_o is None else self.dimension_labels()

    def with_(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, checked again."""
        return replace(self, **changes)

    def __eq__(self, other: object) -> bool:
        """Equal in every field; arrays in type, shape and every bit."""
        if not isinstance(other, Experiment):
            return NotImplemented
        return all(_same(a, b) for a, b in zip(self._values(), other._values(), strict=True))

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def _values(self) -> Iterator[object]:
        return (getattr(self, field.name) for field in fields(self))


def _same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


def _check_choices(experiment: Experiment) -> None:
    choices = {"divisor": Divisor, "mask": Mask, "positions": Positions}
    for name, options in choices.items():
        value = getattr(experiment, name)
        if value not in get_args(options):
            raise Refusal(
                mark("{name} is “{value}”, but must be one of: {options}."),
                name=name,
                value=value,
                options=", ".join(get_args(options)),
            )
    temperature = experiment.temperature
    if not (isinstance(temperature, float) and 0.01 <= temperature <= 100):
        raise Refusal(
            mark("The temperature is {value}, but must lie between 0.01 and 100."),
            value=temperature,
        )
    if type(experiment.num_heads) is not int or not 1 <= experiment.num_heads <= MAX_HEADS:
        raise Refusal(
            mark("{value} heads were asked for; there can be 1 to {limit}."),
            value=experiment.num_heads,
            limit=MAX_HEADS,
        )


def check_token_count(tokens: Sequence[str]) -> None:
    """Refuse no token, and more than the limit."""
    if not tokens:
        raise Refusal(mark("There is no token; write at least one word."))
    if len(tokens) > MAX_TOKENS:
        raise Refusal(
            mark("These are {count} tokens; there can be at most {limit}."),
            count=len(tokens),
            limit=MAX_TOKENS,
        )


def _check_tokens(tokens: tuple[str, ...]) -> None:
    check_token_count(tokens)
    for i, token in enumerate(tokens):
        if not isinstance(token, str):
            raise Refusal(mark("Token {index} is not text."), index=i)
        if len(token) > MAX_TOKEN_LENGTH:
            raise Refusal(
                mark("Token {index} has {count} characters; there can be at most {limit}."),
                index=i,
                count=len(token),
                limit=MAX_TOKEN_LENGTH,
            )
        if _holds_half_a_character(token):
            raise Refusal(mark("Token {index} holds a broken character; type it again."), index=i)


def _check_names(names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(name, str) or len(name) > MAX_TOKEN_LENGTH:
            raise Refusal(
                mark("A name of a dimension or head must be text of at most {limit} characters."),
                limit=MAX_TOKEN_LENGTH,
            )
        if _holds_half_a_character(name):
            raise Refusal(mark("A name of a dimension or head holds a broken character."))


def _holds_half_a_character(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _check_shapes(experiment: Experiment) -> None:
    n, h = experiment.n, experiment.num_heads
    x = experiment.token_vectors
    if x.ndim != 2 or x.shape[0] != n:
        raise Refusal(
            mark_n(
                "X has shape {shape}; for {count} token it needs {count} row.",
                "X has shape {shape}; for {count} tokens it needs {count} rows.",
            ),
            shape=_shape(x),
            count=n,
        )
    d_model = x.shape[1]
    if not 1 <= d_model <= MAX_D_MODEL:
        raise Refusal(
            mark("d_model is {value}; it can be 1 to {limit}."), value=d_model, limit=MAX_D_MODEL
        )
    for name in ("w_q", "w_k", "w_v"):
        w = getattr(experiment, name)
        if w.ndim != 2 or w.shape[0] != d_model:
            raise Refusal(
                mark("{name} has shape {shape}; X is {width} wide, so it needs {width} rows."),
                name=SYMBOLS[name],
                shape=_shape(w),
                width=d_model,
            )
        if w.shape[1] == 0 or w.shape[1] % h or w.shape[1] > MAX_WIDTH:
            raise Refusal(
                mark_n(
                    "{name} is {width} wide; with {count} head it can be 1 to {limit}.",
                    "{name} is {width} wide; "
                    "for {count} heads it needs a multiple of {count}, at most {limit}.",
                ),
                name=SYMBOLS[name],
                width=w.shape[1],
                count=h,
                limit=MAX_WIDTH,
            )
    if experiment.w_q.shape != experiment.w_k.shape:
        raise Refusal(
            mark("W_Q has shape {q} and W_K {k}; they must be the same."),
            q=_shape(experiment.w_q),
            k=_shape(experiment.w_k),
        )
    expected = {
        "w_o": (experiment.w_v.shape[1], d_model),
        "b_q": (experiment.w_q.shape[1],),
        "b_k": (experiment.w_k.shape[1],),
        "b_v": (experiment.w_v.shape[1],),
        "b_o": (d_model,),
    }
    for name, shape in expected.items():
        array = getattr(experiment, name)
        if array is not None and array.shape != shape:
            raise Refusal(
                mark("{name} has shape {shape}, but must have {expected}."),
                name=SYMBOLS[name],
                shape=_shape(array),
                expected=" × ".join(map(str, shape)),
            )
    allowed = experiment.allowed
    if experiment.mask == "manual" and allowed is None:
        raise Refusal(mark("A mask by hand needs its own table of who may look at whom."))
    if allowed is not None and (allowed.shape != (n, n) or allowed.dtype != bool):
        raise Refusal(
            mark_n(
                "The mask has shape {shape}; for {count} token it must be {count} × {count}.",
                "The mask has shape {shape}; for {count} tokens it must be {count} × {count}.",
            ),
            shape=_shape(allowed),
            count=n,
        )
    if experiment.positions == "clock" and d_model < CLOCK_DIMENSIONS:
        raise Refusal(
            mark("The clock needs {count} dimensions; d_model is {value}."),
            count=CLOCK_DIMENSIONS,
            value=d_model,
        )
    for names, count in ((experiment.dimension_names, d_model), (experiment.head_names, h)):
        if names and len(names) != count:
            raise Refusal(
                mark_n(
                    "There is {count} name; each dimension or head needs one, so {expected}.",
                    "There are {count} names; each dimension or head needs one, so {expected}.",
                ),
                count=len(names),
                expected=count,
            )


def _check_numbers(experiment: Experiment) -> None:
    for name in (*MATRIX_NAMES, *BIAS_NAMES):
        array = getattr(experiment, name)
        if array is None:
            continue
        bad = ~(np.abs(array) <= MAX_ABS)  # true for NaN too
        if bad.any():
            cell = tuple(int(i) for i in np.argwhere(bad)[0])
            raise Refusal(
                mark("{name} [{cell}] is {value}; every number must lie within ±1 000 000."),
                name=SYMBOLS[name],
                cell=", ".join(map(str, cell)),
                value=float(array[cell]),
            )


def _shape(array: Any) -> str:
    return " × ".join(map(str, array.shape))
