"""What should close and does not, by Streamlit alone: its menu on a phone, a dialog by Escape."""

from pathlib import Path

import streamlit as st

_mount = st.components.v2.component(
    "attention_closing", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
)


def close_what_stays() -> None:
    """Bring this to a page; once, outside of fragments that run again."""
    _mount(key="closing", height=1)
