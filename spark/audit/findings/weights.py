"""Groups in which members have more to do than others, by what partitions weigh."""

from collections.abc import Iterator

import numpy as np

from optimizer.advice import LEVELS
from optimizer.model import classes_of, weights_of
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings, about, about_balance

DIGITS = 9
"""Whole numbers stand for weights inside: what is beyond is theirs."""


@GroupFinding(
    tells="a member carries more weight than it must",
    measure="largest load by weight ÷ the least possible one, as it is proven",
    advice="`evenfleet plan` shows an assignment by weight.",
    needs=("partitions.weight",),
    levels={name: level.ratio for name, level in LEVELS["weight"].items()},
)
def unbalanced_weight(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Groups that are judged by weight (`optimizer.advice`)."""
    solved = group.solved
    if solved.judged_by == "weight" and solved.uneven:
        yield about_balance(
            group,
            solved.now_to_best,
            "One member of group {group} carries a weight of {now:decimal} where {planned:decimal} "
            "would do; for that {moves:partition} must move.",
            now=solved.current_max_weight,
            planned=solved.max_weight,
            moves=solved.moves,
        )


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
