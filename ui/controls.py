"""Controls whose truth lies in the session, never in the widget.

A widget is set to the truth at every run and reports through a callback, so that undo, a preset,
a link or a pick in a matrix moves it like a click does.

A browser may send a message before it has heard of the newest truth; Streamlit would take the old
value in it for a choice of the reader. So a control that was moved by anything but itself becomes
a new widget: what is still said of the old one changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

import streamlit as st

from ui import describe, session
from ui.language import _
from ui.literal import literal

Report = Callable[[Any], object]

# Never the same twice: what a run wrote into the session may be lost when the next overtakes it.
_versions = count(1)


def choose(
    key: str,
    label: str,
    names: Mapping[Any, str],
    value: Any,
    on_choose: Report,
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
    common = _bound(key, value, on_choose) | {"format_func": names.__getitem__}
    if dropdown:
        st.selectbox(label, list(names), width=width or "stretch", **common)
    else:
        st.segmented_control(label, list(names), required=True, **common)


def choose_token(key: str, on_choose: Report) -> None:
    """Draw the sentence as tokens to pick from; the pinned query is the chosen one."""
    labels = [literal(label) for label in describe.short_labels(session.experiment())]
    st.pills(
        _("Token"),
        list(range(len(labels))),
        required=True,
        format_func=labels.__getitem__,
        **_bound(key, session.pair()[0], on_choose),
    )


def choose_several(
    key: str,
    label: str,
    names: Mapping[Any, str],
    values: Sequence[Any],
    on_choose: Report,
) -> None:
    """Draw a choice of any number of options; ``on_choose`` is called with the list of them."""
    st.pills(
        label,
        list(names),
        selection_mode="multi",
        format_func=names.__getitem__,
        **_bound(key, list(values), on_choose),
    )


def option(name: str, label: str, names: Mapping[str, str], default: str) -> str:
    """Draw a choice that belongs to a page and is kept in the link; return what is chosen."""
    value = session.option(name, tuple(names), default)
    choose(f"option-{name}", label, names, value, partial(session.set_option, name, default))
    return value


def icon_button(key: str, icon: str, explanation: str, **how: Any) -> bool:
    """Draw a button that shows an icon alone; ``explanation`` is its name and its hint.

    ``ui/style.py`` hides the name of what is drawn like this; a new place for one is added there.
    """
    return st.button(
        explanation,
        key=key,
        icon=f":material/{icon}:",
        help=explanation,
        type="tertiary",
        **how,
    )


def view(name: str, label: str, names: Mapping[str, str], default: str) -> str:
    """Draw an option that chooses what a page shows; in a lecture the steps choose, unseen."""
    if not session.lectures():
        return option(name, label, names, default)
    return session.option(name, tuple(names), default)


def steps(name: str, label: str, names: Mapping[str, str], default: str) -> str:
    """Draw an option whose choices follow each other: buttons for one back and one on beside it.

    A lecture has keys for that, and shows nothing here.
    """
    now = session.option(name, tuple(names), default)
    session.call_view(names[now])
    if session.lectures():
        return now
    back = st.container(width="content")
    chosen = option(name, label, names, default)
    forward = st.container(width="content")
    order = list(names)
    place = order.index(chosen)
    for column, icon, explanation, to in (
        (back, "chevron_left", _("Step back"), place - 1),
        (forward, "chevron_right", _("Next step"), place + 1),
    ):
        with column:
            icon_button(
                f"{name}-{icon}",
                icon,
                explanation,
                disabled=not 0 <= to < len(order),
                on_click=session.set_option,
                args=(name, default, order[to % len(order)]),
            )
    return chosen


def number_option(
    name: str, label: str, limits: tuple[int, int], default: int, *, width: int = 72
) -> int:
    """Draw a whole number that belongs to a page and is kept in the link; return it."""
    least, most = limits
    choices = tuple(map(str, range(least, most + 1)))
    value = int(session.option(name, choices, str(default)))
    st.markdown(label, width="content")
    whole_number(
        f"option-{name}",
        label,
        value,
        limits,
        lambda chosen: session.set_option(name, str(default), str(chosen)),
        width=width,
    )
    return value


def scale_option(
    name: str, label: str, choices: tuple[int, ...], default: int, *, width: int = 260
) -> int:
    """Draw a slider over a few whole numbers that is kept in the link; return the chosen one."""
    value = int(session.option(name, tuple(map(str, choices)), str(default)))
    st.markdown(f"{label} = {value}", width="content")
    st.select_slider(
        label,
        choices,
        width=width,
        **_bound(
            f"option-{name}",
            value,
            lambda chosen: session.set_option(name, str(default), str(chosen)),
        ),
    )
    return value


def text(key: str, label: str, value: str, on_enter: Report, **how: Any) -> None:
    """Draw a line of text to edit."""
    st.text_input(label, **_bound(key, value, on_enter), **how)


def whole_number(
    key: str, label: str, value: int, limits: tuple[int, int], on_choose: Report, **how: Any
) -> None:
    """Draw a field for a whole number; one that was emptied shows the old number again."""

    def report(chosen: int | None) -> None:
        if chosen is not None:
            on_choose(chosen)

    least, most = limits
    bound = _bound(key, value, report)
    st.number_input(label, value=None, min_value=least, max_value=most, **bound, **how)


def slide(
    key: str, label: str, value: float, limits: tuple[float, float], on_choose: Report, **how: Any
) -> None:
    """Draw a slider."""
    least, most = limits
    bound = _bound(key, value, on_choose)
    st.slider(label, min_value=least, max_value=most, **bound, **how)


def _bound(key: str, truth: Any, on_change: Report) -> dict[str, Any]:
    """What binds a widget to the truth: its key, its callback, its value."""
    known, version = st.session_state.get(_known(key), (truth, 0))
    if known != truth:
        version = next(_versions)
    st.session_state[_known(key)] = (truth, version)
    widget = f"{key}-v{version}" if version else key
    st.session_state[widget] = truth
    return {
        "key": widget,
        "on_change": partial(_report, key, version, widget, on_change),
        "label_visibility": "collapsed",
    }


def _report(key: str, version: int, widget: str, on_change: Report) -> None:
    _truth, current = st.session_state[_known(key)]
    if version != current:
        return  # Streamlit has forgotten the old widget, so that its old value looks like a new one
    value = st.session_state[widget]
    st.session_state[_known(key)] = (value, version)
    on_change(value)


def _known(key: str) -> str:
    return f"control:{key}"
