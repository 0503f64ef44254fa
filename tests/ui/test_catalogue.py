"""The Chinese catalogue says everything that the code says, and nothing else."""

import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_from_file
from babel.messages.pofile import read_po

from ui import language

ROOT = Path(__file__).parents[2]
KEYWORDS = {"_": None, "_n": (1, 2), "mark": None, "mark_n": (1, 2)}
Text = str | tuple[str, ...]  # several forms where it depends on a number


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(text: Text) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def in_order(texts: set[Text]) -> list[Text]:
    return sorted(texts, key=forms)


@pytest.fixture(scope="module")
def spoken() -> set[Text]:
    """Every text of the code that is to be translated."""
    found = [text for _, text, *_ in extract_from_file("python", ROOT / "app.py", KEYWORDS)]
    for folder in ("core", "pages", "ui"):
        python = extract_from_dir(ROOT / folder, [("**.py", "python")], keywords=KEYWORDS)
        found += [text for _, _, text, *_ in python]
    return set(found)


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with (language.LOCALES / "zh/LC_MESSAGES/explorer.po").open("rb") as file:
        return read_po(file, locale="zh")


@pytest.fixture(scope="module")
def messages(catalogue: Catalog) -> list[Message]:
    return [message for message in catalogue if message.id]  # without the header


def test_every_text_of_the_code_has_an_entry(spoken: set[Text], messages: list[Message]) -> None:
    assert len(spoken) > 100, "the extraction finds too little"
    assert sum(isinstance(text, tuple) for text in spoken) > 10, "it does not find plurals"
    assert in_order(spoken - {message.id for message in messages}) == []


def test_no_entry_is_unused(spoken: set[Text], catalogue: Catalog, messages: list[Message]) -> None:
    assert in_order({message.id for message in messages} - spoken) == []
    assert list(catalogue.obsolete) == []


def test_no_entry_is_empty_or_fuzzy(catalogue: Catalog, messages: list[Message]) -> None:
    assert [m.id for m in messages if m.fuzzy or not all(map(str.strip, forms(m.string)))] == []
    assert not catalogue.fuzzy


def test_a_plural_has_as_many_forms_as_the_language(
    catalogue: Catalog, messages: list[Message]
) -> None:
    expected = [catalogue.num_plurals if isinstance(m.id, tuple) else 1 for m in messages]
    wrong = [m.id for m, n in zip(messages, expected, strict=True) if len(forms(m.string)) != n]
    assert wrong == []


def test_fields_are_the_same(messages: list[Message]) -> None:
    """As in the last English form: that of one thing may say "the only token"."""
    wrong = [
        (m.id, said) for m in messages for said in forms(m.string)
        if fields(said) != fields(forms(m.id)[-1])
    ]  # fmt: skip
    assert wrong == []


def test_english_plurals_fit_together(spoken: set[Text]) -> None:
    """They name the number, and say the same for one thing as for many."""
    plurals = [text for text in spoken if isinstance(text, tuple)]
    assert [text for text in plurals if "count" not in fields(text[1])] == []
    assert [text for text in plurals if fields(text[0]) | {"count"} != fields(text[1])] == []
    # gettext finds a text by its first form, so no other may begin alike.
    firsts = [forms(text)[0] for text in spoken]
    assert [first for first in firsts if firsts.count(first) > 1] == []


def test_the_command_for_translators_finds_all(spoken: set[Text]) -> None:
    command = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    for keyword, places in KEYWORDS.items():
        places_written = f":{','.join(map(str, places))}" if places else ""
        assert f" -k {keyword}{places_written} " in command


def test_bold_ends_where_markdown_sees_it(messages: list[Message]) -> None:
    """``**文字。**文字`` shows its stars: no space divides Chinese, so the stop goes outside."""

    def unseen(text: str) -> bool:
        parts = text.split("**")
        return any(
            re.search(r"[^\w\s]$", parts[i]) and re.match(r"\w", parts[i + 1])
            for i in range(1, len(parts) - 1, 2)
        )

    assert unseen("**对。**错")
    assert [said for m in messages for said in forms(m.string) if unseen(said)] == []


@pytest.mark.parametrize("code", list(language.LANGUAGES))
def test_every_text_can_be_filled_in(
    code: str, spoken: set[Text], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_ask", lambda: code)
    bad = []
    for text in in_order(spoken):
        dummies = {name: f"<{name}>" for name in fields(forms(text)[-1])}
        if isinstance(text, str):
            several = [language._(text, **dummies)]
        else:
            del dummies["count"]
            several = [language._n(*text, count=count, **dummies) for count in (0, 1, 2, 5)]
        for said in several:
            if "{" in said or not all(dummy in said for dummy in dummies.values()):
                bad.append((text, said))
    assert bad == []


def test_no_text_hides_in_an_f_string() -> None:
    """There the extraction does not see it, and the tests above cannot miss it."""
    sources = [path for folder in ("core", "pages", "ui") for path in (ROOT / folder).rglob("*.py")]
    hidden = [
        path.name for path in sources if re.search(r"""\{_n?\(\s*['"]""", path.read_text("utf-8"))
    ]
    assert hidden == []
