"""The closed form for members who all read the same topics."""

import numpy as np

from optimizer.arrays import IntArray


def even_shares(supply: int, owned: IntArray) -> IntArray:
    """Each member's share of `supply` partitions, given how many of them it owns.

    Everybody gets ⌊P/M⌋ and P mod M members one more, which is the only balanced way; a member
    keeps one more partition by a larger share only if it owns more than ⌊P/M⌋, so those come
    first, and no other choice keeps more.
    """
    quota, extra = divmod(supply, len(owned))
    shares = np.full(len(owned), quota)
    if extra:
        rich = np.flatnonzero(owned > quota)[:extra]
        shares[rich] += 1
        if len(rich) < extra:
            shares[np.flatnonzero(owned <= quota)[: extra - len(rich)]] += 1
    return shares
