"""Groups in which members have more to do than others, by what partitions weigh."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from optimizer.model import Goals, Problem, classes_of, weights_of
from optimizer.solver import solve_by_weight
from spark.audit.facts import GroupFacts
from spark.audit.finding import WORST_FIRST, FindingRow, GroupFinding, Settings
from spark.audit.text import decimal, sentence
from spark.text import counted

QUICK = Goals(balance="weight", effort="quick")

DIGITS = 9
"""Whole numbers stand for weights inside: what is beyond is theirs."""

ROUNDING = 1e-8
"""More than these digits, and real numbers, can be off by."""

MAX_PARTITIONS = 50_000
"""Larger groups aren't planned by weight here."""


def unbalanced_weight(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """The most loaded member by weight against that of a plan by weight."""
    problem = facts.weighed
    if problem is None or facts.members < 2 or problem.partition_count > MAX_PARTITIONS:
        return
    weights = weights_of(problem)
    if weights.known < settings["known"]:
        return
    kept = classes_of(problem).kept
    level = weights.level_of(kept)
    if not _is_worth_a_plan(problem, level, settings):
        return
    planned = facts.by_weight
    if planned is None:
        planned = solve_by_weight(problem, QUICK).target
    best = weights.level_of(planned)
    if not best or level <= best:
        return
    moves = int(np.count_nonzero(classes_of(problem).keepable & (planned != problem.owner)))
    yield FindingRow(
        f"group {facts.group}",
        round(level / best, DIGITS),
        lambda: sentence(
            "One member of group {group} carries a weight of {found} where {best} would do; for "
            "that {moves} must move.",
            group=facts.group,
            found=decimal(weights.highest(kept)),
            best=decimal(weights.highest(planned)),
            moves=counted(moves, "partition"),
        ),
    )


def _is_worth_a_plan(problem: Problem, current: int, settings: Settings) -> bool:
    """Whether the measure can pass a level: no plan is below a fair share, or what is heaviest."""
    weights = weights_of(problem)
    read = classes_of(problem).of_partition >= 0
    weight, capacity = weights.of_partition[read], weights.capacity
    fair = int(weight.sum()) / int(capacity.sum())
    bound = max(fair, int(weight.max(initial=0)) / int(capacity.max())) * weights.parts
    levels = [settings[item] for item in WORST_FIRST if settings[item] is not None]
    return bool(levels) and current >= min(levels) * bound * (1 - ROUNDING)


UNBALANCED_WEIGHT = GroupFinding(
    name="unbalanced-weight",
    tells="by what partitions weigh a member has more to do than it would have to have",
    measure="weight of the most loaded member ÷ that in a plan by weight",
    advice="Kafka's strategies count partitions: `evenfleet plan --weight column` shows an "
    "assignment by weight, which can be put into force.",
    find=unbalanced_weight,
    needs=("partitions.weight",),
    info=1.25,
    settings={"known": 0.5},
)


def hot_partition(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """The heaviest partition against a member's fair share: no assignment cuts it in two."""
    problem = facts.weighed
    if problem is None or facts.members < 2:
        return
    weights, classes = weights_of(problem), classes_of(problem)
    read = classes.of_partition >= 0
    total = int(weights.of_partition[read].sum())
    if not total or np.count_nonzero(read) <= facts.members:
        return
    hottest = int(np.where(read, weights.of_partition, -1).argmax())
    if problem.weights is None or np.isnan(problem.weights[hottest]):
        return
    share = total * int(weights.capacity.max()) / int(weights.capacity.sum())
    weight = int(weights.of_partition[hottest])
    yield FindingRow(
        f"partition {problem.partition_name(hottest)}",
        round(weight / share, DIGITS),
        lambda: sentence(
            "Partition {name} weighs {weight}, more than the fair share of any member of group "
            "{group}, {share}: no assignment can even that out.",
            name=problem.partition_name(hottest),
            weight=decimal(weight * weights.weight_unit),
            group=facts.group,
            share=decimal(share * weights.weight_unit),
        ),
    )


HOT_PARTITION = GroupFinding(
    name="hot-partition",
    tells="one partition is more than a member's fair share of its group",
    measure="weight of the partition ÷ the fair share of the group's strongest member",
    advice="No assignment helps: give the topic more partitions, or its records a key that spreads "
    "them; fewer members would do as well.",
    find=hot_partition,
    needs=("partitions.weight",),
    info=1.5,
)
