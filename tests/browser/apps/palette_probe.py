"""The choice of a palette above one picture, one matrix and two arrows, for the browser tests."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import streamlit as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from ui import drag, figures, palette_choice, plot, session
from ui.heatmaps import Tile
from ui.matrix import Pick, matrix_code, matrix_product, panel
from ui.style import STYLE

NAMES = [f"w{i}" for i in range(4)]
VALUES = np.linspace(-1, 1, 16).reshape(4, 4).round(2)
HIDDEN = np.triu(np.ones((4, 4), bool), 1)


def remember(pick: Pick) -> None:
    """Keep the pick."""
    st.session_state["pick"] = pick


st.set_page_config(layout="wide")
session.begin()
palette_choice.follow()
st.html(STYLE)
matrix_code()
drag.drag_code()
with st.container(key="page"):
    palette_choice.choice()
    pick = st.session_state.get("pick")
    signed = panel("M", VALUES, NAMES, NAMES)
    matrix_product(signed, key="signed", pick=pick, on_pick=remember)
    weights = panel("W", np.tril(np.ones((4, 4))) / 4, NAMES, NAMES, scale="weights", masked=HIDDEN)
    matrix_product(weights, key="weights")
    tile = Tile("causal", np.tril(np.ones((4, 4))) / 4, NAMES, NAMES, weights=True, masked=HIDDEN)
    signs = Tile("signs", VALUES, NAMES, NAMES)
    plot.show(
        figures.grid([tile, signs], 2, axes=("query", "key"), outline=(2, 1), height=240),
        key="probe",
        alt="Two tiles",
    )
    drag.arrows("arrows", ("a", "b"), (3, 1, 1, 2), lambda values: None, height=240)
    st.text(f"pick: {pick.row} {pick.col}" if pick else "pick: none")
    st.text("end of page")
