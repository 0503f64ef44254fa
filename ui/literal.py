"""The reader's own text, shown as it is.

Markdown, Streamlit's directives (``:red[…]``), formulas (``$…$``) and Plotly's pseudo-HTML would
each read something into a token. Every text of the reader goes through one of these.
"""

import html
import re
import unicodedata

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&^=\"'])")
# Where Streamlit makes links, icons, arrows and dashes of text that is read already, so that no
# backslash helps.
_REPLACED = re.compile(r":(?=[\w/])|(?<=www)(?=\.)|(?=@)|[-<>~](?=[-=>])", re.IGNORECASE)
_JOINER = "\u2060"  # has no width and breaks no line
_POSITION = re.compile(r"·\d{1,3}$")
_TAG = re.compile(r"<[^>]*>")
# Opens and closes an isolate, so that a right-to-left word or a stray override stays inside.
_ISOLATE, _POP = "\u2068", "\u2069"


def literal(text: str) -> str:
    """Escape for Markdown, on one line: labels, captions, sentences."""
    unlinked = _REPLACED.sub(lambda found: found.group() + _JOINER, visible(text))
    return _MARKDOWN.sub(r"\\\1", unlinked)


def plotly(text: str) -> str:
    """Escape for Plotly's texts and tick labels, which read a little HTML."""
    escaped = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in escaped)
    return f"{_ISOLATE}{escaped}{_POP}" if right_to_left else escaped


def short(text: str, length: int = 14) -> str:
    """Cut a long label, but keep its position (``·4``): equal words must stay apart.

    The full label stands in the hover text.
    """
    if len(text) <= length:
        return text
    position = _POSITION.search(text)
    kept = position.group() if position else ""
    return text[: length - len(kept) - 1] + "…" + kept


def plain(text: str) -> str:
    """One of Plotly's texts without its marks; the opposite of :func:`plotly`."""
    return html.unescape(_TAG.sub("", text))


def visible(text: str) -> str:
    """Line breaks and other controls as blanks; direction overrides taken out of action."""
    return "".join(
        " " if ord(character) < 32 or character in "\u2028\u2029\x7f" else character
        for character in text
        if character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
