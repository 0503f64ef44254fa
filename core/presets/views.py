"""Where to look first: the head and the pair of tokens that show what a preset is about."""

from dataclasses import dataclass

from core.experiment import Experiment
from core.presets import apple, article, library
from core.trace import trace


@dataclass(frozen=True)
class View:
    """A head, a query and a key."""

    head: int
    query: int
    key: int


_FIRST = {
    "relations-en": View(2, 8, 1),  # it → cat
    "relations-zh": View(2, 7, 0),  # 它 → 猫
    "article-sentence-en": View(0, article.IT, article.ANIMAL),
    "article-sentence-zh": View(0, article.IT_ZH, article.ANIMAL_ZH),
    "library-en": View(0, library.SEARCH, 1),  # the search → Python primer
    "library-zh": View(0, library.SEARCH, 1),
    "apple-fruit-en": View(0, apple.place("apple-fruit-en"), 1),  # apple → ate
    "apple-company-en": View(0, apple.place("apple-company-en"), 2),  # apple → released
    "apple-fruit-zh": View(0, apple.place("apple-fruit-zh"), 3),  # 苹果 → 吃
    "apple-company-zh": View(0, apple.place("apple-company-zh"), 5),  # 苹果 → 推出
}


def first_view(experiment: Experiment) -> View:
    """The pair that a preset was made for; else the last token and the key it looks at most."""
    chosen = _FIRST.get(experiment.preset)
    if chosen and chosen.head < experiment.num_heads and chosen.query < experiment.n:
        return chosen
    query = experiment.n - 1
    return View(0, query, int(trace(experiment).weights[0, query].argmax()))
