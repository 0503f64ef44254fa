"""The reader's session: the experiment, the pinned pair, the head and the link.

Nothing else touches ``st.session_state`` for these. Widgets write through the callbacks here, and
every page reads the same values.
"""

from collections.abc import Callable, Collection, Container, Mapping

import streamlit as st

from core import edit, link, presets
from core.errors import Refusal
from core.experiment import Experiment
from core.history import History
from core.numbers import parse_input
from core.presets.views import View, first_view
from core.trace import trace
from ui import address, language
from ui.language import _
from ui.matrix import Edit, Pick

# Keys of our own: a page's widget may be called "view" without harm.
_HISTORY, _VIEW, _PICKS, _NOTICES, _LINKED, _OPTIONS, _REFUSED, _ORIGIN, _PAGE, _RUNNING, _SEEN, \
    _CARRIED, _TURN, _VIEW_NAME = (
    f"explorer:{name}"
    for name in (
        "history", "view", "picks", "notices", "linked", "options", "refused", "origin", "page",
        "running", "seen", "carried", "turn", "view name",
    )
)  # fmt: skip


def begin() -> None:
    """Make the session's state on its first run: from the link, else the default preset."""
    if _HISTORY in st.session_state:
        return
    st.session_state[_NOTICES] = []
    st.session_state[_OPTIONS] = address.options(st.query_params.to_dict())
    st.session_state[_CARRIED] = st.query_params.get(address.LIST, "")
    experiment = _from_address()
    st.session_state[_HISTORY] = History(experiment)
    st.session_state[_ORIGIN] = [experiment]
    st.session_state[_PICKS] = {}
    st.session_state[_VIEW] = address.view(st.query_params.to_dict(), experiment)


def tell_language() -> str:
    """The reader's language; asked at every look-up, so it is right inside callbacks too."""
    return option("lang", tuple(language.LANGUAGES), language.best_language(st.context.locale))


def arrive(page: str) -> None:
    """Note which page is on screen; what runs by itself ends when another one is opened."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        run(None)


def run(name: str | None) -> None:
    """Let something run by itself on this page, or nothing."""
    st.session_state[_RUNNING] = name


def runs(name: str) -> bool:
    """Whether this is what runs by itself."""
    return bool(st.session_state.get(_RUNNING) == name)


# The experiment -----------------------------------------------------------------------------


def experiment() -> Experiment:
    """The experiment on screen."""
    present: Experiment = _history().present
    return present


def change(make: Callable[[Experiment], Experiment]) -> bool:
    """Replace the experiment by ``make(experiment)``; a refusal becomes a notice instead.

    Returns
    -------
    bool
        False when the change was refused and all is as before.
    """
    try:
        changed = make(experiment())
    except Refusal as refusal:
        notify(language.sentence(refusal))
        return False
    _set_history(_history().record(changed))
    return True


def write_numbers(name: str, typed: Edit, first_column: int = 0) -> None:
    """Write what was typed or pasted into a matrix, whose panel begins at ``first_column``."""
    change(
        lambda now: edit.paste(
            now, name, typed.row, first_column + typed.col, parse_input(typed.text)
        )
    )


def start_from(new: Experiment) -> None:
    """Open another experiment, one step in the history, and look where it is made to be seen."""
    _set_history(_history().record(new))
    st.session_state[_PICKS] = {}
    st.session_state[_VIEW] = first_view(new)


def open_file(read: Callable[[Experiment], Experiment]) -> None:
    """Open what ``read`` makes of a file; a refusal becomes a notice instead."""
    if change(read):
        st.session_state[_ORIGIN].append(experiment())


def load_preset(name: str) -> None:
    """Open a preset. The random one is drawn for the sentence that is on screen."""
    if name == presets.RANDOM:
        start_from(presets.random(experiment().tokens))
    else:
        start_from(presets.build(name))


def reset() -> None:
    """Put the preset or the file back as it was; a random draw is made again from its seed."""
    now = experiment()
    if now.preset == presets.RANDOM:
        start_from(
            presets.random(now.tokens, seed=now.seed, d_model=now.d_model, num_heads=now.num_heads)
        )
    elif now.preset in presets.PRESETS:
        start_from(presets.build(now.preset))
    else:
        start_from(_origin())


def _origin() -> Experiment:
    """What was opened last of all that lies on the way to the experiment on screen."""
    history, opened = _history(), st.session_state[_ORIGIN]
    way = (history.present, *reversed(history.past))
    return next((e for e in way if any(e is one for one in opened)), opened[0])


def undo() -> None:
    """Take the last change back."""
    _set_history(_history().undo())


def redo() -> None:
    """Make the last change that was taken back again."""
    _set_history(_history().redo())


def can_undo() -> bool:
    """Whether there is a change to take back."""
    return bool(_history().past)


def can_redo() -> bool:
    """Whether there is a change to make again."""
    return bool(_history().future)


def _history() -> History:
    history: History = st.session_state[_HISTORY]
    return history


def _set_history(history: History) -> None:
    st.session_state[_HISTORY] = history
    view = address.clamped(st.session_state[_VIEW], history.present)
    st.session_state[_VIEW] = view


# The pinned pair, the head, and the cell that is picked on a page ------------------------------


def head() -> int:
    """The current head."""
    return _view().head


def pair() -> tuple[int, int]:
    """The pinned pair: query (who looks) and key (who is looked at)."""
    return _view().query, _view().key


def set_head(index: int) -> None:
    """Make another head the current one, on all pages."""
    view = _view()
    st.session_state[_VIEW] = address.clamped(View(index, view.query, view.key), experiment())


def pin(query: int | None = None, key: int | None = None) -> None:
    """Pin a query, a key, or both, on all pages."""
    view = _view()
    pinned = View(
        view.head, view.query if query is None else query, view.key if key is None else key
    )
    st.session_state[_VIEW] = address.clamped(pinned, experiment())


def pin_strongest(query: int) -> None:
    """Pin a query, and the key that it looks at most in the current head."""
    pin(query, int(trace(experiment()).weights[head(), query].argmax()))


def picked(place: str) -> Pick | None:
    """The cell that was last picked in the matrices called ``place``."""
    picks: dict[str, Pick] = st.session_state[_PICKS]
    return picks.get(place)


def remember_pick(place: str, pick: Pick) -> None:
    """Keep the picked cell of the matrices called ``place``."""
    st.session_state[_PICKS][place] = pick


def _view() -> View:
    view: View = st.session_state[_VIEW]
    return view


# Options of a page, and the language: plain words in the link --------------------------------


def option(name: str, choices: Container[str], default: str) -> str:
    """The reader's choice of a page's option; from the link at first, else the default."""
    options: dict[str, str] | None = st.session_state.get(_OPTIONS)
    if options is None:  # asked before the session has begun
        options = address.options(st.query_params.to_dict())
    if options.get(name) not in choices or options[name] == default:
        options[name] = ""
    return options[name] or default


def chosen(name: str) -> str:
    """An option as it stands in the link: "" for a default."""
    options: dict[str, str] = st.session_state[_OPTIONS]
    return options.get(name, "")


def set_option(name: str, default: str, value: str) -> None:
    """Choose; the default is not written into the link."""
    st.session_state[_OPTIONS][name] = "" if value == default else value


def guesses_first() -> bool:
    """Whether pages ask before they show."""
    return option("guess", ("first",), "") == "first"


def lectures() -> bool:
    """Whether the app is on a lecture screen: large, without its frame, one idea at a time."""
    return option("lecture", ("on",), "") == "on"


def mark_seen(page: str) -> None:
    """Remember that a page was on screen."""
    seen: dict[str, None] = st.session_state.setdefault(_SEEN, {})
    seen[page] = None


def seen_pages() -> frozenset[str]:
    """Pages that were on screen in this session."""
    return frozenset(st.session_state.get(_SEEN, {}))


def page() -> str:
    """Name of the page on screen."""
    return str(st.session_state.get(_PAGE, ""))


def call_view(name: str) -> None:
    """Note what the view on screen is called, where a page has several."""
    st.session_state[_VIEW_NAME] = name


def view_name() -> str:
    """What the view on screen is called; "" on a page that has but one."""
    return str(st.session_state.get(_VIEW_NAME, ""))


def turn_to(page: str) -> None:
    """Open another page; the one on screen does so when it is drawn next."""
    st.session_state[_TURN] = page


def take_turn() -> str | None:
    """The page to turn to, if it is another one than that on screen; it is not told again."""
    wanted = st.session_state.pop(_TURN, None)
    return None if wanted == page() else wanted


# A sentence that could not be used: kept until the tokens change ------------------------------


def refused_sentence(tokens: tuple[str, ...]) -> str | None:
    """The text that was refused while these tokens were on screen, if any."""
    text, of = st.session_state.get(_REFUSED, (None, ()))
    return text if of == tokens else None


def refuse_sentence(text: str | None) -> None:
    """Keep a text that was refused; None forgets it."""
    st.session_state[_REFUSED] = (text, experiment().tokens)


# Notices: one sentence each, shown once ---------------------------------------------------------


def notify(text: str) -> None:
    """Say something on the page at the next run."""
    st.session_state[_NOTICES].append(text)


def take_notices() -> list[str]:
    """What there is to say; it is not said again."""
    notices: list[str] = st.session_state[_NOTICES]
    st.session_state[_NOTICES] = []
    return notices


# The link -----------------------------------------------------------------------------------


def address_names_experiment() -> bool:
    """Whether the address says which experiment to open."""
    return bool({"x", "preset"} & set(st.query_params))


def carried_list() -> str:
    """The prepared lecture as text, which the link carries while there is room."""
    return str(st.session_state[_CARRIED])


def carry_list(text: str) -> None:
    """Let the link carry another prepared lecture."""
    st.session_state[_CARRIED] = text


def open_words(words: Mapping[str, str], kept: Collection[str]) -> bool:
    """Open a state that was kept as the words of a link, one step in the history.

    Parameters
    ----------
    words : mapping of str to str
        As :func:`state_in_words` gives them.
    kept : collection of str
        Options that stay as they are.

    Returns
    -------
    bool
        False when the words do not make an experiment; all is as before, and a notice says why.
    """
    try:
        wanted = link.from_link(words.get("preset", ""), words.get("x", ""))
    except Refusal as refusal:
        notify(language.sentence(refusal))
        return False
    _set_history(_history().record(wanted))
    st.session_state[_PICKS] = {}
    st.session_state[_VIEW] = address.view(words, wanted)
    stay = {name: chosen(name) for name in kept}
    st.session_state[_OPTIONS] = {**address.options(words), **stay}
    return True


def write_link(instead: Mapping[str, str] | None = None) -> bool:
    """Put the state into the address, where it survives reload and can be shared.

    Parameters
    ----------
    instead : mapping of str to str, optional
        Shorter words that lead to the same state.

    Returns
    -------
    bool
        False when the experiment is too long for a link; the address then keeps only what is
        short, and the file is the way to keep the rest.
    """
    state, whole = (dict(instead), True) if instead else state_in_words()
    if st.query_params.to_dict() != state:
        st.query_params.from_dict(state)  # at once: each change is a step of the Back button
    return whole


def state_in_words(longest: int = link.MAX_LENGTH) -> tuple[dict[str, str], bool]:
    """The state as parameters of an address, and whether the experiment is among them.

    Parameters
    ----------
    longest : int
        Most characters of the experiment, and of the experiment with the prepared lecture.
    """
    now = experiment()
    known, text = st.session_state.get(_LINKED, (None, ""))
    if known is not now:
        text = link.to_link(now)
        st.session_state[_LINKED] = (now, text)
    fits = len(text) <= longest
    carried = carried_list()
    if len(carried) + (len(text) if fits else 0) > longest:
        carried = ""
    view = _view()
    wanted = {
        "preset": now.preset,
        "x": text if fits else "",
        "head": str(view.head),
        "q": str(view.query),
        "k": str(view.key),
        **st.session_state[_OPTIONS],
        address.LIST: carried,
    }
    return {name: value for name, value in wanted.items() if value}, fits


def _from_address() -> Experiment:
    params = st.query_params
    try:
        if address_names_experiment():
            return link.from_link(params.get("preset", ""), params.get("x", ""))
    except Refusal as refusal:
        st.session_state[_NOTICES].append(
            _(
                "{problem} The default experiment was opened instead.",
                problem=language.sentence(refusal),
            )
        )
    return presets.build("relations-zh" if tell_language() == "zh" else "relations-en")
