"""Changes to an experiment. Each returns a new one; the old one is left as it was."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core import presets
from core.arrays import Array
from core.draw import weight_matrix
from core.errors import Refusal, mark
from core.experiment import MAX_HEADS, SYMBOLS, WEIGHT_NAMES, Experiment


def set_cell(experiment: Experiment, name: str, row: int, column: int, number: float) -> Experiment:
    """Set one number of ``token_vectors`` or a weight matrix, given by its field name."""
    return paste(experiment, name, row, column, np.array([[number]]))


def paste(experiment: Experiment, name: str, row: int, column: int, block: Array) -> Experiment:
    """Lay a block of numbers over a matrix, its top left corner at (row, column).

    Raises
    ------
    Refusal
        If the block reaches over the edge; nothing is cut off quietly.
    """
    matrix = np.array(getattr(experiment, name))
    rows, columns = block.shape
    if row + rows > matrix.shape[0] or column + columns > matrix.shape[1]:
        raise Refusal(
            mark(
                "A block of {rows} × {columns} does not fit at row {row}, column {column} "
                "of {name} ({height} × {width})."
            ),
            rows=rows,
            columns=columns,
            row=row + 1,
            column=column + 1,
            name=SYMBOLS[name],
            height=matrix.shape[0],
            width=matrix.shape[1],
        )
    matrix[row : row + rows, column : column + columns] = block
    return experiment.with_(**{name: matrix})


def paste_embeddings(experiment: Experiment, row: int, column: int, block: Array) -> Experiment:
    """Lay numbers over X itself: the word vectors become these less what the positions add."""
    rows, columns = block.shape
    added = experiment.position_encoding[row : row + rows, column : column + columns]
    # A block that reaches over the edge is refused by paste.
    fits = added.shape == block.shape
    return paste(experiment, "token_vectors", row, column, block - added if fits else block)


def set_tokens(experiment: Experiment, tokens: Sequence[str]) -> Experiment:
    """Write a new sentence. A word that stays keeps its vector, the k-th "the" that of the k-th.

    Rows and columns of a mask by hand move with their tokens; a new token may see and be seen.
    """
    places: dict[str, list[int]] = {}
    for i, token in enumerate(experiment.tokens):
        places.setdefault(token, []).append(i)
    sources = [places[token].pop(0) if places.get(token) else None for token in tokens]
    return _rearrange(experiment, tuple(tokens), sources)


def rename(experiment: Experiment, index: int, token: str) -> Experiment:
    """Put another word in this place. It brings its own vector."""
    tokens, sources = list(experiment.tokens), list[int | None](range(experiment.n))
    if token == tokens[index]:
        return experiment
    tokens[index] = token
    renamed = _rearrange(experiment, tuple(tokens), sources)
    vectors = np.array(renamed.token_vectors)
    vectors[index] = presets.vector_for(experiment, token)
    return renamed.with_(token_vectors=vectors)


def insert(experiment: Experiment, index: int, token: str) -> Experiment:
    """Add a token before position ``index``; at the end for ``index`` = n."""
    tokens, sources = list(experiment.tokens), list[int | None](range(experiment.n))
    tokens.insert(index, token)
    sources.insert(index, None)
    return _rearrange(experiment, tuple(tokens), sources)


def remove(experiment: Experiment, index: int) -> Experiment:
    """Take a token out. The last one stays: a sentence has at least one."""
    tokens, sources = list(experiment.tokens), list[int | None](range(experiment.n))
    del tokens[index], sources[index]
    return _rearrange(experiment, tuple(tokens), sources)


def move(experiment: Experiment, index: int, to: int) -> Experiment:
    """Move a token to another position."""
    order = list(range(experiment.n))
    order.insert(to, order.pop(index))
    return _rearrange(experiment, tuple(experiment.tokens[i] for i in order), list(order))


def toggle_mask(experiment: Experiment, row: int, column: int) -> Experiment:
    """Flip who may look at whom in one cell; the mask becomes one by hand."""
    allowed = np.array(experiment.may_attend)
    allowed[row, column] = not allowed[row, column]
    return experiment.with_(mask="manual", allowed=allowed)


def redraw(
    experiment: Experiment,
    *,
    seed: int,
    d_model: int | None = None,
    num_heads: int | None = None,
) -> Experiment:
    """Draw all vectors and weights anew for the same tokens; settings stay.

    d_model and the number of heads stay too where none is given. The clock is switched off, since
    no dimension is kept for it.
    """
    drawn = presets.random(
        experiment.tokens,
        seed=seed,
        d_model=experiment.d_model if d_model is None else d_model,
        num_heads=experiment.num_heads if num_heads is None else num_heads,
    )
    return drawn.with_(
        positions="off" if experiment.positions == "clock" else experiment.positions,
        mask=experiment.mask,
        allowed=experiment.allowed,
        divisor=experiment.divisor,
        temperature=experiment.temperature,
    )


def set_heads(experiment: Experiment, num_heads: int) -> Experiment:
    """Cut the same matrices into another number of heads.

    Tokens, X and settings stay. A matrix whose columns cannot be shared out evenly is drawn anew,
    d_model // num_heads wide a head, by the rule of :func:`core.draw.weight_matrix`; its bias goes.

    Raises
    ------
    Refusal
        If the number lies outside of the limits of an experiment.
    """
    if not 1 <= num_heads <= MAX_HEADS:
        return experiment.with_(num_heads=num_heads)  # refused there, with a sentence
    d_model, seed = experiment.d_model, experiment.seed
    width = num_heads * max(1, d_model // num_heads)
    changes: dict[str, Any] = {}
    if experiment.w_q.shape[1] % num_heads:
        for name in ("w_q", "w_k"):
            changes[name] = weight_matrix(name, d_model, width, seed)
        changes |= {"b_q": None, "b_k": None}
    if experiment.w_v.shape[1] % num_heads:
        changes |= {"w_v": weight_matrix("w_v", d_model, width, seed), "b_v": None}
        if experiment.w_o is not None:
            changes["w_o"] = weight_matrix("w_o", width, d_model, seed)
    names = presets.head_names(experiment.preset, num_heads)
    return experiment.with_(num_heads=num_heads, head_names=names, **changes)


def set_d_k(experiment: Experiment, d_k: int) -> Experiment:
    """Make queries and keys of each head d_k wide.

    Weights that a rule drew are drawn by it again. Others keep their first columns in each head;
    new columns are 0, so that no score changes before somebody writes into them.

    Raises
    ------
    Refusal
        If the width lies outside of the limits of an experiment.
    """
    if presets.is_drawn(experiment):
        return presets.with_d_k(experiment, d_k)
    presets.check_d_k(d_k, experiment.num_heads)
    kept = min(d_k, experiment.d_k)

    def resized(x: Array) -> Array:
        """Columns of all heads: (..., h·old) → (..., h·d_k)."""
        by_head = x.reshape(*x.shape[:-1], experiment.num_heads, experiment.d_k)
        wide = np.zeros((*by_head.shape[:-1], d_k), x.dtype)
        wide[..., :kept] = by_head[..., :kept]
        return wide.reshape(*x.shape[:-1], experiment.num_heads * d_k)

    names = ("w_q", "w_k", "b_q", "b_k")
    arrays = {name: getattr(experiment, name) for name in names}
    return experiment.with_(**{n: resized(a) for n, a in arrays.items() if a is not None})


def changed_matrices(before: Experiment, after: Experiment) -> tuple[str, ...]:
    """Names of the weights that are no longer the same, as they are written on screen."""
    return tuple(
        SYMBOLS[name]
        for name in WEIGHT_NAMES
        if not np.array_equal(getattr(before, name), getattr(after, name))
    )


def _rearrange(
    experiment: Experiment, tokens: tuple[str, ...], sources: Sequence[int | None]
) -> Experiment:
    """Build the experiment whose token i is the old token sources[i], or a new one for None."""
    vectors = [
        presets.vector_for(experiment, token)
        if source is None
        else experiment.token_vectors[source]
        for token, source in zip(tokens, sources, strict=True)
    ]
    allowed = experiment.allowed
    if allowed is not None:
        known = [i for i, source in enumerate(sources) if source is not None]
        old = [source for source in sources if source is not None]
        rearranged = np.ones((len(tokens), len(tokens)), dtype=bool)
        rearranged[np.ix_(known, known)] = allowed[np.ix_(old, old)]
        allowed = rearranged
    x = np.array(vectors, experiment.token_vectors.dtype).reshape(len(tokens), experiment.d_model)
    return experiment.with_(tokens=tokens, token_vectors=x, allowed=allowed)
