"""Code: the experiment on screen as a program that needs nothing but NumPy."""

from ui import code_page, session, shell
from ui.ideas import columns
from ui.language import mark

shell.guard()


def body() -> None:
    """The script; beside it the formula, and the line that computes each of its symbols."""
    experiment = session.experiment()
    left, right = columns([62, 38], ("program", "table"), gap="small")
    with left:
        places = code_page.program(experiment)
    with right:
        code_page.formula(experiment)
        code_page.table(experiment, places)
        if not session.lectures():
            code_page.pages()


shell.show(
    "code",
    mark("All of it as a NumPy script, with the numbers on screen."),
    body,
    heads=False,
)
