"""Experiments that ride in pages and scripts, and single matrices as tables."""

import base64
import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import experiments

from core import carried, edit, files, link, presets
from core.errors import Refusal
from core.presets import PRESETS, build, random
from core.script import to_notebook, to_script
from core.tables import quoted, unquoted

CURRENT = random(("a", "b"), d_model=2, num_heads=1)
CAT = build("relations-en")
CANARY = Path("/tmp/attention_script_canary")


def in_a_page(experiment):
    return f"<p>x{carried.element(files.to_json(experiment))}<p>y"


WAYS = {
    "x.json": lambda e: files.to_json(e).encode(),
    "x.npz": files.to_npz,
    "x.html": lambda e: in_a_page(e).encode(),
    "x.HTM": lambda e: in_a_page(e).encode(),
    "x.py": lambda e: to_script(e).encode(),
    "x.ipynb": lambda e: to_notebook(e).encode(),
}


def read(name, text, current=CURRENT):
    return files.read(name, text.encode(), current)


# There and back ----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_comes_back_to_the_last_bit(preset, way):
    experiment = build(preset)
    assert files.read(way, WAYS[way](experiment), CURRENT) == experiment


@given(experiments(), experiments())
@settings(max_examples=50, deadline=None)
def test_any_experiment_comes_back_from_a_script_a_notebook_and_a_page(experiment, current):
    assert read("x.py", to_script(experiment), current) == experiment
    assert read("x.ipynb", to_notebook(experiment), current) == experiment
    assert read("x.html", in_a_page(experiment), current) == experiment


def test_an_edited_experiment_comes_back_from_its_script():
    edited = edit.set_cell(CAT, "w_q", 0, 0, 0.1 + 0.2).with_(mask="causal", temperature=0.3)
    assert read("x.py", to_script(edited)) == edited


def test_one_that_is_too_long_for_a_link_comes_back_from_its_script():
    numbers = np.random.default_rng(0).normal(size=(64, 64))
    wide = random(tuple(map(str, range(9))), d_model=64)
    wide = edit.paste(wide, "w_q", 0, 0, numbers)
    assert len(link.to_link(wide)) > link.MAX_LENGTH
    text = to_script(wide)
    assert "\n# experiment: npz=" in text
    assert read("x.py", text) == wide


def test_a_notebook_that_was_run_and_saved_is_read():
    content = json.loads(to_notebook(CAT))
    content["cells"] = [{"cell_type": "code", "source": "1/0", "outputs": [{"text": "x"}]}]
    content["metadata"]["kernelspec"] = {"name": "another"}
    assert read("x.ipynb", json.dumps(content)) == CAT


def test_a_script_saved_on_windows_is_read():
    text = to_script(edit.set_cell(CAT, "w_q", 0, 0, 5)).replace("\n", "\r\n")
    assert files.read("x.py", b"\xef\xbb\xbf" + text.encode(), CURRENT).w_q[0, 0] == 5


def test_of_two_comments_the_one_at_the_end_counts():
    assert read("x.py", f"{to_script(build('random'))}\n{to_script(CAT)}") == CAT


def test_lines_of_the_comment_are_short():
    lines = carried.comment({"x": "y" * 1000})
    assert max(map(len, lines)) <= 100
    assert carried.in_script("\n" + "\n".join(lines) + "\n\n") == {"x": "y" * 1000}


# What is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no experiment"),
        ("print(1)\n", "holds no experiment"),
        ("x\n# experiment: \n", "damaged"),
        ("x\n# experiment: preset\n", "damaged"),
        ("x\n# experiment: preset=nobody\n", "damaged"),
        ("x\n# experiment: preset=random&x=1abc\n", "damaged"),
        ("x\n# experiment: preset=random&x=2abc\n", "damaged"),
        ("x\n# experiment: npz=%00\n", "damaged"),
        ("x\n# experiment: npz=UEsDBA==\n", "damaged"),
        ("x\n# experiment: preset=relations-en\nimport os\n", "damaged"),
    ],
    ids=lambda text: text[-25:].strip(),
)
def test_script_is_refused(text, message):
    with pytest.raises(Refusal, match=message):
        read("x.py", text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "notebook holds no experiment"),
        ("[]", "notebook holds no experiment"),
        ("{}", "notebook holds no experiment"),
        ('{"metadata": []}', "notebook holds no experiment"),
        (json.dumps({"metadata": {carried.ID: ["preset=random"]}}), "notebook holds no experiment"),
        ("[" * 200_000, "notebook holds no experiment"),
        ("9" * 10_000, "notebook holds no experiment"),
        (json.dumps({"metadata": {carried.ID: ""}}), "damaged"),
        (json.dumps({"metadata": {carried.ID: "x=1"}}), "damaged"),
        (json.dumps({"metadata": {carried.ID: "preset=random&x=1abc"}}), "damaged"),
        (json.dumps({"metadata": {carried.ID: "npz=UEsDBA=="}}), "damaged"),
    ],
    ids=lambda text: text[:50],
)
def test_notebook_is_refused(text, message):
    with pytest.raises(Refusal, match=message):
        read("x.ipynb", text)


def test_a_script_that_was_cut_is_refused():
    text = to_script(edit.paste(CAT, "w_q", 0, 0, np.full((16, 16), 0.123456789)))
    with pytest.raises(Refusal, match="damaged"):
        read("x.py", text[: text.rindex("\n", 0, -1)][:-5])


def test_nothing_of_a_script_is_run():
    CANARY.unlink(missing_ok=True)
    write = f"open({str(CANARY)!r}, 'w').close()\n"
    assert read("x.py", write + to_script(CAT)) == CAT
    with pytest.raises(Refusal):
        read("x.py", write)
    assert not CANARY.exists()


def test_an_archive_in_a_comment_unpickles_nothing():
    buffer = io.BytesIO()
    np.savez(buffer, X=np.array([{}], dtype=object))
    packed = base64.urlsafe_b64encode(buffer.getvalue()).decode()
    with pytest.raises(Refusal, match="damaged"):
        read("x.py", "x\n" + "\n".join(carried.comment({"npz": packed})))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "page holds no experiment"),
        ("<html><script>1</script></html>", "page holds no experiment"),
        (f'<script id="{carried.ID}">{{}}', "page holds no experiment"),
        (f'<script id="{carried.ID}">{{}}</script>', "nothing that is known"),
        (f'<script id="{carried.ID}">{{"X": [[1]</script>', "not JSON"),
        (f'<script id="{carried.ID}">[1]</script>', "not an object"),
        ("<script " * 500_000, "page holds no experiment"),
        ("<script " + "id " * 1_000_000, "page holds no experiment"),
    ],
    ids=lambda text: text[:40],
)
def test_page_is_refused(text, message):
    with pytest.raises(Refusal, match=message):
        read("x.html", text)


@pytest.mark.parametrize("name", ["x.html", "x.py"])
def test_size_and_coding_are_looked_at_first(name):
    with pytest.raises(Refusal, match="at most 5 MB"):
        files.read(name, b"1" * (files.MAX_BYTES + 1), CURRENT)
    with pytest.raises(Refusal, match="UTF-8"):
        files.read(name, b"\xff\xfe\x00", CURRENT)


# Single matrices ---------------------------------------------------------------------------------


def test_a_matrix_under_its_name_is_loaded_as_that_matrix():
    numbers = np.arange(256.0).reshape(16, 16) / 7
    header = "," + ",".join(map(str, range(16)))
    rows = [f"d{i}," + ",".join(map(repr, row)) for i, row in enumerate(numbers.tolist())]
    for title, field in (("W_Q", "w_q"), ("w_k", "w_k"), ("W_O", "w_o")):
        made = read("x.csv", "\ufeff" + "\r\n".join([title, header, *rows]), CAT)
        assert np.array_equal(getattr(made, field), numbers)
        assert made.tokens == CAT.tokens


def test_the_matrix_of_one_head_leaves_the_other_heads():
    changed = read("x.csv", _table("W_V head 2", np.full((16, 4), 0.5)), CAT).w_v
    assert (changed[:, 8:12] == 0.5).all()
    others = np.r_[0:8, 12:16]
    assert np.array_equal(changed[:, others], CAT.w_v[:, others])


def test_of_several_matrices_those_that_are_known_are_loaded():
    text = "\r\n".join(
        [_table("W_Q head 0", np.ones((16, 4))), ",,,,", _table("scores", np.ones((2, 3)))]
    )
    made = read("x.csv", text, CAT)
    assert (made.w_q[:, :4] == 1).all()
    assert np.array_equal(made.token_vectors, CAT.token_vectors)


def test_x_brings_its_words_without_their_places():
    text = _table("X", np.eye(3), ["a b·0", "'=1+1·1", "·2"])
    made = read("x.csv", text, random(("x",), d_model=3))
    assert made.tokens == ("a b", "=1+1", "")
    assert np.array_equal(made.token_vectors, np.eye(3))


@given(st.text(alphabet="'=-+@\t\r\n＝－＋＠1af in", max_size=5))
def test_what_a_spreadsheet_would_run_is_quoted_and_comes_back(text):
    cell = quoted(text)
    assert unquoted(cell) == text
    assert cell[:1] not in set("=+@\t\r\n＝－＋＠")
    if cell.startswith("-"):
        assert cell == text
        assert np.isfinite(float(cell))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scores\n,0\na,1\n", "no matrix that can be loaded"),
        ("seed\n,0\na,1\n", "no matrix that can be loaded"),
        ("X with positions\n,0\na,1\n", "no matrix that can be loaded"),
        ("W_Q\n,0,1\na,1\n", "Row 3 has 2 cells, but the header has 3"),
        ("W_Q\n,0,1\na,1,\n", "Row 3, column 3: “” is not a number"),
        ("W_Q head 9\n,0\na,1\n", "W_Q of head 9 has shape 1 × 1, which does not fit"),
        ("W_Q head 0\n,0\na,1\n", "W_Q of head 0 has shape 1 × 1, which does not fit"),
        ("W_Q\n,0\na,1\n\nw_q\n,0\na,1\n", "names something twice"),
        ("W_Q\n,0,1\na,1,nan\n", "is not a number"),
    ],
    ids=lambda text: text[:16],
)
def test_table_is_refused(text, message):
    with pytest.raises(Refusal, match=message):
        read("x.csv", text, CAT)


def _table(title, numbers, labels=None):
    labels = labels or [f"r{i}" for i in range(len(numbers))]
    lines = [title, "," + ",".join(map(str, range(numbers.shape[1])))]
    lines += [
        ",".join([label, *map(repr, row)])
        for label, row in zip(labels, numbers.tolist(), strict=True)
    ]
    return "\r\n".join(lines)


def test_a_script_with_other_letters_in_its_numbers_is_damaged():
    with pytest.raises(Refusal, match="damaged"):
        files.read("a.py", b"x = 1\n# experiment: npz=%C3%A9\n", presets.build("random"))


def test_a_page_that_only_begins_is_refused():
    page = "<script " + ' id="attention-experiment"' * 1000
    with pytest.raises(Refusal, match="holds no experiment"):
        files.read("a.html", page.encode(), presets.build("random"))
