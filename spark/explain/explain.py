"""Why one group's plan is as it is."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from pyspark.sql import DataFrame

from optimizer.advice import Advice
from optimizer.figures import figure
from optimizer.model import (
    Answer,
    IntArray,
    Problem,
    classes_of,
    host_names,
    hosts_of,
    idle_limits,
    member_loads,
    on_hosts,
    weights_of,
)
from optimizer.reasons import Explanation, explain, explain_by_weight, held_by
from optimizer.strategies import OPTIMAL
from spark.charts import CHARTS
from spark.fleet import UNSUPPORTED, FleetFiles, FleetSnapshot
from spark.groups import EncodedRow, one_row, rows_of_named, seat_of
from spark.notebook import FIRST, shown_in_notebook
from spark.settings import DEFAULT_FLEET_GOALS, FleetGoals
from spark.solve import (
    ACTIONS,
    ADVICE_COLUMNS,
    LevelsOf,
    Planned,
    default_levels,
    planned_groups,
)

NO_ADVICE = Advice()

Find = Callable[[Planned], list[dict[str, Any]]]
"""Finds faults in a planned group (`spark.audit.findings_of`)."""

CELL = "member", "topic", "current", "planned"
"""Columns of what a member has of a topic."""


@dataclass(frozen=True)
class GroupExplanation:
    """The faults of a group, and sentences about its optimal plan.

    `by_topic` has (member, topic, partitions now, partitions planned) where there are any. `moves`
    are about one moved partition each, `bounds` say why loads can't be more even. Both are empty
    where there is no plan, or nothing to say. `loads` has each member's load now and planned.
    `coordinator` is the broker that coordinates it, `coordinator_inferred` whether that is inferred
    from the group's name and who leads `offsets_partition` of __consumer_offsets, and `seat` says
    so in words. They are null where nothing tells. `owned` has how many partitions, or tasks, each
    member has in a group that isn't one of consumers. `weights` has each member's load by weight
    for a unit of its capacity now and planned, and `weight_bound` what no plan's largest is below,
    where the group is balanced by weight. `hosts` has how many partitions the members of each host
    have together, now and planned, where some members share a host, and not all of them the same.
    `state` and `type` are as in the table of groups. `unread` counts the partitions that no member
    owns though one subscribes to their topics. `changes` has a row a partition that gets another
    owner: `partition`, `from` and `to`, with their loads now and planned, and `for` what it moves
    where loads don't tell. `idle_limits` are limits that none of its members or partitions fits, in
    words. `findings` are faults that its own rows show, the worst first, where they are looked for.
    `advised` is what to do, as `plan` says it too.
    """

    cluster: str
    group: str
    status: str
    reason: str | None
    loads: dict[str, tuple[int, int]]
    moves: list[str]
    bounds: list[str]
    offsets_partition: int | None = None
    coordinator: int | None = None
    coordinator_inferred: bool | None = None
    seat: str | None = None
    by_topic: list[tuple[str, str, int, int]] = field(default_factory=list)
    owned: dict[str, int] = field(default_factory=dict)
    weights: dict[str, tuple[float, float]] = field(default_factory=dict)
    weight_bound: float | None = None
    hosts: dict[str, tuple[int, int]] = field(default_factory=dict)
    state: str | None = None
    type: str | None = None
    unread: int | None = None
    changes: list[dict[str, str]] = field(default_factory=list)
    idle_limits: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    advised: Advice = NO_ADVICE

    @property
    def as_json(self) -> dict[str, Any]:
        """All fields, and the advice as columns of its own."""
        columns = asdict(self)
        del columns["advised"]
        return columns | {name: getattr(self.advised, name) for name in ADVICE_COLUMNS}

    @property
    def cells(self) -> list[dict[str, Any]]:
        """`by_topic` as rows of a table: member, topic, partitions found and planned."""
        return [dict(zip(CELL, cell, strict=True)) for cell in self.by_topic]

    def chart(self) -> Any:
        """Partitions of each topic by member, before and after; InputError without Altair."""
        return CHARTS["matrix"].chart(self.cells)

    def _repr_html_(self) -> str:
        reason = f": {self.reason}" if self.reason else ""
        text = [f"Group {self.group} of cluster {self.cluster} is {self.status}{reason}."]
        text += [*self.moves[:FIRST], *self.bounds[:FIRST]]
        return shown_in_notebook(text, CELL, self.cells)


def explain_group(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    cluster: str | None = None,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    rates: DataFrame | None = None,
    levels: LevelsOf = default_levels,
    find: Find | None = None,
) -> GroupExplanation:
    """Plan one group by `optimal` and explain the plan; only this group's rows are collected.

    Of a store that needs no Spark: `FleetFiles.read("store")` reads few of its rows.
    Weights by lag or rates need Spark; `rates` are as `plan_fleet` takes them. `find` is what looks
    for findings.
    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    row = one_row(snapshot, group, cluster, goals.need_racks, goals.sources, rates)
    seat = seat_of(snapshot, row)
    return replace(
        _explain_with_advice(row, goals, levels, find),
        offsets_partition=seat.offsets_partition,
        coordinator=seat.coordinator,
        coordinator_inferred=seat.inferred if seat.coordinator is not None else None,
        seat=seat.seat,
    )


def _claims_by_member(row: EncodedRow) -> dict[str, int]:
    """Partitions that each member claims."""
    counts = Counter(row.all_members[row.claim_members].tolist())
    return dict(sorted(counts.items()))


def _explain_with_advice(
    row: EncodedRow, goals: FleetGoals, levels: LevelsOf, find: Find | None = None
) -> GroupExplanation:
    """The explanation of an encoded group, with its findings and its advice."""
    (planned,) = planned_groups([row], OPTIMAL, goals, levels=levels)
    columns = {name: getattr(planned.solved, name) for name in ADVICE_COLUMNS}
    findings = find(planned) if find else []
    return replace(_explain_plan(planned), findings=findings, advised=Advice(**columns))


def _explain_plan(planned: Planned) -> GroupExplanation:
    """The explanation of a planned group, without findings and advice."""
    row, solved, goals = planned[:3]
    if solved.max_load is None:
        return GroupExplanation(
            *(row.cluster, row.group, solved.status, solved.reason, {}, [], []),
            owned=_claims_by_member(row) if solved.status == UNSUPPORTED else {},
            state=row.state,
            type=row.type,
        )
    read = planned.group
    assert read.problem is not None
    problem = on_hosts(read.problem, goals.host)
    target = planned.target(problem)
    explanation: Explanation = (
        explain_by_weight(problem, target, goals, solved.certificate)
        if goals.by_weight
        else explain(problem, target, goals)
    )
    kept = classes_of(problem).kept
    before, after = (member_loads(problem, owners) for owners in (kept, target))
    sentences = explanation.sentences()
    if isinstance(planned.answer, Answer) and planned.answer.reason:
        sentences.append(f"The optimum isn't proposed: it is {planned.answer.reason}.")
    elif held := held_by(problem, target, goals):
        sentences.append(f"Loads stay two or more apart because of {', '.join(held)}.")
    loads = {
        name: (int(now), int(then))
        for name, now, then in zip(problem.member_ids, before, after, strict=True)
    }
    weights = _by_weight(problem, kept, target) if goals.by_weight else {}
    return GroupExplanation(
        **read.outcome(row),
        loads=loads,
        moves=sentences[: solved.moves],
        bounds=sentences[solved.moves :] or ["Loads are as even as possible."],
        by_topic=_by_topic(problem, kept, target),
        hosts=_by_host(problem, before, after),
        weights=weights,
        weight_bound=solved.weight_bound,
        state=row.state,
        unread=read.unread,
        changes=_changes(planned, problem, weights or loads, explanation),
        idle_limits=idle_limits(problem, goals.limits),
    )


def _changes(
    planned: Planned,
    problem: Problem,
    loads: Mapping[str, tuple[float, float]],
    explanation: Explanation,
) -> list[dict[str, str]]:
    """A row a partition that gets another owner: whose it is and will be, with their loads.

    Column `for` has what moves are for where loads don't tell, if any is for such a thing.
    """
    solved = planned.solved
    spelled = {
        name: f"{name} ({figure(now)} → {figure(then)})" for name, (now, then) in loads.items()
    }
    names = [spelled.get(name, f"{name} (gone)") for name in solved.names] + ["nobody"]
    offsets = problem.topic_offsets[solved.topic]
    gains = {move.step.name: move.beside_loads for move in explanation.moves if move.beside_loads}
    changes = [
        {
            "partition": problem.partition_name(int(offsets[at] + solved.partition[at])),
            "from": names[solved.previous[at]],
            "to": names[solved.target[at]],
        }
        for at in np.flatnonzero(solved.action != ACTIONS.index("keep")).tolist()
    ]
    if not gains:
        return changes
    return [change | {"for": gains.get(change["partition"], "")} for change in changes]


def _by_weight(
    problem: Problem, kept: IntArray, target: IntArray
) -> dict[str, tuple[float, float]]:
    """Each member's load by weight for a unit of its capacity, now and planned."""
    weights = weights_of(problem)
    loads = (weights.stated_loads(owners).tolist() for owners in (kept, target))
    return dict(zip(problem.member_ids, zip(*loads, strict=True), strict=True))


def _by_host(problem: Problem, before: IntArray, after: IntArray) -> dict[str, tuple[int, int]]:
    """Partitions of each host now and planned; none where hosts don't matter."""
    hosts = hosts_of(problem)
    if hosts is None:
        return {}
    ids, names = problem.member_ids, host_names(problem.hosts or ())
    number = hosts.of_member.tolist()
    host_of = {at: name or member for at, name, member in zip(number, names, ids, strict=True)}
    loads = zip(hosts.loads(before).tolist(), hosts.loads(after).tolist(), strict=True)
    return {host_of[at]: load for at, load in enumerate(loads)}


def _by_topic(
    problem: Problem, kept: IntArray, planned: IntArray
) -> list[tuple[str, str, int, int]]:
    """Partitions of each topic that members have, now and planned."""
    topics = len(problem.topics)
    cells = topics * len(problem.member_ids)
    before, after = (
        np.bincount((owners * topics + problem.topic_of)[owners >= 0], minlength=cells)
        for owners in (kept, planned)
    )
    return [
        (
            problem.member_ids[cell // topics],
            problem.topics[cell % topics],
            int(before[cell]),
            int(after[cell]),
        )
        for cell in sorted({*np.flatnonzero(before).tolist(), *np.flatnonzero(after).tolist()})
    ]


def rows_of_groups(
    snapshot: FleetSnapshot | FleetFiles, groups: Sequence[tuple[str, str]], goals: FleetGoals
) -> list[EncodedRow]:
    """The encoded rows of several (cluster, group) in their order, with racks and the weights.

    Those that aren't there are left out.
    """
    named = [group for _, group in groups]
    rows = rows_of_named(snapshot, named, racks=True, weights=goals.sources)
    by_name = {(row.cluster, row.group): row for row in rows}
    return [by_name[group] for group in groups if group in by_name]


def explain_rows(
    rows: Iterable[EncodedRow],
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    levels: LevelsOf = default_levels,
    find: Find | None = None,
) -> list[GroupExplanation]:
    """Explanations of the encoded rows of several groups, without their coordinators.

    Of `rows_of_groups`.
    """
    return [_explain_with_advice(row, goals, levels, find) for row in rows]
