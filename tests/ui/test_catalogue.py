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
KEYWORDS = {"_": None, "mark": None}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.fixture(scope="module")
def spoken() -> set[str]:
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


def test_every_text_of_the_code_has_an_entry(spoken: set[str], messages: list[Message]) -> None:
    assert len(spoken) > 100, "the extraction finds too little"
    assert sorted(spoken - {message.id for message in messages}) == []


def test_no_entry_is_unused(spoken: set[str], catalogue: Catalog, messages: list[Message]) -> None:
    assert sorted({message.id for message in messages} - spoken) == []
    assert list(catalogue.obsolete) == []


def test_no_entry_is_empty_or_fuzzy(catalogue: Catalog, messages: list[Message]) -> None:
    assert [m.id for m in messages if m.fuzzy or not m.string.strip()] == []
    assert not catalogue.fuzzy


def test_fields_are_the_same(messages: list[Message]) -> None:
    assert [(m.id, m.string) for m in messages if fields(m.id) != fields(m.string)] == []


def test_bold_ends_where_markdown_sees_it(messages: list[Message]) -> None:
    """``**文字。**文字`` shows its stars: no space divides Chinese, so the stop goes outside."""

    def unseen(text: str) -> bool:
        parts = text.split("**")
        return any(
            re.search(r"[^\w\s]$", parts[i]) and re.match(r"\w", parts[i + 1])
            for i in range(1, len(parts) - 1, 2)
        )

    assert unseen("**对。**错")
    assert [message.string for message in messages if unseen(message.string)] == []


@pytest.mark.parametrize("code", list(language.LANGUAGES))
def test_every_text_can_be_filled_in(
    code: str, spoken: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "_ask", lambda: code)
    bad = []
    for text in sorted(spoken):
        dummies = {name: f"<{name}>" for name in fields(text)}
        said = language._(text, **dummies)
        if "{" in said or not all(dummy in said for dummy in dummies.values()):
            bad.append((text, said))
    assert bad == []


def test_no_text_hides_in_an_f_string() -> None:
    """There the extraction does not see it, and the tests above cannot miss it."""
    sources = [path for folder in ("core", "pages", "ui") for path in (ROOT / folder).rglob("*.py")]
    hidden = [path.name for path in sources if re.search(r"""\{_\(['"]""", path.read_text("utf-8"))]
    assert hidden == []
