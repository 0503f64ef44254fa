"""One word in two sentences: the same vector, the same q, k and v, another output."""

import streamlit as st

from core.presets import apple
from ui import controls, describe, language, plot, session
from ui.language import _
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
    controls.option("roles", _("Sentences"), names, "one")


def lesson() -> None:
    """The two sentences of the reader's language, and what is the same in both."""
    fruit, company = apple.readings(language.current())
    food, firm = (fruit.experiment.dimension_names[i] for i in (apple.FOOD_AT, apple.COMPANY_AT))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        choice()
        st.space("stretch")
        for label, one in (
            (_("Open the fruit on all pages"), fruit),
            (_("Open the company on all pages"), company),
        ):
            name = one.experiment.preset
            st.button(label, key=f"open-{name}", on_click=session.load_preset, args=(name,))
    plot.show(
        two_sentences((fruit, company), (food, firm)),
        key="projections-two",
        alt=_(
            "Weights of {word}. First sentence: {first}. Second sentence: {second}.",
            word=fruit.word,
            first=describe.strongest(fruit.experiment.tokens, fruit.weights, fruit.experiment.n),
            second=describe.strongest(
                company.experiment.tokens, company.weights, company.experiment.n
            ),
        ),
    )
    st.markdown(_sentence(fruit, company, food, firm))


def _sentence(fruit: apple.Reading, company: apple.Reading, food: str, firm: str) -> str:
    same = max(apple.difference(fruit, company, name) for name in apple.SAME)
    fields = {
        "word": fruit.word,
        "difference": f"{same:.3g}",
        "food": food,
        "company": firm,
        "food_first": f"{fruit.output[apple.FOOD_AT]:.2f}",
        "food_second": f"{company.output[apple.FOOD_AT]:.2f}",
        "company_first": f"{fruit.output[apple.COMPANY_AT]:.2f}",
        "company_second": f"{company.output[apple.COMPANY_AT]:.2f}",
    }
    return _(
        "X, q, k and v of **{word}** are the same in both sentences (difference {difference}). "
        "What it takes from its neighbours is not: output\\[{food}\\] **{food_first}** against "
        "{food_second}, output\\[{company}\\] {company_first} against **{company_second}**.",
        **{name: literal(text) for name, text in fields.items()},
    )
