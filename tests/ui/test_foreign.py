"""Streamlit's and Plotly's own texts: ours stand in their place, and only where they must."""

from collections.abc import Iterator

import pytest

from ui import foreign, language


@pytest.fixture
def chinese() -> Iterator[None]:
    """The reader reads Chinese."""
    language.follow(lambda: "zh")
    yield
    language.follow(lambda: "en")


def test_english_needs_nothing() -> None:
    assert foreign.streamlit_texts() == ""


@pytest.mark.usefixtures("chinese")
def test_each_text_of_streamlit_makes_room_for_ours() -> None:
    style = foreign.streamlit_texts()
    assert style.startswith("<style>")
    assert style.count("<") == 2, "no text ends the style"
    for place, text in (
        ('[data-testid="stFileUploaderDropzone"] button p', "上传"),
        ('[data-testid="InputInstructions"]', "按"),
        ('[data-testid="stSkipToContent"]', "跳到正文"),
        ('kbd[aria-label="Shortcut Space"]', "空格键"),
    ):
        assert f"{place} {{ font-size: 0 !important; }}" in style
        assert f'{place}::after {{ content: "{text}' in style
    assert "5 MB" in style


@pytest.mark.usefixtures("chinese")
def test_plotly_speaks_chinese() -> None:
    texts = foreign.plotly_texts()
    words = texts["locales"][texts["locale"]]["dictionary"]
    assert texts["locale"] == "zh"
    assert all(ours and ours != theirs for theirs, ours in words.items())


def test_what_a_text_holds_cannot_end_its_quotes_or_the_style() -> None:
    assert foreign._quoted('a"b\\c</style>') == '"a\\"b\\\\c\\3c /style>"'
