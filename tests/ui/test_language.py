"""Text in the reader's language: what is looked up, filled in, and left in English."""

import re
import string

import numpy as np
import pytest
from babel.messages.pofile import read_po

from core import edit, presets
from core.errors import Refusal
from ui import language
from ui.language import LANGUAGES, _, best_language, current, follow, mark, sentence

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
"""


@pytest.fixture
def chinese(tmp_path, monkeypatch):
    """A small catalogue instead of the real one, and a reader of Chinese."""
    path = tmp_path / "zh" / "LC_MESSAGES" / "explorer.po"
    path.parent.mkdir(parents=True)
    path.write_text(CATALOGUE, "utf-8")
    monkeypatch.setattr(language, "LOCALES", tmp_path)
    monkeypatch.setattr(language, "_ask", lambda: "zh")
    language._catalogue.cache_clear()
    yield
    language._catalogue.cache_clear()


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
        if "python-brace-format" in message.flags or re.search(r"\{\w+\}", message.id):
            assert fields(message.string or message.id) == fields(message.id), message.id
