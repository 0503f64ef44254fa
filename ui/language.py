"""Text in the reader's language.

English stands in the code; every other language is a catalogue in ``ui/locale``, read once by
Babel, so that nothing is compiled at deployment. This module knows nothing of Streamlit: whoever
does tells it, through :func:`follow`, where to ask for the language of the moment.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from babel.messages.pofile import read_po

from core.errors import Refusal, mark

__all__ = ["LANGUAGES", "LOCALES", "_", "best_language", "current", "follow", "mark", "sentence"]

LANGUAGES = {"en": "EN", "zh": "中文"}
LOCALES = Path(__file__).parent / "locale"

_ask: Callable[[], str] = lambda: "en"  # noqa: E731


def follow(ask: Callable[[], str]) -> None:
    """From now on ``ask`` tells the language; it is called at every look-up."""
    global _ask
    _ask = ask


def current() -> str:
    """Code of the reader's language."""
    return _ask()


def _(text: str, /, **fields: object) -> str:
    """Translate a text and fill in its ``{fields}``."""
    translated = _catalogue(current()).get(text, text)
    return translated.format(**fields) if fields else translated


def sentence(refusal: Refusal) -> str:
    """Say a refusal in the reader's language."""
    return _(refusal.template, **refusal.fields)


def best_language(locale: str | None) -> str:
    """The language of the app that fits a browser's locale such as ``zh-CN``."""
    code = (locale or "").lower().partition("-")[0]
    return code if code in LANGUAGES else "en"


@cache
def _catalogue(language: str) -> dict[str, str]:
    path = LOCALES / language / "LC_MESSAGES" / "explorer.po"
    if not path.exists():
        return {}
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language)
    return {
        str(message.id): str(message.string)
        for message in catalogue
        if message.id and message.string and not message.fuzzy
    }
