"""The experiment in the program: its tokens, every array, its settings."""

from core.arrays import Array
from core.script.literals import UNPACK, packed, word_list, written
from core.script.plan import DIMENSIONS, Plan, Step, aligned

MAX_WRITTEN = 20_000  # numbers; more than that nobody reads, and they are packed


def numbers(plan: Plan) -> list[Step]:
    """Everything that the layer is given."""
    now = plan.experiment
    arrays = _arrays(plan)
    count = sum(array.size for array in arrays.values())
    pack = count > MAX_WRITTEN
    steps = _packing(count) if pack else [Step("# The experiment, with all its digits.")]
    steps.append(Step(word_list("tokens", now.tokens)))
    of_tokens = [repr(token) for token in now.tokens]
    for name, array in arrays.items():
        shape = plan.in_letters(name if name in DIMENSIONS else "X")
        comment = f"{shape} = {array.shape}"
        rows = of_tokens if name in ("X", "vectors") else []
        code = packed(name, array, comment) if pack else written(name, array, comment, rows)
        steps.append(Step(code, computes=name if name in DIMENSIONS else ""))
        if name == "X" and array.dtype != plan.dtype:
            note = "as some numbers below are, so that all that follows is"
            steps.append(Step("X = X.astype(np.float64)", note))
        if name == "positions":
            note = f"{shape}  what a token is, and where it stands"
            steps.append(Step("X = vectors + positions", note, "X"))
    if plan.many:
        steps.append(Step(f"h = {now.num_heads}"))
    if now.mask == "causal":
        note = "(n, n)  query i may look at keys 0 … i"
        steps.append(Step(f"allowed = np.tri({now.n}, dtype=bool)", note))
    elif now.mask == "manual":
        comment = "(n, n)  1 where a query (row) may look at a key (column)"
        steps.append(Step(written("allowed", now.may_attend, comment)))
    return [one for step in steps for one in aligned([step])]


def _arrays(plan: Plan) -> dict[str, Array]:
    """In the order in which they are written; X is a sum where there are positions."""
    now = plan.experiment
    if now.positions == "off":
        return plan.arrays
    encoding = now.position_encoding.astype(plan.dtype)
    matrices = {name: array for name, array in plan.arrays.items() if name != "X"}
    return {"vectors": now.token_vectors, "positions": encoding, **matrices}


def _packing(count: int) -> list[Step]:
    """Why the numbers are packed, and what unpacks them."""
    return [
        Step("import base64"),
        Step("import zlib"),
        Step(""),
        Step(
            f"# The experiment has {count} numbers. Nobody reads so many, and in digits they would"
        ),
        Step(
            "# be twice as long: so their bytes stand here as text (base64), and every bit is kept."
        ),
        Step(""),
        Step(""),
        Step(UNPACK),
        Step(""),
        Step(""),
    ]
