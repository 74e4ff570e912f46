"""Checks an assignment from the bare facts, with nothing of the solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from optimizer.checker.budget import prove_within_budget
from optimizer.checker.certificate import has_prices
from optimizer.checker.costs import COSTS, cost_facts
from optimizer.checker.counts import Counts, counts_of
from optimizer.checker.homogeneous import proven_homogeneous
from optimizer.checker.hosts import every_host_of_members, host_of_members
from optimizer.checker.kinds import Kinds, cut, cut_with_hubs, kinds_of, with_cells
from optimizer.checker.limits import forced_moves, kinds_under, limit_faults, separated
from optimizer.checker.pair_facts import PairFacts
from optimizer.checker.proof import prove
from optimizer.checker.racks import RackFacts
from optimizer.checker.weighted import WeightVerdict, check_by_weight
from optimizer.model import (
    DEFAULT_GOALS,
    LEVELS,
    NOBODY,
    Goals,
    IntArray,
    Limits,
    Measures,
    Problem,
    Reads,
    levels_of,
    limits_of,
    on_hosts,
    units_of,
    weights_of,
)

FAULTS_NAMED = 5
"""So many partitions of each sort of fault are named; the rest are counted."""


class Verdict(NamedTuple):
    """What an assignment is worth.

    `faults` say why it isn't an assignment of the group at all; with any, the rest says nothing.
    `balance_optimal`: no assignment has a lower Σ load². `moves_optimal` and `racks_optimal`: none
    that is as good at the levels above moves fewer partitions, or has fewer read across racks; None
    when a level above isn't optimal, and for racks where the goals or the facts have none. All are
    None where optimality isn't looked at (`measure_assignment`).
    `hosts_optimal`: so it is with the spread over hosts; None too where no two members share one.
    `spread_optimal`: so it is with the spread of topics; None too where the group is too large to
    look at it. `witness` tells a change that improves what isn't optimal.

    `reads_found` and `reads` count the reads of the current assignment and of this one, where the
    goals and the facts have racks. `certificate` proves all levels, if they are optimal: the one
    that was given, or a new one. `certificate_fault` tells why the one that was given proves
    nothing; the rest then comes from a search, and is true of the assignment all the same.

    `weight` is there for goals by weight. `balance_optimal` then tells that no plan is lower by
    more than the goals' tolerance, and `moves_optimal` that none as low moves fewer; None where
    that isn't known.
    """

    faults: list[str]
    measures: Measures | None
    balance_optimal: bool | None
    moves_optimal: bool | None
    witness: str | None
    racks_optimal: bool | None = None
    hosts_optimal: bool | None = None
    spread_optimal: bool | None = None
    reads_found: Reads | None = None
    reads: Reads | None = None
    certificate: bytes | None = None
    certificate_fault: str | None = None
    weight: WeightVerdict | None = None


def check_assignment(
    problem: Problem,
    target: IntArray,
    certificate: bytes | None = None,
    goals: Goals = DEFAULT_GOALS,
    levels: Sequence[str] | None = None,
    rival: IntArray | None = None,
) -> Verdict:
    """Judge an assignment; `target` has a member index or NOBODY for each partition.

    `levels` are those to look at below balance, by default those that count for such a group.

    It can be improved if and only if its residual network has a cycle of negative cost (Klein,
    Management Science 14, 1967). For the balance alone, such a cycle is a cost-reducing path of
    Harvey, Ladner, Lovász and Tamir (J. Algorithms 59, 2006). A certificate shows in one pass that
    there is none (`optimizer.checker.certificate`); without one it is searched for.

    Where `Goals.max_moves` keeps a plan from balance, a certificate or a `rival` (`Answer.rival`)
    has to show that its largest load is the least that so many moves reach: then balance is
    optimal, if Σ load² is the least of plans that move as few, and moves are, if none with such a
    largest load moves fewer. Without either nothing is known of the balance.
    """
    faults = list(_malformed(problem, target))
    if faults:
        return Verdict(faults, None, False, None, None)
    problem = on_hosts(problem, goals.host)
    if goals.copartition:
        return _together(problem, target, certificate, goals, rival)
    if goals.by_weight:
        return _by_weight(problem, target, certificate, goals)
    levels = levels_of(problem, goals) if levels is None else levels
    if host_of_members(problem) is None:
        levels = [level for level in levels if level != "hosts"]
    is_limited = goals.max_moves is not None and (rival is not None or has_prices(certificate))
    if is_limited:
        levels = [level for level in levels if level != "spread"]
    limits = limits_of(problem, goals.limits)
    facts, by_topic = cost_facts(problem, goals), "spread" in levels
    plain = not facts and not certificate and not is_limited and limits is None
    measures = proven_homogeneous(problem, target, levels) if plain else None
    if measures:
        hosts, spread = (True if level in levels else None for level in ("hosts", "spread"))
        verdict = Verdict([], measures, True, True, None, certificate=b"")
        return verdict._replace(hosts_optimal=hosts, spread_optimal=spread)
    result = _counted(problem, target, facts, by_topic, limits)
    if not isinstance(result, Counts):
        return Verdict(result, None, False, None, None)
    counts, kinds = result, result.kinds
    if "hosts" in levels or (limits is not None and limits.most_on_host is not None):
        counts = replace(counts, host=every_host_of_members(problem))
    if is_limited:
        judged = prove_within_budget(counts, goals, certificate, rival)
    else:
        judged = prove(counts, ["balance", *levels], certificate)
    proven, witness, proof, fault = judged
    return Verdict(
        [],
        counts.measures,
        proven.get("balance"),
        **_columns(proven, kinds),
        witness=witness,
        reads_found=counts.reads(counts.owned),
        reads=counts.reads(counts.held),
        certificate=proof,
        certificate_fault=fault,
    )


def _columns(proven: Mapping[str, bool], kinds: Kinds) -> dict[str, Any]:
    """What is told of each level below balance; nothing of costs that the group doesn't have."""
    return {
        level.column: None if name in COSTS and name not in kinds.flags else proven.get(name)
        for name, level in LEVELS.items()
        if level.column
    }


def _by_weight(
    problem: Problem, target: IntArray, certificate: bytes | None, goals: Goals
) -> Verdict:
    limits = limits_of(problem, goals.limits)
    counts = _counted(problem, target, cost_facts(problem, goals), by_topic=False, limits=limits)
    if not isinstance(counts, Counts):
        return Verdict(counts, None, False, None, None)
    bare = kinds_of(problem)
    kinds = bare if limits is None else kinds_under(bare, limits)
    forced = forced_moves(problem, bare, kinds)
    weight_verdict = check_by_weight(problem, kinds, target, goals, certificate, forced)
    is_fewest = weight_verdict.within and weight_verdict.moves <= weight_verdict.moves_bound
    return Verdict(
        [],
        counts.measures,
        weight_verdict.within or None,
        is_fewest or None,
        None,
        reads_found=counts.reads(counts.owned),
        reads=counts.reads(counts.held),
        certificate=weight_verdict.certificate,
        certificate_fault=weight_verdict.fault,
        weight=weight_verdict,
    )


def _together(
    problem: Problem,
    target: IntArray,
    certificate: bytes | None,
    goals: Goals,
    rival: IntArray | None,
) -> Verdict:
    """Judge an assignment of which some partitions go together, by what holds of its units.

    By count nothing is known of units of several sizes, unless nothing would be better if they
    could be cut; nor of the moves where parts of a unit stay with their owners whoever gets it.
    """
    limits, facts = limits_of(problem, goals.limits), cost_facts(problem, goals)
    counts = _counted(problem, target, facts, by_topic=False, limits=limits)
    faults = counts if not isinstance(counts, Counts) else separated(problem, goals, target)
    if faults or not isinstance(counts, Counts):
        return Verdict(faults, None, False, None, None)
    units, ours = units_of(problem, goals.limits), replace(goals, copartition=())
    if units.size is None and not goals.by_weight:
        ours = replace(ours, rack=None, max_moves=None)
        verdict = check_assignment(problem, target, certificate, ours, levels=["moves"])
    else:
        theirs = None if rival is None else units.collapse(rival)
        of_units = units.problem, units.collapse(target), certificate, units.goals(goals)
        verdict = check_assignment(*of_units, levels=["moves"], rival=theirs)
    is_known = units.is_owned_whole or counts.stays
    balance, moves = verdict.balance_optimal, verdict.moves_optimal if is_known else None
    if units.size is None and not goals.by_weight:
        balance, moves = balance or None, (moves or None) if balance else None
    if goals.max_moves is not None and not is_known and not goals.by_weight:
        balance = None
    weight = verdict.weight and verdict.weight._replace(
        moves=counts.measures.moves, weights_known=weights_of(problem).known
    )
    if weight and moves:
        moves = weight.moves <= weight.moves_bound or None
    return verdict._replace(
        faults=verdict.faults,
        measures=counts.measures,
        balance_optimal=balance,
        moves_optimal=moves,
        witness=None,
        reads_found=counts.reads(counts.owned),
        reads=counts.reads(counts.held),
        weight=weight or None,
    )


def measure_assignment(problem: Problem, target: IntArray, goals: Goals = DEFAULT_GOALS) -> Verdict:
    """The faults and measures that `check_assignment` tells, without a search or a proof."""
    faults = list(_malformed(problem, target))
    if faults:
        return Verdict(faults, None, None, None, None)
    limits = limits_of(problem, goals.limits)
    counts = _counted(problem, target, cost_facts(problem, goals), by_topic=False, limits=limits)
    if not isinstance(counts, Counts):
        return Verdict(counts, None, None, None, None)
    return Verdict(
        [],
        counts.measures,
        None,
        None,
        None,
        reads_found=counts.reads(counts.owned),
        reads=counts.reads(counts.held),
    )


def _counted(
    problem: Problem,
    target: IntArray,
    facts: Sequence[PairFacts],
    by_topic: bool,
    limits: Limits | None,
) -> Counts | list[str]:
    """The assignment in counts, or why it isn't one of the group under its limits."""
    is_capped = limits is not None and limits.most_of_topic is not None
    bare = kinds_of(problem, by_topic or is_capped)
    coarse = bare if limits is None else kinds_under(bare, limits)
    if limits is not None:
        faults = [
            *_misplaced(problem, bare, target),
            *limit_faults(problem, bare, limits, target),
        ]
        if faults:
            return faults
    kinds = coarse
    for each in facts:
        result = None
        if len(facts) == 1 and isinstance(each, RackFacts):
            result = cut_with_hubs(kinds, each, problem.owner, target)
        kinds = result or cut(kinds, each)
    counts = counts_of(problem, with_cells(kinds), target)
    if counts is None:
        return list(_misplaced(problem, bare, target))
    if limits is None:
        return counts
    forced, measures = forced_moves(problem, bare, coarse), counts.measures
    measures = measures._replace(
        moves=measures.moves + forced, takeovers=measures.takeovers - forced
    )
    return replace(counts, measures=measures, limits=limits)


def _malformed(problem: Problem, target: IntArray) -> Iterator[str]:
    if len(target) != problem.partition_count:
        yield f"{len(target)} partitions are assigned, and the group has {problem.partition_count}"
    elif len(target) and not NOBODY <= target.min() <= target.max() < len(problem.member_ids):
        yield f"an index is not one of the {len(problem.member_ids)} members'"


def _misplaced(problem: Problem, kinds: Kinds, target: IntArray) -> Iterator[str]:
    left_out = (target == NOBODY) & (kinds.kind_of >= 0)
    yield from _named(problem, left_out, "has subscribers and is assigned to nobody")
    unread = (target != NOBODY) & (kinds.pair_of(target) < 0)
    yield from _named(problem, unread, "is assigned to a member that doesn't subscribe to it")


def _named(problem: Problem, faulty: IntArray, fault: str) -> Iterator[str]:
    partitions = np.flatnonzero(faulty).tolist()
    for partition in partitions[:FAULTS_NAMED]:
        yield f"{problem.partition_name(partition)} {fault}"
    if len(partitions) > FAULTS_NAMED:
        yield f"{len(partitions) - FAULTS_NAMED} more partitions: each {fault}"
