"""Judge a plan by weight, and say what is wrong with it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from optimizer.checker.certificate import MalformedCertificateError
from optimizer.checker.kinds import Kinds
from optimizer.checker.weighted.certificate import (
    PriceProof,
    SearchProof,
    Set,
    confined_to,
    decode,
    encode_prices,
    encode_search,
    encode_set,
    is_shown_by_prices,
    is_shown_by_search,
    is_shown_by_set,
    simple_sets,
)
from optimizer.figures import figure, plural
from optimizer.model import Flags, Goals, IntArray, Problem, Weights, weights_of

NAMED = 3
"""Names that a sentence lists; the rest are counted."""


class Sentences:
    """Sentences about a group by weight."""

    def __init__(self, problem: Problem, kinds: Kinds, weights: Weights) -> None:
        self._problem, self._kinds, self._weights = problem, kinds, weights

    def describe_bound(self, shown: Set | PriceProof | SearchProof, largest: float) -> str:
        """A sentence on why the bound holds, and how far the plan's largest load is above it."""
        least = self._weights.stated_bound(shown.level + 1)
        gap = largest / least - 1 if 0 < least < largest else 0.0
        return f"{self._why(shown, least)}; the plan's largest is {figure(largest)} (gap {gap:.2%})"

    def _why(self, shown: Set | PriceProof | SearchProof, least: float) -> str:
        if isinstance(shown, PriceProof):
            return (
                f"no assignment of {plural(int(np.count_nonzero(shown.prices)), 'partition')} "
                f"leaves every member below {figure(least)} a unit of capacity (shown by their "
                "prices)"
            )
        if isinstance(shown, SearchProof):
            return f"of all assignments none is below {figure(least)} a unit of capacity"
        problem, weights = self._problem, self._weights
        indices = confined_to(self._kinds, weights, shown)
        weight = weights.of_partition[indices] * weights.weight_unit
        if shown.members.any():
            return self._of_set(shown.members, indices, float(weight.sum()), least)
        if not len(indices):
            return "nothing weighs anything"
        name = problem.partition_name(int(indices[weight.argmax()]))
        return f"{name} alone weighs {figure(float(weight.max()))}, and one member has to read it"

    def _of_set(self, members: Flags, indices: IntArray, weight: float, least: float) -> str:
        """Some members, or all, show it by what they have to read."""
        problem, capacity = self._problem, float(self._weights.raw_capacity[members].sum())
        readers = "all members have to"
        if not members.all():
            names = [problem.member_ids[m] for m in members.nonzero()[0].tolist()]
            readers = f"only {_list_of(names)} can"
        topics = [
            problem.topics[t] for t in np.bincount(problem.topic_of[indices]).nonzero()[0].tolist()
        ]
        return (
            f"{readers} read {_list_of(topics)}, {figure(weight)} for a capacity of "
            f"{figure(capacity)}: one of them has at least {figure(least)} a unit"
        )


def _list_of(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


KINDS: dict[type, str] = {Set: "set", PriceProof: "prices", SearchProof: "searched"}


class WeightVerdict(NamedTuple):
    """The check's judgement of a plan by weight.

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
    shown, fault = _read_bound(kinds, weights, certificate)
    bound, level = shown.level + 1, weights.level_of(target)
    enough = max(level, raise_level(bound, goals.tolerance))
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
        shown=sentences.describe_bound(shown, largest),
        certificate=_encode(shown),
        fault=fault,
    )


def _is_within(weights: Weights, level: int, bound: int, largest: float, tolerance: float) -> bool:
    """Whether a plan is within the tolerance of the bound, also where capacities were rounded."""
    if level > raise_level(bound, tolerance):
        return False
    return weights.is_exact or largest <= weights.stated_bound(bound) * (1 + tolerance)


def _read_bound(
    kinds: Kinds, weights: Weights, certificate: bytes | None
) -> tuple[Set | PriceProof | SearchProof, str | None]:
    """The highest level that is shown, and why the certificate shows nothing."""
    fault = None
    if certificate:
        try:
            bound = decode(certificate, kinds.member_count, len(kinds.kind_of))
            if _holds(kinds, weights, bound):
                return bound, None
            fault = "the certificate doesn't prove its bound: its sums leave room"
        except MalformedCertificateError as error:
            fault = f"the certificate can't be read: {error}"
    return max(simple_sets(kinds, weights), key=lambda shown: shown.level), fault


def _holds(kinds: Kinds, weights: Weights, shown: Set | PriceProof | SearchProof) -> bool:
    if isinstance(shown, SearchProof):
        return is_shown_by_search(kinds, weights, shown)
    if isinstance(shown, PriceProof):
        return is_shown_by_prices(kinds, weights, shown)
    return is_shown_by_set(kinds, weights, shown)


def _encode(shown: Set | PriceProof | SearchProof) -> bytes:
    if isinstance(shown, SearchProof):
        return encode_search(shown)
    return encode_prices(shown) if isinstance(shown, PriceProof) else encode_set(shown)


def raise_level(level: int, share: float) -> int:
    """A level raised by a share of itself."""
    return level + int(np.floor(level * share))


def least_moves(weights: Weights, owner: IntArray, level: int) -> int:
    """The fewest partitions that leave their owners in any plan at a level or below.

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
