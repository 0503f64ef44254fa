"""The dialog of lecture mode: switch it on, and prepare a list of steps."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from core import lecture
from core.lecture import MAX_NAME, Lecture
from core.link import MAX_LENGTH
from ui import controls, path, session, share
from ui.language import _
from ui.lecture import place, prepared, ready
from ui.lecture.walk import PAGES
from ui.literal import literal

_HEIGHT = 236  # in pixels, of the list
_FEW = 4  # steps that need no scrolling


def button(titles: Mapping[str, str]) -> None:
    """Draw the button that opens the dialog.

    Parameters
    ----------
    titles : mapping
        The pages with their titles in the reader's language.
    """
    if controls.icon_button("lecture-open", "co_present", _("Lecture mode")):
        st.dialog(_("Lecture mode"), width="large")(_dialog)(titles)


def _dialog(titles: Mapping[str, str]) -> None:
    st.markdown(
        _("Large text, one idea at a time, nothing else on the screen. Good for a projector.")
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        _start(_("Start with what is on screen"), "here", place.switch_on)
        _start(_("Walk through the whole app"), "walk", place.walk)
        st.space("stretch")
        path.choose_guessing("lecture-guess")
    st.caption(
        _(
            "**→** or **Page Down**: on · **←** or **Page Up**: back · **↑ ↓**: who looks · "
            "**Shift ← →**: who is looked at · **0 … 9**: head · **o**: overview · "
            "**.** dark screen"
        )
    )
    st.divider()
    made = prepared.lecture_on_hand()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(_("**Your own list**"), width="content")
        controls.text(
            "lecture-name",
            _("Name of the lecture"),
            made.name,
            lambda name: prepared.change(lambda now: now.called(name)),
            max_chars=MAX_NAME,
            placeholder=_("Name of the lecture"),
            width=300,
        )
        st.button(
            _("Add what is on screen"),
            key="lecture-add",
            icon=":material/add:",
            on_click=prepared.change,
            args=(partial(_added, _title(titles)),),
        )
    _list(made, titles)
    _take_away(made)
    session.write_link(prepared.short_words())  # at once: a reload must not lose the list
    for notice in session.take_notices():
        st.warning(literal(notice))


def _start(label: str, name: str, act: Callable[[], None]) -> None:
    if st.button(label, key=f"lecture-start-{name}", icon=":material/play_arrow:"):
        act()
        st.rerun()  # the page lies outside of the dialog


def _title(titles: Mapping[str, str]) -> str:
    page = titles[session.page()]
    view = session.view_name().lstrip("0123456789 ")  # its number counts within the page alone
    return f"{page}: {view}" if view else page


def _added(title: str, now: Lecture) -> Lecture:
    return now.add(prepared.on_screen(title[:MAX_NAME]))


def _list(made: Lecture, titles: Mapping[str, str]) -> None:
    """A row a step: its title to edit, and buttons to open, move and remove it."""
    if not made.steps:
        st.caption(
            _(
                "Set up a page as you want to show it, with sentence, head, pinned pair and all, "
                "and add it here. Then the next one. Or begin with one of these:"
            )
        )
        with st.container(horizontal=True, gap="small"):
            for name, label in ready.names().items():
                st.button(
                    label,
                    key=f"lecture-ready-{name}",
                    icon=":material/playlist_add:",
                    on_click=prepared.change,
                    args=(lambda _now, name=name: ready.lecture(name),),
                )
        return
    with st.container(
        key="lecture-list",
        height=_HEIGHT if len(made.steps) > _FEW else "content",
        border=False,
        gap="xsmall",
    ):
        for at, step in enumerate(made.steps):
            with st.container(
                horizontal=True, vertical_alignment="center", gap="small", wrap=False
            ):
                st.markdown(f"{at + 1}", width=24)
                controls.text(
                    f"lecture-title-{at}",
                    _("Title of step {number}", number=at + 1),
                    step.title or titles[step.page],
                    partial(_entitle, at),
                    max_chars=MAX_NAME,
                )
                last = at + 1 == len(made.steps)
                for name, explanation, icon, make, possible in (
                    ("up", _("Up"), "arrow_upward", partial(_moved, at, -1), at > 0),
                    ("down", _("Down"), "arrow_downward", partial(_moved, at, 1), not last),
                    ("remove", _("Remove"), "delete", partial(_removed, at), True),
                ):
                    controls.icon_button(
                        f"lecture-{name}-{at}",
                        icon,
                        explanation,
                        disabled=not possible,
                        on_click=prepared.change,
                        args=(make,),
                    )


def _entitle(at: int, title: str) -> None:
    prepared.change(lambda now: now.entitle(at, title))


def _moved(at: int, by: int, now: Lecture) -> Lecture:
    return now.move(at, by)


def _removed(at: int, now: Lecture) -> Lecture:
    return now.remove(at)


def _take_away(made: Lecture) -> None:
    """Start it, save it, open one, its link."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if made.steps:
            _start(_("Start the list"), "list", prepared.start)
            if left := prepared.left():
                again = partial(prepared.start, left)
                _start(_("Go on at step {number}", number=left + 1), "left", again)
            st.download_button(
                _("Save the list (JSON)"),
                partial(lecture.to_json, made),
                file_name="lecture.json",
                mime="application/json",
                icon=":material/download:",
                on_click="ignore",
            )
        with st.popover(_("Open a list"), icon=":material/upload:"):
            st.file_uploader(
                _("A list that was saved here (JSON)"),
                key="lecture-upload",
                type="json",
                on_change=_load,
            )
    if not made.steps:
        return
    text = session.carried_list()
    if len(text) > MAX_LENGTH:
        st.caption(_("This list is too long for a link. Save it as a file."))
        return
    words = {"lecture": "on", "step": "1", "list": text}
    share.show_link(share.address(st.context.url or "", words, page=made.steps[0].page))


def _load() -> None:
    upload = st.session_state["lecture-upload"]
    if upload is not None:
        prepared.change(lambda _now: lecture.from_json(upload.getvalue(), PAGES))
