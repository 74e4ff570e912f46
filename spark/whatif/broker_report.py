"""What brokers that are down leave behind, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from optimizer.figures import counted
from spark.text import named

Row = Mapping[str, Any]

HEIRS = 3
"""Brokers that are named: those that get most."""

ELECTION = "9 s by default, broker.session.timeout.ms"


def broker_report(
    leaders: Sequence[Row], lost: Sequence[Row], groups: Sequence[Row], down: Sequence[int]
) -> Iterator[str]:
    """Sentences on rows of `leaders_after`, `without_leader` and `groups_hit`."""
    clusters = sorted({row["cluster"] for row in leaders})
    for cluster in clusters:
        of = f" of cluster {cluster}" if len(clusters) > 1 else ""
        mine = [row for row in leaders if row["cluster"] == cluster]
        led = sum(row["leads_before"] for row in mine if row["broker"] in down)
        which = ", ".join(str(row["broker"]) for row in mine if row["broker"] in down)
        gone = [row for row in lost if row["cluster"] == cluster]
        yield f"Broker {which}{of} led {counted(led, 'partition')}.{_heirs(mine)}"
        if gone:
            names = [f"{row['topic']}-{row['partition']}" for row in gone]
            have = "has" if len(gone) == 1 else "have"
            yield f"{named('partition', names)}{of} {have} no leader: no other replica is in sync."
    for_good = [row["group"] for row in groups if row["leaderless"] == row["partitions"]]
    items = [row for row in groups if 0 < row["leaderless"] < row["partitions"]]
    for_now = [
        row["group"] for row in groups if row["leaderless"] < row["led"] == row["partitions"]
    ]
    if for_good:
        yield f"{named('group', for_good)} {_read(for_good)} nothing until it is back."
    if items:
        yield f"{counted(len(items), 'group')} {_read(items)} only a part until it is back."
    if for_now:
        yield f"{named('group', for_now)} {_read(for_now)} nothing until others lead ({ELECTION})."


def _read(groups: Sequence[object]) -> str:
    return "reads" if len(groups) == 1 else "read"


def _heirs(leaders: Sequence[Row]) -> str:
    gained = sorted(
        ((row["leads_after"] - row["leads_before"], row["broker"]) for row in leaders),
        key=lambda item: (-item[0], item[1]),
    )
    heirs = [(more, broker) for more, broker in gained if more > 0]
    if not heirs:
        return ""
    report = ", ".join(f"broker {broker} {more}" for more, broker in heirs[:HEIRS])
    others = sum(more for more, _ in heirs[HEIRS:])
    rest = f", {counted(len(heirs) - HEIRS, 'other')} {others}" if others else ""
    weighed = [row for row in leaders if row["weight_gained"]]
    most = max(weighed, key=lambda row: row["weight_gained"], default=None)
    load = f" By weight, broker {most['broker']} gets most." if most else ""
    return f" Then they are led by {report}{rest}.{load}"
