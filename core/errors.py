"""What the reader hears when something cannot be done."""


def mark(template: str) -> str:
    """Mark a template for the message catalogue; it is translated where it is shown."""
    return template


def mark_n(one: str, many: str) -> tuple[str, str]:
    """Mark both forms of a template: for a ``{count}`` of 1, and for every other."""
    return one, many


class Refusal(ValueError):  # noqa: N818  (a sentence, not a failure)
    """A sentence for the reader: what is wrong, and what would be right.

    Parameters
    ----------
    template : str, or two of them
        An English sentence with ``{name}`` fields, marked with :func:`mark`, or with
        :func:`mark_n` where its ``{count}`` can be 1. The interface translates the template and
        then fills in the fields.
    **fields
        Numbers or text that name the place.
    """

    def __init__(self, template: str | tuple[str, str], **fields: object) -> None:
        """Fill in the English sentence; keep its parts for a translation."""
        one, many = (template, template) if isinstance(template, str) else template
        super().__init__((one if fields.get("count") == 1 else many).format(**fields))
        self.template = template
        self.fields = fields
