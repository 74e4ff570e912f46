"""Whether an assignment is the best at each level: potentials prove it, or a cycle disproves it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from optimizer.arrays import IntArray
from optimizer.books import Books
from optimizer.certificate import MalformedCertificateError, decoded, encoded
from optimizer.steps import Prices, Steps
from optimizer.wording import Wording


class Proof(NamedTuple):
    """What was found, level after level.

    `proven` has True for each level at which nothing is better, and False for the first at which
    something is, which `witness` tells; below that nothing can be said. `certificate` proves all
    levels, if they are. `fault` tells why the certificate that was given doesn't.
    """

    proven: dict[str, bool]
    witness: str | None
    certificate: bytes | None
    fault: str | None


def prove(books: Books, levels: Sequence[str], certificate: bytes | None) -> Proof:
    """Check the levels by a certificate; without one, or where it fails, search."""
    proven: dict[str, bool] = {}
    found: list[IntArray] = []
    given, fault = _given(books, len(levels), certificate)
    steps = books.steps()
    for level in levels:
        prices = books.prices(level)
        start, within_one = _start(books, level)
        numbers = given[len(found)] if given else np.zeros_like(start)
        plain = not numbers.any()
        if plain and within_one:
            steps = steps.tight_loads(prices, start)
        elif not plain or not _is_settled(books, level):
            lengths = steps.lengths(prices, start + numbers)
            offence = steps.offence(lengths)
            witness = Wording(books).swap() if level == "moves" else None
            if given and offence:
                fault = Wording(books).offence(level, offence)
            elif given and witness:
                fault = f"the certificate is one of another plan: {witness}"
            if offence and witness is None:
                given = []
                numbers, witness = _searched(books, level, steps, prices)
                lengths = steps.lengths(prices, start + numbers)
                if witness is None and steps.offence(lengths) is not None:
                    raise AssertionError("a search that finds no cycle has to end in potentials")
            if witness is not None:
                return Proof({**proven, level: False}, witness, None, fault)
            steps = steps.tight(lengths) if level != levels[-1] else steps
        proven[level] = True
        found.append(numbers)
    proof = certificate if given else encoded(found)
    return Proof(proven, None, proof, fault)


def _given(
    books: Books, levels: int, certificate: bytes | None
) -> tuple[list[IntArray], str | None]:
    if certificate is None:
        return [], None
    try:
        return decoded(certificate, books.readers.member_count, levels), None
    except MalformedCertificateError as error:
        return [], f"the certificate can't be read: {error}"


def _start(books: Books, level: str) -> tuple[IntArray, bool]:
    """Where a certificate's numbers are counted from; whether that alone proves the balance."""
    if level != "balance":
        return np.zeros(len(books.loads), np.int64), False
    of_readers = books.loads[books.readers.member]
    low, high = int(of_readers.min(initial=books.measures.max_load)), books.measures.max_load
    return (-np.minimum(books.loads, low), True) if high - low <= 1 else (-books.loads, False)


def _is_settled(books: Books, level: str) -> bool:
    """Whether nothing at a level has to be looked at.

    So it is with racks where nobody reads across any; and with moves of a balanced group of one
    kind that keeps as much as its quotas let it: at most ⌊P/M⌋ of what each member owns can stay,
    and one more with P mod M of those who own it.
    """
    remote = books.readers.remote
    nowhere = remote is None or not remote.any()
    if level == "racks" or not nowhere:
        return level == "racks" and nowhere
    if level != "moves" or books.readers.kind_count != 1:
        return False
    quota, extra = divmod(books.measures.partitions, len(books.held))
    most = np.minimum(books.owned, quota).sum() + min(extra, np.count_nonzero(books.owned > quota))
    return bool(books.kept.sum() == most)


def _searched(
    books: Books, level: str, steps: Steps, prices: Prices
) -> tuple[IntArray, str | None]:
    """The certificate's numbers, or a cycle in words."""
    cycle, distance = steps.residual(prices).search()
    potential = distance[books.readers.kind_count : -1] - distance[-1]
    start, _ = _start(books, level)
    # Whoever has nothing has nothing to give: 0 is as good as more.
    numbers = np.where(books.loads == 0, 0, potential - start)
    return numbers, None if cycle is None else Wording(books).cycle(level, cycle)
