"""What is said of a fleet beside its tables: members that weights would save, and assumptions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from optimizer.scaling import Totals, fewest_by_weight
from spark.scale.group_process import GroupProcess
from spark.text import counted


def by_weight_of(group: GroupProcess, best: Totals) -> tuple[int | None, str]:
    """Members, and why; None where that isn't much fewer than with the group's own strategy.

    `best` are the figures of the recommended policy.
    """
    process = group.process
    members = fewest_by_weight(process, best.most_members)
    if members is None:
        return None, ""
    return members, (
        f" Its strategy {process.assignments.strategy} counts partitions, and heavy ones share "
        f"members: by weight {counted(members, 'member')} would be enough, not "
        f"{best.most_members}."
    )


def fewer_by_weight(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """In how many groups it is the strategy that takes many members."""
    number = sum(row["by_weight"] is not None for row in rows)
    if not number:
        return []
    return [
        f"{counted(number, 'group')} would need at least a quarter fewer members if partitions "
        "were assigned by weight."
    ]


NOTES = "; "
"""Between the notes on a group."""


def assumptions_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """In how many groups what isn't known, without their own numbers."""
    notes = Counter(
        re.sub(r"\b\d+ of \d+\b", "some", re.sub(r"\bup to \d+\b", "several", note))
        for row in rows
        if row["recommended"] and row["reason"]
        for note in row["reason"].split(NOTES)
    )
    return [f"{counted(number, 'group')}: {note}" for note, number in notes.most_common()]
