"""The reader's palette: the control for it, and who follows it."""

from ui import controls, mounting, palettes, session
from ui.language import _
from ui.palettes import CHOICES, PALETTES, Palette


def current() -> Palette:
    """The palette that the reader has chosen."""
    return PALETTES[session.option("palette", CHOICES, "")]


def choice() -> None:
    """Draw the choice, which is kept in the link."""
    names = {"": _("default"), "safe": _("colour-blind safe"), "grey": _("grey-safe")}
    controls.option("palette", _("Colours"), names, "")


def legend() -> str:
    """What lines of tokens and cells look like in this palette, in words."""
    return palettes.legend(current())


def follow() -> None:
    """Let the components ask here how they look."""
    mounting.follow(lambda: palettes.look(current()))
