"""One word in two sentences: the same vector, the same q, k and v, another output."""

from collections.abc import Sequence

import streamlit as st

from core.presets import apple
from ui import controls, describe, language, plot, session
from ui.bars import Bars, bar_charts
from ui.ideas import idea
from ui.language import _, decimal, percent, significant
from ui.literal import literal
from ui.two_sentences_figures import two_sentences


def shows() -> bool:
    """Whether the reader has chosen two sentences on the Projections page."""
    return session.option("roles", ("one", "two"), "one") == "two"


def heading() -> str:
    """The heading of the Projections page while it shows two sentences."""
    return _("The same word, the same vector: its neighbours decide.") if shows() else ""


def choice() -> None:
    """One sentence, the experiment; or two of our own."""
    names = {"one": _("one sentence"), "two": _("two sentences")}
    controls.view("roles", _("Sentences"), names, "one")


def lesson() -> None:
    """The two sentences of the reader's language, and what is the same in both."""
    fruit, company = apple.readings(language.current())
    food, firm = (fruit.experiment.dimension_names[i] for i in (apple.FOOD_AT, apple.COMPANY_AT))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        choice()
        st.space("stretch")
        if not session.lectures():
            _open_elsewhere(fruit, company)
    if session.lectures():
        _large((fruit, company))
    else:
        plot.show(
            two_sentences((fruit, company), (food, firm)),
            key="projections-two",
            alt=_(
                "Weights of {word}. First sentence: {first}. Second sentence: {second}.",
                word=fruit.word,
                first=describe.strongest(
                    fruit.experiment.tokens, fruit.weights, fruit.experiment.n
                ),
                second=describe.strongest(
                    company.experiment.tokens, company.weights, company.experiment.n
                ),
            ),
        )
    with idea("words"):
        st.markdown(_sentence(fruit, company, food, firm))


def _large(readings: Sequence[apple.Reading]) -> None:
    """Weights, then outputs, of both sentences side by side."""
    weights = [
        Bars(_title(one), one.experiment.tokens, one.weights,
             [percent(weight) for weight in one.weights], weights=True)
        for one in readings
    ]  # fmt: skip
    outputs = [
        Bars(_title(one), one.experiment.dimension_labels(), one.output,
             [decimal(number, 2) if number else "" for number in one.output])
        for one in readings
    ]  # fmt: skip
    word = readings[0].word
    for name, panels, alt in (
        ("weights", weights, _("Weights of {word} in both sentences.", word=word)),
        ("outputs", outputs, _("Output of {word} in both sentences.", word=word)),
    ):
        with idea(name):
            plot.show(bar_charts(panels, height=330, width=760), key=f"projections-{name}", alt=alt)


def _title(one: apple.Reading) -> str:
    return " ".join(one.experiment.tokens)


def _open_elsewhere(fruit: apple.Reading, company: apple.Reading) -> None:
    for label, one in (
        (_("Open the fruit on all pages"), fruit),
        (_("Open the company on all pages"), company),
    ):
        name = one.experiment.preset
        st.button(label, key=f"open-{name}", on_click=session.load_preset, args=(name,))


def _sentence(fruit: apple.Reading, company: apple.Reading, food: str, firm: str) -> str:
    same = max(apple.difference(fruit, company, name) for name in apple.SAME)
    fields = {
        "word": fruit.word,
        "difference": significant(same, 3),
        "food": food,
        "company": firm,
        "food_first": decimal(fruit.output[apple.FOOD_AT], 2),
        "food_second": decimal(company.output[apple.FOOD_AT], 2),
        "company_first": decimal(fruit.output[apple.COMPANY_AT], 2),
        "company_second": decimal(company.output[apple.COMPANY_AT], 2),
    }
    return _(
        "X, q, k and v of **{word}** are the same in both sentences (difference {difference}). "
        "What it takes from its neighbours is not: output\\[{food}\\] **{food_first}** against "
        "{food_second}, output\\[{company}\\] {company_first} against **{company_second}**.",
        **{name: literal(text) for name, text in fields.items()},
    )
