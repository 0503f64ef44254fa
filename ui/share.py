"""The link of what is on screen, to copy, and as a code for a room to scan."""

import io
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno
import streamlit as st

from ui import session
from ui.language import _

_MAX_SCANNED = 1200  # characters; a finer code cannot be read from the last row


def button() -> None:
    """Draw the button that opens the link."""
    if st.button(
        " ",
        key="share",
        icon=":material/share:",
        help=_("Share what is on screen"),
        type="tertiary",
    ):
        st.dialog(_("Share what is on screen"))(_share)()


def address(url: str, state: dict[str, str]) -> str:
    """The page's address with the state in it."""
    place = urlsplit(url)
    return urlunsplit((place.scheme, place.netloc, place.path, urlencode(state), ""))


def code(text: str) -> str:
    """A QR code as SVG; the quiet zone and the white belong to it."""
    out = io.BytesIO()
    segno.make(text, error="l", micro=False).save(
        out, kind="svg", scale=4, dark="#000", light="#fff", xmldecl=False, svgns=True
    )
    return out.getvalue().decode()


def _share() -> None:
    state, whole = session.state_in_words()
    link = address(st.context.url or "", state)
    if not whole:
        st.markdown(
            _(
                "This experiment is too long for a link: the link below opens the page, but not "
                "the numbers. Save them as a file on the Tokens page."
            )
        )
    st.code(link, language=None, wrap_lines=True, height=120)
    if len(link) <= _MAX_SCANNED:
        st.image(code(link), width=300)
    else:
        st.caption(_("Too long for a code that a phone can read: copy the link."))
    if urlsplit(link).hostname in ("localhost", "127.0.0.1"):
        st.caption(_("This app runs on your own machine: the link works on this machine only."))
