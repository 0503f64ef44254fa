"""Summary: the whole chain for the reader's own pinned pair."""

from ui import shell, summary
from ui.language import mark

shell.guard()

shell.show(
    "summary",
    mark("From two words to one weight: the whole chain, with your numbers."),
    summary.chain,
)
