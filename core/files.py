"""Experiments as files: JSON and NPZ hold all of one, CSV the tokens and their vectors.

Reading is strict. Nothing is unpickled, sizes are looked at before anything is unpacked, and a
file that cannot be used is refused with a sentence that names the place. Matrices go by the name
of their field or their symbol (``w_q`` or ``W_Q``, ``token_vectors`` or ``X``), in any case.

A file with tokens, X, W_Q, W_K and W_V is an experiment of its own. What any other file does not
hold stays as it is, where it still fits.
"""

import csv
import io
import json
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from core import presets
from core.arrays import Array, as_float
from core.draw import weight_matrix
from core.errors import Refusal, mark
from core.experiment import (
    BIAS_NAMES,
    MATRIX_NAMES,
    MAX_D_MODEL,
    MAX_HEADS,
    MAX_TOKENS,
    MAX_WIDTH,
    SYMBOLS,
    WEIGHT_NAMES,
    Divisor,
    Experiment,
    Mask,
    Positions,
)
from core.numbers import parse_block, parse_cell

MAX_BYTES = 5_000_000
LARGE = 50_000  # numbers in one W from which a file of all of them may pass MAX_BYTES
FORMAT, VERSION = "attention-explorer", 1

_ARRAYS = (*MATRIX_NAMES, *BIAS_NAMES)
_TEXT_LISTS = ("tokens", "dimension_names", "head_names")
_SETTINGS = ("num_heads", "positions", "mask", "divisor", "temperature", "preset", "seed")
_WHOLE = {"tokens", "token_vectors", "w_q", "w_k", "w_v"}
_WHOLE_NUMBERS = {"num_heads": (1, MAX_HEADS), "seed": (0, 2**31 - 1)}
_MAX_DIGITS = 20  # of a whole number
_FIELD = {name.lower(): name for name in (*_ARRAYS, *_TEXT_LISTS, *_SETTINGS, "allowed")} | {
    symbol.lower(): name for name, symbol in SYMBOLS.items()
}


def to_json(experiment: Experiment) -> str:
    """Write an experiment so that reading it back gives the same numbers to the last bit."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    for name in _TEXT_LISTS:
        content[name] = list(getattr(experiment, name))
    for name in _SETTINGS:
        content[name] = getattr(experiment, name)
    if experiment.allowed is not None:
        content["allowed"] = experiment.allowed.astype(int).tolist()
    content["dtype"] = {}
    for name in _ARRAYS:
        array = getattr(experiment, name)
        if array is not None:
            content[name] = array.tolist()
            if array.dtype == np.float32:
                content["dtype"][name] = "float32"
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def to_npz(experiment: Experiment) -> bytes:
    """Write an experiment as NumPy's own archive, without pickles."""
    arrays = {name: getattr(experiment, name) for name in (*_ARRAYS, "allowed")}
    settings = {name: np.array(getattr(experiment, name)) for name in _SETTINGS}
    # As UTF-8 in one JSON text: NumPy's text arrays drop trailing NULs.
    texts = {name: np.array(json.dumps(list(getattr(experiment, name)))) for name in _TEXT_LISTS}
    buffer = io.BytesIO()
    present = {name: array for name, array in arrays.items() if array is not None}
    np.savez_compressed(buffer, **present, **settings, **texts)  # type: ignore[arg-type]
    return buffer.getvalue()


def to_csv(experiment: Experiment) -> str:
    """Write tokens and their vectors as a table: a header, then one row a token."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")  # so that a lone \r is quoted too
    writer.writerow(("token", *experiment.dimension_labels()))
    for token, vector in zip(experiment.tokens, experiment.token_vectors, strict=True):
        writer.writerow((token, *(repr(float(number)) for number in vector)))
    return buffer.getvalue()


def read(filename: str, data: bytes, current: Experiment) -> Experiment:
    """Read a CSV, JSON or NPZ file into an experiment.

    Parameters
    ----------
    filename : str
        Its ending, in any case, says what the file is.
    data : bytes
    current : Experiment
        Gives what the file does not hold.

    Raises
    ------
    Refusal
        If the file is too large, is not what its name says, or does not fit together.
    """
    if len(data) > MAX_BYTES:
        raise Refusal(
            mark("The file has {size} MB; at most {limit} MB can be read."),
            size=round(len(data) / 1e6, 1),
            limit=MAX_BYTES // 1_000_000,
        )
    ending = filename.lower().rpartition(".")[2]
    if ending == "json":
        content = _read_json(data)
    elif ending == "npz":
        content = _read_npz(data)
    elif ending in ("csv", "tsv", "txt"):
        content = _read_csv(data)
    else:
        raise Refusal(mark("“{name}” is no CSV, JSON or NPZ file."), name=filename[:60])
    return _assemble(content, current)


def from_json(text: str, current: Experiment) -> Experiment:
    """Read what :func:`to_json` wrote."""
    return _assemble(_read_json(text.encode()), current)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(
            mark("The file is not text in UTF-8; save it as UTF-8 and try again.")
        ) from None


def _read_csv(data: bytes) -> dict[str, Any]:
    text = _text(data)
    if not text.lower().startswith("token,"):
        if "\0" in text:
            raise Refusal(mark("The file is not text; save it as CSV and try again."))
        return {"token_vectors": parse_block(text)}
    try:
        header, *rows = csv.reader(io.StringIO(text))
    except csv.Error:
        raise Refusal(mark("The file is not CSV; save it as CSV and try again.")) from None
    body = [(i, row) for i, row in enumerate(rows, start=2) if row]
    for i, row in body:
        if len(row) != len(header):
            raise Refusal(
                mark("Row {row} has {count} cells, but the header has {expected}."),
                row=i,
                count=len(row),
                expected=len(header),
            )
    if not body:
        raise Refusal(mark("There is no number in the text."))
    names = header[1:]
    return {
        "tokens": [row[0] for _, row in body],
        "dimension_names": [] if names == [str(i) for i in range(len(names))] else names,
        "token_vectors": np.array(
            [[parse_cell(cell, i, j) for j, cell in enumerate(row[1:], start=2)] for i, row in body]
        ),
    }


def _read_json(data: bytes) -> dict[str, Any]:
    def refuse_constant(name: str) -> float:
        raise Refusal(mark("The file holds {value}; every number must be finite."), value=name)

    def refuse_long(digits: str) -> int:
        if len(digits) > _MAX_DIGITS:
            raise Refusal(
                mark("The file holds a whole number of {count} digits; that is too large."),
                count=len(digits),
            )
        return int(digits)

    def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise _named_twice()
        return content

    try:
        content = json.loads(
            _text(data),
            parse_constant=refuse_constant,
            parse_int=refuse_long,
            object_pairs_hook=refuse_twice,
        )
    except json.JSONDecodeError as error:
        raise Refusal(
            mark("The file is not JSON: line {line}, column {column}."),
            line=error.lineno,
            column=error.colno,
        ) from None
    except RecursionError:
        raise Refusal(mark("The file is nested too deeply to be an experiment.")) from None
    if not isinstance(content, dict):
        raise Refusal(mark("The file is JSON, but not an object with names such as tokens and X."))
    if content.get("version", VERSION) != VERSION:
        raise Refusal(
            mark("The file has version {value}; this app reads version {expected}."),
            value=str(content["version"])[:20],
            expected=VERSION,
        )
    dtypes = content.get("dtype")
    dtypes = dtypes if isinstance(dtypes, dict) else {}
    known = _known_fields(content)
    for name in _ARRAYS:
        if name in known:
            known[name] = plain_numbers(known[name], SYMBOLS[name])
            if dtypes.get(name) == "float32":
                with np.errstate(over="ignore"):  # too large for it is infinite: refused below
                    known[name] = known[name].astype(np.float32)
    if "allowed" in known:
        known["allowed"] = plain_numbers(known["allowed"], "mask") != 0
    return known


def plain_numbers(value: Any, name: str) -> Array:
    """Turn lists into an array; refuse text, truth values, deep nesting and ragged rows."""

    def plain(item: Any, depth: int) -> bool:
        if isinstance(item, list):
            return depth > 0 and all(plain(part, depth - 1) for part in item)
        return isinstance(item, int | float) and not isinstance(item, bool)

    if not isinstance(value, list) or not plain(value, depth=2):
        raise Refusal(
            mark("{name} must be rows of plain numbers, without text or true and false."), name=name
        )
    try:
        return np.array(value, dtype=np.float64)
    except (ValueError, OverflowError):
        raise Refusal(
            mark("{name} has rows of unequal length or a number that is too large."), name=name
        ) from None


def _read_npz(data: bytes) -> dict[str, Any]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
            if unpacked > 2 * MAX_BYTES or len(archive.infolist()) > 40:
                raise Refusal(
                    mark("The file unpacks to {size} MB; at most {limit} MB can be read."),
                    size=round(unpacked / 1e6, 1),
                    limit=2 * MAX_BYTES // 1_000_000,
                )
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            content = _known_fields({name: np.asarray(archive[name]) for name in archive.files})
    except Refusal:
        raise
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, KeyError, NotImplementedError,
            zlib.error, RuntimeError, MemoryError, SyntaxError, tokenize.TokenError):  # fmt: skip
        raise Refusal(
            mark("The file is no NPZ archive of plain number arrays (no objects, no pickles).")
        ) from None
    for name, array in content.items():
        if name in _ARRAYS:
            try:
                content[name] = as_float(array, SYMBOLS[name])
            except TypeError:
                raise Refusal(
                    mark("{name} must be rows of plain numbers, without text or true and false."),
                    name=SYMBOLS[name],
                ) from None
        elif name in _TEXT_LISTS:
            content[name] = _npz_texts(array, name)
        elif name in _SETTINGS:
            content[name] = array.item() if array.ndim == 0 else None
        elif array.ndim != 2 or array.dtype.kind not in "biu":
            raise Refusal(mark("The mask must be a table of 0 and 1."))
        else:
            content[name] = array.astype(bool)
    return content


def _npz_texts(array: Any, name: str) -> Any:
    if array.ndim == 1 and array.dtype.kind == "U":  # a plain text array, as a person would save
        return [str(text) for text in array]
    try:
        return json.loads(str(array))
    except (json.JSONDecodeError, TypeError, RecursionError):
        raise Refusal(mark("{name} must be a list of text."), name=name) from None


def _known_fields(content: Mapping[str, Any]) -> dict[str, Any]:
    names = [name for name in content if name.lower() in _FIELD]
    known = {_FIELD[name.lower()]: content[name] for name in names}
    if len(known) < len(names):
        raise _named_twice()
    if not known:
        raise Refusal(
            mark("The file holds nothing that is known here: tokens, X, W_Q, W_K, W_V or W_O.")
        )
    return known


def _named_twice() -> Refusal:
    return Refusal(mark("The file names something twice; each name may stand once."))


def _assemble(content: dict[str, Any], current: Experiment) -> Experiment:
    """Put a file's content into the current experiment, where it is complete without it."""
    check_settings(content)
    for name in _ARRAYS:
        if name in content:
            _check_matrix(content[name], name)
    if content.get("preset") not in presets.PRESETS:
        content["preset"] = ""  # of another version of this app, or of nobody
    if content.keys() >= _WHOLE:
        return Experiment(**content)
    changes = dict(content)
    x = changes.get("token_vectors", current.token_vectors)
    n, d_model = x.shape
    if "tokens" not in changes:
        changes["tokens"] = (
            current.tokens if n == current.n else tuple(f"t{i}" for i in range(n))
        )  # fmt: skip
    if "allowed" not in changes and n != current.n:
        changes["allowed"] = None
        if changes.get("mask", current.mask) == "manual":
            changes["mask"] = "none"
    if "dimension_names" not in changes and d_model != current.d_model:
        changes["dimension_names"] = ()
    if d_model != current.d_model and "positions" not in changes and current.positions == "clock":
        changes["positions"] = "off"  # no dimension is kept for it
    changes.update(_weights(changes, current, d_model))
    return current.with_(**changes)


def _weights(changes: Mapping[str, Any], current: Experiment, d_model: int) -> dict[str, Any]:
    """The weights that go with a file: its own, else the current ones, else drawn to fit."""
    heads = changes.get("num_heads", current.num_heads)
    weights = {name: changes[name] for name in WEIGHT_NAMES if name in changes}
    if d_model == current.d_model:
        weights = {"w_q": current.w_q, "w_k": current.w_k, "w_v": current.w_v} | weights
    width = heads * max(1, d_model // heads)
    for name, twin in (("w_q", "w_k"), ("w_k", "w_q"), ("w_v", "w_v")):
        if name not in weights:
            columns = weights[twin].shape[-1] if twin in weights else width
            weights[name] = weight_matrix(name, d_model, columns, current.seed)
    q_width, v_width = weights["w_q"].shape[-1], weights["w_v"].shape[-1]
    shapes = {
        "w_o": (v_width, d_model),
        "b_q": (q_width,),
        "b_k": (q_width,),
        "b_v": (v_width,),
        "b_o": (d_model,),
    }
    for name, shape in shapes.items():
        array = getattr(current, name)
        if name not in changes and array is not None and array.shape != shape:
            weights[name] = None
    chosen: dict[str, Any] = dict(weights)
    if "num_heads" not in changes and (q_width % heads or v_width % heads):
        chosen["num_heads"] = 1
    same = all(weights[name] is getattr(current, name) for name in ("w_q", "w_k", "w_v"))
    if "head_names" not in changes and not (same and heads == current.num_heads):
        chosen["head_names"] = ()  # they say what the old weights did
    return chosen


def _check_matrix(array: Array, name: str) -> None:
    expected = 1 if name in BIAS_NAMES else 2
    if array.ndim != expected or array.size == 0:
        raise Refusal(
            mark("{name} has shape {shape}; it must have rows and columns."),
            name=SYMBOLS[name],
            shape=" × ".join(map(str, array.shape)),
        )
    if not np.isfinite(array).all():
        cell = np.argwhere(~np.isfinite(array))[0]
        raise Refusal(
            mark("{name} [{cell}] is {value}; every number must be finite."),
            name=SYMBOLS[name],
            cell=", ".join(map(str, cell)),
            value=float(array[tuple(cell)]),
        )
    limit = MAX_TOKENS if name == "token_vectors" else max(MAX_WIDTH, MAX_D_MODEL)
    if array.shape[0] > limit or array.shape[-1] > MAX_WIDTH:
        raise Refusal(
            mark("{name} has shape {shape}; that is more than can be shown."),
            name=SYMBOLS[name],
            shape=" × ".join(map(str, array.shape)),
        )


def check_settings(content: dict[str, Any]) -> None:
    """Refuse settings and names of the wrong kind; a temperature becomes a float in place."""
    for name in _TEXT_LISTS:
        value = content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise Refusal(mark("{name} must be a list of text."), name=name)
    for name, choices in (("positions", Positions), ("mask", Mask), ("divisor", Divisor)):
        if name in content and content[name] not in get_args(choices):
            raise Refusal(
                mark("{name} is “{value}”, but must be one of: {options}."),
                name=name,
                value=str(content[name])[:40],
                options=", ".join(get_args(choices)),
            )
    for name, (low, high) in _WHOLE_NUMBERS.items():
        value = content.get(name, low)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise Refusal(
                mark("{name} must be a whole number from {low} to {high}."),
                name=name,
                low=low,
                high=high,
            )
    value = content.get("temperature", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal(mark("{name} must be a number."), name="temperature")
    if "temperature" in content:
        content["temperature"] = float(value)
    if not isinstance(content.get("preset", ""), str):
        raise Refusal(mark("{name} must be text."), name="preset")
