"""Four heads written by hand, one for each relation: syntax, meaning, reference, position.

Twelve dimensions are features of words, the last four are the hands of a clock that shows the
position (:func:`core.positions.clock`). Slots are written so that a score is read off the numbers:
a verb puts 3 in slot 0 of its query, a doer puts 3 in slot 0 of its key, so their score is 9 and
their scaled score 9 / √4 = 4.5, against 0 for everybody else.
"""

import math
from collections.abc import Mapping

from core.experiment import Experiment
from core.presets.handbuilt import Entry, Head, Pair, weights, word_vectors

WIDTH = 4  # d_k = d_v

NOUN, VERB, LINKING, PRONOUN, FUNCTION, STATE = (
    "noun", "verb", "linking", "pronoun", "function", "state",
)  # fmt: skip
DOER, ANIMAL, PERSON, FELINE, CANINE, SOUND = (
    "doer", "animal", "person", "feline", "canine", "sound",
)  # fmt: skip
CLOCK = ("fast x", "fast y", "slow x", "slow y")
DIMENSIONS = (
    NOUN, VERB, LINKING, PRONOUN, FUNCTION, STATE,
    DOER, ANIMAL, PERSON, FELINE, CANINE, SOUND, *CLOCK,
)  # fmt: skip

NAMES_ZH = {
    NOUN: "名词", VERB: "动词", LINKING: "系词", PRONOUN: "代词", FUNCTION: "虚词", STATE: "状态",
    DOER: "施事", ANIMAL: "动物", PERSON: "人", FELINE: "猫科", CANINE: "犬科", SOUND: "叫声",
    "fast x": "快针x", "fast y": "快针y", "slow x": "慢针x", "slow y": "慢针y",
}  # fmt: skip


def _clock_turned_back() -> list[Entry]:
    """A query that points where the clock stood one token earlier: a rotation, times 4."""
    entries: list[Entry] = [("fast y", 0, 4.0), ("fast x", 1, -4.0)]  # back by 90°
    cos, sin = math.cos(math.pi / 6), 0.5  # the slow hand goes back by 30°
    entries += [("slow x", 2, 4 * cos), ("slow y", 2, 4 * sin)]
    entries += [("slow x", 3, -4 * sin), ("slow y", 3, 4 * cos)]
    return entries


HEADS = (
    Head(  # syntax: a verb asks for the doer, a doer for a verb
        asks=[(VERB, 0, 3), (LINKING, 1, 3), (DOER, 2, 3), (STATE, 3, 3)],
        announces=[(DOER, 0, 3), (PRONOUN, 1, 3), (VERB, 2, 3), (LINKING, 3, 3)],
        hands_over=[NOUN, VERB, DOER, PRONOUN],
    ),
    Head(  # meaning: a sound asks for an animal of its kind, an animal for its sound
        asks=[(FELINE, 0, 3), (CANINE, 1, 3), (SOUND, 2, 1), (ANIMAL, 3, 1)],
        announces=[(FELINE, 0, 3), (CANINE, 1, 3), (ANIMAL, 2, 3), (SOUND, 3, 3)],
        hands_over=[FELINE, CANINE, ANIMAL, SOUND],
    ),
    Head(  # reference: a pronoun asks for a doer that is an animal or a person
        asks=[(PRONOUN, 0, 3), (PRONOUN, 1, 3), (PRONOUN, 2, 3), (STATE, 3, 3)],
        announces=[(DOER, 0, 3), (ANIMAL, 1, 3), (PERSON, 2, 3), (DOER, 3, 3)],
        hands_over=[ANIMAL, PERSON, FELINE, CANINE],
    ),
    Head(  # position: everybody asks for the token before
        asks=_clock_turned_back(),
        announces=[(hand, slot, 2) for slot, hand in enumerate(CLOCK)],
        hands_over=[NOUN, VERB, FUNCTION, STATE],
    ),
)

_ANIMAL = {NOUN: 1.0, ANIMAL: 1.0}
_PERSON = {NOUN: 1.0, PERSON: 1.0, DOER: 1.0}
_CAT = {**_ANIMAL, DOER: 1.0, FELINE: 1.0}
_DOG = {**_ANIMAL, DOER: 1.0, CANINE: 1.0}
_MEOW = {VERB: 1.0, SOUND: 1.0, FELINE: 1.0}
_BARK = {VERB: 1.0, SOUND: 1.0, CANINE: 1.0}

# A word's features are the same in every sentence. Which animal is the doer is a guess about the
# world (cats chase mice), which is all that a vector without context can hold.
_CLASSES_EN: dict[str, Mapping[str, float]] = {
    "cat cats kitten lion tiger": _CAT,
    "dog dogs puppy wolf fox": _DOG,
    "mouse bird fish rabbit animal horse cow sheep duck bear": _ANIMAL,
    "girl boy woman man child teacher student friend mother father king queen": _PERSON,
    "house tree street garden ball book car table road river door apple cake toy stick bed": {
        NOUN: 1.0
    },
    "meows meow meowed purrs purred hisses hissed": _MEOW,
    "barks bark barked howls howled growls growled": _BARK,
    "sings sleeps slept runs ran chases chased eats ate sees saw hunts hunted bites bit catches "
    "caught likes liked loves loved finds found plays played jumps jumped reads read writes wrote "
    "crosses crossed cross follows followed wants wanted sits sat goes went": {VERB: 1.0},
    "is was are were seems seemed feels felt": {LINKING: 1.0},
    "it he she they": {PRONOUN: 1.0},
    "the a an my your his her its our their this that and because while when but or so to of in on "
    "at with for very too not didn't doesn't . , ! ?": {FUNCTION: 1.0},
    "hungry tired angry happy sad afraid big small fast slow old young red bouncing": {STATE: 1.0},
}
_CLASSES_ZH: dict[str, Mapping[str, float]] = {
    "猫 小猫 猫咪 老虎 狮子": _CAT,
    "狗 小狗 狼 狐狸": _DOG,
    "老鼠 鸟 鱼 兔子 动物 马 牛 羊 鸭子 熊": _ANIMAL,
    "女孩 男孩 老师 学生 孩子 妈妈 爸爸 朋友 男人 女人": _PERSON,
    "房子 树 马路 花园 球 书 车 桌子 河 门 苹果 蛋糕 玩具 床": {NOUN: 1.0},
    "喵喵叫 喵": _MEOW,
    "汪汪叫 汪": _BARK,
    "追 吃 看见 抓 咬 喜欢 跑 睡觉 追赶 爱 找到 玩 跳 读 写 过 跟着 想 坐 去": {VERB: 1.0},
    "是 很 觉得 太 非常": {LINKING: 1.0},
    "它 他 她 它们": {PRONOUN: 1.0},
    "着 了 的 和 因为 所以 但是 ， 。 ！ ？ 在 一只 那只 这只 我 你 我的 你的 没有 不 到 把": {
        FUNCTION: 1.0
    },
    "饿 累 生气 高兴 难过 害怕 大 小 快 慢 老 年轻 红": {STATE: 1.0},
}


def _by_word(classes: Mapping[str, Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    return {word: features for words, features in classes.items() for word in words.split()}


VOCABULARY_EN = _by_word(_CLASSES_EN)
VOCABULARY_ZH = {
    word: {NAMES_ZH[name]: number for name, number in features.items()}
    for word, features in _by_word(_CLASSES_ZH).items()
}
DIMENSIONS_ZH = tuple(NAMES_ZH[name] for name in DIMENSIONS)

TOKENS_EN = (
    "the",
    "cat",
    "meows",
    "and",
    "chases",
    "the",
    "mouse",
    "because",
    "it",
    "is",
    "hungry",
)
TOKENS_ZH = ("猫", "喵喵叫", "，", "追", "老鼠", "，", "因为", "它", "很", "饿")

# What each head must find, with at least 0.6 of the weight.
PAIRS_EN = (
    Pair(0, 2, 1), Pair(0, 4, 1), Pair(0, 9, 8),
    Pair(1, 1, 2), Pair(1, 2, 1),
    Pair(2, 8, 1),
    *(Pair(3, i, i - 1) for i in range(1, len(TOKENS_EN))),
)  # fmt: skip
PAIRS_ZH = (
    Pair(0, 1, 0), Pair(0, 3, 0), Pair(0, 8, 7),
    Pair(1, 0, 1), Pair(1, 1, 0),
    Pair(2, 7, 0),
    *(Pair(3, i, i - 1) for i in range(1, len(TOKENS_ZH))),
)  # fmt: skip


def english() -> Experiment:
    """The cat that meows and chases the mouse because it is hungry."""
    return _experiment("relations-en", TOKENS_EN, DIMENSIONS, VOCABULARY_EN, _HEAD_NAMES_EN)


def chinese() -> Experiment:
    """The same in Chinese, with the same weights."""
    return _experiment("relations-zh", TOKENS_ZH, DIMENSIONS_ZH, VOCABULARY_ZH, _HEAD_NAMES_ZH)


_HEAD_NAMES_EN = ("syntax", "meaning", "reference", "position")
_HEAD_NAMES_ZH = ("语法", "语义", "指代", "位置")


def _experiment(
    name: str,
    tokens: tuple[str, ...],
    dimensions: tuple[str, ...],
    vocabulary: Mapping[str, Mapping[str, float]],
    head_names: tuple[str, ...],
) -> Experiment:
    w_q, w_k, w_v, w_o = weights(HEADS, DIMENSIONS, WIDTH)
    return Experiment(
        tokens=tokens,
        token_vectors=word_vectors(tokens, dimensions, vocabulary),
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=w_o,
        num_heads=len(HEADS),
        positions="clock",
        dimension_names=dimensions,
        head_names=head_names,
        preset=name,
    )
