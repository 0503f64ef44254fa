"""Texts of Streamlit and Plotly themselves, in the reader's language as far as they let us."""

from typing import Any

from core.files import MAX_BYTES
from ui.language import _, current


def streamlit_texts() -> str:
    """Style that puts our words in the place of Streamlit's, which has no setting for them.

    Its own stay where they are for whoever cannot see; English needs nothing.
    """
    if current() == "en":
        return ""
    limit = _("up to {limit} MB", limit=MAX_BYTES // 1_000_000)
    texts = {
        '[data-testid="stFileUploaderDropzone"] button p': _("Upload"),
        '[data-testid="stFileUploaderDropzoneInstructions"] span': limit,
        '[data-testid="InputInstructions"]': _("Press Enter to apply"),
        '[data-testid="stSkipToContent"]': _("Skip to main content"),
        'kbd[aria-label="Shortcut Space"]': _("space bar"),
    }
    rules = [
        f"{place} {{ font-size: 0 !important; }}\n"
        f"{place}::after {{ content: {_quoted(text)}; font-size: .875rem; }}"
        for place, text in texts.items()
    ]
    return "<style>\n" + "\n".join(rules) + "\n</style>"


def plotly_texts() -> dict[str, Any]:
    """Plotly's configuration for the reader's language: the only button that we show of it."""
    language = current()
    words = {
        "Download plot as a PNG": _("Save as PNG"),
        "Download plot": _("Save the picture"),
    }
    return {"locale": language, "locales": {language: {"dictionary": words}}}


def _quoted(text: str) -> str:
    """A text as CSS writes it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\3c ") + '"'
