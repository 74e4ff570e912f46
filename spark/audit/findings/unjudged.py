"""Groups of which nothing can be said: their facts contradict each other, or solving failed."""

from collections.abc import Iterator

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings, about
from spark.text import LONGEST_SENTENCE, shortened


def _unjudged(group: GroupFacts, status: str, why: str) -> Iterator[FindingRow]:
    """Whether the group's status is this one, and why that is so."""
    if group.solved.status == status:
        reason = shortened(group.solved.reason or "?", LONGEST_SENTENCE)
        yield about(group, 1, why, reason=reason)


@GroupFinding(
    tells="a group can't be judged: its facts contradict each other, or couldn't be read",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: put right what the reason names "
    "where the snapshot comes from, and take a new one.",
    levels={"warning": 1},
)
def invalid_group(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    yield from _unjudged(group, "invalid", "Group {group} can't be judged: {reason:whole}.")


@GroupFinding(
    tells="a group can't be judged: solving it failed",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: do what the reason says; if it names "
    "an error, report it together with this group's rows.",
    levels={"warning": 1},
)
def failed_group(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    yield from _unjudged(
        group, "failed", "Group {group} can't be judged, solving it failed: {reason:whole}."
    )
