"""Choices whose truth lies in the session, never in the widget.

The widget is set to the truth at every run and reports through a callback, so that undo, a preset
or a link moves it like a click does.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from ui import describe, session
from ui.language import _
from ui.literal import literal


def choose(
    key: str,
    label: str,
    names: Mapping[Any, str],
    value: Any,
    on_choose: Callable[[Any], object],
    *,
    dropdown: bool = False,
    width: int | None = None,
) -> None:
    """Draw a choice: a row of buttons, or a drop-down list where there are many.

    Parameters
    ----------
    key : str
        Key of the widget.
    label : str
        For screen readers; what is seen stands in the page around it.
    names : mapping
        Each option and how it is written, escaped where it is the reader's own text.
    value : one of the options
    on_choose : callable
        Called with the option that was chosen, before the rerun.
    """
    st.session_state[key] = value
    common: dict[str, Any] = {
        "key": key,
        "format_func": names.__getitem__,
        "on_change": partial(_report, key, on_choose),
        "label_visibility": "collapsed",
    }
    if dropdown:
        st.selectbox(label, list(names), width=width or "stretch", **common)
    else:
        st.segmented_control(label, list(names), required=True, **common)


def choose_token(key: str, on_choose: Callable[[int], object]) -> None:
    """Draw the sentence as tokens to pick from; the pinned query is the chosen one."""
    st.session_state[key] = session.pair()[0]
    labels = [literal(label) for label in describe.short_labels(session.experiment())]
    st.pills(
        _("Token"),
        list(range(len(labels))),
        key=key,
        required=True,
        format_func=labels.__getitem__,
        on_change=partial(_report, key, on_choose),
        label_visibility="collapsed",
    )


def option(name: str, label: str, names: Mapping[str, str], default: str) -> str:
    """Draw a choice that belongs to a page and is kept in the link; return what is chosen."""
    value = session.option(name, tuple(names), default)
    choose(f"option-{name}", label, names, value, partial(session.set_option, name, default))
    return value


def _report(key: str, on_choose: Callable[[Any], object]) -> None:
    on_choose(st.session_state[key])
