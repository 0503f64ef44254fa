"""The link of what is on screen, to copy, and as a code for a room to scan."""

import base64
import html
import io
from collections.abc import Mapping
from functools import partial
from urllib.parse import urlencode, urljoin, urlsplit, urlunsplit

import segno
import streamlit as st

from core import files
from core.experiment import Experiment
from core.script import to_script
from ui import controls, drawn, palette_choice, session, view_page
from ui.language import _, later
from ui.palettes import Palette
from ui.view_page import Drawn

FIRST = "start"  # the page at the address of the app itself
_MAX_SCANNED = 1200  # characters; a finer code cannot be read from the last row


def button() -> None:
    """Draw the button that opens the link."""
    if controls.icon_button("share", "share", _("Share what is on screen")):
        st.dialog(_("Share what is on screen"), width="medium")(_share)()


def address(url: str, state: dict[str, str], page: str | None = None) -> str:
    """The page's address with the state in it, or that of another page beside it."""
    place = urlsplit(url)
    path = place.path
    if page is not None:
        path = urlsplit(urljoin(url, page if page != FIRST else ".")).path
    return urlunsplit((place.scheme, place.netloc, path, urlencode(state), ""))


def code(text: str) -> str:
    """A QR code as SVG; the quiet zone and the white belong to it."""
    out = io.BytesIO()
    segno.make(text, error="l", micro=False).save(
        out, kind="svg", scale=4, dark="#000", light="#fff", xmldecl=False, svgns=True
    )
    return out.getvalue().decode()


def _share() -> None:
    state, whole = session.state_in_words()
    state.pop("list", None)  # a prepared lecture has a link of its own
    link = address(st.context.url or "", state)
    if not whole:
        st.markdown(
            _(
                "This experiment is too long for a link: the link below opens the page, but not "
                "the numbers. Save them as a file on the Tokens page."
            )
        )
    left, right = st.columns([1, 1], gap="medium")
    with left:
        show_link(link)
    with right:
        _take_away()


def _take_away() -> None:
    """Everything as files; each is made when it is asked for."""
    experiment = session.experiment()
    name = session.page() or FIRST
    view = partial(_view, drawn.things(), experiment, palette_choice.current())
    st.markdown(_("**Take it away**"))
    for label, file, make, kind, explanation in (
        (_("This view as one page (HTML)"), f"{name}.html", later(view), "text/html",
         _("All that the page shows now. It needs no network, pictures still hover.")),
        (_("The experiment (JSON)"), "experiment.json", partial(files.to_json, experiment),
         "application/json", None),
        (_("The experiment (NPZ)"), "experiment.npz", partial(files.to_npz, experiment),
         "application/octet-stream", None),
        (_("NumPy script (PY)"), "attention.py", partial(to_script, experiment),
         "text/x-python", None),
    ):  # fmt: skip
        st.download_button(
            label,
            make,
            file_name=file,
            mime=kind,
            on_click="ignore",
            icon=":material/download:",
            help=explanation,
            width="stretch",
        )
    st.caption(_("Each of them opens the same experiment again: on the page Tokens, under Files."))


def _view(things: Mapping[str, Drawn], experiment: Experiment, palette: Palette) -> str:
    return view_page.page(list(things.values()), files.to_json(experiment), palette)


def show_link(link: str) -> None:
    """A link to copy, and as a code to scan."""
    st.code(link, language=None, wrap_lines=True, height=120)
    if len(link) <= _MAX_SCANNED:
        picture = base64.b64encode(code(link).encode()).decode()
        alt = html.escape(_("The same link, as a code to scan"))
        st.html(
            f'<img width="300" alt="{alt}" src="data:image/svg+xml;base64,{picture}">', width=300
        )
    else:
        st.caption(_("Too long for a code that a phone can read: copy the link."))
    if urlsplit(link).hostname in ("localhost", "127.0.0.1"):
        st.caption(_("This app runs on your own machine: the link works on this machine only."))
