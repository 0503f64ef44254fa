"""The mathematics of the program: the functions that its first screen shows."""

from collections.abc import Iterator

import numpy as np

from core.script.plan import Plan, Step, aligned


def functions(plan: Plan) -> list[Step]:
    """From the import to the layer, in the order in which one explains it."""
    now = plan.experiment
    heads = f"h = {now.num_heads} heads" if plan.many else "one head"
    steps = [
        Step("import numpy as np"),
        Step(""),
        Step(f"# n = {now.n} tokens, each a vector of d_model = {now.d_model} numbers;"),
        Step(f"# {heads}, where queries and keys are d_k = {now.d_k} wide, values d_v = {now.d_v}"),
    ]
    heads_apart = [_split(), _join()] if plan.many else []
    for block in (_softmax(plan), *heads_apart, _attention(plan), _layer(plan)):
        steps += [Step(""), Step(""), *aligned(block)]
    return steps


def _softmax(plan: Plan) -> list[Step]:
    rows, pairs = "(h, n, 1)" if plan.many else "(n, 1)", plan.in_letters("softmax")
    some_row_is_empty = not plan.experiment.may_attend.any(axis=1).all()
    guard_largest = [
        Step("    # A query that may look at no key has only scores of -inf:"),
        Step("    largest = np.where(np.isneginf(largest), 0, largest)", rows),
    ]
    guard_total = [
        Step("    # Its weights stay 0, where 0 / 0 would be no number:"),
        Step("    total = np.where(total == 0, 1, total)", rows),
    ]
    return [
        Step("def softmax(scores):", computes="softmax"),
        Step('    """Turn every row of scores into weights that sum to 1."""'),
        Step("    # Less the largest: the same weights, and e^x cannot overflow."),
        Step("    largest = scores.max(axis=-1, keepdims=True)", rows),
        *guard_largest * some_row_is_empty,
        Step("    powers = np.exp(scores - largest)", pairs),
        Step("    total = powers.sum(axis=-1, keepdims=True)", rows),
        *guard_total * some_row_is_empty,
        Step("    return powers / total", pairs),
    ]


def _split() -> list[Step]:
    return [
        Step("def split_into_heads(x, h):"),
        Step('    """Give each head columns of its own: the first d, the next d, and so on."""'),
        Step("    n, width = x.shape", "(n, h·d)"),
        Step("    x = x.reshape(n, h, width // h)", "(n, h, d)"),
        Step("    return x.swapaxes(0, 1)", "(h, n, d)"),
    ]


def _join() -> list[Step]:
    return [
        Step("def join_heads(x):"),
        Step('    """Lay the heads side by side again."""'),
        Step("    h, n, d = x.shape", "(h, n, d)"),
        Step("    return x.swapaxes(0, 1).reshape(n, h * d)", "(n, h·d)"),
    ]


def _attention(plan: Plan) -> list[Step]:
    pairs, transposed = plan.in_letters("scores"), "swapaxes(-1, -2)" if plan.many else "T"
    mask = [
        Step("    masked_scores = np.where(allowed, scaled_scores, -np.inf)", pairs, "mask"),
    ] * plan.masked
    last = "masked_scores" if plan.masked else "scaled_scores"
    return [
        Step(f"def attention(Q, K, V{', allowed' * plan.masked}):"),
        Step(f'    """softmax({_in_softmax(plan)}) V"""'),
        Step(f"    scores = Q @ K.{transposed}", f"{pairs}  Q Kᵀ: query i · key j", "scores"),
        *_scaling(plan),
        *mask,
        Step(f"    weights = softmax({last})", f"{pairs}  each row sums to 1", "weights"),
        Step("    head_outputs = weights @ V", plan.in_letters("head_outputs"), "head_outputs"),
        Step("    return weights, head_outputs"),
    ]


def _in_softmax(plan: Plan) -> str:
    """What stands in softmax(…), as the experiment has it."""
    now = plan.experiment
    divisors = {"sqrt_d_k": " / √d_k", "none": "", "d_k": " / d_k", "sqrt_d_model": " / √d_model"}
    temperature = " / temperature" * (now.temperature != 1)
    return f"Q Kᵀ{divisors[now.divisor]}{temperature}{' + mask' * plan.masked}"


def _scaling(plan: Plan) -> Iterator[Step]:
    now, pairs = plan.experiment, plan.in_letters("scores")
    mistakes = {"none": "not divided", "d_k": "divided by d_k", "sqrt_d_model": "by √d_model"}
    if now.divisor in mistakes:
        yield Step(f"    # A usual mistake: {mistakes[now.divisor]}; the paper divides by √d_k.")
    if now.divisor == "sqrt_d_model":
        yield Step(f"    d_model = {now.d_model}", "width of X")
    elif now.divisor != "none":
        yield Step("    d_k = Q.shape[-1]", "width of a query and of a key")
    if now.temperature != 1:
        yield Step(f"    temperature = {now.temperature!r}", "another divisor, not in the paper")

    root = now.divisor.startswith("sqrt_")
    name = now.divisor.removeprefix("sqrt_")
    factors = [f"np.sqrt({name})" if root else name] * (now.divisor != "none")
    factors += ["temperature"] * (now.temperature != 1)
    if not factors:
        yield Step("    scaled_scores = scores", pairs, "divisor")
        return
    product = " * ".join(factors)
    scale = f"1 / ({product})" if len(factors) > 1 else f"1 / {product}"
    note = f"{1 / (now.divisor_value * now.temperature):.4g}"
    if root and plan.dtype == np.float32:
        scale, note = f"float({scale})", f"{note}; a plain number keeps float32"
    yield Step(f"    scale = {scale}", note, "divisor")
    yield Step("    scaled_scores = scores * scale", pairs)


def _layer(plan: Plan) -> list[Step]:
    heads = "Concat(head_1, …, head_h)" if plan.many else "attention(X W_Q, X W_K, X W_V)"
    has_w_o = "W_O" in plan.arrays
    steps = [
        Step(f"def self_attention({plan.parameters}):"),
        Step(f'    """{heads}{" W_O" * has_w_o}"""'),
    ]
    meanings = {"Q": "who looks", "K": "who is looked at", "V": "what is handed on"}
    for name, meaning in meanings.items():
        product = _plus_bias(plan, f"X @ W_{name}", name)
        code = f"split_into_heads({product}, h)" if plan.many else product
        steps.append(Step(f"    {name} = {code}", f"{plan.in_letters(name)}  {meaning}", name))
    allowed = ", allowed" * plan.masked
    steps.append(Step(f"    weights, head_outputs = attention(Q, K, V{allowed})"))
    joined = "head_outputs"
    if plan.many:
        joined = "concatenated"
        code = "    concatenated = join_heads(head_outputs)"
        steps.append(Step(code, plan.in_letters("concatenated")))
    output = _plus_bias(plan, f"{joined} @ W_O", "O") if has_w_o else joined
    note = plan.in_letters("output") + "  there is no W_O" * (not has_w_o)
    return [
        *steps,
        Step(f"    output = {output}", note, "output"),
        Step("    return weights, output"),
    ]


def _plus_bias(plan: Plan, product: str, name: str) -> str:
    return f"{product} + b_{name}" if f"b_{name}" in plan.arrays else product
