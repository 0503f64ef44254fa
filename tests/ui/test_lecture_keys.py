"""The Python side of a lecture's keys: what is checked, and that no move counts twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from ui.lecture import keys
from ui.lecture.keys import Moved, read


def message(client: Any = "a", query: Any = 0, key: Any = 0, heads: Any = 0, head: Any = None):
    return {"client": client, "query": query, "key": key, "heads": heads, "head": head}


# ---- what a browser says ----

NUMBERS = ("query", "key", "heads")
NO_SUM = (
    None,
    True,
    False,
    1.0,
    0.5,
    float("nan"),
    "1",
    "",
    [],
    [1],
    {},
    1_000_001,
    -1_000_001,
    10**400,
)


def test_a_message_is_read_as_it_is() -> None:
    assert read(message("c", -3, 4, 2, 1)) == Moved("c", -3, 4, 2, 1)
    assert read(message()) == Moved("a")


@pytest.mark.parametrize("value", NO_SUM, ids=str)
@pytest.mark.parametrize("name", NUMBERS)
def test_a_sum_is_a_whole_number_of_this_world(name: str, value: object) -> None:
    assert read(message(**{name: value})) is None


@pytest.mark.parametrize("name", NUMBERS)
def test_a_sum_that_is_missing(name: str) -> None:
    said = message()
    del said[name]
    assert read(said) is None


@pytest.mark.parametrize("said", [None, 3, True, "x", [], {}, [message()], b"x", {"client": "a"}])
def test_what_is_no_message(said: object) -> None:
    assert read(said) is None


@pytest.mark.parametrize("client", [None, 1, True, [], {}, b"a"])
def test_a_client_is_text(client: object) -> None:
    assert read(message(client)) is None


def test_a_long_client_is_cut() -> None:
    found = read(message("x" * 10_000_000))
    assert found is not None
    assert len(found.client) <= 64


@pytest.mark.parametrize("head", [None, True, 1.0, "1", [], {}, float("inf")])
def test_a_head_that_is_no_number_is_none(head: object) -> None:
    assert read(message(heads=1, head=head)) == Moved("a", heads=1, head=None)


@pytest.mark.parametrize("sums", [(1_000_000, 0), (0, 1_000_000), (-1_000_000, -1_000_000)])
def test_a_long_lecture_is_still_heard(sums: tuple[int, int]) -> None:
    assert read(message("a", *sums)) == Moved("a", *sums)


def test_more_than_is_asked_for_is_not_kept() -> None:
    assert read(message() | {"more": ["x"] * 9}) == Moved("a")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
)


@given(
    anything
    | st.fixed_dictionaries({}, optional=dict.fromkeys(("client", "head", *NUMBERS), anything))
)
def test_any_message(said: object) -> None:
    found = read(said)
    assert found is None or all(type(getattr(found, name)) is int for name in NUMBERS)


# ---- what is made of it ----


class Heard:
    """The callback of the component, as Streamlit calls it, with what it has called."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.moves: list[tuple[int, int]] = []
        self.heads: list[int] = []
        self.receive: Any = None

    def mount(self, **how: Any) -> None:
        self.receive = how["on_moved_change"]

    def say(self, **sums: Any) -> None:
        self.tell(message(**sums))

    def tell(self, said: object) -> None:
        self.state[keys._KEY] = {"moved": said}
        keys.listen(lambda *by: self.moves.append(by), self.heads.append)
        self.receive()

    @property
    def place(self) -> tuple[int, int]:
        return sum(q for q, _ in self.moves), sum(k for _, k in self.moves)


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> Heard:
    made = Heard()
    monkeypatch.setattr(keys, "_mount", made.mount)
    monkeypatch.setattr(keys.st, "session_state", made.state)
    return made


def test_a_move_is_what_has_been_added_since(heard: Heard) -> None:
    heard.say(query=1)
    heard.say(query=2)
    heard.say(query=2, key=-1)
    assert heard.moves == [(1, 0), (1, 0), (0, -1)]
    assert heard.heads == []


def test_messages_that_were_merged_lose_nothing(heard: Heard) -> None:
    """Streamlit keeps only the newest of several."""
    heard.say(query=1)
    heard.say(query=5, key=-3, heads=2, head=3)
    assert heard.moves == [(1, 0), (4, -3)]
    assert heard.heads == [3]


def test_the_same_message_again_moves_nothing(heard: Heard) -> None:
    for _ in range(3):
        heard.say(query=2, key=1, heads=1, head=0)
    assert heard.moves == [(2, 1)]
    assert heard.heads == [0]


def test_the_way_back_to_where_it_began_counts(heard: Heard) -> None:
    heard.say(query=1)
    heard.say(query=0)
    assert heard.moves == [(1, 0), (-1, 0)]


def test_a_page_that_was_opened_again_begins_at_zero(heard: Heard) -> None:
    heard.say(client="a", query=7, key=7, heads=4, head=1)
    heard.say(client="b", query=1)
    assert heard.moves == [(7, 7), (1, 0)]
    heard.say(client="b", query=1, heads=1, head=2)
    assert heard.heads == [1, 2]
    assert heard.place == (8, 7)


def test_a_page_that_was_opened_again_and_has_said_nothing_moves_nothing(heard: Heard) -> None:
    heard.say(client="a", query=7)
    heard.say(client="b")
    assert heard.moves == [(7, 0)]


def test_the_same_head_twice_is_two_choices(heard: Heard) -> None:
    """Somebody may have taken another one with the mouse in between."""
    heard.say(heads=1, head=2)
    heard.say(heads=2, head=2)
    heard.say(heads=3, head=0)
    assert heard.heads == [2, 2, 0]
    assert heard.moves == []


def test_a_head_is_chosen_without_a_move_and_a_move_without_a_head(heard: Heard) -> None:
    heard.say(heads=1, head=2)
    heard.say(query=1, heads=1, head=2)
    assert (heard.moves, heard.heads) == ([(1, 0)], [2])


@pytest.mark.parametrize("nonsense", [None, 3, {}, [], message(query="1"), message(key=10**9)])
def test_nonsense_moves_nothing_and_is_forgotten(heard: Heard, nonsense: object) -> None:
    heard.say(query=3)
    heard.tell(nonsense)
    heard.say(query=4)
    assert heard.moves == [(3, 0), (1, 0)]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.booleans()), max_size=20))
def test_whatever_is_lost_on_the_way_the_sum_arrives(steps: list[tuple[int, int, bool]]) -> None:
    """Any messages but the last may be lost."""
    heard, query, key = Heard(), 0, 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "_mount", heard.mount)
        patch.setattr(keys.st, "session_state", heard.state)
        for down, right, arrives in steps:
            query, key = query + down, key + right
            if arrives:
                heard.say(query=query, key=key)
        heard.say(query=query, key=key)
    assert heard.place == (query, key)
    assert (0, 0) not in heard.moves


def script() -> None:
    from ui.lecture import keys

    keys.listen(lambda query, key: None, lambda head: None)


def test_the_component_is_mounted() -> None:
    app = AppTest.from_function(script).run()
    assert not app.exception
    assert len(app.get("bidi_component")) == 1
