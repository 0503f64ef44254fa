"""Heads to switch on and off."""

import streamlit as st

from ui.literal import literal


def switches(key: str, label: str, names: list[str]) -> list[int]:
    """Draw a switch a head, all on at first; return the heads that are on."""
    heads = list(range(len(names)))
    chosen = st.pills(
        label,
        heads,
        default=heads,
        selection_mode="multi",
        format_func=lambda t: literal(names[t]),
        label_visibility="collapsed",
        key=f"{key}-heads-{len(names)}",  # another number of heads: other switches
    )
    return sorted(chosen)
