"""An experiment that rides in something else: a page, a script, a notebook.

A page holds it as JSON. A script, in a comment, and a notebook carry what stands in an address too,
``preset=…&x=…``; where that would be too long, all numbers as an archive, ``npz=…``. What is read
is text: no script is run and no page is shown.
"""

import json
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from core.errors import Refusal, mark

ID = "attention-experiment"
"""Of the element of a page that holds the experiment, and of a notebook's metadata."""

MAX_IN_PAGE = 1_200_000
"""Bytes of the JSON that a page carries."""

_BEGIN = "# experiment: "
_WIDTH = 98  # characters in a line after its "# "
_MARK = f'id="{ID}"'


def comment(state: Mapping[str, str]) -> list[str]:
    """Write a state as the last lines of a script."""
    text = _BEGIN[2:] + urlencode(state)
    pieces = [text[i : i + _WIDTH] for i in range(0, len(text), _WIDTH)]
    return [f"# {piece}" for piece in pieces]


def in_script(text: str) -> dict[str, str]:
    """Read what :func:`comment` wrote; it must be the end of the script.

    Raises
    ------
    Refusal
        If there is no such comment, or it is cut.
    """
    begin = text.rfind(f"\n{_BEGIN}")
    if begin < 0:
        raise Refusal(
            mark("The script holds no experiment; only one that this app wrote has it at its end.")
        )
    lines = text[begin + 1 + len(_BEGIN) :].strip().splitlines()
    return _state("".join(line.removeprefix("# ") for line in lines))


def _state(text: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(text, strict_parsing=True, keep_blank_values=True))
    except ValueError:
        raise damaged() from None


def metadata(state: Mapping[str, str]) -> dict[str, str]:
    """Write a state as an entry of a notebook's metadata."""
    return {ID: urlencode(state)}


def in_notebook(text: str) -> dict[str, str]:
    """Read what :func:`metadata` wrote.

    Raises
    ------
    Refusal
        If the text is no notebook, or one without an experiment.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):  # a number of thousands of digits is a ValueError too
        content = None
    entries = content.get("metadata") if isinstance(content, dict) else None
    state = entries.get(ID) if isinstance(entries, dict) else None
    if not isinstance(state, str):
        raise Refusal(
            mark("The notebook holds no experiment; only one that this app wrote has one inside.")
        )
    return _state(state)


def element(text: str) -> str:
    """The element of a page that holds an experiment; "" for one that is too large.

    Parameters
    ----------
    text : str
        What :func:`core.files.to_json` wrote.
    """
    if len(text.encode()) > MAX_IN_PAGE:
        return ""
    return f'<script type="application/json" {_MARK}>{harmless(text)}</script>'


def harmless(text: str) -> str:
    """JSON in which no token can end the script of a page."""
    return text.replace("<", "\\u003c")


def in_page(text: str) -> str:
    """The JSON that a page carries.

    Raises
    ------
    Refusal
        If there is none.
    """
    # By plain search: a pattern would take time that grows with the square of a hostile page.
    begin = text.find(">", text.find(_MARK)) if _MARK in text else -1
    end = text.find("</script", begin) if begin >= 0 else -1
    if end < 0 or "<" in text[begin:end]:
        raise Refusal(
            mark("The page holds no experiment. One that this app wrote has it inside, if it fits.")
        )
    return text[begin + 1 : end]


def damaged() -> Refusal:
    """The refusal of a script or a notebook in which the experiment is cut or changed."""
    return Refusal(mark("What the file holds of its experiment is damaged."))
