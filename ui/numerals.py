"""Numbers as a language writes them: its decimal sign, its groups of three, its per cent.

Babel knows all that but takes ten times as long for a number, and a page has hundreds. So Python
formats, and the signs of the language, read from Babel once, take the place of Python's. That is
right for languages that group by three and have Latin digits; a test holds ours to it.
"""

from functools import cache
from typing import SupportsFloat

from babel import Locale

__all__ = ["Numerals", "numerals_of"]

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Numerals:
    """Numbers in one language; what is no number stays ``nan`` or ``inf``, as Python writes it.

    What rounds to 0 is 0 and never −0.

    Parameters
    ----------
    language : str
        A code that Babel knows, such as "en" or "zh".
    """

    def __init__(self, language: str) -> None:
        """Read the signs of the language."""
        locale = Locale.parse(language)
        signs = locale.number_symbols["latn"]
        percent = locale.percent_formats[None]
        python = {",": "group", ".": "decimal", "-": "minusSign", "+": "plusSign"}
        self._signs = str.maketrans(
            {ours: signs[name] for ours, name in python.items() if signs[name] != ours}
        )
        self._power = f"{signs['superscriptingExponent']}10"

        def written(pattern: str) -> str:
            return pattern.replace("-", signs["minusSign"]).replace("%", signs["percentSign"])

        # What stands before and behind a share: of one that is not below 0, and of one that is.
        self._share, self._share_below = zip(
            map(written, percent.prefix), map(written, percent.suffix), strict=True
        )

    def percent(self, share: SupportsFloat, digits: int = 0) -> str:
        """Write a share of 1 with so many decimals: 0.412 is "41%"."""
        text = f"{float(share):z,.{digits}%}"[:-1]
        below = text[0] == "-"
        before, after = self._share_below if below else self._share
        return f"{before}{self._signed(text.removeprefix('-'))}{after}"

    def decimal(self, number: SupportsFloat, digits: int) -> str:
        """Write a number with so many decimals: 0.5 with 2 is "0.50"."""
        return self._signed(f"{float(number):z,.{digits}f}")

    def significant(self, number: SupportsFloat, digits: int, *, plus: bool = False) -> str:
        """Write a number with so many digits that count, and no zeros after the last.

        What is very large or very small gets a power of ten: 3.7×10⁻⁵, the way the formulas of
        the pages have it. "3.7e-05" is how programs write, and e is a number on these pages.
        There are no groups, as there are none in formulas: in [1,234, 5] they would be misread.

        Parameters
        ----------
        number : float
        digits : int
        plus : bool
            Whether a number above 0 says so.
        """
        text = f"{float(number):{'+' if plus else ''}z.{digits}g}"
        mantissa, e, exponent = text.partition("e")
        written = self._signed(mantissa)
        return f"{written}{self._power}{str(int(exponent)).translate(_RAISED)}" if e else written

    def whole(self, number: SupportsFloat) -> str:
        """Write a number without decimals, in groups: 1234567 is "1,234,567"."""
        if isinstance(number, int):  # a float would keep but 16 digits
            return self._signed(f"{number:,}")
        return self._signed(f"{float(number):z,.0f}")

    def _signed(self, text: str) -> str:
        """Python's text with the signs of the language; English and Chinese have the same."""
        return text.translate(self._signs) if self._signs else text


@cache
def numerals_of(language: str) -> Numerals:
    """Look up the numbers of a language; only the first time takes a while."""
    return Numerals(language)
