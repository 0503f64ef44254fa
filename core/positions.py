"""Position encodings: what is added to a token's vector to say where it stands."""

import numpy as np

from core.arrays import Array

CLOCK_DIMENSIONS = 4
FAST_STEPS, SLOW_STEPS = 4, 12  # tokens for one turn of each hand


def sinusoidal(n: int, d_model: int) -> Array:
    """The paper's encoding: sines and cosines of wavelengths from 2π to 10000·2π tokens.

    PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(same); section 3.5 of
    "Attention Is All You Need" (2017).

    Returns
    -------
    array (n, d_model)
    """
    pair = np.arange(d_model) // 2
    angle = np.arange(n)[:, None] / 10000 ** (2 * pair / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))


def clock(n: int, d_model: int) -> Array:
    """A clock with two hands, written into the last four dimensions only.

    The fast hand turns once in 4 tokens, the slow hand once in 12; each hand is its tip's
    (x, y) = (cos, sin). Same idea as :func:`sinusoidal` with two frequencies, but it leaves the
    other dimensions to the words, and turning a hand back by one token is a small rotation
    matrix that can be written by hand.

    Returns
    -------
    array (n, d_model)
    """
    steps = np.array([[FAST_STEPS, SLOW_STEPS]])
    turns = np.arange(n)[:, None] % steps / steps  # (n, 2); whole turns taken off stay exact
    hands = np.stack([np.cos(2 * np.pi * turns), np.sin(2 * np.pi * turns)], axis=-1)
    # cos 90° comes out as 6e-17; rounding makes it the 0 that a reader expects to see.
    encoding = np.zeros((n, d_model))
    encoding[:, d_model - CLOCK_DIMENSIONS :] = hands.reshape(n, CLOCK_DIMENSIONS).round(15)
    return encoding
