"""Experiments as programs: each is run for itself and must compute what the app shows."""

import ast
import json
import runpy
import subprocess
import sys
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from strategies import HOSTILE, experiments

from core import edit
from core.experiment import BIAS_NAMES, SYMBOLS, Experiment
from core.presets import PRESETS, build, random
from core.script import script, to_notebook, to_script
from core.script.literals import LINE
from core.script.numbers import MAX_WRITTEN
from core.trace import trace

CAT = build("relations-en")
ONE_HEAD = build("article-numbers")
CHANCE = random(("a", "b", "a"), d_model=6, num_heads=2, d_k=2)
NASTY = (
    *HOSTILE,
    '"""; import os',
    "'''",
    "\\'",
    "\\N{DOG}",
    "{h}",
    "# x",
    "\x85",
    "\u200f",
    "ا" * 60,
)


def in_float32(experiment, *names):
    """All of its matrices, or these, as float32."""
    matrices = names or ("token_vectors", "w_q", "w_k", "w_v", "w_o")
    return experiment.with_(**{name: getattr(experiment, name).astype("f4") for name in matrices})


def with_biases(experiment, *names):
    widths = {"b_q": experiment.w_q, "b_k": experiment.w_k, "b_v": experiment.w_v}
    columns = {name: w.shape[1] for name, w in widths.items()} | {"b_o": experiment.d_model}
    return experiment.with_(
        **{name: np.linspace(-1, 1 / 3, columns[name]) for name in names or BIAS_NAMES}
    )


def by_hand(experiment):
    """Query 1 may look at nothing."""
    allowed = np.tri(experiment.n, dtype=bool)
    allowed[1] = False
    return experiment.with_(mask="manual", allowed=allowed)


CASES = {
    **{name: build(name) for name in PRESETS},
    "causal": CHANCE.with_(mask="causal"),
    "causal, one head": ONE_HEAD.with_(mask="causal"),
    "by hand": by_hand(CHANCE),
    "by hand, one head": by_hand(ONE_HEAD),
    "by hand, all allowed": CHANCE.with_(mask="manual", allowed=np.ones((3, 3), dtype=bool)),
    "no longer by hand": by_hand(CHANCE).with_(mask="none"),
    **{name: CHANCE.with_(divisor=name) for name in ("none", "d_k", "sqrt_d_model")},
    "temperature": CHANCE.with_(temperature=0.5),
    "only temperature": CHANCE.with_(temperature=0.3, divisor="none"),
    "temperature, d_k": CHANCE.with_(temperature=0.7, divisor="d_k"),
    "biases": with_biases(CHANCE),
    "one bias": with_biases(ONE_HEAD, "b_v"),
    "no W_O": CHANCE.with_(w_o=None),
    "no W_O for the bias": with_biases(CHANCE).with_(w_o=None),
    "sinusoidal": CHANCE.with_(positions="sinusoidal"),
    "clock": CHANCE.with_(positions="clock"),
    "float32": in_float32(CHANCE),
    "float32, all of it": by_hand(
        in_float32(CHANCE).with_(positions="sinusoidal", divisor="sqrt_d_model", temperature=0.3)
    ),
    "float32 vectors only": in_float32(CHANCE, "token_vectors"),
    "float64 W_V only": in_float32(CHANCE, "token_vectors", "w_q", "w_k", "w_o"),
    "hostile": random(NASTY),
    "one token": random(("a",), d_model=1, num_heads=1).with_(mask="causal"),
    "edited": edit.paste(CAT, "w_q", 3, 5, np.array([[0.1 + 0.2]])),
    "large": random(tuple(map(str, range(64))), d_model=512, num_heads=16).with_(mask="causal"),
    "large float32": in_float32(random(("a", "b"), d_model=72, num_heads=3)),
}

RUN_ALL = """
import runpy, sys
import numpy as np
for path in sys.argv[1:]:
    names = runpy.run_path(path)
    np.savez(path + ".npz", weights=names["weights"], output=names["output"])
print(sorted({"core", "ui", "streamlit"} & set(sys.modules)))
"""


@cache
def made(case):
    return script(CASES[case])


every_case = pytest.mark.parametrize("case", CASES)


def python(*arguments, place):
    """Python that knows nothing of this project."""
    run = subprocess.run(
        [sys.executable, "-I", "-W", "error", *arguments],
        cwd=place,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("scripts")


@pytest.fixture(scope="module")
def results(place):
    """What each script computes; all are run by one Python, each as a file of its own."""
    paths = {case: place / f"{i}.py" for i, case in enumerate(CASES)}
    for case, path in paths.items():
        path.write_text(made(case).text, "utf-8")
    assert python("-c", RUN_ALL, *map(str, paths.values()), place=place) == "[]\n"
    return {case: np.load(f"{path}.npz") for case, path in paths.items()}


def run_here(text, folder):
    path = folder / "attention.py"
    path.write_text(text, "utf-8")
    return SimpleNamespace(**runpy.run_path(str(path)))


def same(names, experiment):
    """The same to 1e-12, where what is near 1e13 has as many digits as what is near 1."""
    result = trace(experiment)
    for found, expected in ((names.weights, result.weights), (names.output, result.output)):
        assert found.shape == expected.shape
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


# ---- what it computes ----


@every_case
def test_a_script_run_elsewhere_computes_what_the_app_shows(results, case):
    saved = results[case]
    same(SimpleNamespace(weights=saved["weights"], output=saved["output"]), CASES[case])


@given(experiments())
@settings(max_examples=20)
def test_any_experiment(tmp_path_factory, experiment):
    names = run_here(to_script(experiment), tmp_path_factory.getbasetemp())
    same(names, experiment)
    assert names.tokens == list(experiment.tokens)
    for name, symbol in SYMBOLS.items():
        kept, array = getattr(names, symbol, None), getattr(experiment, name)
        if name == "token_vectors":
            kept = getattr(names, "vectors", kept)
            array = array.astype(kept.dtype)  # X may have become float64
        if name == "b_o" and experiment.w_o is None:
            array = None
        assert (kept is None) == (array is None), name
        if array is not None:
            assert kept.dtype == array.dtype
            assert kept.tobytes() == array.tobytes(), name


@given(experiments(limit=10))
@settings(max_examples=10)
def test_a_notebook_computes_the_same(tmp_path_factory, experiment):
    same(run_here(joined(to_notebook(experiment)), tmp_path_factory.getbasetemp()), experiment)


@pytest.mark.parametrize("case", ["relations-zh", "hostile", "by hand, one head", "large float32"])
def test_the_notebook_of(case, tmp_path, capsys):
    text = to_notebook(CASES[case])
    same(run_here(joined(text), tmp_path), CASES[case])
    assert "output: a row for each token" in capsys.readouterr().out
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert {cell["cell_type"] for cell in cells} == {"markdown", "code"}
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")


def joined(notebook):
    cells = json.loads(notebook)["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


def test_it_prints_the_rounded_weights_of_each_head_and_the_output(place):
    path = place / "attention.py"
    path.write_text(to_script(ONE_HEAD), "utf-8")
    printed = python("attention.py", place=place)
    result = trace(ONE_HEAD)
    assert "tokens: ['a', 'b', 'c', 'd']" in printed
    for number in (*result.weights.ravel(), *result.output.ravel()):
        assert f"{number:.3f}" in printed
    path.write_text(to_script(CAT), "utf-8")
    printed = python("attention.py", place=place)
    assert [f"head {t}:" in printed for t in range(5)] == [True] * 4 + [False]
    assert f"{trace(CAT).weights[2, 8, 1]:.3f}" in printed


def test_every_bit_of_packed_numbers_is_kept(tmp_path):
    large = CASES["large float32"]
    assert large.w_q.size * 4 > MAX_WRITTEN
    names = run_here(to_script(large), tmp_path)
    assert names.W_Q.tobytes() == large.w_q.tobytes()
    assert names.X.tobytes() == large.token_vectors.tobytes()


# ---- how it is written ----


@every_case
def test_it_imports_numpy_and_runs_no_text(case):
    text = made(case).text
    nodes = list(ast.walk(ast.parse(text)))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    allowed = {"import numpy as np"}
    if case.startswith("large"):
        allowed |= {"import base64", "import zlib"}
    assert {ast.unparse(node) for node in imports} == allowed
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    assert not names & {"exec", "eval", "open", "__import__", "compile"}
    assert text.replace("\n", "").isprintable(), "what cannot be seen is escaped"


@every_case
def test_lines_can_be_read(case):
    text = made(case).text
    start = text.index("\ntokens = [")
    end = text.index("\n]\n", start)
    for line in (text[:start] + text[end:]).split("\n"):
        assert len(line) <= LINE, line
        assert line == line.rstrip()


@pytest.mark.parametrize(
    ("part", "has", "lacks"),
    [
        ("b_Q", ["biases"], ["random", "one bias"]),
        ("b_O", ["biases"], ["no W_O for the bias"]),
        ("W_O", ["random", "biases"], []),
        ("np.tri", ["causal"], ["random", "by hand", "no longer by hand"]),
        ("allowed", ["causal", "by hand", "by hand, all allowed"], ["random", "no longer by hand"]),
        ("isneginf", ["by hand"], ["causal", "by hand, all allowed", "random"]),
        ("positions", ["clock", "sinusoidal", "relations-en"], ["random", "float32"]),
        ("temperature", ["temperature", "only temperature"], ["random"]),
        ("np.sqrt(d_k)", ["random", "temperature"], ["none", "d_k", "sqrt_d_model"]),
        ("A usual mistake", ["none", "d_k", "sqrt_d_model"], ["random"]),
        ("split_into_heads", ["random", "no W_O"], ["article-numbers"]),
        ("np.float32", ["float32", "float64 W_V only"], ["random", "large float32"]),
        (".astype(np.float64)", ["float64 W_V only", "float32 vectors only"], ["float32"]),
        ("unpack(", ["large", "large float32"], ["random", "hostile"]),
    ],
)
def test_only_what_the_experiment_has(part, has, lacks):
    assert [case for case in has if part not in made(case).text] == []
    assert [case for case in lacks if part in made(case).text] == []


def test_numbers_are_as_short_as_they_can_be():
    text = to_script(CAT)
    assert "    [1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0],  # 'cat'\n" in text
    odd = np.array([[0.1, -0.0, 1e-7, 1e6]], dtype=np.float32)
    single = Experiment(("a",), odd, *np.ones((3, 4, 1), dtype=np.float32))
    assert "    [0.1, -0.0, 1e-07, 1000000],  # 'a'\n" in to_script(single)


def test_tokens_written_from_right_to_left_stand_alone():
    text = to_script(random(("שלום", "a", "القط")))
    assert "tokens = [\n    'שלום',\n    'a',\n    'القط',\n]\n" in text
    assert "tokens = [\n    'a', 'b', 'a',\n]\n" in to_script(CHANCE)


# ---- where it computes what ----

WRITTEN = {
    "softmax": "def softmax(",
    "scores": "    scores = Q @ K",
    "mask": "    masked_scores = np.where(allowed",
    "weights": "    weights = softmax(",
    "head_outputs": "    head_outputs = weights @ V",
    "output": "    output = ",
    **{name: f"    {name} = " for name in "QKV"},
    **{name: f"{name} = " for name in ("X", "W_Q", "W_K", "W_V", "W_O")},
}


@every_case
def test_places_point_at_the_lines(case):
    experiment, places = CASES[case], made(case).places
    lines = made(case).text.split("\n")
    missing = {"W_O"} if experiment.w_o is None else set()
    missing |= {"mask"} if experiment.mask == "none" else set()
    found = {name for name in places if not name.startswith("b_")}
    assert found == WRITTEN.keys() - missing | {"divisor"}
    for name, place in places.items():
        line = lines[place.line - 1]
        if name == "divisor":
            none = experiment.divisor == "none" and experiment.temperature == 1
            assert line.startswith("    scaled_scores = scores" if none else "    scale = ")
        else:
            assert line.startswith(WRITTEN.get(name, f"{name} = ")), name


@every_case
def test_places_tell_the_shapes(case):
    experiment, places = CASES[case], made(case).places
    result = trace(experiment)
    stages = {"X": result.embeddings, "Q": result.query, "K": result.key, "V": result.value}
    stages |= {"W_Q": experiment.w_q, "W_V": experiment.w_v, "weights": result.weights}
    stages |= {"scores": result.scores, "head_outputs": result.head_outputs}
    for name, array in stages.items():
        one = experiment.num_heads == 1 and array.ndim == 3
        assert places[name].shape == (array.shape[1:] if one else array.shape), name
    assert places["output"].shape == result.output.shape
    assert places["divisor"].shape == ()
