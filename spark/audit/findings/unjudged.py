"""Groups of which nothing can be said: their facts contradict each other, or solving failed."""

from __future__ import annotations

from collections.abc import Iterator

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.text import sentence
from spark.text import LONGEST_SENTENCE, shortened


def _unjudged(facts: GroupFacts, status: str, why: str) -> Iterator[FindingRow]:
    """Whether the group's status is this one, and why that is so."""
    if facts.solved.status == status:
        yield FindingRow(
            f"group {facts.group}",
            1,
            lambda: sentence(
                why,
                whole=["reason"],
                group=facts.group,
                reason=shortened(facts.solved.reason or "?", LONGEST_SENTENCE),
            ),
        )


def invalid_group(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Groups whose facts contradict each other, or couldn't be read; the reason says how."""
    yield from _unjudged(facts, "invalid", "Group {group} can't be judged: {reason}.")


INVALID_GROUP = GroupFinding(
    name="invalid-group",
    tells="a group can't be judged: its facts contradict each other, or couldn't be read",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: put right what the reason names "
    "where the snapshot comes from, and take a new one.",
    find=invalid_group,
    warning=1,
)


def failed_group(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Groups that were sound enough to be solved and judged, and weren't."""
    yield from _unjudged(
        facts, "failed", "Group {group} can't be judged, solving it failed: {reason}."
    )


FAILED_GROUP = GroupFinding(
    name="failed-group",
    tells="a group can't be judged: solving it failed",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: do what the reason says; if it names "
    "an error, report it together with this group's rows.",
    find=failed_group,
    warning=1,
)
