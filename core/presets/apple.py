"""One word in two sentences: its vector is the same, what it takes from its neighbours is not.

A word with two senses holds both, half and half. Its query asks for signs of either, keys of other
words announce such signs, and values hand over what these words are about.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.experiment import Experiment
from core.presets.handbuilt import Head, weights, word_vectors
from core.trace import Trace, trace

WIDTH = 4  # d_k = d_v

NOUN, VERB, QUALITY, PERSON, TIME, FUNCTION = (
    "noun", "verb", "quality", "person", "time", "function",
)  # fmt: skip
TWO_SENSES, EATING, TRADE, FOOD, COMPANY = "2 senses", "eating", "trade", "food", "company"
DIMENSIONS = (
    NOUN, VERB, QUALITY, PERSON, TIME, FUNCTION, TWO_SENSES, EATING, TRADE, FOOD, COMPANY,
)  # fmt: skip
NAMES_ZH = {
    NOUN: "名词", VERB: "动词", QUALITY: "性质", PERSON: "人", TIME: "时间", FUNCTION: "虚词",
    TWO_SENSES: "两义", EATING: "饮食", TRADE: "买卖", FOOD: "食物", COMPANY: "公司",
}  # fmt: skip
DIMENSIONS_ZH = tuple(NAMES_ZH[name] for name in DIMENSIONS)
FOOD_AT, COMPANY_AT = DIMENSIONS.index(FOOD), DIMENSIONS.index(COMPANY)
SAME = ("embeddings", "query", "key", "value")  # what no neighbour changes

HEAD = Head(
    asks=[
        # Two senses ask for signs of eating and of trade, and a little for the word itself.
        (TWO_SENSES, 0, 2), (TWO_SENSES, 1, 2), (TWO_SENSES, 2, 1.5),
        (VERB, 2, 2), (VERB, 3, 1),  # a verb: the thing it is done to
        (QUALITY, 2, 1), (QUALITY, 3, 2),  # a quality: the thing that has it
        (FUNCTION, 3, 1.5),
    ],
    announces=[(EATING, 0, 3), (TRADE, 1, 3), (TWO_SENSES, 2, 3), (NOUN, 3, 2)],
    hands_over=[FOOD, COMPANY, PERSON, TIME],
)  # fmt: skip

_APPLE = {NOUN: 1.0, TWO_SENSES: 1.0, FOOD: 0.5, COMPANY: 0.5}
_PERSON = {NOUN: 0.5, PERSON: 1.0}
_EATS = {VERB: 1.0, EATING: 1.0, FOOD: 1.0}
_TASTES = {QUALITY: 1.0, EATING: 0.8, FOOD: 1.0}
_DISH = {NOUN: 1.0, EATING: 0.8, FOOD: 1.0}
_MEAL = {NOUN: 1.0, TIME: 0.5, EATING: 0.8, FOOD: 1.0}
_SELLS = {VERB: 1.0, TRADE: 1.0, COMPANY: 1.0}
_DEVICE = {NOUN: 1.0, TRADE: 0.8, COMPANY: 1.0}
_MARKET = {NOUN: 1.0, TRADE: 1.0, COMPANY: 1.0}

# What is bought may be either, so that "she bought an apple" leans to neither side by much.
_CLASSES_EN: dict[str, Mapping[str, float]] = {
    "apple orange blackberry": _APPLE,
    "she he i we they you it girl boy woman man child mother father friend people": _PERSON,
    "ate eats eat drank drinks drink cooked cooks baked bakes peeled tasted tastes bit": _EATS,
    "ripe sweet sour juicy fresh tasty crisp hungry": _TASTES,
    "pie juice cake salad fruit tree kitchen knife sugar bread": _DISH,
    "lunch breakfast dinner": _MEAL,
    "released releases announced announces sold sells launched launches hired sued": _SELLS,
    "phone phones computer computers laptop tablet software app watch": _DEVICE,
    "shares stock store stores market price customers ceo": _MARKET,
    "bought buys buy": {VERB: 1.0, TRADE: 0.4, EATING: 0.4},
    "likes liked loves loved wants wanted saw sees made makes is was were": {VERB: 1.0},
    "today yesterday now tomorrow week year morning monday": {TIME: 1.0},
    "new big small old red green good expensive": {QUALITY: 1.0},
    "a an the this that her his its my our one two some in on at to for with of after before and "
    "but because . , ! ?": {FUNCTION: 1.0},
}
_CLASSES_ZH: dict[str, Mapping[str, float]] = {
    "苹果 小米 黑莓": _APPLE,
    "她 他 我 我们 他们 你 女孩 男孩 孩子 妈妈 爸爸 朋友 人": _PERSON,
    "吃 喝 吃掉 削 烤 煮 尝 咬": _EATS,
    "甜 酸 熟 脆 新鲜 好吃 多汁 饿": _TASTES,
    "派 果汁 苹果汁 苹果派 蛋糕 沙拉 水果 树 厨房 刀 糖 粥 面包": _DISH,
    "午饭 早饭 晚饭 午餐 早餐 晚餐": _MEAL,
    "发布 卖 出售 推出 宣布 起诉 招聘": _SELLS,
    "手机 新手机 电脑 平板 软件 手表 应用": _DEVICE,
    "股票 股价 商店 发布会 市场 价格 顾客 总裁 公司": _MARKET,
    "买": {VERB: 1.0, TRADE: 0.4, EATING: 0.4},
    "喜欢 爱 想 看见 做 是 有": {VERB: 1.0},
    "今天 昨天 现在 明天 今年 早上": {TIME: 1.0},
    "新 大 小 旧 红 绿 好 贵": {QUALITY: 1.0},
    "了 的 在 上 一个 一款 一部 这个 那个 后 以后 之后 前 又 和 但是 因为 很 把 ， 。 ！ ？": {
        FUNCTION: 1.0
    },
}
VOCABULARY_EN = {word: it for words, it in _CLASSES_EN.items() for word in words.split()}
VOCABULARY_ZH = {
    word: {NAMES_ZH[name]: number for name, number in features.items()}
    for words, features in _CLASSES_ZH.items()
    for word in words.split()
}

FRUIT_EN = ("she", "ate", "a", "sweet", "ripe", "apple", "after", "her", "lunch")
COMPANY_EN = ("today", "apple", "released", "a", "new", "phone", "in", "its", "stores")
FRUIT_ZH = ("她", "午饭", "后", "吃", "了", "一个", "甜", "的", "苹果")
COMPANY_ZH = ("苹果", "今天", "在", "发布会", "上", "推出", "了", "一款", "新手机")
WORDS = {"en": "apple", "zh": "苹果"}
SENTENCES = {
    "apple-fruit-en": FRUIT_EN, "apple-company-en": COMPANY_EN,
    "apple-fruit-zh": FRUIT_ZH, "apple-company-zh": COMPANY_ZH,
}  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """The word in one of its sentences."""

    experiment: Experiment
    trace: Trace
    place: int  # of the word in the sentence

    @property
    def word(self) -> str:
        """The word itself."""
        return self.experiment.tokens[self.place]

    @property
    def weights(self) -> Array:
        """What the word takes from each token: (n,)."""
        row: Array = self.trace.weights[0, self.place]
        return row

    @property
    def output(self) -> Array:
        """What the word becomes: (d_model,)."""
        row: Array = self.trace.output[self.place]
        return row


def build(name: str) -> Experiment:
    """One of the four sentences; all have the same weights."""
    tokens = SENTENCES[name]
    w_q, w_k, w_v, w_o = weights([HEAD], DIMENSIONS, WIDTH)
    return Experiment(
        tokens=tokens,
        token_vectors=word_vectors(tokens, dimensions(name), vocabulary(name)),
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=w_o,
        dimension_names=dimensions(name),
        head_names=("词义" if _language(name) == "zh" else "sense",),
        preset=name,
    )


def dimensions(name: str) -> tuple[str, ...]:
    """Names of the dimensions in the sentence's language."""
    return DIMENSIONS_ZH if _language(name) == "zh" else DIMENSIONS


def vocabulary(name: str) -> Mapping[str, Mapping[str, float]]:
    """The dictionary in the sentence's language."""
    return VOCABULARY_ZH if _language(name) == "zh" else VOCABULARY_EN


def readings(language: str) -> tuple[Reading, Reading]:
    """The word as a fruit and as a company."""
    fruit, company = (_read(f"apple-{sense}-{language}") for sense in ("fruit", "company"))
    return fruit, company


def place(name: str) -> int:
    """Where the word stands in a sentence."""
    return SENTENCES[name].index(WORDS[_language(name)])


def difference(first: Reading, second: Reading, stage: str) -> float:
    """The largest difference between the word's rows of one stage in two sentences."""
    rows = [getattr(one.trace, stage)[..., one.place, :] for one in (first, second)]
    return float(np.abs(rows[0] - rows[1]).max())


def _read(name: str) -> Reading:
    experiment = build(name)
    return Reading(experiment, trace(experiment), place(name))


def _language(name: str) -> str:
    return name.rpartition("-")[2]
