"""An experiment as a short text for an address.

What is kept is the difference from something that can be made again: the preset with its seed.
The text is JSON, compressed, in URL-safe base64, with its version in front.
"""

import base64
import json
import zlib
from typing import Any

import numpy as np

from core import fields, presets
from core.arrays import Array
from core.errors import Refusal, mark
from core.experiment import (
    BIAS_NAMES,
    MATRIX_NAMES,
    MAX_D_MODEL,
    MAX_TOKENS,
    Experiment,
)

VERSION = "1"
MAX_LENGTH = 8000  # characters; beyond it links are cut by mail programs and proxies
_MAX_UNPACKED = 4_000_000

_PLAIN = (
    "tokens", "num_heads", "positions", "mask", "divisor", "temperature",
    "dimension_names", "head_names", "seed",
)  # fmt: skip


def to_link(experiment: Experiment) -> str:
    """Write an experiment as text; empty for one that is its preset unchanged.

    The text may be longer than ``MAX_LENGTH``; whoever puts it into an address looks.
    """
    if experiment == _preset(experiment.preset):
        return ""
    content: dict[str, Any] = {}
    if experiment.preset == presets.RANDOM:
        content["draw"] = [
            list(experiment.tokens), experiment.seed, experiment.d_model, experiment.num_heads
        ]  # fmt: skip
    base = _base(experiment.preset, content)
    if presets.is_drawn(experiment) and experiment.w_q.shape != base.w_q.shape:
        content["d_k"] = experiment.w_q.shape[1] // base.num_heads
        base = _base(experiment.preset, content)
    content["set"] = {
        name: _plain(getattr(experiment, name))
        for name in (*_PLAIN, "allowed")
        if _plain(getattr(experiment, name)) != _plain(getattr(base, name))
    }
    for name in (*MATRIX_NAMES, *BIAS_NAMES):
        kind, difference = _difference(getattr(base, name), getattr(experiment, name))
        if kind:
            content.setdefault(kind, {})[name] = difference
        if getattr(experiment, name) is not None and getattr(experiment, name).dtype == np.float32:
            content.setdefault("float32", []).append(name)
    return pack({name: value for name, value in content.items() if value})


def from_link(preset: str, text: str) -> Experiment:
    """Read what :func:`to_link` wrote, for the preset that stands beside it in the address.

    Raises
    ------
    Refusal
        If the preset is unknown or the text is cut, of another version, or not ours.
    """
    if preset not in ("", *presets.PRESETS):
        raise Refusal(mark("The link names a preset that does not exist."))
    if not text:
        return _preset(preset)
    content = unpack(text)
    try:
        return _apply(preset, content)
    except Refusal:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
        raise _damaged() from None


def _preset(name: str) -> Experiment:
    return presets.build(name or presets.PRESETS[0])


def _base(preset: str, content: dict[str, Any]) -> Experiment:
    """What the differences are taken from: the preset, or the same random draw again."""
    if "draw" in content:
        tokens, seed, d_model, heads = content["draw"]
        fields.check_settings({"num_heads": heads, "seed": seed})
        if not (0 < d_model <= MAX_D_MODEL and 0 < len(tokens) <= MAX_TOKENS):
            raise ValueError
        base = presets.random(tuple(tokens), seed=seed, d_model=d_model, num_heads=heads)
    else:
        base = _preset(preset)
    return presets.with_d_k(base, content["d_k"]) if "d_k" in content else base


def _difference(old: Array | None, new: Array | None) -> tuple[str, Any]:
    """How an array differs: in some cells, altogether, gone, or not at all."""
    if new is None:
        return ("gone", 1) if old is not None else ("", None)
    if old is None or old.shape != new.shape or old.dtype != new.dtype:
        return "whole", new.tolist()
    before, after = old.ravel(), new.ravel()
    changed = np.flatnonzero((before != after) | (np.signbit(before) != np.signbit(after)))
    if len(changed) > new.size // 2:
        return "whole", new.tolist()
    cells = [[int(i), float(after[i])] for i in changed]
    return ("cells", cells) if cells else ("", None)


def _plain(value: Any) -> Any:
    """A field as JSON holds it."""
    if isinstance(value, np.ndarray):
        return value.astype(int).tolist()  # only the mask
    return list(value) if isinstance(value, tuple) else value


def _apply(preset: str, content: dict[str, Any]) -> Experiment:
    base = _base(preset, content)
    changes: dict[str, Any] = dict(content.get("set", {}))
    if not changes.keys() <= {*_PLAIN, "allowed"}:
        raise ValueError
    fields.check_settings(changes)
    if changes.get("allowed") is not None:
        changes["allowed"] = fields.plain_numbers(changes["allowed"], "mask") != 0
    for name, whole in content.get("whole", {}).items():
        changes[_array(name)] = fields.plain_numbers(whole, name)
    for name in content.get("gone", {}):
        changes[_array(name)] = None
    for name, cells in content.get("cells", {}).items():
        changes[_array(name)] = changed = np.array(getattr(base, name))
        for place, number in cells:
            changed.flat[place] = number
    for name in content.get("float32", ()):
        with np.errstate(over="ignore", invalid="ignore"):  # what it does not hold is refused
            changes[_array(name)] = changes.get(name, getattr(base, name)).astype(np.float32)
    return base.with_(**changes, preset=preset)


def _array(name: str) -> str:
    if name not in (*MATRIX_NAMES, *BIAS_NAMES):
        raise KeyError(name)
    return name


def _damaged() -> Refusal:
    return Refusal(mark("The link is damaged; perhaps a part of it was cut off."))


def pack(content: dict[str, Any]) -> str:
    """Write JSON as text for an address: the version, then compressed, in URL-safe base64."""
    packed = zlib.compress(json.dumps(content, ensure_ascii=False, allow_nan=False).encode(), 9)
    return VERSION + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(text: str) -> dict[str, Any]:
    """Read what :func:`pack` wrote.

    Raises
    ------
    Refusal
        If the text is cut, of another version, or not ours.
    """
    if text[:1] != VERSION:
        raise Refusal(mark("The link is of another version of this app."))
    try:
        packed = base64.b64decode(
            text[1:] + "=" * (-len(text[1:]) % 4), altchars=b"-_", validate=True
        )
        decompressor = zlib.decompressobj()
        unpacked = decompressor.decompress(packed, _MAX_UNPACKED)
        if not decompressor.eof:
            raise _damaged()
        content = json.loads(unpacked)
    except (ValueError, zlib.error, RecursionError):
        raise _damaged() from None
    if not isinstance(content, dict):
        raise _damaged()
    return content
