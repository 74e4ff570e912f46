"""Groups that can't be judged, and members whose client has a known defect."""

from collections.abc import Iterator

import numpy as np

from optimizer.strategies import DIFFERENT, EQUAL, LARGE, RACKS, TOPICS, defects_of
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Thresholds, about
from spark.text import LONGEST_SENTENCE, shorten


def _by_status(group: GroupFacts, status: str, why: str) -> Iterator[FindingRow]:
    """Whether the group's status is this one, and why that is so."""
    if group.solved.status == status:
        reason = shorten(group.solved.reason or "?", LONGEST_SENTENCE)
        yield about(group, 1, why, reason=reason)


@GroupFinding(
    tells="a group can't be judged: its facts contradict each other, or couldn't be read",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: put right what the reason names "
    "where the snapshot comes from, and take a new one.",
    levels={"warning": 1},
)
def invalid_group(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    yield from _by_status(group, "invalid", "Group {group} can't be judged: {reason:whole}.")


@GroupFinding(
    tells="a group can't be judged: solving it failed",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: do what the reason says; if it names "
    "an error, report it together with this group's rows.",
    levels={"warning": 1},
)
def failed_group(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    yield from _by_status(
        group, "failed", "Group {group} can't be judged, solving it failed: {reason:whole}."
    )


@GroupFinding(
    tells="the assignor of a group's clients has a defect that hits this group",
    measure="what it costs: 1 time or balance, 2 reading stops, 3 two members read one partition",
    advice="Upgrade the clients to 3.7.1 or newer. docs/strategies.md has the version that fixes "
    "each defect.",
    needs=("groups.strategy", "client_version"),
    levels={"info": 1, "warning": 2, "critical": 3},
    settings={"pairs": 1_000_000},
    meanings={
        "pairs": "for defects of large groups: members x partitions from which on a group is large"
    },
)
def client_defect(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    version = group.client_version
    if version is None or group.is_unsupported or group.members < 2:
        return
    traits = frozenset(_traits(group, thresholds["pairs"] or 0))
    for defect in defects_of(group.row.group_strategy, version, traits):
        yield about(
            group,
            defect.cost,
            "Group {group} uses {strategy} of Kafka's clients {version}, which have "
            "{defect.issue}: {defect.what:whole}.",
            f"issue {defect.issue}",
            strategy=group.row.group_strategy,
            version=version,
            defect=defect,
        )


def _traits(group: GroupFacts, pairs: float) -> Iterator[str]:
    row = group.row
    exist = row.topic_sizes > 0
    yield EQUAL if (row.subscriber_counts[exist] == group.members).all() else DIFFERENT
    if np.count_nonzero(exist) > 1:
        yield TOPICS
    if any(row.racks):
        yield RACKS
    if group.members * int(row.topic_sizes[exist].sum(dtype=np.int64)) >= pairs:
        yield LARGE
