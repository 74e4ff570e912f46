"""Groups in which members have more to do than others, by what partitions weigh."""

from collections.abc import Iterator

import numpy as np

from optimizer.model import Problem, classes_of, weights_of
from spark.audit.facts import GroupFacts
from spark.audit.finding import WORST_FIRST, FindingRow, GroupFinding, Settings, about

DIGITS = 9
"""Whole numbers stand for weights inside: what is beyond is theirs."""

ROUNDING = 1e-8
"""More than these digits, and real numbers, can be off by."""


@GroupFinding(
    tells="a member carries more weight than it must",
    measure="weight of the most loaded member ÷ that in a plan by weight",
    advice="Kafka's strategies count partitions: `evenfleet plan --weight column` shows an "
    "assignment by weight, which can be put into force.",
    needs=("partitions.weight",),
    levels={"info": 1.25},
    settings={"known": 0.5},
    meanings={"known": "groups of which the weights of such a share of partitions are known"},
)
def unbalanced_weight(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    problem = group.weighed
    if problem is None or group.members < 2:
        return
    weights = weights_of(problem)
    if weights.known_share < settings["known"]:
        return
    kept = classes_of(problem).kept
    level = weights.level_of(kept)
    if not _is_worth_a_plan(problem, level, settings):
        return
    planned = group.by_weight
    if planned is None:
        return
    best = weights.level_of(planned)
    if not best or level <= best:
        return
    moves = int(np.count_nonzero(classes_of(problem).keepable & (planned != problem.owner)))
    yield about(
        group,
        round(level / best, DIGITS),
        "One member of group {group} carries a weight of {now:decimal} where {best:decimal} would "
        "do; for that {moves:partition} must move.",
        now=weights.highest(kept),
        best=weights.highest(planned),
        moves=moves,
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


@GroupFinding(
    tells="one partition is more than a member's fair share of its group",
    measure="weight of the partition ÷ the fair share of the group's strongest member",
    advice="No assignment helps: give the topic more partitions, or its records a key that spreads "
    "them; fewer members would do as well.",
    needs=("partitions.weight",),
    levels={"info": 1.5},
)
def hot_partition(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """The heaviest partition against a member's fair share: no assignment cuts it in two."""
    problem = group.weighed
    if problem is None or group.members < 2:
        return
    weights, classes = weights_of(problem), classes_of(problem)
    read = classes.of_partition >= 0
    total = int(weights.of_partition[read].sum())
    if not total or np.count_nonzero(read) <= group.members:
        return
    hottest = int(np.where(read, weights.of_partition, -1).argmax())
    if problem.weights is None or np.isnan(problem.weights[hottest]):
        return
    share = total * int(weights.capacity.max()) / int(weights.capacity.sum())
    weight = int(weights.of_partition[hottest])
    name = problem.partition_name(hottest)
    yield about(
        group,
        round(weight / share, DIGITS),
        "Partition {name} weighs {weight:decimal}, more than the fair share of any member of group "
        "{group}, {share:decimal}: no assignment can even that out.",
        f"partition {name}",
        name=name,
        weight=weight * weights.weight_unit,
        share=share * weights.weight_unit,
    )
