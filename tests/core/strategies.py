"""Experiments for property tests: any that :class:`Experiment` takes, at small sizes."""

from typing import get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core.experiment import (
    BIAS_NAMES,
    MAX_ABS,
    MAX_TOKEN_LENGTH,
    Divisor,
    Experiment,
    Mask,
    Positions,
)
from core.positions import CLOCK_DIMENSIONS
from core.presets import PRESETS

HOSTILE = (
    "", " ", " a ", "a b", "a|b", "a,b", '"', "'", "\\", "\t", "\n", "a\rb", "\r\n", "\0", "a\0",
    "<b>", "$x$", "**x**", "None", "nan", "0", "-0", "=1+1", "token", "[", "\ufeff", "\u2028",
    "👨‍👩‍👧", "🇯🇵", "e\u0301", "é", "猫", "坐在", "，", "القط", "שלום", "abc\u202edef",
)  # fmt: skip

texts = st.sampled_from(HOSTILE) | st.text(max_size=MAX_TOKEN_LENGTH)
_DTYPES = ((np.float64,), (np.float32,), (np.float32, np.float64))


def numbers(dtype, limit=MAX_ABS):
    """Floats within ±limit, with the ends, both zeros and the smallest ones often among them."""
    info = np.finfo(dtype)
    corners = (-0.0, 0.0, limit, -limit, float(info.smallest_subnormal), float(-info.tiny))
    width = 32 if dtype == np.float32 else 64
    return st.sampled_from(corners) | st.floats(-limit, limit, width=width)


@st.composite
def experiments(draw, limit=MAX_ABS, dtypes=_DTYPES):
    """Up to 6 tokens and 3 heads; ``dtypes`` lists the sets that the arrays' types come from."""
    n, d_model = draw(st.integers(1, 6)), draw(st.integers(1, 8))
    num_heads, d_k, d_v = (draw(st.integers(1, 3)) for _ in range(3))
    q_width, v_width = num_heads * d_k, num_heads * d_v
    dtype = st.sampled_from(draw(st.sampled_from(dtypes)))

    def array(*shape):
        kind = draw(dtype)
        return draw(arrays(kind, shape, elements=numbers(kind, limit)))

    optional = {"w_o": (v_width, d_model)}
    optional |= dict(zip(BIAS_NAMES, ((q_width,), (q_width,), (v_width,), (d_model,)), strict=True))
    positions = [name for name in get_args(Positions) if name != "clock"]
    if d_model >= CLOCK_DIMENSIONS:
        positions.append("clock")
    mask = draw(st.sampled_from(get_args(Mask)))
    return Experiment(
        tokens=draw(st.lists(texts, min_size=n, max_size=n)),
        token_vectors=array(n, d_model),
        w_q=array(d_model, q_width),
        w_k=array(d_model, q_width),
        w_v=array(d_model, v_width),
        **{name: array(*shape) for name, shape in optional.items() if draw(st.booleans())},
        num_heads=num_heads,
        positions=draw(st.sampled_from(positions)),
        mask=mask,
        allowed=draw(masks(n)) if mask == "manual" or draw(st.booleans()) else None,
        divisor=draw(st.sampled_from(get_args(Divisor))),
        temperature=draw(st.floats(0.01, 100)),
        dimension_names=draw(names(d_model)),
        head_names=draw(names(num_heads)),
        preset=draw(st.sampled_from(("", *PRESETS))),
        seed=draw(st.integers(0, 2**31 - 1)),
    )


def masks(n):
    """Who may look at whom; a row may be empty."""
    rows = arrays(bool, (n, n))
    closed = st.integers(0, n - 1).map(lambda row: np.arange(n)[:, None] != row)
    return rows | st.tuples(rows, closed).map(lambda pair: pair[0] & pair[1])


def names(count):
    """One name for each, or none at all."""
    return st.just(()) | st.lists(texts, min_size=count, max_size=count).map(tuple)
