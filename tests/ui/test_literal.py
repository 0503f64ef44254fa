"""The reader's own text comes out as it went in, in Markdown and in Plotly's texts."""

import html
import json
import re
import string
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui.literal import literal, plotly, short

DATA = Path(__file__).parents[1] / "data"
CASES = json.loads((DATA / "tokens.json").read_text("utf-8"))["cases"]
TOKENS = sorted({token for case in CASES for token in case["tokens"]})
HOSTILE = (
    "**bold**", "__b__", "_it_", "~~gone~~", "`code`", "# head", "> quote", "- item", "+ item",
    "* item", "1. one", "1) one", "[a](http://127.0.0.1)", "![x](y)", "[x]: y", "| a | b |",
    ":smile:", ":red[x]", ":red-background[x]", ":material/home:", ":streamlit:", "$x$", "$$x$$",
    "\\$x\\$", "\\", "\\\\", "<b>", "<img src=x onerror=alert(1)>", "<!-- x -->", "&lt;", "&amp;",
    "&#65;", "===", "---", "***", "```", "~~~", "http://a.b", "www.a.b", "a@b.c", "%{y}", "{x}",
    "a  ", "\ta", "^x^", "==x==", "[^1]", "'x'", '"x"', "a\\", "->", "<-", ">=", "--",
)  # fmt: skip
OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
# May stand anywhere: it joins or parts two characters and is not seen.
WITHOUT_SHAPE = re.compile("[\u2060\u200b]")
ISOLATE, POP = "\u2068", "\u2069"


def bare(text: str) -> str:
    """Without the isolate that a right-to-left word gets."""
    return text.removeprefix(ISOLATE).removesuffix(POP)


# Every character that can begin, end or separate something in Markdown, a formula, a directive
# or HTML. Of ASCII punctuation only these do nothing, alone or together.
HARMLESS = set(",/;?@%")

texts = st.text(max_size=40) | st.text(string.printable, max_size=40) | st.sampled_from(HOSTILE)
few = settings(max_examples=300, deadline=None)


def read(escaped: str) -> str:
    """What Markdown reads: a backslash makes the punctuation after it plain (CommonMark 2.4)."""
    return re.sub(rf"\\([{re.escape(string.punctuation)}])", r"\1", escaped)


def unescaped(escaped: str) -> str:
    """What is left for Markdown to act on."""
    return re.sub(rf"\\[{re.escape(string.punctuation)}]", "", escaped)


def visible(text: str) -> str:
    """One line, without overrides of the direction; otherwise the same characters."""
    kept = (character for character in text if character not in OVERRIDES)
    blanks = {*map(chr, range(32)), "\u2028", "\u2029", "\x7f"}
    return "".join(" " if character in blanks else character for character in kept)


@pytest.mark.parametrize("text", [*HOSTILE, *TOKENS, *string.punctuation])
def test_nothing_is_left_for_markdown_to_act_on(text):
    escaped = literal(text)
    assert WITHOUT_SHAPE.sub("", read(escaped)) == WITHOUT_SHAPE.sub("", visible(text))
    assert not set(unescaped(escaped)) & (set(string.punctuation) - HARMLESS)


@few
@given(texts)
def test_any_text_is_read_back_from_markdown(text):
    escaped = literal(text)
    assert WITHOUT_SHAPE.sub("", read(escaped)) == WITHOUT_SHAPE.sub("", visible(text))
    assert not set(unescaped(escaped)) & (set(string.punctuation) - HARMLESS)


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\u2029", "\t", "\0", "\x0b"])
def test_text_stays_on_its_line(end):
    for escape in (literal, plotly):
        assert len(escape(f"a{end}# b").splitlines()) == 1
        assert "\n" not in escape(f"a{end}b")


@pytest.mark.parametrize("mark", OVERRIDES)
def test_an_override_of_the_direction_does_not_leave_its_word(mark):
    assert mark not in literal(f"abc{mark}def")
    inside = bare(plotly(f"abc{mark}def"))
    assert inside == "abcdef"


@pytest.mark.parametrize("text", ["القط", "שלום", "猫", "👨‍👩‍👧", "🇯🇵", "e\u0301", "Ġthe", "▁sat"])
def test_letters_stay_as_they_are(text):
    assert literal(text) == text
    assert bare(plotly(text)) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("<b>", "&lt;b&gt;"),
        ("</b>", "&lt;/b&gt;"),
        ("<br>", "&lt;br&gt;"),
        ("<a href='javascript:alert(1)'>x</a>",
         "&lt;a href='javascript:alert(1)'&gt;x&lt;/a&gt;"),
        ("&lt;", "&amp;lt;"),
        ("&amp;", "&amp;amp;"),
        ("&", "&amp;"),
        ("%{y}", "%{y}"),
    ],
)  # fmt: skip
def test_plotly_reads_no_tag_and_no_entity(text, escaped):
    assert plotly(text) == escaped


@few
@given(texts)
def test_any_text_is_read_back_from_plotly(text):
    escaped = plotly(text)
    assert escaped.startswith(ISOLATE) == escaped.endswith(POP)
    right_to_left = any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in visible(text))
    assert escaped.startswith(ISOLATE) or not right_to_left
    assert "<" not in escaped
    assert ">" not in escaped
    assert re.sub(r"&(amp|lt|gt);", "", escaped).count("&") == 0
    if "&" not in text:  # html.unescape knows entities without their semicolon
        assert html.unescape(bare(escaped)) == visible(text)


@few
@given(texts.filter(lambda text: "·" not in text), st.integers(5, 20), st.integers(0, 63))
def test_short_cuts_long_labels_only_and_keeps_their_position(word, length, position):
    label = f"{word}·{position}"
    cut = short(label, length)
    assert len(cut) <= length
    assert cut.endswith(f"·{position}")
    if len(label) <= length:
        assert cut == label
    else:
        assert word.startswith(cut.rpartition("…")[0])


@few
@given(texts.filter(lambda text: "·" not in text), st.integers(5, 20))
def test_short_cuts_a_name_without_a_position_too(name, length):
    """Names of dimensions come from the reader's file and have no position."""
    cut = short(name, length)
    assert len(cut) <= length
    assert cut == name if len(name) <= length else name.startswith(cut.rstrip("…"))


# What Streamlit replaces in text that is already read, so that no backslash prevents it.
REPLACED = re.compile(
    r":material/\w+:|:streamlit:|https?://[-.\w]|\bwww\.\w|[-.\w+]@[-\w]+\.\w|<-|->|--|>=|<=|~=",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "text",
    [":material/home:", "a:material/add_circle:b", ":streamlit:", "http://a.b/c", "HTTPS://a.b",
     "www.a.b", "a@b.co", "x http://127.0.0.1 y", "a -> b", "a <-> b", "x -- y", "a >= b",
     "a <= b ~= c", "---"],
)  # fmt: skip
def test_no_icon_and_no_link_is_made_of_a_word(text):
    assert not REPLACED.search(read(literal(text)))
    assert WITHOUT_SHAPE.sub("", read(literal(text))) == text
