"""Experiments as files: JSON and NPZ hold all of one, CSV the tokens and their vectors.

Reading is strict. Nothing is unpickled, sizes are looked at before anything is unpacked, and a
file that cannot be used is refused with a sentence that names the place. Matrices go by the name
of their field or their symbol (``w_q`` or ``W_Q``, ``token_vectors`` or ``X``), in any case. What
a file does not hold stays as it is, where it still fits.
"""

import csv
import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from core.arrays import Array, as_float
from core.draw import weight_matrix
from core.errors import Refusal, mark
from core.experiment import (
    BIAS_NAMES,
    MATRIX_NAMES,
    MAX_D_MODEL,
    MAX_TOKENS,
    MAX_WIDTH,
    SYMBOLS,
    WEIGHT_NAMES,
    Divisor,
    Experiment,
    Mask,
    Positions,
)
from core.numbers import parse_block

MAX_BYTES = 5_000_000
FORMAT, VERSION = "attention-explorer", 1

_ARRAYS = (*MATRIX_NAMES, *BIAS_NAMES)
_TEXT_LISTS = ("tokens", "dimension_names", "head_names")
_SETTINGS = ("num_heads", "positions", "mask", "divisor", "temperature", "preset", "seed")
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
    writer = csv.writer(buffer, lineterminator="\n")
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
    if "\0" in text:
        raise Refusal(mark("The file is not text; save it as CSV and try again."))
    lines = text.splitlines()
    if not lines or not lines[0].lower().startswith("token,"):
        return {"token_vectors": parse_block(text)}
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    header, body = rows[0], rows[1:]
    for i, row in enumerate(body, start=2):
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
        "tokens": [row[0] for row in body],
        "dimension_names": [] if names == [str(i) for i in range(len(names))] else names,
        "token_vectors": parse_block("\n".join("\t".join(row[1:]) for row in body)),
    }


def _read_json(data: bytes) -> dict[str, Any]:
    def refuse_constant(name: str) -> float:
        raise Refusal(mark("The file holds {value}; every number must be finite."), value=name)

    def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            raise Refusal(mark("The file names something twice; each name may stand once."))
        return content

    try:
        content = json.loads(
            _text(data), parse_constant=refuse_constant, object_pairs_hook=refuse_twice
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
            known[name] = _numbers(known[name], SYMBOLS[name])
            if dtypes.get(name) == "float32":
                known[name] = known[name].astype(np.float32)
    if "allowed" in known:
        known["allowed"] = _numbers(known["allowed"], "mask") != 0
    return known


def _numbers(value: Any, name: str) -> Array:
    """Turn nested lists into an array; refuse text, truth values and ragged rows."""

    def plain(item: Any) -> bool:
        if isinstance(item, list):
            return all(plain(part) for part in item)
        return isinstance(item, int | float) and not isinstance(item, bool)

    if not isinstance(value, list) or not plain(value):
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
            content = _known_fields({name: archive[name] for name in archive.files})
    except Refusal:
        raise
    except (zipfile.BadZipFile, ValueError, EOFError, OSError, KeyError, NotImplementedError,
            zlib.error, RuntimeError):  # fmt: skip
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


def _npz_texts(array: Any, name: str) -> list[str]:
    if array.ndim == 1 and array.dtype.kind == "U":  # a plain text array, as a person would save
        return [str(text) for text in array]
    try:
        return list(json.loads(str(array)))
    except (json.JSONDecodeError, TypeError, RecursionError):
        raise Refusal(mark("{name} must be a list of text."), name=name) from None


def _known_fields(content: Mapping[str, Any]) -> dict[str, Any]:
    known = {
        _FIELD[name.lower()]: value for name, value in content.items() if name.lower() in _FIELD
    }
    if not known:
        raise Refusal(
            mark("The file holds nothing that is known here: tokens, X, W_Q, W_K, W_V or W_O.")
        )
    return known


def _assemble(content: dict[str, Any], current: Experiment) -> Experiment:
    """Put a file's content into the current experiment, where it is complete without it."""
    _check_settings(content)
    for name in _ARRAYS:
        if name in content:
            _check_matrix(content[name], name)
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
    if "preset" not in changes:
        changes["preset"] = ""
    return current.with_(**changes)


def _weights(changes: Mapping[str, Any], current: Experiment, d_model: int) -> dict[str, Any]:
    """The weights that go with a file: its own, else the current ones, else drawn to fit."""
    given = [name for name in WEIGHT_NAMES if name in changes]
    complete = "format" in changes or {"w_q", "w_k", "w_v"} <= set(given)
    if not given and d_model == current.d_model:
        return {}
    heads = changes.get("num_heads", current.num_heads)
    chosen: dict[str, Any] = {}
    if not complete and d_model != current.d_model:
        width = heads * max(1, d_model // heads)
        for name in ("w_q", "w_k", "w_v"):
            if name not in changes:
                chosen[name] = weight_matrix(name, d_model, width, current.seed)
    # A projection of other shape leaves no room for the old W_O, biases and head names.
    for name in ("w_o", *BIAS_NAMES):
        if name not in changes:
            chosen[name] = None
    if "num_heads" not in changes:
        w_q = changes.get("w_q", chosen.get("w_q", current.w_q))
        w_v = changes.get("w_v", chosen.get("w_v", current.w_v))
        if w_q.shape[1] % heads or w_v.shape[1] % heads:
            heads = 1
        chosen["num_heads"] = heads
    if "head_names" not in changes:
        chosen["head_names"] = ()
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


def _check_settings(content: dict[str, Any]) -> None:
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
    for name in ("num_heads", "seed"):
        value = content.get(name, 1)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
            raise Refusal(mark("{name} must be a whole number."), name=name)
    value = content.get("temperature", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refusal(mark("{name} must be a number."), name="temperature")
    if "temperature" in content:
        content["temperature"] = float(value)
    if not isinstance(content.get("preset", ""), str):
        raise Refusal(mark("{name} must be text."), name="preset")
