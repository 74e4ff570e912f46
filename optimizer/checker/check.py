"""Checks an assignment from the bare facts, with nothing of the solver."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from optimizer.checker.budget import prove_within_budget
from optimizer.checker.certificate import has_prices
from optimizer.checker.counts import Counts, count_assignment
from optimizer.checker.evenness import host_of_members, proven_homogeneous
from optimizer.checker.facts import COSTS, cost_facts
from optimizer.checker.proof import prove
from optimizer.checker.weighted import WeightVerdict, check_by_weight
from optimizer.model import (
    DEFAULT_GOALS,
    LEVELS,
    NOBODY,
    Goals,
    IntArray,
    Measures,
    Problem,
    Reads,
    cell_level,
    host_level,
    levels_of,
    limits_of,
    on_hosts,
    resolve_balance,
    units_of,
    weights_of,
)


class Verdict(NamedTuple):
    """The check's judgement of an assignment.

    `faults` say why it isn't an assignment of the group at all; with any, the rest says nothing.
    `balance_optimal`: no assignment has a lower Σ load². `moves_optimal` and `racks_optimal`: none
    that is as good at the levels above moves fewer partitions, or has fewer read across racks; None
    when a level above isn't optimal, and for racks where the goals or the facts have none. All are
    None where optimality isn't examined (`measure_assignment`).
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
    has to show that its largest load is the least that this many moves reach: then balance is
    optimal, if Σ load² is the least of plans that move as few, and moves are, if none with such a
    largest load moves fewer. Without either nothing is known of the balance.
    """
    if faults := _faults_of_shape(problem, target):
        return Verdict(faults, None, False, None, None)
    problem, goals = on_hosts(problem, goals.host), resolve_balance(goals, problem)
    if goals.copartition:
        return _check_units(problem, target, certificate, goals, rival)
    if goals.by_weight:
        return _by_weight(problem, target, certificate, goals)
    levels = levels_of(problem, goals) if levels is None else levels
    is_limited = goals.max_moves is not None and (rival is not None or has_prices(certificate))
    is_plain = len(problem.subscriptions) == 1 and not (certificate or is_limited)
    if is_plain:
        is_plain = not (limits_of(problem, goals.limits) or cost_facts(problem, goals))
    left_out = [cell_level(levels)] if is_limited else []
    left_out += [host_level(levels)] if host_of_members(problem) is None else []
    levels = [level for level in levels if level not in left_out]
    if is_plain:
        measures = proven_homogeneous(problem, target, levels)
        if measures is not None:
            return _verdict_of_closed_form(measures, levels)
    counts = count_assignment(problem, target, goals, levels)
    if not isinstance(counts, Counts):
        return Verdict(counts, None, False, None, None)
    if is_limited:
        proof = prove_within_budget(counts, goals, certificate, rival)
    else:
        proof = prove(counts, ["balance", *levels], certificate)
    return _verdict_of(counts)._replace(
        balance_optimal=proof.proven.get("balance"),
        **_columns(proof.proven, counts.kinds.flags),
        witness=proof.witness,
        certificate=proof.certificate,
        certificate_fault=proof.fault,
    )


def measure_assignment(problem: Problem, target: IntArray, goals: Goals = DEFAULT_GOALS) -> Verdict:
    """The faults and measures that `check_assignment` tells, without a search or a proof."""
    counts = _faults_of_shape(problem, target) or count_assignment(problem, target, goals)
    return _verdict_of(counts) if isinstance(counts, Counts) else Verdict(counts, *[None] * 4)


def _verdict_of(counts: Counts) -> Verdict:
    """The verdict on any assignment without faults."""
    owned_reads, reads = counts.reads(counts.owned), counts.reads(counts.held)
    return Verdict([], counts.measures, None, None, None, reads_found=owned_reads, reads=reads)


def _verdict_of_closed_form(measures: Measures, levels: Sequence[str]) -> Verdict:
    """The verdict of the closed form for members who all read the same."""
    proven = {**dict.fromkeys(levels, True), "moves": True}
    verdict = Verdict([], measures, True, None, None, certificate=b"")
    return verdict._replace(**_columns(proven, has_costs=()))


def _columns(proven: Mapping[str, bool], has_costs: Container[str]) -> dict[str, Any]:
    """The columns of each level below balance; none of costs that the group doesn't have."""
    return {
        level.column: None if name in COSTS and name not in has_costs else proven.get(name)
        for name, level in LEVELS.items()
        if level.column
    }


def _by_weight(
    problem: Problem, target: IntArray, certificate: bytes | None, goals: Goals
) -> Verdict:
    counts = count_assignment(problem, target, goals)
    if not isinstance(counts, Counts):
        return Verdict(counts, None, False, None, None)
    kinds = counts.allowed or counts.kinds
    weight_verdict = check_by_weight(problem, kinds, target, goals, certificate, counts.forced)
    is_fewest = weight_verdict.in_tolerance and weight_verdict.moves <= weight_verdict.moves_bound
    return _verdict_of(counts)._replace(
        balance_optimal=weight_verdict.in_tolerance or None,
        moves_optimal=is_fewest or None,
        certificate=weight_verdict.certificate,
        certificate_fault=weight_verdict.fault,
        weight=weight_verdict,
    )


def _check_units(
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
    counts = count_assignment(problem, target, goals)
    faults = counts if not isinstance(counts, Counts) else _separations(problem, goals, target)
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
        moves=counts.measures.moves, weights_known=weights_of(problem).known_share
    )
    if weight and moves:
        moves = weight.moves <= weight.moves_bound or None
    measured = _verdict_of(counts)
    return verdict._replace(
        measures=measured.measures,
        balance_optimal=balance,
        moves_optimal=moves,
        witness=None,
        reads_found=measured.reads_found,
        reads=measured.reads,
        weight=weight or None,
    )


def _faults_of_shape(problem: Problem, target: IntArray) -> list[str]:
    """Why it can't be an assignment of any group with these numbers of partitions and members."""
    if len(target) != problem.partition_count:
        return [
            f"{len(target)} partitions are assigned, and the group has {problem.partition_count}"
        ]
    if len(target) and not NOBODY <= target.min() <= target.max() < len(problem.member_ids):
        return [f"an index is not one of the {len(problem.member_ids)} members'"]
    return []


def _separations(problem: Problem, goals: Goals, target: IntArray) -> list[str]:
    """Partitions that go to different members and have to go to the same, in words."""
    of_partition = units_of(problem, goals.limits).of_partition
    read = (of_partition >= 0).nonzero()[0]
    order = read[np.argsort(of_partition[read], kind="stable")]
    here, after = order[:-1], order[1:]
    apart = (of_partition[here] == of_partition[after]) & (target[here] != target[after])
    count = int(np.count_nonzero(apart))
    if not count:
        return []
    first = int(apart.argmax())
    partition, other = int(here[first]), int(after[first])
    names = problem.member_ids
    return [
        f"{problem.partition_name(partition)} is assigned to {names[target[partition]]} and "
        f"{problem.partition_name(other)} to {names[target[other]]}; they are to be together"
        + (f" ({count} such)" if count > 1 else "")
    ]
