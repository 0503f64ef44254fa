"""A field for one number of a small vector."""

from collections.abc import Callable

from core.errors import Refusal
from core.numbers import parse_number
from ui import controls, language, session
from ui.language import _


def number_field(
    key: str, label: str, value: float, limit: float, on_enter: Callable[[float], None]
) -> None:
    """Draw the field; what is no number, or beyond ±limit, becomes a notice."""

    def enter(text: str) -> None:
        try:
            number = parse_number(text)
        except Refusal as refusal:
            session.notify(language.sentence(refusal))
            return
        if abs(number) <= limit:
            on_enter(number)
        else:
            session.notify(_("The number must lie within ±{limit}.", limit=limit))

    controls.text(key, label, f"{value:.6g}", enter, width=72, max_chars=12)
