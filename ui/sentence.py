"""The sentence as a line of text, and how it is cut into tokens."""

from typing import cast, get_args

import streamlit as st

from core import edit, presets, tokens
from ui import controls, describe, session
from ui.language import _
from ui.literal import literal


def field(width: int | None = None) -> None:
    """A line of text that becomes the tokens; what was refused stays, to be mended."""
    how = {} if width is None else {"width": width}
    now = session.experiment().tokens
    refused = session.refused_sentence(now)
    controls.text(
        "sentence",
        _("Sentence"),
        tokens.join(now) if refused is None else refused,
        write,
        max_chars=tokens.MAX_TEXT,
        placeholder=_("Write a sentence and press Enter"),
        **how,
    )


def cutting() -> None:
    """Choose how the text is cut; the sentence on screen is cut anew."""
    names = {
        "words": _("words"),
        "characters": _("characters"),
        "as typed": _("as typed, at | or blanks"),
    }
    controls.choose("split", _("Cut into"), names, _splitting(), _split_by)


def unknown_words() -> None:
    """Say which words the preset's dictionary lacks, and offer what can be done."""
    now = session.experiment()
    unknown = presets.unknown_words(now)
    if not unknown:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            _(
                "Not in this preset's dictionary, so all zeros: {words}. "
                "Type features into the matrix (Tokens), or draw random vectors.",
                words=literal(describe.listed(dict.fromkeys(unknown))),
            )
        )
        st.button(_("Draw at random"), on_click=_draw, key="draw-unknown")


def _draw() -> None:
    session.change(lambda now: edit.redraw(now, seed=now.seed))


def write(text: str) -> None:
    """Make the tokens of a text the sentence of the experiment."""
    how = _splitting()
    done = session.change(lambda now: edit.set_tokens(now, tokens.split(text, how)))
    session.refuse_sentence(None if done else text)


def _splitting() -> tokens.Splitting:
    chosen = session.option("split", get_args(tokens.Splitting), "words")
    return cast(tokens.Splitting, chosen)


def _split_by(how: str) -> None:
    session.set_option("split", "words", how)
    now = session.experiment().tokens
    write(session.refused_sentence(now) or tokens.join(now))
