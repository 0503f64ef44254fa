"""Experiments written to files and read back, and files that come from elsewhere.

``tests/data/uploads.json`` says for each file in ``tests/data/uploads`` what must come of it.
"""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import experiments

from core.errors import Refusal
from core.experiment import BIAS_NAMES, Experiment
from core.files import MAX_BYTES, from_json, read, to_csv, to_json, to_npz
from core.presets import build, random
from core.trace import trace

DATA = Path(__file__).parents[1] / "data"
CASES = json.loads((DATA / "uploads.json").read_text("utf-8"))
CANARY = Path("/tmp/attention_unpickle_canary")

SMALL = random(("a", "b"), d_model=2, num_heads=1)
CAT = build("relations-en")


def each(outcome):
    cases = [pytest.param(case, id=case["file"]) for case in CASES if outcome in case]
    return pytest.mark.parametrize("case", cases)


def upload(case):
    return read(case["file"], (DATA / "uploads" / case["file"]).read_bytes(), SMALL)


def as_json(current=SMALL, **content):
    return read("x.json", json.dumps(content).encode(), current)


def as_npz(current=SMALL, **arrays):
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return read("x.npz", buffer.getvalue(), current)


def changed_fields(before, after):
    """Names of the fields that differ."""
    old, new = vars(before), vars(after)
    return {
        name
        for name in old
        if not np.array_equal(old[name], new[name]) or type(old[name]) is not type(new[name])
    }


# Our own files ----------------------------------------------------------------------------------


@given(experiments(), experiments())
def test_json_gives_back_the_same_experiment(experiment, current):
    text = to_json(experiment)
    assert from_json(text, current) == experiment
    assert read("x.JSON", text.encode(), current) == experiment


@given(experiments(), experiments())
def test_npz_gives_back_the_same_experiment(experiment, current):
    assert read("x.npz", to_npz(experiment), current) == experiment


@given(experiments(), experiments())
def test_csv_gives_back_tokens_and_vectors(experiment, current):
    back = read("x.csv", to_csv(experiment).encode(), current)
    assert back.tokens == experiment.tokens
    vectors = experiment.token_vectors.astype(np.float64)
    assert back.token_vectors.tobytes() == vectors.tobytes()
    assert back.preset == ""


@given(experiments())
@settings(max_examples=20)
def test_our_json_is_json(experiment):
    def fail(constant):
        raise AssertionError(constant)

    json.loads(to_json(experiment), parse_constant=fail)


def test_csv_keeps_the_names_of_dimensions():
    table = to_csv(CAT)
    assert table.splitlines()[0].startswith("token,noun,verb,")
    assert read("x.csv", table.encode(), SMALL).dimension_names == CAT.dimension_names
    assert read("x.csv", to_csv(SMALL).encode(), CAT).dimension_names == ()


def test_a_byte_order_mark_is_no_part_of_the_text():
    mark = "\ufeff".encode()
    assert read("x.json", mark + to_json(CAT).encode(), SMALL) == CAT
    assert read("x.csv", mark + to_csv(CAT).encode(), SMALL).tokens == CAT.tokens


# Files from elsewhere ---------------------------------------------------------------------------


def test_no_upload_was_lost():
    assert sorted(case["file"] for case in CASES) == sorted(
        path.name for path in (DATA / "uploads").iterdir()
    )


@each("refused")
def test_upload_is_refused(case):
    with pytest.raises(Refusal) as refusal:
        upload(case)
    assert case["refused"] in str(refusal.value)


@each("read")
def test_upload_is_read(case):
    experiment = upload(case)
    for name, expected in case["read"].items():
        array = getattr(experiment, name)
        np.testing.assert_array_equal(array, np.array(expected, np.float64), strict=True)


def test_nothing_is_unpickled():
    CANARY.unlink(missing_ok=True)
    pickled = (DATA / "uploads" / "pickle_canary.npz").read_bytes()
    for name in ("x.npz", "x.npy", "x.csv", "x.json"):
        with pytest.raises(Refusal):
            read(name, pickled, SMALL)
    assert not CANARY.exists()


def test_small_integers_do_not_wrap_around():
    x = np.array([[1, 0], [0, 1]], np.int8)
    file = (DATA / "uploads" / "int8.npz").read_bytes()
    experiment = read("x.npz", file, SMALL.with_(token_vectors=x))
    np.testing.assert_array_equal(trace(experiment).scores, np.full((1, 2, 2), 20_000.0))


@pytest.mark.parametrize("ending", ["csv", "json", "npz"])
def test_too_many_bytes(ending):
    with pytest.raises(Refusal, match=r"The file has 5\.0 MB; at most 5 MB can be read"):
        read(f"x.{ending}", b"1" * (MAX_BYTES + 1), SMALL)


@pytest.mark.parametrize("name", ["x", "x.xlsx", "x.npz.gz", "x.csv.exe", ""])
def test_unknown_ending(name):
    with pytest.raises(Refusal, match="is no CSV, JSON, NPZ, HTML, PY or IPYNB file"):
        read(name, b"1,2", SMALL)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('{"X": ' + "[" * 700 + "1" + "]" * 700 + "}", "X must be rows of plain numbers"),
        ('{"X": [[[1]]]}', "X must be rows of plain numbers"),
        ('{"X": [["1"]]}', "X must be rows of plain numbers"),
        ('{"X": [[true]]}', "X must be rows of plain numbers"),
        ('{"X": null}', "X must be rows of plain numbers"),
        ('{"X": [[1, 2], [3]]}', "X has rows of unequal length"),
        ('{"X": []}', "X has shape 0; it must have rows and columns"),
        ('{"X": [[1, 1e400]]}', r"X \[0, 1\] is inf"),
        ('{"X": [[Infinity]]}', "holds Infinity; every number must be finite"),
        ('{"X": [[1, 2]], "x": [[1, 2]]}', "names something twice"),
        ('{"X": [[1, 2]], "token_vectors": [[1, 2]]}', "names something twice"),
        ('{"X": [[' + "9" * 5000 + "]]}", "whole number of 5000 digits"),
        ('{"temperature": ' + "9" * 400 + "}", "whole number of 400 digits"),
        ('{"token_vectors": [[1e300]], "dtype": {"token_vectors": "float32"}}', "is inf"),
        ('{"X": [[1]', "not JSON: line 1, column 11"),
        ("{}", "nothing that is known here"),
        ('{"version": 2, "X": [[1]]}', "version 2; this app reads version 1"),
        ('{"num_heads": 0, "X": [[1]]}', "num_heads must be a whole number from 1 to 16"),
        ('{"num_heads": 100000000, "X": [[1]]}', "num_heads must be a whole number from 1 to 16"),
        ('{"num_heads": true}', "num_heads must be a whole number"),
        ('{"seed": -1}', "seed must be a whole number from 0"),
        ('{"temperature": "1"}', "temperature must be a number"),
        ('{"temperature": 1e400}', "temperature is inf"),
        ('{"divisor": []}', "divisor is “\\[\\]”, but must be one of"),
        ('{"preset": 1}', "preset must be text"),
        ('{"tokens": "ab"}', "tokens must be a list of text"),
        ('{"tokens": ["a", 1]}', "tokens must be a list of text"),
        ('{"tokens": ["a", "\\ud83d"]}', "Token 1 holds a broken character"),
        ('{"head_names": ["\\ud83d"]}', "holds a broken character"),
        ('{"tokens": ["a", "b", "c"]}', "for 3 tokens it needs 3 rows"),
        ('{"allowed": [[1]]}', "mask has shape 1 × 1"),
        ('{"W_Q": [[1, 2, 3], [4, 5, 6]]}', "W_Q has shape 2 × 3 and W_K 2 × 2"),
    ],
    ids=lambda text: text[:30],
)
def test_json_is_refused(text, message):
    with pytest.raises(Refusal, match=message):
        read("x.json", text.encode(), SMALL)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no number in the text"),
        ("token,0\r\n", "no number in the text"),
        ("token,0,1\na,1,2\nb,3\n", "Row 3 has 2 cells, but the header has 3"),
        ("token,0,1\na,1,2\nb,3,x\n", "Row 3, column 3: “x” is not a number"),
        ("token,0\na,1\nb,\n", "Row 3, column 2: “” is not a number"),
        ("token,0\na,1;2\n", "Row 2, column 2: “1;2” is not a number"),
        ("token,0\na\rb,1\n", "not CSV"),
        ("token,0\n" + "a" * 200_000 + ",1\n", "not CSV"),
        ("1,2\n" * 65, "X has shape 65 × 2; that is more than can be shown"),
        ("1 " * 600, "d_model is 600; it can be 1 to 512"),
    ],
    ids=lambda text: text[:20],
)
def test_csv_is_refused(text, message):
    with pytest.raises(Refusal, match=message):
        read("x.csv", text.encode(), SMALL)


def test_text_that_is_not_utf8():
    for name in ("x.csv", "x.json"):
        with pytest.raises(Refusal, match="save it as UTF-8"):
            read(name, "é".encode("latin-1"), SMALL)


@pytest.mark.parametrize("name", ["tokens", "mask", "allowed", "X", "b_q", "seed", "preset"])
def test_npz_member_that_is_no_array(name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name + ".npy", b"hello")
    with pytest.raises(Refusal):
        read("x.npz", buffer.getvalue(), SMALL)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"tokens": np.arange(2)}, "tokens must be a list of text"),
        ({"tokens": np.array('{"a": 1, "b": 2}')}, "tokens must be a list of text"),
        ({"tokens": np.array("[" * 5000)}, "tokens must be a list of text"),
        ({"allowed": np.ones((2, 2))}, "mask must be a table of 0 and 1"),
        ({"seed": np.array([1, 2])}, "seed must be a whole number"),
        ({"b_q": np.zeros((2, 1))}, "b_Q has shape 2 × 1"),
        ({f"a{i}": np.zeros(1) for i in range(41)}, "unpacks to"),
        ({"something": np.zeros(1)}, "nothing that is known here"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_npz_is_refused(arrays, message):
    with pytest.raises(Refusal, match=message):
        as_npz(**arrays)


def test_npz_of_text_as_a_person_saves_it():
    assert as_npz(tokens=np.array(["x", "y"])).tokens == ("x", "y")


# Files that hold a part -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["W_Q", "w_q", "w_Q"])
def test_one_projection_leaves_all_else_but_the_names_of_heads(name):
    experiment = as_json(CAT, **{name: np.ones((16, 16)).tolist()})
    assert changed_fields(CAT, experiment) == {"w_q", "head_names", "preset"}
    assert (experiment.head_names, experiment.preset) == ((), "")


def test_wider_values_leave_no_room_for_w_o_and_its_bias():
    current = CAT.with_(b_q=np.ones(16), b_v=np.ones(16), b_o=np.ones(16))
    experiment = as_npz(current, W_V=np.ones((16, 20)))
    assert changed_fields(current, experiment) == {"w_v", "w_o", "b_v", "head_names", "preset"}
    assert experiment.w_o is experiment.b_v is None


def test_projections_that_the_heads_do_not_divide_become_one_head():
    w = np.ones((16, 3))
    experiment = as_npz(CAT, W_Q=w, W_K=w)
    assert (experiment.num_heads, experiment.d_k, experiment.d_v) == (1, 3, 16)


def test_vectors_of_the_same_shape_leave_all_else():
    experiment = read("x.csv", to_csv(CAT).encode(), CAT.with_(token_vectors=np.ones((11, 16))))
    assert changed_fields(CAT, experiment) == {"preset"}
    experiment = as_json(CAT, X=np.ones((11, 16)).tolist())
    assert changed_fields(CAT, experiment) == {"token_vectors", "preset"}


def test_vectors_for_more_tokens_name_them_and_drop_the_mask_by_hand():
    current = CAT.with_(mask="manual", allowed=np.zeros((11, 11), bool))
    experiment = as_npz(current, X=np.ones((12, 16)))
    assert experiment.tokens == tuple(f"t{i}" for i in range(12))
    assert (experiment.mask, experiment.allowed) == ("none", None)
    assert changed_fields(CAT, experiment) == {"token_vectors", "tokens", "preset"}


def test_vectors_of_another_width_draw_weights_to_fit():
    current = CAT.with_(divisor="none", **{name: np.ones(16) for name in BIAS_NAMES})
    experiment = as_npz(current, X=np.ones((11, 3)))
    assert experiment.w_q.shape == experiment.w_k.shape == experiment.w_v.shape == (3, 4)
    assert experiment.positions == "off"  # the clock needs more
    assert experiment.dimension_names == experiment.head_names == ()
    assert all(getattr(experiment, name) is None for name in ("w_o", *BIAS_NAMES))
    assert (experiment.tokens, experiment.num_heads, experiment.divisor) == (CAT.tokens, 4, "none")
    assert experiment == as_npz(current, X=np.ones((11, 3)))


def test_missing_projections_are_drawn_to_fit_those_that_are_there():
    experiment = as_npz(CAT, X=np.ones((2, 3)), W_Q=np.ones((3, 2)))
    assert experiment.w_k.shape == (3, 2)
    assert experiment.num_heads == 1


def test_tokens_and_all_projections_are_an_experiment_of_their_own():
    eye = np.eye(2)
    current = SMALL.with_(mask="manual", allowed=eye > 0, b_q=np.ones(2), temperature=3.0)
    experiment = as_npz(current, tokens=np.array(["x", "y"]), X=eye, W_Q=eye, W_K=eye, W_V=eye)
    assert experiment == Experiment(tokens="xy", token_vectors=eye, w_q=eye, w_k=eye, w_v=eye)


def test_one_setting():
    experiment = as_json(CAT, mask="causal", temperature=2)
    assert changed_fields(CAT, experiment) == {"mask", "temperature", "preset"}
    assert (experiment.mask, experiment.temperature) == ("causal", 2.0)


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000,), }",
        b"{'descr':",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (",
    ],
)
def test_an_array_that_claims_more_than_it_holds(header):
    """Its header is read before its numbers: a lie about the size must not ask for the memory."""
    text = header + b" " * (117 - len(header)) + b"\n"
    array = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + b"\0" * 64
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("W_Q.npy", array)
    with pytest.raises(Refusal):
        read("crafted.npz", buffer.getvalue(), SMALL)


NO_LETTERS = np.array(["ab"]).view("<i4").byteswap().view("<U2")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"tokens": np.array("1" * 5000)}, "tokens must be a list of text"),
        ({"tokens": NO_LETTERS}, "no NPZ archive of plain"),
        ({"preset": NO_LETTERS[0:1].reshape(())}, "no NPZ archive of plain"),
    ],
    ids=["a number of 5000 digits", "tokens", "a setting"],
)
def test_texts_of_an_archive_that_are_none_are_refused(fields, message):
    buffer = io.BytesIO()
    np.savez(buffer, **fields)
    with pytest.raises(Refusal, match=message):
        read("x.npz", buffer.getvalue(), SMALL)
