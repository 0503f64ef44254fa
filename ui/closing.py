"""Streamlit's menu of pages, which on a phone closes by itself once a page has been chosen."""

from pathlib import Path

import streamlit as st

_mount = st.components.v2.component(
    "attention_menu", js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
)


def close_when_chosen() -> None:
    """Bring this to a page; once, outside of fragments that run again."""
    _mount(key="menu", height=1)
