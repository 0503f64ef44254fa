"""An experiment that rides in something else: in a page as JSON, in a script as a comment.

A script carries what stands in an address too, ``preset=…&x=…``; where that would be too long, all
numbers as an archive, ``npz=…``. What is read is text: no script is run and no page is shown.
"""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from core.errors import Refusal, mark

ID = "attention-experiment"
"""Of the element of a page that holds the experiment, as :func:`core.files.to_json` writes it."""

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
    joined = "".join(line.removeprefix("# ") for line in lines)
    try:
        return dict(parse_qsl(joined, strict_parsing=True, keep_blank_values=True))
    except ValueError:
        raise damaged() from None


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
            mark("The page holds no experiment; only a page of the whole view has one inside.")
        )
    return text[begin + 1 : end]


def damaged() -> Refusal:
    """The refusal of a script whose last lines are cut or changed."""
    return Refusal(mark("The end of the script, which holds its experiment, is damaged."))
