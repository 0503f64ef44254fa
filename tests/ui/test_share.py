"""The link to copy and to scan."""

import re
from urllib.parse import parse_qs, urlsplit

from ui import share


def test_the_address_holds_the_state_and_nothing_of_the_old_one():
    state = {"preset": "relations-en", "q": "8", "lang": "zh", "text": "猫 &=#?"}
    link = share.address("https://example.org/app/heads?q=1&old=2#part", state)
    parts = urlsplit(link)
    assert (parts.scheme, parts.netloc, parts.path) == ("https", "example.org", "/app/heads")
    assert parse_qs(parts.query) == {name: [value] for name, value in state.items()}
    assert not parts.fragment


def test_a_code_is_an_svg_with_its_own_white():
    drawn = share.code("http://localhost:8501/heads?q=8")
    assert drawn.startswith("<svg")
    assert re.search(r'fill="#fff"', drawn)
    assert drawn != share.code("http://localhost:8501/heads?q=9")


def test_the_longest_link_that_is_scanned_fits():
    assert share.code("x" * share._MAX_SCANNED)
