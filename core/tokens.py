"""From a sentence to tokens."""

import re
from typing import Literal

import rjieba

from core.errors import Refusal, mark
from core.experiment import MAX_TOKENS

Splitting = Literal["words", "characters", "as typed"]

_MAX_TEXT = 4000
_HAN = "㐀-䶿一-鿿豈-﫿"
_LETTERS = rf"[^\W_{_HAN}]+"
# A run of Chinese characters, a word (didn't, e-mail, 3.14, C++), or one other mark.
_PIECE = re.compile(rf"[{_HAN}]+|{_LETTERS}(?:['’.\-]{_LETTERS})*[+#]*|\S")
_HAN_START = re.compile(rf"[{_HAN}]")


def split(text: str, how: Splitting) -> tuple[str, ...]:
    """Cut a sentence into tokens.

    Parameters
    ----------
    text : str
    how : "words", "characters" or "as typed"
        Words: at blanks and punctuation; runs of Chinese go through a segmenter. As typed: at
        ``|`` if there is one, else at blanks; nothing else is touched.

    Raises
    ------
    Refusal
        If there is no token, or more than the limit.
    """
    if len(text) > _MAX_TEXT:
        raise Refusal(
            mark("The text is {count} characters long; at most {limit} can be read."),
            count=len(text),
            limit=_MAX_TEXT,
        )
    if how == "words":
        tokens = [word for piece in _PIECE.findall(text) for word in _words(piece)]
    elif how == "characters":
        tokens = [character for character in text if not character.isspace()]
    elif "|" in text:
        tokens = [part.strip() for part in text.split("|")]
    else:
        tokens = text.split()
    if not tokens:
        raise Refusal(mark("There is no token; write at least one word."))
    if len(tokens) > MAX_TOKENS:
        raise Refusal(
            mark("These are {count} tokens; there can be at most {limit}."),
            count=len(tokens),
            limit=MAX_TOKENS,
        )
    return tuple(tokens)


def join(tokens: tuple[str, ...]) -> str:
    """Write tokens so that ``split(…, "as typed")`` gives the same ones back.

    Not possible for a token that itself holds ``|`` or outer blanks; those come out in pieces.
    """
    plain = all(token and not re.search(r"[\s|]", token) for token in tokens)
    return " ".join(tokens) if plain else " | ".join(tokens)


def _words(piece: str) -> list[str]:
    if _HAN_START.match(piece):
        return [str(word) for word in rjieba.cut(piece)]
    return [piece]
