"""What a rollout comes to, in words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from optimizer.figures import counted, figure
from spark.fleet import HUB
from spark.rollout.rollout import DONE, READY, UNABLE

Row = Mapping[str, Any]


def rollout_report(rows: Sequence[Row], to: str) -> list[str]:
    """Sentences on all steps of `spark.rollout.rollout_fleet`."""
    return list(_lines(rows, to))


def step_for_people(row: Row, several: bool) -> dict[str, Any]:
    """A step in a table that people read, with its cluster where there are several."""
    return {
        "wave": row["wave"],
        **({"cluster": row["cluster"]} if several else {}),
        "group": row["group"],
        "step": f"{row['step']} of {row['steps']}",
        "deploy": row["deploy"].partition("=")[2].partition(", ")[0],
        "rebalances": row["rebalances"],
        "unread_seconds": row["unread_seconds"],
    }


def _lines(rows: Sequence[Row], to: str) -> Iterator[str]:
    ready = [row for row in rows if row["status"] == READY]
    groups = {(row["cluster"], row["group"]) for row in ready}
    if ready:
        waves = max(row["wave"] for row in ready)
        restarts = Counter(row["steps"] for row in ready if row["step"] == 1)
        how_many = " and ".join(
            f"{counted(count, 'group')} in {counted(steps, 'rolling restart')}"
            for steps, count in sorted(restarts.items())
        )
        unread = sum(row["unread_seconds"] for row in ready)
        rebalances = sum(row["rebalances"] for row in ready)
        yield (
            f"{how_many} to {to}, in {counted(waves, 'wave')}: "
            f"{counted(rebalances, 'rebalance')}, {figure(unread)} partition-seconds unread."
        )
        yield (
            "Groups of one wave share no topics, directly or through others (topics that more than "
            f"{HUB} groups read don't count); take the next wave when the one before is done."
        )
        if any(row["steps"] > 1 for row in ready):
            yield (
                "Begin the second restart of a group when all its members have had the first: "
                "until then some members don't know the new assignor."
            )
    if done := sum(row["status"] == DONE for row in rows):
        yield f"Already there: {counted(done, 'group')}."
    reasons = Counter(row["reason"] for row in rows if row["status"] == UNABLE)
    for reason, count in reasons.most_common():
        yield f"Not possible for {counted(count, 'group')}: {reason}."
    if fatal := sum(row["fatal"] or 0 for row in ready):
        yield f"{counted(fatal, 'member')} of {counted(len(groups), 'group')} end by an error."
