"""The frame around every page: set-up, navigation, sidebar, head line, notices."""

import gc
import threading
from collections.abc import Callable

import streamlit as st

from core import presets
from core.trace import trace
from ui import (
    closing,
    controls,
    describe,
    drawn,
    foreign,
    ideas,
    language,
    palette_choice,
    path,
    session,
    share,
)
from ui.language import LANGUAGES, _
from ui.lecture import dialog, frame, place, prepared
from ui.literal import literal
from ui.matrix import matrix_code
from ui.style import STYLE

_ROUTED = "routed"

PRESET_NAMES: dict[str, Callable[[], str]] = {
    "relations-en": lambda: _("By hand: four relations (English)"),
    "relations-zh": lambda: _("By hand: four relations (Chinese)"),
    "article-sentence-en": lambda: _("By hand: a tired animal (English)"),
    "article-sentence-zh": lambda: _("By hand: a tired animal (Chinese)"),
    "library-en": lambda: _("By hand: a library (English)"),
    "library-zh": lambda: _("By hand: a library (Chinese)"),
    "apple-fruit-en": lambda: _("By hand: apple, fruit (English)"),
    "apple-company-en": lambda: _("By hand: apple, company (English)"),
    "apple-fruit-zh": lambda: _("By hand: apple, fruit (Chinese)"),
    "apple-company-zh": lambda: _("By hand: apple, company (Chinese)"),
    "article-numbers": lambda: _("NumPy seed 42, four tokens"),
    "random": lambda: _("Random, for this sentence"),
}


def route() -> None:
    """Set up and run whichever page was asked for. All of app.py."""
    _set_up()
    page = _navigation()
    st.session_state[_ROUTED] = True
    page.run()
    _freeze_garbage()


def guard() -> None:
    """First line of every page: a cold server runs a deep link's page without app.py around it.

    Registering the navigation and running again brings app.py in. Without this the first visitor
    would see raw file names as the menu and not the app around the page.
    """
    if _ROUTED not in st.session_state:
        _set_up()
        _navigation()
        st.session_state[_ROUTED] = True
        st.rerun()


def show(
    page: str,
    lede: str,
    body: Callable[[], None],
    *,
    heads: bool = True,
    experiment: bool = True,
    aside: Callable[[], str] = str,
) -> None:
    """Show one page: head line, the controls that all pages share, notices, then ``body``.

    Everything lies in one fragment, so that a click redraws the page and nothing around it.

    Parameters
    ----------
    page : str
        Name of the page's file.
    lede : str
        The page's heading: one English sentence, marked for translation.
    body : callable
        Draws the page from ``session.experiment()``.
    heads : bool
        Whether the page shows one head at a time and so needs the choice of it.
    experiment : bool
        Whether the page shows the experiment at all.
    aside : callable
        The heading, translated, while the page shows something beside the experiment; else "".
    """
    session.arrive(page)
    _fixed_corner()
    _fragment(lede, body, heads and experiment, experiment, aside)


@st.fragment
def _fragment(
    lede: str,
    body: Callable[[], None],
    heads: bool,
    experiment: bool,
    aside: Callable[[], str],
) -> None:
    wanted = session.take_turn()
    if wanted is not None:
        st.switch_page(f"pages/{wanted}.py")
    session.call_view("")
    own_heading = aside()
    page = session.page()
    asked = path.asked(page)
    lectures = session.lectures()
    pinned = _pinned() if heads and not own_heading and _shows_answer(asked) else ""
    drawn.begin(own_heading or _(lede), pinned)
    ideas.begin()
    frame.style()
    with st.container(key="page", gap="small"):
        if lectures:
            frame.head(own_heading or _(lede), pinned, _titles())
        else:
            if experiment:
                _experiment_controls(heads and not own_heading)
            _heading(own_heading or _(lede), pinned)
        notices = st.container(key="notices")
        if asked is not None and asked.guess is None:
            path.ask(page, asked.question)
        else:
            if asked is not None and asked.guess is not None and not (lectures and asked.read):
                path.reply(asked.question, asked.guess)
            if _shows_body(asked):
                body()
                if lectures and place.settle():
                    st.rerun()
        if not lectures:
            path.strip(page, _titles())
        if not session.write_link(prepared.short_words()):
            st.caption(
                _("This experiment is too long for a link. Save it as a file on the Tokens page.")
            )
        # Drawn last: a body may refuse something while it is drawn.
        for notice in session.take_notices():
            notices.warning(literal(notice), icon=":material/info:")


def _shows_answer(asked: path.Asked | None) -> bool:
    """Whether the page may tell what it asks for."""
    return asked is None or asked.guess is not None


def _shows_body(asked: path.Asked | None) -> bool:
    """In a lecture the answer has the screen for itself until one goes on."""
    return _shows_answer(asked) and (asked is None or asked.read or not session.lectures())


def _heading(heading: str, pinned: str) -> None:
    with st.container(
        key="page-title", horizontal=True, vertical_alignment="center", gap="medium", wrap=False
    ):
        st.markdown(f"# {heading}", width="content")
        if pinned:
            st.markdown(f"**{literal(pinned)}**")


def _experiment_controls(heads: bool) -> None:
    """Which experiment, which head; undo and its friends."""
    with st.container(key="page-head", horizontal=True, vertical_alignment="center", gap="small"):
        _preset_choice()
        if heads and session.experiment().num_heads > 1:
            _head_choice()
        if session.experiment().preset == presets.RANDOM:
            st.caption(
                _(
                    "Random numbers (seed {seed}): the patterns mean nothing.",
                    seed=session.experiment().seed,
                ),
                width="content",
            )
        st.space("stretch")
        _history_buttons()


def _pinned() -> str:
    experiment = session.experiment()
    return describe.pinned_sentence(experiment, trace(experiment), session.head(), *session.pair())


def _set_up() -> None:
    st.set_page_config(page_title="Attention Explorer", page_icon="👁️", layout="wide")
    language.follow(session.tell_language)
    palette_choice.follow()
    session.begin()
    prepared.begin()
    st.html(STYLE + foreign.streamlit_texts())


def _titles() -> dict[str, str]:
    """All pages in the order of the path, with their titles."""
    return {
        "start": _("Start"),
        "tokens": _("Tokens"),
        "projections": _("Projections"),
        "dot": _("Dot product"),
        "scaling": _("Scaling"),
        "learning": _("Learning"),
        "softmax": _("Softmax"),
        "heatmap": _("Attention"),
        "masks": _("Masks"),
        "heads": _("Heads"),
        "code": _("Code"),
        "summary": _("Summary"),
    }


def _navigation() -> st.Page:
    return st.navigation(
        [
            st.Page(f"pages/{name}.py", title=title, default=name == share.FIRST)
            for name, title in _titles().items()
        ],
        position="top",
    )


def _fixed_corner() -> None:
    """What is outside of the page's fragment: how the app looks, and what takes it elsewhere."""
    with st.container(
        key="corner", horizontal=True, vertical_alignment="center", gap=None, wrap=False
    ):
        _tools()
        name = _("Colours")
        with st.popover(name, icon=":material/palette:", help=name, type="tertiary"):
            palette_choice.choice()
        default = language.best_language(st.context.locale)
        controls.option("lang", "Language / 语言", LANGUAGES, default)
        matrix_code()
        closing.close_what_stays()


@st.fragment
def _tools() -> None:
    with st.container(horizontal=True, gap=None, width="content", wrap=False):
        dialog.button(_titles())
        share.button()


def _preset_choice() -> None:
    names = {name: make() for name, make in PRESET_NAMES.items()}
    now = session.experiment()
    if now.preset not in names:
        names = {now.preset: _("From a file or from Learning"), **names}
    choose = session.load_preset
    controls.choose("preset", _("Experiment"), names, now.preset, choose, dropdown=True, width=300)


def _head_choice() -> None:
    now = session.experiment()
    given = now.head_names or ("",) * now.num_heads
    many = now.num_heads > 8
    escape = str if many else literal  # a drop-down list shows plain text
    names = {t: escape(f"{t} · {name}" if name else str(t)) for t, name in enumerate(given)}
    st.markdown(_("Head"), width="content")
    controls.choose(
        "head", _("Head"), names, session.head(), session.set_head, dropdown=many, width=110
    )


def _history_buttons() -> None:
    for name, icon, act, possible in (
        (_("Undo"), "undo", session.undo, session.can_undo()),
        (_("Redo"), "redo", session.redo, session.can_redo()),
        (_("Reset to the preset or file"), "restart_alt", session.reset, True),
    ):
        key = f"button-:material/{icon}:"
        controls.icon_button(key, icon, name, on_click=act, disabled=not possible)


@st.cache_resource
def _freeze_garbage() -> None:
    """Spare what was imported from the collection that Streamlit makes after every run.

    Once a process, and a moment later: the first reader is still waiting for the page.
    """

    def freeze() -> None:
        gc.collect()
        gc.freeze()

    timer = threading.Timer(3, freeze)
    timer.daemon = True
    timer.start()
