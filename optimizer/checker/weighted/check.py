"""Judge a plan by weight."""

from typing import NamedTuple

import numpy as np

from optimizer.checker.certificate import MalformedCertificateError
from optimizer.checker.kinds import Kinds
from optimizer.checker.weighted.certificate import (
    Prices,
    Search,
    Set,
    decode,
    encode_prices,
    encode_search,
    encode_set,
)
from optimizer.checker.weighted.shown import (
    is_shown_by_prices,
    is_shown_by_search,
    is_shown_by_set,
    simple_sets,
)
from optimizer.checker.weighted.text import Sentences
from optimizer.model import Goals, IntArray, Problem, Weights, weights_of

KINDS: dict[type, str] = {Set: "set", Prices: "prices", Search: "searched"}


class WeightVerdict(NamedTuple):
    """What a plan by weight is worth.

    `max_weight` and `weight_bound` are loads for a unit of capacity, in the units of the group: the
    plan's largest, and one below which no plan's largest can be. `weight_gap` is the first over the
    second, minus 1. `bound_kind`, "set", "prices" or "searched", is what shows the bound, and
    `shown` says it in words. `in_tolerance`: the plan is within the tolerance of the bound; if it
    isn't, nothing is known of a better one.

    `moves` and `moves_bound`: partitions that the plan takes from who could keep them, and how many
    any plan does that is as low. `weights_known` is the share of partitions whose weight was known.
    `certificate` shows the bound; `fault` tells why the one that was given doesn't.
    """

    max_weight: float
    weight_bound: float
    weight_gap: float
    bound_kind: str
    in_tolerance: bool
    moves: int
    moves_bound: int
    weights_known: float
    shown: str
    certificate: bytes
    fault: str | None


def check_by_weight(
    problem: Problem,
    kinds: Kinds,
    target: IntArray,
    goals: Goals,
    certificate: bytes | None,
    forced: int = 0,
) -> WeightVerdict:
    """Judge an assignment that is sound, by what a certificate shows or what is easy to see.

    `kinds` have those readers whom limits allow, who take `forced` partitions from their owners.
    """
    weights = weights_of(problem)
    shown, fault = _shown(kinds, weights, certificate)
    bound, level = shown.level + 1, weights.level_of(target)
    enough = max(level, raised(bound, goals.tolerance))
    least, largest = weights.stated_bound(bound), weights.highest(target)
    keepable = kinds.pair_of(problem.owner) >= 0
    owner = np.where(keepable, problem.owner, -1)
    sentences = Sentences(problem, kinds, weights)
    return WeightVerdict(
        max_weight=largest,
        weight_bound=min(least, largest),
        weight_gap=largest / least - 1 if least < largest else 0.0,
        bound_kind=KINDS[type(shown)],
        in_tolerance=_is_within(weights, level, bound, largest, goals.tolerance),
        moves=forced + int(np.count_nonzero(keepable & (target != problem.owner))),
        moves_bound=forced + least_moves(weights, owner, enough),
        weights_known=weights.known_share,
        shown=sentences.shown(shown, largest),
        certificate=_encoded(shown),
        fault=fault,
    )


def _is_within(weights: Weights, level: int, bound: int, largest: float, tolerance: float) -> bool:
    """Whether a plan is within the tolerance of the bound, also where capacities were rounded."""
    if level > raised(bound, tolerance):
        return False
    return weights.is_exact or largest <= weights.stated_bound(bound) * (1 + tolerance)


def _shown(
    kinds: Kinds, weights: Weights, certificate: bytes | None
) -> tuple[Set | Prices | Search, str | None]:
    """The highest level that is shown, and why the certificate shows nothing."""
    fault = None
    if certificate:
        try:
            result = decode(certificate, kinds.member_count, len(kinds.kind_of))
            if _holds(kinds, weights, result):
                return result, None
            fault = "the certificate doesn't prove its bound: its sums leave room"
        except MalformedCertificateError as error:
            fault = f"the certificate can't be read: {error}"
    return max(simple_sets(kinds, weights), key=lambda shown: shown.level), fault


def _holds(kinds: Kinds, weights: Weights, shown: Set | Prices | Search) -> bool:
    if isinstance(shown, Search):
        return is_shown_by_search(kinds, weights, shown)
    if isinstance(shown, Prices):
        return is_shown_by_prices(kinds, weights, shown)
    return is_shown_by_set(kinds, weights, shown)


def _encoded(shown: Set | Prices | Search) -> bytes:
    if isinstance(shown, Search):
        return encode_search(shown)
    return encode_prices(shown) if isinstance(shown, Prices) else encode_set(shown)


def raised(level: int, share: float) -> int:
    """A level raised by a share of itself."""
    return level + int(np.floor(level * share))


def least_moves(weights: Weights, owner: IntArray, level: int) -> int:
    """How many partitions at least leave their owners in any plan that is at a level or below.

    Whoever has more has to give up its heaviest until it fits.
    """
    excess = weights.loads(owner) - weights.limits(level)
    owned = (owner >= 0).nonzero()[0]
    owned = owned[excess[owner[owned]] > 0]
    order = owned[np.lexsort((-weights.of_partition[owned], owner[owned]))]
    giver, weight = owner[order], weights.of_partition[order]
    heavier = weight.cumsum() - weight
    heavier -= heavier[giver.searchsorted(giver)]
    return int(np.count_nonzero(heavier < excess[giver]))
