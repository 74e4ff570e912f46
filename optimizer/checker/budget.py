"""Whether a largest load is the least that this many moves reach, shown from the bare facts.

What shows it is a whole number of 0 or more for each member: the price of a place there. A plan in
which nobody has more than L partitions can't have cost less than this: what each partition costs
where it is cheapest, a move counting one, less L times all prices (the dual of a min-cost flow).
Prices at which that exceeds the moves allowed rule out every plan with a largest load of L.
"""

from dataclasses import replace

import numpy as np

from optimizer.checker.certificate import (
    MalformedCertificateError,
    decode_prices,
    encode_with_prices,
    has_prices,
)
from optimizer.checker.counts import Counts, counts_of, forced_moves
from optimizer.checker.evenness import host_of_members
from optimizer.checker.facts import kinds_under
from optimizer.checker.kinds import kinds_of
from optimizer.checker.levels import Moves
from optimizer.checker.proof import Proof, prove
from optimizer.model import Goals, IntArray, Limits, Problem, host_level

MAX_PRICE = 2**31
"""A higher price proves nothing: no group has that number of partitions to move."""


def prove_within_budget(
    counts: Counts, goals: Goals, certificate: bytes | None, rival: IntArray | None
) -> Proof:
    """Judge a plan that `Goals.max_moves` keeps from balance.

    Moves are the fewest, and then the balance the best, among plans with its largest load. That no
    plan has a lower one within the moves allowed is shown by the certificate's prices, or by those
    that the rival leads to; if neither do, the balance is neither proven nor refuted.
    """
    problem, measures = counts.problem, counts.measures
    load = measures.max_load - 1
    budget = goals.budget(measures.partitions) or 0
    if measures.moves > budget and prove(counts, ["moves"], None).proven["moves"]:
        budget = measures.moves  # limits take as many, also beyond the budget
    prices, rest, fault = _read_certificate(counts, certificate)
    shown = prices is not None and are_ruled_out(problem, prices, load, budget, counts.limits)
    if prices is not None and not shown:
        fault = "the certificate doesn't prove that no largest load is lower with so few moves"
        rest = None
    if not shown and rival is not None:
        prices = prices_of_rival(counts, rival, load, budget)
        shown = are_ruled_out(problem, prices, load, budget, counts.limits)
    by_host = host_level(goals.order) if host_of_members(problem) is not None else None
    looked_at = {*counts.kinds.flags, by_host}
    levels = ["moves", "balance", *(level for level in goals.order if level in looked_at)]
    proof = prove(counts, levels, rest, measures.max_load)
    proven = dict(proof.proven)
    if not shown or measures.moves > budget:
        proven.pop("balance", None)
        return proof._replace(proven=proven, certificate=None, fault=fault or proof.fault)
    proving = proof.certificate
    if proving is not None and prices is not None:
        proving = encode_with_prices(prices, proving)
    return proof._replace(proven=proven, certificate=proving, fault=fault or proof.fault)


def _read_certificate(
    counts: Counts, certificate: bytes | None
) -> tuple[IntArray | None, bytes | None, str | None]:
    """The certificate's prices, what follows them, and why it can't be read."""
    if not certificate or not has_prices(certificate):
        return None, None, None
    try:
        return *decode_prices(certificate, len(counts.loads)), None
    except MalformedCertificateError as error:
        return None, None, f"the certificate can't be read: {error}"


def are_ruled_out(
    problem: Problem, prices: IntArray, load: int, moves: int, limits: Limits | None = None
) -> bool:
    """Whether prices show that no plan has so low a largest load and moves no more than that.

    Under limits to a topic's partitions they may not show it though it is so.
    """
    if len(prices) != len(problem.member_ids) or prices.min(initial=0) < 0:
        return False
    if prices.max(initial=0) > MAX_PRICE or not len(prices):
        return False
    bare = kinds_of(problem)
    kinds = bare if limits is None else kinds_under(bare, limits)
    price = prices[kinds.member]
    if not len(price):
        return False
    pair = kinds.pair_of(problem.owner)
    owned_of_pair = np.bincount(pair[pair >= 0], minlength=len(price))
    cheapest = np.minimum.reduceat(price, kinds.offsets[:-1])
    supply = np.bincount(kinds.kind_of[kinds.kind_of >= 0], minlength=kinds.kind_count)
    owned = np.add.reduceat(owned_of_pair, kinds.offsets[:-1])
    of_pair = np.minimum(price, 1 + cheapest.repeat(np.diff(kinds.offsets)))
    least = int((supply - owned) @ cheapest) + int(owned_of_pair @ of_pair)
    room = np.full(len(prices), load)
    if limits is not None:
        moves -= forced_moves(problem, bare, kinds)
        room = room if limits.most is None else np.minimum(room, limits.most)
    return least - int(room @ prices) > moves


def prices_of_rival(judged: Counts, rival: IntArray, load: int, moves: int) -> IntArray:
    """Prices that may rule the load out, from an assignment that has it and moves the fewest.

    They are potentials of its residual network when full members take in no more. If the rival's
    largest load is above, nobody's can be so low: those share a price among whom it would have to
    go on, all who may read what they have.
    """
    problem, limits = judged.problem, judged.limits
    nothing = np.zeros(len(problem.member_ids), np.int64)
    kinds = kinds_of(problem)
    if limits is not None:
        kinds = kinds_under(kinds, limits)
        limits = limits._replace(most_of_topic=None)
    if len(rival) != problem.partition_count or rival.max(initial=-1) >= len(nothing):
        return nothing
    counts = counts_of(problem, kinds, rival)
    if counts is None:
        return nothing
    counts = replace(counts, limits=limits)
    if counts.measures.max_load > load:
        return _confined_members(counts, load) * (moves + 1)
    search = counts.residual_network(most=load).search(Moves("moves", counts).arc_costs())
    if search.cycle is not None:
        return nothing
    of_members: IntArray = search.potential[kinds.kind_count : -1]
    prices: IntArray = search.potential[-1] - of_members
    return prices.clip(0)


def _confined_members(counts: Counts, load: int) -> IntArray:
    """Members that have more than a load, and all to which theirs could go, as 1."""
    kinds = counts.kinds
    full, kind = counts.loads > load, np.arange(kinds.kind_count).repeat(np.diff(kinds.offsets))
    while True:
        held = np.zeros(kinds.kind_count, np.bool_)
        held[kind[full[kinds.member] & (counts.held > 0)]] = True
        wider = full.copy()
        wider[kinds.member[held[kind]]] = True
        if (wider == full).all():
            return full.astype(np.int64)
        full = wider
