"""A small app around the matrix component, for the browser tests.

``?show=`` chooses what is drawn: product, scores, weights, big, toggle, two, hostile,
tick, shrink, chinese or empty.
What Python was told is written under the matrix, so that a test can read it.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ui.matrix import Edit, Panel, Pick, matrix_code, matrix_product, panel

SENTENCE = "the animal didn't cross the street because it was too tired"
TOKENS = [f"{word}·{at}" for at, word in enumerate(SENTENCE.split())]
FEATURES = [
    *("noun", "verb", "article", "pronoun", "adverb", "living", "moves", "place"),
    *("cause", "tired", "number", "past", "negation", "position-sin", "position-cos", "bias"),
]
QUERY, KEY = "query: who looks", "key: who is looked at"
HOSTILE = [
    "<b>x</b>",
    "<img src=x onerror=alert(1)>",
    "$x$",
    "🦊👩‍🚀",
    "שלום",
    "incomprehensibilities-and-forty-letters-x",
    "",
    "\u202eright to left",
    "**bold** [a](b)",
]


def numbers(seed: int, *shape: int) -> np.ndarray:
    """Reproducible numbers with three decimals."""
    return np.random.default_rng(seed).normal(size=shape).round(3)


def note_pick(key: str, pick: Pick) -> None:
    """Keep the pick of one matrix."""
    st.session_state[f"{key} pick"] = pick
    st.session_state[f"{key} picks"] = st.session_state.get(f"{key} picks", 0) + 1


def note_edit(key: str, edit: Edit) -> None:
    """Write an edit into the experiment, or refuse it with a sentence."""
    st.session_state.setdefault(f"{key} edits", []).append(edit)
    target = st.session_state[f"{key} {edit.panel}"]
    try:
        block = np.array([[float(x) for x in line.split("\t")] for line in edit.text.splitlines()])
        target[edit.row : edit.row + len(block), edit.col : edit.col + block.shape[1]] = block
    except ValueError:
        st.session_state[f"{key} refused"] = edit.text


def state(key: str, name: str, default: np.ndarray) -> np.ndarray:
    """An editable array of the session."""
    return st.session_state.setdefault(f"{key} {name}", default)


def draw(key: str, product: Panel, left: Panel | None = None, right: Panel | None = None) -> None:
    """The component, and what Python knows."""
    pick = st.session_state.get(f"{key} pick")
    matrix_product(
        product,
        left,
        right,
        key=key,
        pick=pick,
        on_pick=partial(note_pick, key),
        on_edit=partial(note_edit, key),
    )
    edits = st.session_state.get(f"{key} edits", [])
    cell = f"{pick.panel} {pick.row} {pick.col}" if pick else "none"
    st.text(f"{key} pick: {cell}")
    st.text(f"{key} edits: {' | '.join(f'{e.panel} {e.row} {e.col} {e.text!r}' for e in edits)}")
    st.text(f"{key} picks: {st.session_state.get(f'{key} picks', 0)}")


def product(key: str, seed: int = 0) -> None:
    """X W_Q = Q with both operands editable."""
    x = state(key, "left", numbers(seed, 11, 16))
    w = state(key, "right", numbers(seed + 1, 16, 4) / 2)
    dims = [str(i) for i in range(4)]
    draw(
        key,
        panel("Q", x @ w, TOKENS, dims, row_axis=QUERY),
        panel("X", x, TOKENS, FEATURES, editable=True),
        panel("W_Q", w, FEATURES, dims, editable=True),
    )


def scores(key: str) -> None:
    """Q Kᵀ = scores."""
    q, k = numbers(2, 11, 4), numbers(3, 11, 4)
    dims = [str(i) for i in range(4)]
    draw(
        key,
        panel("scores", q @ k.T, TOKENS, TOKENS, row_axis=QUERY, col_axis=KEY),
        panel("Q", q, TOKENS, dims),
        panel("Kᵀ", k.T, dims, TOKENS),
    )


def weights(key: str) -> None:
    """Causal weights times V."""
    mask = np.triu(np.ones((11, 11), bool), 1)
    raw = np.where(mask, -np.inf, numbers(4, 11, 11) * 2)
    w = np.exp(raw - raw.max(1, keepdims=True))
    w /= w.sum(1, keepdims=True)
    v = numbers(5, 11, 4)
    dims = [str(i) for i in range(4)]
    draw(
        key,
        panel("output", w @ v, TOKENS, dims, limit=3),
        panel(
            "weights",
            w,
            TOKENS,
            TOKENS,
            scale="weights",
            masked=mask,
            row_axis=QUERY,
            col_axis=KEY,
        ),
        panel("V", v, TOKENS, dims, limit=3),
    )


def big(key: str) -> None:
    """64 × 64, one picture."""
    names = [f"token·{i}" for i in range(64)]
    values = state(key, "product", numbers(6, 64, 64))
    draw(key, panel("scores", values, names, names, row_axis=QUERY, col_axis=KEY, editable=True))


def toggle(key: str) -> None:
    """A mask that is set by hand."""
    may = state(key, "product", np.tril(np.ones((6, 6))))
    draw(
        key,
        panel("mask", may, TOKENS[:6], TOKENS[:6], scale="weights", toggle=True, title="May look"),
    )


def hostile(key: str) -> None:
    """Labels that try to be markup, and numbers that are none."""
    values = numbers(7, 9, 9)
    values[0, :4] = [np.nan, np.inf, -np.inf, 0]
    draw(key, panel("<i>M</i>", values, HOSTILE, HOSTILE, title="<u>M</u> \u202etitle"))


def shrink(key: str) -> None:
    """A matrix that loses its last row when it is picked."""
    rows = state(key, "rows", np.array([3]))

    def drop(pick: Pick) -> None:
        note_pick(key, pick)
        rows[0] -= rows[0] > 1

    names = TOKENS[: rows[0]]
    matrix_product(
        panel("shrinking", numbers(8, rows[0], 2), names, ["0", "1"]),
        key=key,
        pick=st.session_state.get(f"{key} pick"),
        on_pick=drop,
    )
    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    st.text(f"{key} runs: {runs}")


def empty(key: str) -> None:
    """No rows at all."""
    draw(key, panel("none", np.zeros((0, 3)), [], ["a", "b", "c"], editable=True))


def chinese(key: str) -> None:
    """Chinese labels and texts."""
    names = [f"{word}·{at}" for at, word in enumerate("那只动物没有过马路因为它太累了")]
    hidden = np.triu(np.ones((15, 15), bool), 1)
    matrix_product(
        panel(
            "权重",
            np.full((15, 15), 1 / 15),
            names,
            names,
            scale="weights",
            masked=hidden,
            row_axis="查询：谁在看",
            col_axis="键：看向谁",
        ),
        key=key,
        texts={"masked": "已遮蔽", "pick_hint": "指向一个单元格即可读数"},
        max_height=400,
    )


@st.fragment(run_every=0.3)
def tick(key: str) -> None:
    """New data three times a second."""
    ticks = st.session_state["ticks"] = st.session_state.get("ticks", 0) + 1
    x = state(key, "left", numbers(0, 3, 2))
    w = np.array([[1.0, 0.0], [0.0, ticks]])
    names, dims = TOKENS[:3], ["0", "1"]
    draw(
        key,
        panel("XW", x @ w, names, dims),
        panel("X", x, names, dims, editable=True),
        panel("W", w, dims, dims),
    )


def matrices() -> None:
    """The chosen matrix, before and after a pause when one is asked for."""
    show = st.session_state.setdefault("show", st.query_params.get("show", "product"))
    pause = 0.8 if st.button("Run slowly") else 0
    time.sleep(pause)
    if show == "two":
        product("first")
        product("second", seed=10)
    else:
        views = (product, scores, weights, big, toggle, hostile, tick, shrink, chinese, empty)
        {view.__name__: view for view in views}[show](show)
    if refused := st.session_state.get(f"{show} refused"):
        st.text(f"refused: {refused}")
    time.sleep(pause)
    st.text("end of page")


def elsewhere() -> None:
    """A page without a matrix."""
    st.text("nothing here")


st.set_page_config(layout="wide")
matrix_code()
st.navigation([st.Page(matrices, title="Matrices"), st.Page(elsewhere, title="Elsewhere")]).run()
