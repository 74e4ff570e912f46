"""Groups that could be more even, by count or by weight, and what their strategy does."""

import math
from collections.abc import Iterator

import numpy as np

from optimizer.advice import LEVELS
from optimizer.model import classes_of, weights_of
from optimizer.strategies import STRATEGIES
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Thresholds, about, about_balance
from spark.fleet import CLASSIC, CONSUMER, LENGTH_OF_UUID


@GroupFinding(
    tells="a member has more partitions than necessary",
    measure="partitions of the most loaded member ÷ those in the best assignment",
    advice="`evenfleet plan` shows the best assignment.",
    levels={name: level.ratio for name, level in LEVELS["count"].items()},
    settings={f"least_{name}": level.least for name, level in LEVELS["count"].items()},
    meanings={
        f"least_{name}": f"minimum of partitions beyond the best assignment, for {name}"
        for name in LEVELS["count"]
    },
)
def unbalanced(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Groups that are judged by count (`optimizer.advice`)."""
    solved = group.solved
    if solved.judged_by == "count" and solved.uneven:
        yield about_balance(
            group,
            solved.now_to_best,
            "One member of group {group} has {now:partition}, {best} would do; fixing it "
            "moves {moves}.",
            now=solved.current_max_load,
            best=round(solved.current_max_load / solved.now_to_best),
            moves=solved.moves,
        )


UNIFORM_AT_BROKER = (
    "Set group.remote.assignor of all members to uniform, which deals out all topics together."
)
"""Advice to a group of the consumer protocol that uses Range."""


@GroupFinding(
    tells="Range over many topics gives the same first members one more of each",
    measure="partitions that Range gives its first member ÷ the mean",
    advice="Change partition.assignment.strategy to cooperative-sticky: one rolling restart from "
    "the client's default list, two from range alone; `evenfleet rollout` lists them and what they "
    "cost.",
    needs=("groups.strategy",),
    levels={"info": 1.1, "warning": 1.25},
    settings={"topics": 3, "least": 2},
    meanings={
        "topics": "groups whose members all read at least this many topics",
        "least": "and whose first member gets this many partitions more than the mean",
    },
)
def range_skew(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Partitions that Range gives its first member, of the topics that all members read.

    Range deals out each topic by itself, ⌈partitions ÷ members⌉ to the first members of them all.
    """
    row, members = group.row, group.members
    if row.group_strategy != "range" or members < 2 or not group.is_settled:
        return
    if group.has_another_assignor:
        return
    sizes = row.topic_sizes[(row.topic_sizes > 0) & (row.subscriber_counts == members)].tolist()
    if len(sizes) < thresholds["topics"] or not sizes:
        return
    first, last = sum(-(-size // members) for size in sizes), sum(size // members for size in sizes)
    mean = sum(sizes) / members
    if first - math.ceil(mean) >= thresholds["least"]:
        yield about(
            group,
            first / mean,
            "Range assigns each of the {topics} topics of group {group} from the same member on: "
            "the first member gets {first} partitions, the last {last} (mean {mean:decimal}).",
            advice=UNIFORM_AT_BROKER if row.type == CONSUMER else None,
            topics=len(sizes),
            first=first,
            last=last,
            mean=mean,
        )


@GroupFinding(
    tells="a group's assignor is named like one of Kafka's, but assigns differently",
    measure="1: there is such a group",
    advice="Clients such as sarama, kafka-go and ruby-kafka have assignors of their own by these "
    "names: Kafka's range or roundrobin doesn't predict what they do. Give the group a plan, or "
    "set a sticky assignor if its client has one.",
    needs=("groups.strategy",),
    levels={"info": 1},
)
def another_assignor(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Groups that are Stable, and not as the one answer of their strategy would have them."""
    if group.has_another_assignor:
        yield about(
            group,
            1,
            "Group {group} calls its assignor {strategy}, and its assignment isn't what Kafka's "
            "{strategy} gives: it is another client's.",
            strategy=group.row.group_strategy,
        )


EAGER = tuple(
    name for name, strategy in STRATEGIES.items() if strategy.protocol == CLASSIC and strategy.eager
)


@GroupFinding(
    tells="a large group uses a strategy under which everything stops at each rebalance",
    measure="partitions that stop at each rebalance",
    advice="Change to cooperative-sticky or to the new protocol (group.protocol=consumer): then "
    "only what moves stops; `evenfleet rollout` lists the rolling restarts and what they cost.",
    needs=("groups.strategy",),
    levels={"info": 200, "warning": 1000},
    settings={"members": 2},
    meanings={"members": "groups of at least this many members"},
)
def eager_rebalances(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Partitions that stop when a group of an eager strategy rebalances: all (KIP-429).

    Members of the new protocol give up only what moves. Where the snapshot doesn't tell a group's
    type, ids of 22 characters are taken for theirs.
    """
    row = group.row
    if row.group_strategy not in EAGER or group.members < thresholds["members"]:
        return
    if not group.is_settled or row.type not in (None, CLASSIC):
        return
    if row.type is None and all(len(member) == LENGTH_OF_UUID for member in row.member_ids):
        return
    owned = len(row.claim_partitions)
    yield about(
        group,
        owned,
        "All {owned} partitions of group {group} stop at each rebalance of its {members} "
        "members: {strategy} is an eager strategy.",
        owned=owned,
        members=group.members,
        strategy=row.group_strategy,
    )


DIGITS = 9
"""Whole numbers stand for weights inside: what is beyond is theirs."""


@GroupFinding(
    tells="a member carries more weight than necessary",
    measure="largest load by weight ÷ the least possible one, as it is proven",
    advice="`evenfleet plan` shows an assignment by weight.",
    needs=("partitions.weight",),
    levels={name: level.ratio for name, level in LEVELS["weight"].items()},
)
def unbalanced_weight(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Groups that are judged by weight (`optimizer.advice`)."""
    solved = group.solved
    if solved.judged_by == "weight" and solved.uneven:
        yield about_balance(
            group,
            solved.now_to_best,
            "One member of group {group} carries a weight of {now:decimal}, {planned:decimal} "
            "would do; fixing it moves {moves:partition}.",
            now=solved.current_max_weight,
            planned=solved.max_weight,
            moves=solved.moves,
        )


@GroupFinding(
    tells="one partition is more than a member's fair share of its group",
    measure="weight of the partition ÷ the fair share of the group's strongest member",
    advice="No assignment helps: give the topic more partitions, or its records a key that spreads "
    "them, or use fewer members.",
    needs=("partitions.weight",),
    levels={"info": 1.5},
)
def hot_partition(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """The heaviest partition against a member's fair share: no assignment cuts it in two."""
    problem = group.weighted
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
