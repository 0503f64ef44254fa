"""One colour a head, the same in every picture; told apart by colour-blind readers too."""

# Okabe & Ito (2008), without its black and its yellow, which vanish on a dark or a white page.
# Each is a hue of its own, so that a palette can find it (ui/palettes.py).
HUES = (
    "0, 114, 178", "230, 159, 0", "0, 158, 115", "204, 121, 167",
    "86, 180, 233", "213, 94, 0", "124, 92, 241", "140, 140, 140",
)  # fmt: skip


def hue(head: int) -> str:
    """Red, green and blue of a head, as "r, g, b"."""
    return HUES[head % len(HUES)]


def dash(head: int) -> str:
    """Plotly's dash: solid for the first eight heads, dotted for the next."""
    return "solid" if head < len(HUES) else "dot"
