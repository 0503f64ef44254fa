"""One colour a head, the same in every picture; told apart by colour-blind readers too."""

from ui.parts import VIOLET

# Okabe & Ito (2008), without its black and its yellow, which vanish on a dark or a white page.
_HUES = (
    "0, 114, 178", "230, 159, 0", "0, 158, 115", "204, 121, 167",
    "86, 180, 233", "213, 94, 0", VIOLET, "140, 140, 140",
)  # fmt: skip


def hue(head: int) -> str:
    """Red, green and blue of a head, as "r, g, b"."""
    return _HUES[head % len(_HUES)]


def dash(head: int) -> str:
    """Plotly's dash: solid for the first eight heads, dotted for the next."""
    return "solid" if head < len(_HUES) else "dot"
