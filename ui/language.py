"""Text and numbers in the reader's language.

English stands in the code; every other language is a catalogue in ``ui/locale``, read once by
Babel, so that nothing is compiled at deployment. This module knows nothing of Streamlit: whoever
does tells it, through :func:`follow`, where to ask for the language of the moment.
"""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Any, NamedTuple, SupportsFloat

from babel.messages.pofile import read_po

from core.errors import Refusal, mark
from ui.numerals import Numerals, numerals_of

__all__ = [
    "LANGUAGES",
    "LOCALES",
    "_",
    "_n",
    "best_language",
    "current",
    "decimal",
    "follow",
    "later",
    "mark",
    "numerals",
    "percent",
    "sentence",
    "significant",
    "whole",
]

LANGUAGES = {"en": "EN", "zh": "中文"}
LOCALES = Path(__file__).parent / "locale"

_ask: Callable[[], str] = lambda: "en"  # noqa: E731
_fixed: ContextVar[str] = ContextVar("language", default="")


def follow(ask: Callable[[], str]) -> None:
    """From now on ``ask`` tells the language; it is called at every look-up."""
    global _ask
    _ask = ask


def current() -> str:
    """Code of the reader's language."""
    return _fixed.get() or _ask()


def later(make: Callable[[], str]) -> Callable[[], str]:
    """``make`` in the language of now, whenever it is called.

    A file is made when it is asked for; then nobody is there who could be asked for the language.
    """
    language = current()

    def made() -> str:
        before = _fixed.set(language)
        try:
            return make()
        finally:
            _fixed.reset(before)

    return made


def _(text: str, /, **fields: object) -> str:
    """Translate a text and fill in its ``{fields}``."""
    translated = _catalogue(current()).forms.get(text, (text,))[0]
    return translated.format(**fields) if fields else translated


def _n(one: str, many: str, /, *, count: int, **fields: object) -> str:
    """Translate a text that depends on a number, and fill in its ``{count}`` and ``{fields}``.

    Parameters
    ----------
    one : str
        In English, where ``count`` is 1.
    many : str
        In English, where it is not. A language chooses among as many forms as it has.
    count : int
    **fields
    """
    language = current()
    known = _catalogue(language)
    forms = known.forms.get(one)
    chosen = forms[known.form_for(count)] if forms else one if count == 1 else many
    return chosen.format(count=numerals_of(language).whole(count), **fields)


def sentence(refusal: Refusal) -> str:
    """Say a refusal in the reader's language."""
    fields: dict[str, Any] = {name: _written(field) for name, field in refusal.fields.items()}
    if isinstance(refusal.template, str):
        return _(refusal.template, **fields)
    return _n(*refusal.template, **{**fields, "count": refusal.fields["count"]})


def _written(field: object) -> object:
    """A number in the reader's language with all its digits; all else as it is."""
    if type(field) is int:
        return whole(field)
    return significant(field, 15) if type(field) is float else field


def best_language(locale: str | None) -> str:
    """The language of the app that fits a browser's locale such as ``zh-CN``."""
    code = (locale or "").lower().partition("-")[0]
    return code if code in LANGUAGES else "en"


# Numbers ------------------------------------------------------------------------------------


def numerals() -> Numerals:
    """How the reader's language writes numbers: for many at once, since it is asked only once."""
    return numerals_of(current())


def percent(share: SupportsFloat, digits: int = 0) -> str:
    """Write a share of 1 with so many decimals: 0.412 is "41%"."""
    return numerals().percent(share, digits)


def decimal(number: SupportsFloat, digits: int) -> str:
    """Write a number with so many decimals: 0.5 with 2 is "0.50"."""
    return numerals().decimal(number, digits)


def significant(number: SupportsFloat, digits: int, *, plus: bool = False) -> str:
    """Write a number with so many digits that count: 0.0000371 with 2 is "3.7×10⁻⁵"."""
    return numerals().significant(number, digits, plus=plus)


def whole(number: SupportsFloat) -> str:
    """Write a number without decimals, in groups: 1234567 is "1,234,567"."""
    return numerals().whole(number)


# The catalogues -----------------------------------------------------------------------------


class _Catalogue(NamedTuple):
    """The texts of a language by their English, and which of a text's forms fits a number."""

    forms: Mapping[str, tuple[str, ...]]  # one, or as many as the language has
    form_for: Callable[[int], int]


@cache
def _catalogue(language: str) -> _Catalogue:
    path = LOCALES / language / "LC_MESSAGES" / "explorer.po"
    if not path.exists():
        return _Catalogue({}, int)
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language)
    forms = {}
    for message in catalogue:
        english = message.id if isinstance(message.id, str) else message.id[0]
        string = message.string or ""
        said = (string,) if isinstance(string, str) else tuple(string)
        if english and all(said) and not message.fuzzy:
            forms[english] = said
    return _Catalogue(forms, c2py(catalogue.plural_expr))
