"""A library: query, key and value before any formula."""

from collections.abc import Iterable, Sequence
from functools import partial

import streamlit as st

from core.presets import library
from core.presets.library import LookUp
from ui import controls, describe, language, library_figures, plot, session
from ui.ideas import columns, height, idea
from ui.language import _, decimal, percent, significant
from ui.literal import literal
from ui.matrix import matrix_product, panel
from ui.panels import component_texts

# In the link a search is a digit a label, in halves: "220000" is 1, 1, 0, 0, 0, 0.
_STEP = 0.5
_DIGITS = "".join(str(d) for d in range(int(library.MAX_LEVEL / _STEP) + 1))
_OPTION = "search"


class _Searches:
    """All searches that can be made, as they are written in the link."""

    def __contains__(self, text: object) -> bool:
        """Whether a text is a search: something of the reader's may stand there."""
        return (
            isinstance(text, str)
            and len(text) == len(library.LABELS)
            and all(digit in _DIGITS for digit in text)
        )


def shows() -> bool:
    """Whether the reader has chosen the library on the Start page."""
    return session.option("start", ("sentence", "library"), "sentence") == "library"


def heading() -> str:
    """The heading of the Start page while it shows the library."""
    return _("A library: the query asks, keys announce, values are handed over.") if shows() else ""


def choice() -> None:
    """A sentence, or the library."""
    names = {"sentence": _("a sentence"), "library": _("a library")}
    controls.view("start", _("Show"), names, "sentence")


def found() -> LookUp:
    """What the reader's search finds."""
    return library.look_up(_search())


def search_in_words() -> str:
    """The labels that are asked for."""
    labels = library.labels(language.current())
    asked = [labels[i] for i, level in enumerate(_search()) if level]
    return describe.listed(asked) or _("nothing")


def lesson() -> None:
    """The search, the shelf, what is taken home, and what that means."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        choice()
        _search_field()
    search, looked_up = _search(), found()
    spoken = language.current()
    titles, labels, contents = (
        named(spoken) for named in (library.titles, library.labels, library.contents)
    )
    if session.lectures():
        _large(looked_up, titles, labels, contents)
    else:
        plot.show(
            library_figures.shelf(looked_up, titles, labels, contents),
            key="start-shelf",
            alt=_(
                "A row for each book: labels, score, weight, contents. Weights: {books}.",
                books=describe.strongest(titles, looked_up.weights, len(titles)),
            ),
        )
    split = library_figures.SPLIT
    left, right = columns([split, 1 - split], ("found", "taken"), gap=None)
    with left:
        st.markdown(_sentence(looked_up, search, titles, labels, contents))
        if not session.lectures():
            st.button(
                _("Open it on the other pages"),
                key="library-open",
                icon=":material/open_in_full:",
                help=_("The same as one sentence: the search and the books are its tokens."),
                on_click=_open,
                args=(search, spoken),
            )
    with right:
        plot.show(
            library_figures.take_home(looked_up, contents, height=height(150, 330)),
            key="library-taken-home",
            alt=_(
                "What is taken home. Soft: {soft}. Hard: {hard}.",
                soft=_amounts(contents, looked_up.soft),
                hard=_amounts(contents, looked_up.hard),
            ),
        )


def _large(
    found: LookUp, titles: Sequence[str], labels: Sequence[str], contents: Sequence[str]
) -> None:
    """The two products: the query with every key, and the weights with the values."""
    asked, books = [_("search")], list(titles)
    for name, product, left, right in (
        (
            "shelf",
            panel(_("scores"), found.scores[None], asked, books),
            panel(_("query"), found.query[None], asked, labels),
            panel(_("keys, transposed"), found.keys.T, labels, books),
        ),
        (
            "values",
            panel(_("taken home"), found.soft[None], asked, contents),
            panel(_("weights"), found.weights[None], asked, books, scale="weights"),
            panel(_("values"), found.values, books, contents),
        ),
    ):
        with idea(name):
            matrix_product(
                product, left, right, key=f"library-{name}", texts=component_texts(), max_height=380
            )


def _search_field() -> None:
    """Words to pick, and how much each counts."""
    labels, search = library.labels(language.current()), _search()
    names = {i: literal(label) for i, label in enumerate(labels)}
    st.markdown(_("Ask for"), width="content")
    asked = [i for i, level in enumerate(search) if level]
    controls.choose_several("library-words", _("Ask for"), names, asked, _pick)
    st.space("stretch")  # what opens at the right edge leaves the weights to be seen
    with st.popover(_("how much"), icon=":material/tune:"):
        for i, level in enumerate(search):
            name, slider = st.columns([1, 2.2], vertical_alignment="center")
            name.markdown(names[i])
            with slider:
                controls.slide(
                    f"library-level-{i}",
                    labels[i],
                    level,
                    (0.0, library.MAX_LEVEL),
                    partial(_set_level, i),
                    step=_STEP,
                    format="%.1f",
                )


def _search() -> tuple[float, ...]:
    """How much each label counts in the reader's search."""
    text = session.option(_OPTION, _Searches(), _written(library.DEFAULT_SEARCH))
    return tuple(int(digit) * _STEP for digit in text)


def _written(search: Sequence[float]) -> str:
    return "".join(_DIGITS[round(level / _STEP)] for level in search)


def _set_search(search: Sequence[float]) -> None:
    session.set_option(_OPTION, _written(library.DEFAULT_SEARCH), _written(search))


def _pick(chosen: Sequence[int]) -> None:
    """A word that stays keeps its level, a new one counts 1."""
    _set_search([(level or 1.0) if i in chosen else 0.0 for i, level in enumerate(_search())])


def _set_level(index: int, level: float) -> None:
    search = list(_search())
    search[index] = level
    _set_search(search)


def _open(search: Sequence[float], spoken: str) -> None:
    """Make the search the experiment, and pin it with the book that it looks at most."""
    session.start_from(library.experiment(search, spoken))
    session.pin(library.SEARCH, library.SEARCH + 1 + library.look_up(search).best[0])


def _sentence(
    found: LookUp,
    search: Sequence[float],
    titles: Sequence[str],
    labels: Sequence[str],
    contents: Sequence[str],
) -> str:
    """The three roles in the real numbers."""
    best = found.best[0]
    content = int(found.parts[best].argmax())
    values = {
        "asked": describe.listed(_amount(labels[i], x) for i, x in enumerate(found.query) if x),
        "products": " + ".join(
            f"{significant(q, 3)}·{significant(k, 3)}"
            for q, k in zip(found.query, found.keys[best], strict=True)
            if q and k
        ),
        "book": titles[best],
        "books": describe.listed(titles[i] for i in found.best),
        "count": len(titles),
        "score": significant(found.scores[best], 3),
        "width": len(found.query),
        "share": percent(found.weights[best], 1),
        "content": contents[content],
        "value": significant(found.values[best, content], 2),
        "part": decimal(found.parts[best, content], 2),
        "soft": decimal(found.soft[content], 2),
    }
    fields = {name: literal(str(value)) for name, value in values.items()}
    if not any(search):
        lines = [
            _("The **query** asks for nothing, so no **key** matches better than another."),
            _(
                "Hard: the first of the {count} books. Soft: {share} of each, the average of all "
                "**values**.",
                **fields,
            ),
        ]
    elif len(found.best) > 1:
        lines = [
            _("The **query** asks: {asked}.", **fields),
            _("The **keys** of {books} match equally well: q·k = {score}.", **fields),
            _(
                "Hard: only the first of them. Soft: {share} of the **value** of each, and a "
                "little of all others.",
                **fields,
            ),
        ]
    else:
        lines = [
            _("The **query** asks: {asked}.", **fields),
            _(
                "The **key** of {book} announces the best match: q·k = {products} = {score}; "
                "÷ √{width} and softmax make that {share}.",
                **fields,
            ),
            _(
                "Its **value** hands over {content} {value}; with that weight, {part} of the "
                "{soft} that you take home.",
                **fields,
            ),
        ]
    return "  \n".join(lines)


def _amount(name: str, number: float) -> str:
    return f"{name} {significant(number, 2)}"


def _amounts(names: Sequence[str], numbers: Iterable[float]) -> str:
    return describe.listed(
        f"{name} {decimal(x, 2)}" for name, x in zip(names, numbers, strict=True)
    )
