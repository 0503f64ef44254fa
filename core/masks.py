"""Who may look at whom: boolean masks, True where a query may attend."""

import numpy as np

from core.arrays import BoolArray


def causal_mask(n_queries: int, n_keys: int, offset: int = 0) -> BoolArray:
    """Let query i look at keys 0 … i + offset and at none that comes later.

    Parameters
    ----------
    n_queries, n_keys : int
    offset : int
        How many keys stand before the first query (a cache of earlier tokens); 0 aligns top left.

    Returns
    -------
    bool array (n_queries, n_keys)
    """
    return np.tri(n_queries, n_keys, offset, dtype=bool)
