"""The least that Streamlit needs for a picture that follows a slider: what the app is held against.

One slider (a temperature) and one Plotly heatmap of 10 × 10 attention weights. With ``cured`` on
its command line it also keeps imported objects away from the garbage collector, as the app does.
"""

import gc
import sys

import numpy as np
import plotly.graph_objects as go
import streamlit as st

TOKENS = ["the", "cat", "meows", "and", "chases", "a", "mouse", "because", "it", "is"]
LABELS = [f"{token}·{place}" for place, token in enumerate(TOKENS)]
SCORES = np.random.default_rng(0).normal(scale=2.0, size=(len(LABELS), len(LABELS)))


@st.cache_resource
def freeze_garbage() -> None:
    """Once a process: what was imported need not be looked at after every run."""
    gc.collect()
    gc.freeze()


temperature = st.slider("Temperature", min_value=0.1, max_value=5.0, value=1.0, step=0.1)
exponentials = np.exp(SCORES / temperature)
figure = go.Figure(
    go.Heatmap(z=exponentials / exponentials.sum(axis=1, keepdims=True), zmin=0, zmax=1),
    layout={
        "height": 400,
        "xaxis": {"tickvals": list(range(len(LABELS))), "ticktext": LABELS},
        "yaxis": {
            "tickvals": list(range(len(LABELS))), "ticktext": LABELS, "autorange": "reversed",
        },
    },
)  # fmt: skip
st.plotly_chart(figure, key="weights")
if "cured" in sys.argv:
    freeze_garbage()
