"""Text in the reader's language: what is looked up, filled in, and left in English."""

import re
import string
from contextlib import contextmanager

import numpy as np
import pytest
from babel.messages.pofile import read_po

from core import edit, presets
from core.errors import Refusal
from core.numbers import parse_block
from ui import language
from ui.language import LANGUAGES, _, _n, best_language, current, follow, mark, sentence

ENGLISH = "The cat sees {count} mice."
CATALOGUE = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "cat"
msgstr "猫"

msgid "The cat sees {count} mice."
msgstr "猫看见{count}只老鼠。"

msgid "not yet"
msgstr ""

#, fuzzy
msgid "unsure"
msgstr "不确定"

msgid "There is no token; write at least one word."
msgstr "没有词；请至少写一个词。"

msgid "These are {count} tokens; there can be at most {limit}."
msgstr "最多{limit}个，现在{count}个。"

msgid "{count} mouse in the {place}"
msgid_plural "{count} mice in the {place}"
msgstr[0] "{place}里有{count}只老鼠"

msgid "{count} dog"
msgid_plural "{count} dogs"
msgstr[0] ""

#, fuzzy
msgid "{count} bird"
msgid_plural "{count} birds"
msgstr[0] "{count}只鸟"

msgid "Row {row} has {count} number, but row 1 has {expected}."
msgid_plural "Row {row} has {count} numbers, but row 1 has {expected}."
msgstr[0] "第{row}行{count}个，第1行{expected}个。"

msgid "The text is {count} characters long; at most {limit} can be read."
msgstr "{count}个字，最多{limit}个。"
"""

CZECH = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Language: cs\\n"
"Plural-Forms: nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;\\n"

msgid "{count} mouse in the {place}"
msgid_plural "{count} mice in the {place}"
msgstr[0] "{count} myš, {place}"
msgstr[1] "{count} myši, {place}"
msgstr[2] "{count} myší, {place}"
"""
MICE = ("{count} mouse in the {place}", "{count} mice in the {place}")


@contextmanager
def reader(code, catalogue, tmp_path, monkeypatch):
    """A reader of this language, with a small catalogue instead of the real one."""
    path = tmp_path / code / "LC_MESSAGES" / "explorer.po"
    path.parent.mkdir(parents=True)
    path.write_text(catalogue, "utf-8")
    monkeypatch.setattr(language, "LOCALES", tmp_path)
    monkeypatch.setattr(language, "_ask", lambda: code)
    language._catalogue.cache_clear()
    yield
    language._catalogue.cache_clear()


@pytest.fixture
def chinese(tmp_path, monkeypatch):
    """A reader of Chinese."""
    with reader("zh", CATALOGUE, tmp_path, monkeypatch):
        yield


@pytest.fixture
def english(monkeypatch):
    monkeypatch.setattr(language, "_ask", lambda: "en")


@pytest.mark.usefixtures("english")
def test_english_stands_in_the_code():
    assert _("cat") == "cat"
    assert _(ENGLISH, count=3) == "The cat sees 3 mice."


@pytest.mark.usefixtures("chinese")
def test_a_text_is_translated_and_then_filled_in():
    assert _("cat") == "猫"
    assert _(ENGLISH, count=3) == "猫看见3只老鼠。"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("text", ["not in the catalogue", "not yet", "unsure", "cat "])
def test_what_has_no_translation_stays_english(text):
    assert _(text) == text


@pytest.mark.usefixtures("chinese")
def test_the_head_of_a_catalogue_is_no_translation():
    assert _("") == ""


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("count", ["{count}", "{", "%s", "{0}", "猫"])
def test_what_is_filled_in_is_not_read_again(count):
    assert _(ENGLISH, count=count) == f"猫看见{count}只老鼠。"


@pytest.mark.usefixtures("english")
def test_braces_without_fields_stay():
    assert _("{x} and {") == "{x} and {"


def test_a_language_without_a_catalogue_is_english(tmp_path, monkeypatch):
    monkeypatch.setattr(language, "LOCALES", tmp_path)
    monkeypatch.setattr(language, "_ask", lambda: "zh")
    language._catalogue.cache_clear()
    assert _(ENGLISH, count=3) == "The cat sees 3 mice."
    language._catalogue.cache_clear()


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 mice"), (1, "1 mouse"), (2, "2 mice"), (21, "21 mice"), (1001, "1,001 mice")],
)
def test_one_thing_and_many_in_english(count, said):
    assert _n(*MICE, count=count, place="house") == f"{said} in the house"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(("count", "written"), [(0, "0"), (1, "1"), (2, "2"), (1001, "1,001")])
def test_chinese_has_one_form(count, written):
    assert _n(*MICE, count=count, place="屋子") == f"屋子里有{written}只老鼠"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    "animal", [("{count} dog", "{count} dogs"), ("{count} bird", "{count} birds"),
               ("{count} fish", "{count} fishes")]
)  # fmt: skip
def test_a_plural_without_a_translation_stays_english(animal):
    one, many = animal
    assert _n(one, many, count=1) == one.format(count=1)
    assert _n(one, many, count=2) == many.format(count=2)


def test_a_language_with_three_forms(tmp_path, monkeypatch):
    with reader("cs", CZECH, tmp_path, monkeypatch):
        said = [_n(*MICE, count=count, place="dům") for count in (1, 2, 4, 5, 0, 21)]
    words = ("1 myš", "2 myši", "4 myši", "5 myší", "0 myší", "21 myší")
    assert said == [f"{word}, dům" for word in words]


@pytest.mark.usefixtures("chinese")
def test_the_language_is_asked_at_every_look_up():
    asked = iter(("en", "zh", "en"))
    follow(lambda: next(asked))
    assert [_("cat") for _time in range(3)] == ["cat", "猫", "cat"]


@pytest.mark.usefixtures("chinese")
def test_the_language_of_the_moment():
    assert current() == "zh"


@pytest.mark.usefixtures("chinese")
def test_a_refusal_is_translated_with_its_fields():
    now = presets.build("article-numbers")
    with pytest.raises(Refusal) as refusal:
        edit.set_tokens(now, ["word"] * 65)
    assert sentence(refusal.value) == "最多64个，现在65个。"
    assert str(refusal.value) == "These are 65 tokens; there can be at most 64."
    with pytest.raises(Refusal) as refusal:
        now.with_(tokens=(), token_vectors=np.zeros((0, 8)))
    assert sentence(refusal.value) == "没有词；请至少写一个词。"


@pytest.mark.parametrize(
    ("count", "english"),
    [(1, "Row 2 has 1 number, but row 1 has 3."), (2, "Row 2 has 2 numbers, but row 1 has 3.")],
)
@pytest.mark.usefixtures("chinese")
def test_a_refusal_that_depends_on_a_number(count, english, monkeypatch):
    with pytest.raises(Refusal) as refusal:
        parse_block("1 2 3\n" + "4 " * count)
    assert str(refusal.value) == english
    assert sentence(refusal.value) == f"第2行{count}个，第1行3个。"
    monkeypatch.setattr(language, "_ask", lambda: "en")
    assert sentence(refusal.value) == english


@pytest.mark.usefixtures("chinese")
def test_numbers_of_a_refusal_are_written_in_the_language(monkeypatch):
    template = "The text is {count} characters long; at most {limit} can be read."
    long = Refusal(template, count=123_456, limit=10_000)
    assert sentence(long) == "123,456个字，最多10,000个。"
    refused = Refusal(mark("It is {value}, {truth}, {text}."), value=0.1, truth=True, text="1.5")
    assert sentence(refused) == "It is 0.1, True, 1.5."
    monkeypatch.setattr(language, "_ask", lambda: "de")
    assert sentence(refused) == "It is 0,1, True, 1.5."
    assert sentence(long) == str(long).replace("123456", "123.456").replace("10000", "10.000")


@pytest.mark.usefixtures("chinese")
def test_a_refusal_without_a_translation_is_english_with_its_fields():
    refusal = Refusal(mark("No {name} here."), name="{x}")
    assert sentence(refusal) == "No {x} here."


@pytest.mark.parametrize(
    ("locale", "code"),
    [
        ("zh-CN", "zh"), ("zh", "zh"), ("ZH-tw", "zh"), ("zh-Hans-SG", "zh"),
        ("en-GB", "en"), ("de-DE", "en"), ("", "en"), (None, "en"), ("zhx", "en"),
    ],
)  # fmt: skip
def test_the_language_that_fits_a_browser(locale, code):
    assert best_language(locale) == code


def fields(text: str) -> set[str]:
    return {name for _text, name, _spec, _how in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_every_translation_has_the_fields_of_its_english(code):
    path = language.LOCALES / code / "LC_MESSAGES" / "explorer.po"
    if not path.exists():
        pytest.skip("there is no catalogue yet")
    with path.open("rb") as file:
        catalogue = read_po(file, locale=code)
    messages = [message for message in catalogue if message.id]
    assert messages
    for message in messages:
        english = message.id if isinstance(message.id, str) else message.id[-1]
        said = (message.string,) if isinstance(message.string, str) else message.string
        if "python-brace-format" in message.flags or re.search(r"\{\w+\}", english):
            assert all(fields(text or english) == fields(english) for text in said), message.id
