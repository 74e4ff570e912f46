"""Groups whose load is uneven."""

from __future__ import annotations

import math
from collections.abc import Iterator

from optimizer.strategies import STRATEGIES
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.text import A_NEW_PLAN, decimal, sentence
from spark.fleet import CLASSIC, LENGTH_OF_UUID
from spark.text import counted


def unbalanced(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Most loaded member against that of the best assignment."""
    plan = facts.plan
    if plan is None or not plan.max_load:
        return
    if plan.current_max_load - plan.max_load >= settings["least"]:
        yield FindingRow(
            f"group {facts.group}",
            plan.current_max_load / plan.max_load,
            lambda: sentence(
                "One member of group {group} has {now} where {max_load} would do; for that {moved} "
                "must move.",
                group=facts.group,
                now=counted(plan.current_max_load, "partition"),
                max_load=plan.max_load,
                moved=counted(plan.moves, "partition"),
            ),
        )


UNBALANCED = GroupFinding(
    name="unbalanced",
    tells="a member has more partitions than it would have to have",
    measure="partitions of the most loaded member ÷ those in the best assignment",
    advice="Let the group use cooperative-sticky, or uniform on the new protocol; "
    "`evenfleet plan` shows the best assignment.",
    advice_to_planned=A_NEW_PLAN,
    advice_to_connect="A rebalance evens tasks out: restart one worker, or update those that "
    "leave them uneven (KAFKA-12495); `evenfleet plan` shows the best assignment.",
    find=unbalanced,
    info=1.1,
    warning=1.25,
    critical=2.0,
    settings={"least": 2},
)


def range_skew(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """What Range gives its first member, of the topics that all members read.

    Range deals out each topic by itself, ⌈partitions ÷ members⌉ to the first members of them all.
    """
    row, members = facts.row, facts.members
    if row.group_strategy != "range" or members < 2 or not facts.is_settled:
        return
    sizes = row.topic_sizes[(row.topic_sizes > 0) & (row.subscriber_counts == members)].tolist()
    if len(sizes) < settings["topics"] or not sizes:
        return
    first, last = sum(-(-size // members) for size in sizes), sum(size // members for size in sizes)
    mean = sum(sizes) / members
    if first - math.ceil(mean) >= settings["least"]:
        yield FindingRow(
            f"group {facts.group}",
            first / mean,
            lambda: sentence(
                "Range deals out each of the {topics} topics of group {group} from the same first "
                "member on: the first member gets {first} partitions, the last {last}, the mean is "
                "{mean}.",
                topics=len(sizes),
                group=facts.group,
                first=first,
                last=last,
                mean=decimal(mean),
            ),
        )


RANGE_SKEW = GroupFinding(
    name="range-skew",
    tells="Range over many topics gives the same first members one more of each",
    measure="partitions that Range gives its first member ÷ the mean",
    advice="Change partition.assignment.strategy to cooperative-sticky: one rolling restart from "
    "the client's default list, two from range alone; `evenfleet rollout` lists them and what they "
    "cost.",
    find=range_skew,
    needs=("groups.strategy",),
    info=1.1,
    warning=1.25,
    settings={"topics": 3, "least": 2},
)


EAGER = tuple(
    name for name, strategy in STRATEGIES.items() if strategy.protocol == CLASSIC and strategy.eager
)


def eager_rebalances(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions that stop when a group of an eager strategy rebalances: all (KIP-429).

    Members of the new protocol give up only what moves. Where the snapshot doesn't tell a group's
    type, ids of 22 characters are taken for theirs.
    """
    row = facts.row
    if row.group_strategy not in EAGER or facts.members < settings["members"]:
        return
    if not facts.is_settled or row.type not in (None, CLASSIC):
        return
    if row.type is None and all(len(member) == LENGTH_OF_UUID for member in row.member_ids):
        return
    owned = len(row.claim_partitions)
    yield FindingRow(
        f"group {facts.group}",
        owned,
        lambda: sentence(
            "All {owned} partitions of group {group} stop at each rebalance of its {members} "
            "members: {strategy} is an eager strategy.",
            owned=owned,
            group=facts.group,
            members=facts.members,
            strategy=row.group_strategy,
        ),
    )


EAGER_REBALANCES = GroupFinding(
    name="eager-rebalances",
    tells="a large group uses a strategy under which everything stops at each rebalance",
    measure="partitions that stop at each rebalance",
    advice="Change to cooperative-sticky or to the new protocol (group.protocol=consumer): then "
    "only what moves stops; `evenfleet rollout` lists the rolling restarts and what they cost.",
    find=eager_rebalances,
    needs=("groups.strategy",),
    info=200,
    warning=1000,
    settings={"members": 2},
)
