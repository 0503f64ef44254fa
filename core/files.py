"""Experiments as files: JSON and NPZ hold all of one, CSV the tokens and their vectors.

A page (HTML), a script (PY) and a notebook (IPYNB) that this app wrote carry their experiment and
are read too; see :mod:`core.carried`. Single matrices come as CSV; see :mod:`core.tables`.

Reading is strict. Nothing is unpickled or run, sizes are looked at before anything is unpacked,
and a file that cannot be used is refused with a sentence that names the place. Matrices go by the
name of their field or their symbol (``w_q`` or ``W_Q``, ``token_vectors`` or ``X``), in any case.

A file with tokens, X, W_Q, W_K and W_V is an experiment of its own. What any other file does not
hold stays as it is, where it still fits.
"""

import base64
import csv
import io
import json
import sys
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from core import carried, link, presets, tables
from core.arrays import as_float
from core.draw import weight_matrix
from core.errors import Refusal, mark
from core.experiment import SYMBOLS, WEIGHT_NAMES, Experiment
from core.fields import (
    ARRAYS,
    FIELD,
    SETTINGS,
    TEXT_LISTS,
    check_matrix,
    check_settings,
    named_twice,
    plain_numbers,
)

MAX_BYTES = 5_000_000
LARGE = 50_000  # numbers in one W from which a file of all of them may pass MAX_BYTES
FORMAT, VERSION = "attention-explorer", 1

_WHOLE = {"tokens", "token_vectors", "w_q", "w_k", "w_v"}
_MAX_DIGITS = 20  # of a whole number


def to_json(experiment: Experiment) -> str:
    """Write an experiment so that reading it back gives the same numbers to the last bit."""
    content: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    for name in TEXT_LISTS:
        content[name] = list(getattr(experiment, name))
    for name in SETTINGS:
        content[name] = getattr(experiment, name)
    if experiment.allowed is not None:
        content["allowed"] = experiment.allowed.astype(int).tolist()
    content["dtype"] = {}
    for name in ARRAYS:
        array = getattr(experiment, name)
        if array is not None:
            content[name] = array.tolist()
            if array.dtype == np.float32:
                content["dtype"][name] = "float32"
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def to_npz(experiment: Experiment) -> bytes:
    """Write an experiment as NumPy's own archive, without pickles."""
    arrays = {name: getattr(experiment, name) for name in (*ARRAYS, "allowed")}
    settings = {name: np.array(getattr(experiment, name)) for name in SETTINGS}
    # As UTF-8 in one JSON text: NumPy's text arrays drop trailing NULs.
    texts = {name: np.array(json.dumps(list(getattr(experiment, name)))) for name in TEXT_LISTS}
    buffer = io.BytesIO()
    present = {name: array for name, array in arrays.items() if array is not None}
    np.savez_compressed(buffer, **present, **settings, **texts)  # type: ignore[arg-type]
    return buffer.getvalue()


def to_csv(experiment: Experiment) -> str:
    """Write tokens and their vectors as a table: a header, then one row a token."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")  # so that a lone \r is quoted too
    writer.writerow(("token", *map(tables.quoted, experiment.dimension_labels())))
    for token, vector in zip(experiment.tokens, experiment.token_vectors, strict=True):
        writer.writerow((tables.quoted(token), *(repr(float(number)) for number in vector)))
    return buffer.getvalue()


def read(filename: str, data: bytes, current: Experiment) -> Experiment:
    """Read a CSV, JSON, NPZ, HTML, PY or IPYNB file into an experiment.

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
        content = tables.read(_text(data), current)
    elif ending in ("html", "htm"):
        content = _read_json(carried.in_page(_text(data)).encode())
    elif ending == "py":
        return _from_state(carried.in_script(_text(data)), current)
    elif ending == "ipynb":
        return _from_state(carried.in_notebook(_text(data)), current)
    else:
        raise Refusal(
            mark("“{name}” is no CSV, JSON, NPZ, HTML, PY or IPYNB file."), name=filename[:60]
        )
    return _assemble(content, current)


def from_json(text: str, current: Experiment) -> Experiment:
    """Read what :func:`to_json` wrote."""
    return _assemble(_read_json(text.encode()), current)


def _from_state(state: Mapping[str, str], current: Experiment) -> Experiment:
    """What a script or a notebook carries; its code is never run."""
    try:
        if "npz" in state:
            archive = base64.b64decode(state["npz"], altchars=b"-_", validate=True)
            return _assemble(_read_npz(archive), current)
        return link.from_link(state["preset"], state.get("x", ""))
    except (ValueError, KeyError):  # a Refusal is one too
        raise carried.damaged() from None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal(
            mark("The file is not text in UTF-8; save it as UTF-8 and try again.")
        ) from None


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
            raise named_twice()
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
    for name in ARRAYS:
        if name in known:
            known[name] = plain_numbers(known[name], SYMBOLS[name])
            if dtypes.get(name) == "float32":
                with np.errstate(over="ignore"):  # too large for it is infinite: refused below
                    known[name] = known[name].astype(np.float32)
    if "allowed" in known:
        known["allowed"] = plain_numbers(known["allowed"], "mask") != 0
    return known


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
        for array in content.values():
            _check_letters(array)
    except Refusal:
        raise
    except Exception:  # what a damaged header may raise NumPy's reader does not promise
        raise Refusal(
            mark("The file is no NPZ archive of plain number arrays (no objects, no pickles).")
        ) from None
    for name, array in content.items():
        if name in ARRAYS:
            try:
                content[name] = as_float(array, SYMBOLS[name])
            except TypeError:
                raise Refusal(
                    mark("{name} must be rows of plain numbers, without text or true and false."),
                    name=SYMBOLS[name],
                ) from None
        elif name in TEXT_LISTS:
            content[name] = _npz_texts(array, name)
        elif name in SETTINGS:
            content[name] = array.item() if array.ndim == 0 else None
        elif array.ndim != 2 or array.dtype.kind not in "biu":
            raise Refusal(mark("The mask must be a table of 0 and 1."))
        else:
            content[name] = array.astype(bool)
    return content


def _npz_texts(array: Any, name: str) -> Any:
    try:
        if array.ndim == 1 and array.dtype.kind == "U":  # a plain text array, as a person saves it
            return [str(text) for text in array]
        return json.loads(str(array))
    except (ValueError, TypeError, RecursionError):
        raise Refusal(mark("{name} must be a list of text."), name=name) from None


def _check_letters(array: Any) -> None:
    """Refuse numbers that are no letters: NumPy would make texts of them that Python cannot read.

    Raises
    ------
    ValueError
        If there is such a number.
    """
    if array.dtype.kind == "U" and array.dtype.itemsize:
        letters = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
        if np.frombuffer(array.tobytes(), letters).max(initial=0) > sys.maxunicode:
            raise ValueError("a number that is no letter")


def _known_fields(content: Mapping[str, Any]) -> dict[str, Any]:
    names = [name for name in content if name.lower() in FIELD]
    known = {FIELD[name.lower()]: content[name] for name in names}
    if len(known) < len(names):
        raise named_twice()
    if not known:
        raise Refusal(
            mark("The file holds nothing that is known here: tokens, X, W_Q, W_K, W_V or W_O.")
        )
    return known


def _assemble(content: dict[str, Any], current: Experiment) -> Experiment:
    """Put a file's content into the current experiment, where it is complete without it."""
    check_settings(content)
    for name in ARRAYS:
        if name in content:
            check_matrix(content[name], name)
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
