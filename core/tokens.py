"""From a sentence to tokens."""

import re
from typing import Literal

import rjieba

from core.errors import Refusal, mark
from core.experiment import MAX_TOKEN_LENGTH, MAX_TOKENS, check_token_count

Splitting = Literal["words", "characters", "as typed"]

MAX_TEXT = MAX_TOKENS * (MAX_TOKEN_LENGTH + 3)  # whatever join can write
_LONGEST_WORD = 4  # characters; hardly any Chinese word is longer
_HAN = "㐀-䶿一-鿿豈-﫿"
_LETTERS = rf"[^\W_{_HAN}]+"
# A run of Chinese characters, a word (didn't, e-mail, 3.14, C++), or one other mark.
_PIECE = re.compile(rf"[{_HAN}]+|{_LETTERS}(?:['’.\-]{_LETTERS})*[+#]*|\S")
_SPACED_BAR = re.compile(r"\s\|\s?|\|\s")
_HAN_START = re.compile(rf"[{_HAN}]")


def split(text: str, how: Splitting) -> tuple[str, ...]:
    """Cut a sentence into tokens.

    Parameters
    ----------
    text : str
    how : "words", "characters" or "as typed"
        Words: at blanks and punctuation; runs of Chinese go through a segmenter, unless blanks
        stand between them: then short runs are words that somebody cut already. As typed: at
        ``|`` with a blank beside it if there is one, so that ``<|end|>`` stays whole; else at
        blanks; nothing else is touched.

    Raises
    ------
    Refusal
        If there is no token, or more than the limit.
    """
    if len(text) > MAX_TEXT:
        raise Refusal(
            mark("The text is {count} characters long; at most {limit} can be read."),
            count=len(text),
            limit=MAX_TEXT,
        )
    if how == "words":
        cut_by_hand = _cut_by_hand(text)
        tokens = [word for piece in _PIECE.findall(text) for word in _words(piece, cut_by_hand)]
    elif how == "characters":
        tokens = [character for character in text if not character.isspace()]
    elif _SPACED_BAR.search(text):
        tokens = [part.strip() for part in _SPACED_BAR.split(text)]
    elif "|" in text and not re.search(r"\s", text):
        tokens = text.split("|")
    else:
        tokens = text.split()
    check_token_count(tokens)
    return tuple(tokens)


def join(tokens: tuple[str, ...]) -> str:
    """Write tokens so that ``split(…, "as typed")`` gives the same ones back.

    Not possible for a token that itself holds ``|`` or outer blanks, nor for a sentence of one
    token that is empty or holds a blank; those come out in pieces.
    """
    plain = all(token and not re.search(r"[\s|]", token) for token in tokens)
    return " ".join(tokens) if plain else " | ".join(tokens)


def _cut_by_hand(text: str) -> bool:
    return sum(bool(_HAN_START.match(part)) for part in text.split()) > 1


def _words(piece: str, cut_by_hand: bool) -> list[str]:
    if _HAN_START.match(piece) and not (cut_by_hand and len(piece) <= _LONGEST_WORD):
        return [str(word) for word in rjieba.cut(piece)]
    return [piece]
