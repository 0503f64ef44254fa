"""Numbers as a language writes them: against Babel, and read back."""

import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from babel import Locale
from babel.numbers import format_decimal, format_percent, parse_decimal
from hypothesis import given
from hypothesis import strategies as st

from core import edit, presets
from core.trace import trace
from ui import describe, language, questions
from ui.heatmaps import Tile, targets
from ui.language import LANGUAGES, decimal, numerals, percent, significant, whole
from ui.numerals import Numerals, numerals_of
from ui.summary import paragraph

# Ours, and some whose numbers look otherwise: comma, dot, spaces, a real minus, "%" in front.
CODES = (*LANGUAGES, "de", "fr", "sv", "tr")
ROOT = Path(__file__).parents[2]
VALUES = (
    0.0, 1.0, -1.0, 0.5, 0.125, 0.375, 2.675, -2.5, 0.0049, 0.005, 0.41234, 0.995, 0.9999, 9.995,
    12.5, 99.95, 999.5, 1000.0, -1234.5, 12345.678, -1234567.891, 1e9 / 3, 1e15, 3.7e-5, -8.1e-12,
)  # fmt: skip
# Shares and numbers of a size that can be written out.
NUMBERS = st.floats(-1e12, 1e12, allow_nan=False)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def exactly(value: float) -> Decimal:
    """Babel reads a float by its shortest text; Python rounds the number that it is."""
    return Decimal(value)


def signs(code: str) -> dict[str, str]:
    return Locale.parse(code).number_symbols["latn"]


def with_minus(text: str, code: str) -> str:
    """As Babel writes it, but with the minus that it knows for the language and does not use."""
    return text.replace("-", signs(code)["minusSign"])


def read(text: str, code: str) -> Decimal:
    """Read back by Babel, which takes but the minus of a keyboard."""
    return parse_decimal(text.replace(signs(code)["minusSign"], "-"), locale=code, strict=True)


def power(text: str, code: str) -> float:
    """Read a number that may have a power of ten."""
    mantissa, ten, raised = text.partition(f"{signs(code)['superscriptingExponent']}10")
    assert ten or not raised
    exponent = raised.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or "0"
    return float(f"{read(mantissa, code)}e{exponent}")


# ---- against Babel ----


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("digits", [0, 1, 2, 6])
@pytest.mark.parametrize("value", VALUES)
def test_decimals_are_what_babel_writes(value, digits, code):
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    expected = format_decimal(exactly(value), pattern, locale=code)
    if not round(value, digits):  # Babel leaves a minus at a 0
        expected = expected.replace("-", "")
    assert Numerals(code).decimal(value, digits) == with_minus(expected, code)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("digits", [0, 1, 2])
@pytest.mark.parametrize("value", VALUES)
def test_percents_are_what_babel_writes(value, digits, code):
    pattern = Locale.parse(code).percent_formats[None].pattern
    pattern = pattern.replace("#,##0", "#,##0" + ("." + "0" * digits if digits else ""))
    expected = format_percent(exactly(value * 100) / 100, pattern, locale=code)
    if not round(100 * value, digits):
        expected = expected.replace("-", "")
    assert Numerals(code).percent(value, digits) == with_minus(expected, code)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("value", [0, 1, 12, 999, 1000, -1000, 65536, 10**6, -(10**20) - 1])
def test_whole_numbers_are_what_babel_writes(value, code):
    expected = with_minus(format_decimal(value, locale=code), code)
    assert Numerals(code).whole(value) == expected


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("value", [0.12, 1.5, -123.0, 1234.5, 99999.0])
def test_digits_that_count_are_what_babel_writes_without_groups(value, code):
    """Up to the powers of ten, that is, which Babel has no pattern for."""
    expected = format_decimal(value, "0.######", locale=code, group_separator=False)
    assert Numerals(code).significant(value, 6) == with_minus(expected, code)


@pytest.mark.parametrize("code", LANGUAGES)
def test_our_languages_are_written_as_python_can(code):
    """Groups of three, Latin digits: in Hindi or Arabic this module would be wrong."""
    locale = Locale.parse(code)
    assert locale.default_numbering_system == "latn"
    assert locale.decimal_formats[None].grouping == (3, 3)
    assert locale.percent_formats[None].grouping == (3, 3)


# ---- as they look ----


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("en", ["41%", "41.2%", "-1,234.50", "1,234,567", "0.333", "3.7×10⁻⁵", "+1.2"]),
        ("zh", ["41%", "41.2%", "-1,234.50", "1,234,567", "0.333", "3.7×10⁻⁵", "+1.2"]),
        ("de", ["41 %", "41,2 %", "-1.234,50", "1.234.567", "0,333", "3,7·10⁻⁵", "+1,2"]),
        ("tr", ["%41", "%41,2", "-1.234,50", "1.234.567", "0,333", "3,7×10⁻⁵", "+1,2"]),
        ("sv", ["41 %", "41,2 %", "−1 234,50", "1 234 567", "0,333", "3,7×10⁻⁵", "+1,2"]),
    ],
)
def test_numbers_of_the_reader(code, expected, monkeypatch):
    """Told by the language of the moment, and not by the first that was asked for."""
    monkeypatch.setattr(language, "_ask", lambda: code)
    written = [
        percent(0.412), percent(0.412, 1), decimal(-1234.5, 2), whole(1_234_567),
        significant(1 / 3, 3), significant(3.7e-5, 2), significant(1.2, 3, plus=True),
    ]  # fmt: skip
    assert [text.replace("\xa0", " ") for text in written] == expected
    assert numerals() is numerals_of(code)


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [
        (0.0001, 3, "0.0001"), (0.00001, 3, "1×10⁻⁵"), (-2.2e-16, 1, "-2×10⁻¹⁶"),
        (999.4, 3, "999"), (999.6, 3, "1×10³"), (123456.0, 6, "123456"), (1e300, 4, "1×10³⁰⁰"),
        (12.0, 4, "12"), (0.0, 4, "0"), (-0.0, 4, "0"), (0.1 + 0.2, 15, "0.3"),
    ],
)  # fmt: skip
def test_where_powers_of_ten_begin(value, digits, expected):
    assert Numerals("en").significant(value, digits) == expected


@pytest.mark.parametrize("code", CODES)
def test_nothing_is_minus_nothing(code):
    say = Numerals(code)
    assert say.decimal(-0.004, 2) == say.decimal(0.0, 2)
    assert say.percent(-0.0004) == say.percent(0.0)
    assert say.whole(-0.4) == say.whole(-0.0) == "0"


def test_what_is_no_number_stays_as_python_writes_it():
    say = Numerals("en")
    for value in (np.nan, np.inf, -np.inf):
        assert say.decimal(value, 2) == f"{value:.2f}"
        assert say.significant(value, 3) == f"{value:.3g}"
        assert say.percent(value, 1) == f"{value:.1%}"
        assert say.whole(value) == f"{value:.0f}"
    assert Numerals("sv").decimal(-np.inf, 2) == "−inf"


def test_numbers_of_numpy_are_numbers_too():
    say = Numerals("de")
    assert say.percent(np.float32(0.5), 1) == "50,0\xa0%"
    assert say.decimal(np.float64(1234.5), 1) == "1.234,5"
    assert say.significant(np.int64(12), 2) == "12"
    assert say.whole(np.int64(1234)) == "1.234"


def test_a_language_is_looked_up_once():
    assert numerals_of("zh") is numerals_of("zh")
    assert numerals_of("zh") is not numerals_of("en")


# ---- there and back ----


@given(NUMBERS, st.integers(0, 8), st.sampled_from(CODES))
def test_decimals_can_be_read_back(value, digits, code):
    text = Numerals(code).decimal(value, digits)
    assert read(text, code) == Decimal(f"{value:.{digits}f}")
    assert len(text.partition(signs(code)["decimal"])[2]) == digits


@given(ANY, st.integers(1, 17), st.sampled_from(CODES), st.booleans())
def test_digits_that_count_can_be_read_back(value, digits, code, plus):
    text = Numerals(code).significant(value, digits, plus=plus)
    assert text.startswith(signs(code)["plusSign"]) == (plus and value >= 0)
    assert power(text.removeprefix(signs(code)["plusSign"]), code) == float(f"{value:.{digits}g}")


@given(st.floats(-1e6, 1e6), st.integers(0, 4), st.sampled_from(CODES))
def test_percents_can_be_read_back(value, digits, code):
    text = Numerals(code).percent(value, digits)
    number = re.sub(rf"[\s{signs(code)['percentSign']}]+$|{signs(code)['percentSign']}", "", text)
    assert read(number, code) == Decimal(f"{value:.{digits}%}"[:-1])
    assert text.count(signs(code)["percentSign"]) == 1


@given(st.integers(-(10**24), 10**24), st.sampled_from(CODES))
def test_whole_numbers_can_be_read_back(value, code):
    assert read(Numerals(code).whole(value), code) == value


# ---- where they are used ----


def test_sentences_and_hover_texts_follow_the_language(monkeypatch):
    labels, weights = ("a", "b"), np.array([0.25, 0.75])
    tile = Tile("t", np.array([[0.5, -1.25]]), ["r"], ["x", "y"])
    monkeypatch.setattr(language, "_ask", lambda: "de")
    assert describe.strongest(labels, weights) == "b 75\xa0%, a 25\xa0%"
    assert targets(tile, 0)["text"] == ["0,5", "-1,25"]
    monkeypatch.setattr(language, "_ask", lambda: "en")
    assert describe.strongest(labels, weights) == "b 75%, a 25%"
    assert targets(tile, 0)["text"] == ["0.5", "-1.25"]


def test_sentences_count_one_thing_and_many(monkeypatch):
    monkeypatch.setattr(language, "_ask", lambda: "en")
    now = presets.build("relations-en").with_(mask="causal")
    result = trace(now)
    assert "Softmax over 1 key makes it a weight of 100.00%" in paragraph(now, result, 0, 0, 0)
    assert "Softmax over 3 keys makes it a weight of" in paragraph(now, result, 0, 2, 0)
    alone = edit.set_tokens(now, ["cat"])
    assert questions._numbers_a_token(alone).text.startswith("A sentence of 1 token. How many")
    assert questions._numbers_a_token(now).text.startswith(f"A sentence of {now.n} tokens.")


# Formatted by Python in a module that writes numbers for readers, and why.
_LEFT = {
    "questions.py": ['f"{total:.0f}"'],  # looked for among answers such as "1"
    "constant.py": ['f"{value:.0f}"'],  # c = −1000, as in the sentences beside it
    "differences.py": ['f"soft-d-{value:g}"'],  # keys of widgets
    "temperature.py": ['f"soft-t-{value:g}"'],
}


def test_no_text_formats_numbers_by_itself():
    """A share or a group is always for readers; other numbers may be CSS, LaTeX or a key."""
    spec = r"""f"[^"\n]*(?<!%)\{{[^{{}}"\n]+:[+]?,?(?:\.(?:\d|\{{\w+\}}))?{kinds}\}}[^"\n]*\""""
    shares, every = (re.compile(spec.format(kinds=kinds)) for kinds in ("[%,]", "[gf%,]"))
    writes = re.compile(r"^from ui\.language import .*(decimal|numerals|percent|significant)", re.M)
    sources = [path for folder in ("ui", "pages") for path in (ROOT / folder).rglob("*.py")]
    speaking = [path for path in sources if writes.search(path.read_text("utf-8"))]
    assert len(speaking) > 20
    for path in sources:
        text = path.read_text("utf-8")
        if path.name != "numerals.py":
            assert shares.findall(text) == [], path
        if path in speaking:
            assert every.findall(text) == _LEFT.get(path.name, []), path


def test_the_module_knows_nothing_of_streamlit():
    code = "import ui.language, ui.numerals, sys; print('streamlit' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.stdout == "False\n", run.stderr
