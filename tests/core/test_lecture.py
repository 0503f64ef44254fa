"""Lectures: what was prepared comes back from file and link; what is not ours is refused."""

import base64
import contextlib
import json
import time
import tracemalloc
import zlib
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import texts

from core import edit, link, presets
from core.errors import Refusal
from core.files import MAX_BYTES
from core.lecture import (
    FORMAT,
    MAX_NAME,
    MAX_STEPS,
    MAX_WORD,
    VERSION,
    Lecture,
    Step,
    from_json,
    from_link,
    to_json,
    to_link,
)

PAGES = frozenset({"start", "tokens", "heatmap"})
EDITED = link.to_link(edit.set_cell(presets.build("article-numbers"), "w_q", 0, 0, 0.123456789))
STEP = Step("heatmap", {"preset": "article-numbers", "x": EDITED, "q": "3", "stage": "scores"}, "A")
SOME = Lecture("Tuesday", (STEP, Step("start", {}), Step("tokens", {"x": "1abc"}, "猫")))
NAMES = (
    "",
    " ",
    "é猫👍",
    "שלום",
    "a" * MAX_NAME,
    "猫" * MAX_NAME,
    "👩‍👩‍👧",
    '"\\\n\0',
    "\u2028",
    "<b>",
)

few = settings(max_examples=100, deadline=None)

words = st.dictionaries(
    st.text(max_size=20).filter(lambda key: key != "x"), st.text(max_size=80), max_size=8
)
experiments = st.sampled_from(("", "1abc", EDITED)) | st.text(max_size=200)
steps = st.builds(
    lambda page, state, x, title: Step(page, state | x, title),
    st.sampled_from(sorted(PAGES)),
    words,
    st.just({}) | experiments.map(lambda text: {"x": text}),
    st.text(max_size=MAX_NAME),
)
lectures = st.builds(Lecture, st.text(max_size=MAX_NAME), st.lists(steps, max_size=6).map(tuple))


def content(**changes: object) -> dict[str, object]:
    good = {"format": FORMAT, "version": VERSION, "name": "n", "experiments": ["1abc"]}
    return good | {"steps": [["start", "t", {"x": 0, "q": "1"}]]} | changes


def in_file(**changes: object) -> str:
    return json.dumps(content(**changes))


def packed(data: object) -> str:
    """A link with any content, as somebody could make one by hand."""
    return packed_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())


def packed_bytes(data: bytes) -> str:
    return link.VERSION + base64.urlsafe_b64encode(zlib.compress(data, 9)).decode().rstrip("=")


def refused(content: dict[str, object], sentence: str | None = None) -> None:
    """In a file and in a link."""
    for read, text in ((from_json, json.dumps(content)), (from_link, packed(content))):
        with pytest.raises(Refusal, match=sentence) as refusal:
            read(text, PAGES)
        assert str(refusal.value).endswith(".")


def refused_or_read(content: object) -> None:
    """A refusal, or a lecture that can be written again; another exception is an error of ours."""
    for read, text in ((from_json, json.dumps(content)), (from_link, packed(content))):
        with contextlib.suppress(Refusal):
            made = read(text, PAGES)
            assert isinstance(made, Lecture)
            assert from_json(to_json(made), PAGES) == made
            to_link(made)


# ---- there and back ----


@few
@given(lectures)
@example(Lecture())
@example(Lecture("a name alone"))
@example(SOME)
def test_any_lecture_comes_back(lecture):
    assert from_json(to_json(lecture), PAGES) == lecture
    assert from_json(to_json(lecture).encode(), PAGES) == lecture
    assert from_link(to_link(lecture), PAGES) == lecture


@few
@given(lectures)
def test_a_link_holds_only_what_an_address_may(lecture):
    text = to_link(lecture)
    assert set(text) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_and_titles_as_they_are(name):
    made = Lecture(name, (replace(STEP, title=name),))
    assert from_json(to_json(made), PAGES) == made
    assert from_link(to_link(made), PAGES) == made


def test_nothing_prepared_needs_no_text():
    assert to_link(Lecture()) == ""
    assert from_link("", PAGES) == Lecture()
    assert to_link(Lecture("a")) != ""


def test_the_order_of_steps_stays():
    made = Lecture("", tuple(replace(STEP, title=str(i)) for i in range(MAX_STEPS)))
    assert from_link(to_link(made), PAGES) == made
    assert from_json(to_json(made), PAGES) == made


def test_a_step_without_an_experiment_is_not_one_with_an_empty_one():
    made = Lecture(
        "", (Step("start", {"x": ""}), Step("start", {}), STEP, Step("start", {"x": ""}))
    )
    again = from_link(to_link(made), PAGES)
    assert [step.state for step in again.steps] == [{"x": ""}, {}, STEP.state, {"x": ""}]


def test_the_longest_experiment_that_is_written_is_read():
    """What on_screen takes (MAX_WORD characters) a file gives back."""
    made = Lecture("", (Step("start", {"x": "1" * MAX_WORD}),))
    assert from_json(to_json(made), PAGES) == made


# ---- steps on one experiment share it ----


def incompressible(seed: int) -> str:
    """An experiment as text in which nothing repeats."""
    numbers = presets.build("article-numbers")
    wide = presets.random(("a", "b", "c", "d"), seed=seed, d_model=64)
    narrow = dict.fromkeys(("w_q", "w_k", "w_v"), wide.token_vectors.T)
    return link.to_link(numbers.with_(token_vectors=wide.token_vectors, w_o=None, **narrow))


@pytest.mark.parametrize("write", [to_link, to_json])
def test_ten_steps_on_one_experiment_are_hardly_longer_than_one(write):
    text = incompressible(1)
    assert len(text) > 3000
    one = Lecture("", (Step("heatmap", {"x": text, "q": "0"}),))
    ten = Lecture("", tuple(Step("heatmap", {"x": text, "q": str(i)}) for i in range(10)))
    assert len(write(ten)) < len(write(one)) + 1000
    assert from_json(to_json(ten), PAGES) == from_link(to_link(ten), PAGES) == ten


def test_two_experiments_are_stored_once_each_and_not_confused():
    first, second = incompressible(1), incompressible(2)
    assert first != second
    used = (first, second, first, second, second)
    made = Lecture("", tuple(Step("start", {"x": x}) for x in used))
    stored = json.loads(to_json(made))
    assert stored["experiments"] == [first, second]
    assert [step.state["x"] for step in from_link(to_link(made), PAGES).steps] == list(used)


# ---- changes ----


def letters(lecture: Lecture) -> str:
    return "".join(step.title for step in lecture.steps)


ABCD = Lecture("n", tuple(replace(STEP, title=letter) for letter in "abcd"))


def test_a_step_is_added_at_the_end_and_the_old_lecture_stays():
    assert letters(ABCD.add(replace(STEP, title="e"))) == "abcde"
    assert letters(ABCD) == "abcd"


def test_a_hundred_steps_and_no_more():
    made = Lecture()
    for _ in range(MAX_STEPS):
        made = made.add(STEP)
    assert len(made.steps) == MAX_STEPS == 100
    with pytest.raises(Refusal, match=r"at most 100 steps\."):
        made.add(STEP)
    assert from_json(to_json(made), PAGES) == made
    refused(content(steps=[["start", "", {}]] * (MAX_STEPS + 1)))


@pytest.mark.parametrize(
    ("place", "by", "order"),
    [(0, 1, "bacd"), (1, -1, "bacd"), (3, -1, "abdc"), (0, -1, "abcd"), (3, 1, "abcd"),
     (0, 99, "bcda"), (3, -99, "dabc"), (1, 0, "abcd"), (1, 2, "acdb")],
)  # fmt: skip
def test_a_step_moves_but_not_beyond_an_end(place, by, order):
    assert letters(ABCD.move(place, by)) == order


@pytest.mark.parametrize(("place", "left"), [(0, "bcd"), (1, "acd"), (3, "abc")])
def test_a_step_is_removed(place, left):
    assert letters(ABCD.remove(place)) == left


@pytest.mark.parametrize("place", range(4))
def test_one_step_is_entitled(place):
    made = ABCD.entitle(place, "  X " + "y" * MAX_NAME)
    title = "X " + "y" * (MAX_NAME - 2)
    assert [step.title for step in made.steps] == [
        title if i == place else "abcd"[i] for i in range(4)
    ]
    assert all(step.state == STEP.state for step in made.steps)


def test_a_long_name_is_cut_and_can_be_read_again():
    made = ABCD.called(" " + "猫" * 200)
    assert made.name == "猫" * MAX_NAME
    assert made.steps == ABCD.steps
    assert from_json(to_json(made), PAGES) == made
    assert ABCD.called("   ").name == ""


# ---- limits of what is read ----


@pytest.mark.parametrize(
    ("key", "longest"), [("name", MAX_NAME), ("title", MAX_NAME), ("option", 80), ("key", 20)]
)
def test_a_text_is_as_long_as_it_may_be(key, longest):
    def of(length: int) -> dict[str, object]:
        text = "é" * length
        return {
            "name": content(name=text),
            "title": content(steps=[["start", text, {}]]),
            "option": content(steps=[["start", "", {"q": text}]]),
            "key": content(steps=[["start", "", {text: "1"}]]),
        }[key]

    assert from_json(json.dumps(of(longest)), PAGES) == from_link(packed(of(longest)), PAGES)
    refused(of(longest + 1))


def test_an_experiment_in_a_link_is_no_longer_than_a_link():
    assert from_link(packed(content(experiments=["1" * link.MAX_LENGTH])), PAGES)
    too_long = content(experiments=["1" * (link.MAX_LENGTH + 1)])
    with pytest.raises(Refusal):
        from_link(packed(too_long), PAGES)
    assert from_json(json.dumps(too_long), PAGES)
    with pytest.raises(Refusal):
        from_json(in_file(experiments=["1" * (MAX_WORD + 1)]), PAGES)


def test_a_state_has_thirty_words_at_most():
    many = {f"o{i}": "1" for i in range(30)}
    assert from_json(in_file(steps=[["start", "", many]]), PAGES).steps[0].state == many
    refused(content(steps=[["start", "", many | {"more": "1"}]]))


@pytest.mark.parametrize("data", [b" " * 6_000_000, b"[" * 6_000_000, b"\xff" * 6_000_000])
def test_a_file_of_six_megabytes_says_how_large_one_may_be(data):
    with pytest.raises(Refusal, match=r"larger than 5 MB\."):
        from_json(data, PAGES)
    assert MAX_BYTES == 5_000_000


# ---- not ours ----

GOOD = to_link(SOME)


@pytest.mark.parametrize("end", range(1, len(GOOD)))
def test_a_link_that_was_cut(end):
    with pytest.raises(Refusal):
        from_link(GOOD[:end], PAGES)


def test_a_file_that_was_cut():
    text = to_json(SOME)
    for end in range(len(text)):
        with pytest.raises(Refusal):
            from_json(text[:end], PAGES)


@pytest.mark.parametrize("version", ["0", "2", "x", "é", " "])
def test_a_link_of_another_version(version):
    with pytest.raises(Refusal, match=r"version"):
        from_link(version + GOOD[1:], PAGES)


@pytest.mark.parametrize("version", [0, 2, "1", 1.5, None, [1], {}])
def test_a_file_of_another_version(version):
    with pytest.raises(Refusal, match=r"The lecture is of another version of this app\."):
        from_json(in_file(version=version), PAGES)


@pytest.mark.parametrize("kind", ["attention-explorer", "", None, 1, [FORMAT], {FORMAT: 1}])
def test_a_file_of_another_kind(kind):
    with pytest.raises(Refusal, match="not a lecture"):
        from_json(in_file(format=kind), PAGES)


def test_an_experiment_is_no_lecture():
    now = edit.set_cell(presets.build("article-numbers"), "w_q", 0, 0, 9)
    with pytest.raises(Refusal):
        from_link(link.to_link(now), PAGES)


@pytest.mark.parametrize(
    "text",
    ["", " ", "null", "1", '"x"', "[]", "{}", "NaN", "9" * 5000, '{"format": NaN}', "\0", "{",
     b"", b"\xff\xfe\x00", b"\x80", b"\x1f\x8b\x08", "\ufeff{}", b"\xef\xbb\xbf{}"],
)  # fmt: skip
def test_a_file_that_is_no_lecture(text):
    with pytest.raises(Refusal, match="not a lecture"):
        from_json(text, PAGES)


@pytest.mark.parametrize("page", ["nonsense", "", "Start", "start ", "../app", "\0", "heads"])
def test_a_page_that_does_not_exist(page):
    refused(content(steps=[[page, "", {}]]), r"names a page that does not exist\.")


WRONG = (None, True, 0, 1.5, 10**30, "abc", [], [None], {}, {"a": 1}, [["start", "", {}]])


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize("key", ["name", "experiments", "steps"])
def test_a_part_of_the_wrong_type(key, value):
    right = {"name": ("abc",), "experiments": ([],), "steps": ([], [["start", "", {}]])}[key]
    changed = content(steps=[["start", "", {}]]) | {key: value}
    if value in right:
        refused_or_read(changed)
    else:
        refused(changed)


@pytest.mark.parametrize("key", ["name", "experiments", "steps"])
def test_a_part_that_is_missing(key):
    refused({name: value for name, value in content().items() if name != key})


@pytest.mark.parametrize(
    "step",
    [*WRONG[:-1], ["start"], ["start", ""], ["start", "", {}, 1], ["start", None, {}],
     ["start", 1, {}], [1, "", {}], [None, "", {}], [["start"], "", {}], ["start", "", []],
     ["start", "", None], ["start", "", [["q", "1"]]], {"page": "start"}],
    ids=repr,
)  # fmt: skip
def test_a_step_of_the_wrong_shape(step):
    refused(content(steps=[step]))


@pytest.mark.parametrize(
    "index", [True, False, 0.0, 1, -1, None, "0", "1abc", [], [0], {}, 10**30, 1e308], ids=repr
)
def test_an_experiment_is_named_by_its_number(index):
    refused(content(steps=[["start", "", {"x": index}]]))


@pytest.mark.parametrize("value", [None, True, 0, 1, 1.5, [], ["1"], {}], ids=repr)
def test_an_option_is_text(value):
    refused(content(steps=[["start", "", {"q": value}]]))


@pytest.mark.parametrize("value", [None, True, 0, 1.5, [], {}], ids=repr)
def test_an_experiment_is_text(value):
    refused(content(experiments=[value], steps=[]))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "\ud800"},
        {"steps": [["start", "\udfff", {}]]},
        {"steps": [["start", "", {"q": "\ud83d"}]]},
        {"steps": [["start", "", {"\ud83d": "1"}]]},
        {"experiments": ["1\ud800"]},
    ],
    ids=["name", "title", "option", "key", "experiment"],
)
def test_half_a_character_can_be_read_only_if_it_can_be_written_again(changes):
    refused_or_read(content(**changes))


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from((10**30, 1e308, 0.0, 0.5, "x", "q", "start", "1abc", "\ud800"))
    | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3)
)
states = st.dictionaries(st.sampled_from(("x", "q", "stage")) | texts, scalars, max_size=3)
some_steps = st.lists(
    st.tuples(st.sampled_from(sorted(PAGES)) | scalars, scalars, states | values) | values,
    max_size=3,
)
contents = st.fixed_dictionaries(
    {},
    optional={
        "format": st.just(FORMAT) | values,
        "version": st.just(VERSION) | values,
        "name": texts | values,
        "experiments": st.lists(scalars, max_size=2) | values,
        "steps": some_steps | values,
        "more": values,
    },
)


@settings(max_examples=400, deadline=None)
@given(contents | values)
def test_any_content(changes):
    refused_or_read(changes)
    if isinstance(changes, dict):
        refused_or_read(content() | changes)


@few
@given(st.text(max_size=80))
def test_any_text(text):
    for one in (text, link.VERSION + text):
        if one:
            with pytest.raises(Refusal):
                from_link(one, PAGES)
        with pytest.raises(Refusal):
            from_json(one, PAGES)


@few
@given(st.binary(max_size=200))
def test_any_bytes(data):
    with pytest.raises(Refusal):
        from_json(data, PAGES)
    for text in (packed_bytes(data), link.VERSION + base64.urlsafe_b64encode(data).decode()):
        with pytest.raises(Refusal):
            from_link(text, PAGES)


@few
@given(place=st.integers(0, len(GOOD) - 1), character=st.characters(codec="utf-8"))
def test_one_character_changed(place, character):
    with contextlib.suppress(Refusal):
        made = from_link(GOOD[:place] + character + GOOD[place + 1 :], PAGES)
        assert made == SOME or character != GOOD[place]


@pytest.mark.parametrize("key", ["name", "experiments", "steps", "more", "format"])
def test_nested_as_deep_as_it_can_be_read(key):
    rest = json.dumps({name: value for name, value in content().items() if name != key})
    for depth in (*range(100, 900, 100), *range(900, 1010, 2), 100_000):
        deep = "[" * depth + "]" * depth
        text = rest[:-1] + f', "{key}": {deep}}}'
        for read, one in ((from_json, text), (from_link, packed_bytes(text.encode()))):
            with contextlib.suppress(Refusal):
                assert read(one, PAGES) == Lecture(
                    "n", (Step("start", {"x": "1abc", "q": "1"}, "t"),)
                )


@pytest.mark.parametrize(
    "data",
    [b"0" * 200_000_000, b'{"name": "' + b"a" * 100_000_000 + b'"}', b"[" * 50_000_000],
    ids=["number", "text", "lists"],
)
def test_a_bomb_is_refused_before_it_unpacks(data):
    bomb = packed_bytes(data)
    assert len(bomb) < 500_000
    start = time.perf_counter()
    with pytest.raises(Refusal):
        from_link(bomb, PAGES)
    assert time.perf_counter() - start < 1


def test_unpacking_stops_in_time():
    bomb = packed_bytes(b" " * 100_000_000)
    tracemalloc.start()
    with pytest.raises(Refusal):
        from_link(bomb, PAGES)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 20_000_000
