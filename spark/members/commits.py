"""What commit intervals cost each group whose rate is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optimizer.sizes import commit_curve


def commit_rows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row a group and interval (`CommitCost`), the group that reads most first.

    `rows` are those of `members_fleet`.
    """
    rated = [row for row in rows if row["rate"] and row["members"]]
    return [
        {"cluster": row["cluster"], "group": row["group"], **cost._asdict()}
        for row in sorted(rated, key=lambda row: -row["rate"])
        for cost in commit_curve(row["members"], row["rate"])
    ]
