"""Defects of the assignor in a group's clients, where the configuration states their version."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from optimizer.strategies import DIFFERENT, EQUAL, LARGE, RACKS, TOPICS, Defect, defects_of
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.text import sentence


def client_defect(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Each defect of the clients' version that hits a group of this strategy and kind."""
    version = facts.client_version
    if version is None or facts.is_unsupported or facts.members < 2:
        return
    traits = frozenset(_traits(facts, settings["pairs"] or 0))
    for defect in defects_of(facts.row.group_strategy, version, traits):
        yield _hit(facts, version, defect)


def _traits(facts: GroupFacts, pairs: float) -> Iterator[str]:
    row = facts.row
    exist = row.topic_sizes > 0
    yield EQUAL if (row.subscriber_counts[exist] == facts.members).all() else DIFFERENT
    if np.count_nonzero(exist) > 1:
        yield TOPICS
    if any(row.racks):
        yield RACKS
    if facts.members * int(row.topic_sizes[exist].sum(dtype=np.int64)) >= pairs:
        yield LARGE


def _hit(facts: GroupFacts, version: str, defect: Defect) -> FindingRow:
    return FindingRow(
        f"issue {defect.issue}",
        defect.cost,
        lambda: sentence(
            "Group {group} uses {strategy} of Kafka's clients {version}, which have {issue}: "
            "{what}.",
            whole=("what",),
            group=facts.group,
            strategy=facts.row.group_strategy,
            version=version,
            issue=defect.issue,
            what=defect.what,
        ),
    )


CLIENT_DEFECT = GroupFinding(
    name="client-defect",
    tells="the assignor of a group's clients has a defect that hits this group",
    measure="what it costs: 1 time or balance, 2 reading stops, 3 two members read one partition",
    advice="Upgrade the clients to 3.7.1 or newer. docs/strategies.md has the version that fixes "
    "each defect.",
    find=client_defect,
    needs=("groups.strategy", "client_version"),
    info=1,
    warning=2,
    critical=3,
    settings={"pairs": 1_000_000},
)
