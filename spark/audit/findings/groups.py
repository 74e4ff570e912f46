"""Findings about a group as a whole: its balance, its strategy, and whether it can be judged."""

import math
from collections.abc import Iterator

import numpy as np

from optimizer.advice import LEVELS
from optimizer.model import (
    Goals,
    IntArray,
    changes_of,
    classes_of,
    host_names,
    max_host_load,
    member_loads,
    weights_of,
)
from optimizer.solver import solve
from optimizer.strategies import STRATEGIES
from spark.audit.facts import GroupFacts
from spark.audit.finding import A_NEW_PLAN, GroupFinding, Measured, Thresholds, measured
from spark.fleet import CLASSIC, LENGTH_OF_UUID
from spark.groups import read_or_failed
from spark.text import LONGEST_SENTENCE, shorten


@GroupFinding(
    tells="a member has more partitions than necessary",
    measure="partitions of the most loaded member ÷ those in the best assignment",
    advice="`evenfleet plan` shows the best assignment.",
    levels={name: level.ratio for name, level in LEVELS["count"].items()},
    settings={
        f"least_{name}": (
            level.least,
            f"minimum of partitions beyond the best assignment, for {name}",
        )
        for name, level in LEVELS["count"].items()
    },
    template="One member of group {group} has {plan.current_max_load:partition}, {best} would do; "
    "fixing it moves {plan.moves}.",
    by_balance=True,
)
def unbalanced(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Groups that are judged by count (`optimizer.advice`)."""
    solved = group.solved
    if solved.judged_by == "count" and solved.uneven:
        best = round(solved.current_max_load / solved.now_to_best)
        yield measured(solved.now_to_best, best=best)


@GroupFinding(
    tells="Range over many topics gives the same first members one more of each",
    measure="partitions that Range gives its first member ÷ the mean",
    advice="Change partition.assignment.strategy to cooperative-sticky: one rolling restart from "
    "the client's default list, two from range alone; `evenfleet rollout` lists them and what they "
    "cost.",
    advice_to_consumer="Set group.remote.assignor of all members to uniform, which deals out all "
    "topics together.",
    needs=("groups.strategy",),
    levels={"info": 1.1, "warning": 1.25},
    settings={
        "topics": (3, "groups whose members all read at least this many topics"),
        "least": (2, "and whose first member gets this many partitions more than the mean"),
    },
    template="Range assigns each of the {topics} topics of group {group} from the same member on: "
    "the first member gets {first} partitions, the last {last} (mean {mean:decimal}).",
)
def range_skew(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
        yield measured(first / mean, topics=len(sizes), first=first, last=last, mean=mean)


@GroupFinding(
    tells="a group's assignor is named like one of Kafka's, but assigns differently",
    measure="1: there is such a group",
    advice="Clients such as sarama, kafka-go and ruby-kafka have assignors of their own by these "
    "names: Kafka's range or roundrobin doesn't predict what they do. Give the group a plan, or "
    "set a sticky assignor if its client has one.",
    needs=("groups.strategy",),
    levels={"info": 1},
    template="Group {group} calls its assignor {row.group_strategy}, and its assignment isn't what "
    "Kafka's {row.group_strategy} gives: it is another client's.",
)
def another_assignor(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Groups that are Stable, and not as the one answer of their strategy would have them."""
    if group.has_another_assignor:
        yield measured(1)


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
    settings={"members": (2, "groups of at least this many members")},
    template="All {measure} partitions of group {group} stop at each rebalance of its {members} "
    "members: {row.group_strategy} is an eager strategy.",
)
def eager_rebalances(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
    yield measured(len(row.claim_partitions))


DIGITS = 9
"""Whole numbers stand for weights inside: what is beyond is theirs."""


@GroupFinding(
    tells="a member carries more weight than necessary",
    measure="largest load by weight ÷ the least possible one, as it is proven",
    advice="`evenfleet plan` shows an assignment by weight.",
    needs=("partitions.weight",),
    levels={name: level.ratio for name, level in LEVELS["weight"].items()},
    template="One member of group {group} carries a weight of {plan.current_max_weight:decimal}, "
    "{plan.max_weight:decimal} would do; fixing it moves {plan.moves:partition}.",
    by_balance=True,
)
def unbalanced_weight(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """Groups that are judged by weight (`optimizer.advice`)."""
    solved = group.solved
    if solved.judged_by == "weight" and solved.uneven:
        yield measured(solved.now_to_best)


@GroupFinding(
    tells="one partition is more than a member's fair share of its group",
    measure="weight of the partition ÷ the fair share of the group's strongest member",
    advice="No assignment helps: give the topic more partitions, or its records a key that spreads "
    "them, or use fewer members.",
    needs=("partitions.weight",),
    levels={"info": 1.5},
    each="partition",
    template="Partition {name} weighs {weight:decimal}, more than the fair share of any member of "
    "group {group}, {share:decimal}: no assignment can even that out.",
)
def hot_partition(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
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
    yield measured(
        round(weight / share, DIGITS),
        problem.partition_name(hottest),
        weight=weight * weights.weight_unit,
        share=share * weights.weight_unit,
    )


HOSTS_FIRST = Goals(levels=("hosts",))


@GroupFinding(
    tells="a host has more partitions than necessary at the same balance of members",
    measure="partitions of the most loaded host ÷ those in the best assignment",
    advice="Plan the group with `--goal levels=hosts`, or let it use an assignment that knows "
    "hosts: `evenfleet plan` spreads partitions over hosts where that costs no move.",
    advice_to_planned=A_NEW_PLAN,
    advice_to_connect="A rebalance may even hosts out: restart one worker of the fullest host.",
    needs=("members.host",),
    levels={"info": 1.25},
    settings={"least": (2, "minimum of partitions that this host has beyond the best assignment")},
    template="Host {host} has {plan.current_max_host_load:partition} of group {group}, {least} "
    "would do; fixing it moves {moves}.",
)
def uneven_hosts(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    """The most loaded host against that of a plan that looks at hosts right after balance."""
    plan = group.plan
    if plan is None or not plan.current_max_host_load:
        return
    names = host_names(group.row.hosts.tolist())
    hosts = len({*filter(None, names)}) + names.count(None)
    if plan.current_max_host_load - -(-plan.partitions // hosts) < thresholds["least"]:
        return  # no host has more than its even share by so much
    problem = read_or_failed(group.row).problem
    if problem is None:
        return
    target = solve(problem, HOSTS_FIRST).target
    least = max_host_load(problem, member_loads(problem, target)) or 0
    if plan.current_max_host_load - least < thresholds["least"]:
        return
    yield measured(
        plan.current_max_host_load / least,
        host=_fullest(names, plan.previous),
        least=least,
        moves=changes_of(problem, target)[0],
    )


def _fullest(names: list[str | None], owner: IntArray) -> str | None:
    """The host whose members own most, the first of equals."""
    owned = np.bincount(owner[(owner >= 0) & (owner < len(names))], minlength=len(names))
    loads: dict[str, int] = {}
    for name, count in zip(names, owned.tolist(), strict=True):
        if name is not None:
            loads[name] = loads.get(name, 0) + count
    return max(sorted(loads), key=loads.__getitem__)


def _by_status(group: GroupFacts, status: str) -> Iterator[Measured]:
    """Whether the group's status is this one, and why that is so."""
    if group.solved.status == status:
        yield measured(1, reason=shorten(group.solved.reason or "?", LONGEST_SENTENCE))


@GroupFinding(
    tells="a group can't be judged: its facts contradict each other, or couldn't be read",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: put right what the reason names "
    "where the snapshot comes from, and take a new one.",
    levels={"warning": 1},
    template="Group {group} can't be judged: {reason:whole}.",
)
def invalid_group(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    yield from _by_status(group, "invalid")


@GroupFinding(
    tells="a group can't be judged: solving it failed",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: do what the reason says; if it names "
    "an error, report it together with this group's rows.",
    levels={"warning": 1},
    template="Group {group} can't be judged, solving it failed: {reason:whole}.",
)
def failed_group(group: GroupFacts, thresholds: Thresholds) -> Iterator[Measured]:
    yield from _by_status(group, "failed")
