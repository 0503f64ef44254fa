"""What the reader hears when something cannot be done."""


def mark(template: str) -> str:
    """Mark a template for the message catalogue; it is translated where it is shown."""
    return template


class Refusal(ValueError):  # noqa: N818  (a sentence, not a failure)
    """A sentence for the reader: what is wrong, and what would be right.

    Parameters
    ----------
    template : str
        An English sentence with ``{name}`` fields, marked with :func:`mark`. The interface
        translates the template and then fills in the fields.
    **fields
        Numbers or text that name the place.
    """

    def __init__(self, template: str, **fields: object) -> None:
        """Fill in the English sentence; keep its parts for a translation."""
        super().__init__(template.format(**fields))
        self.template = template
        self.fields = fields
