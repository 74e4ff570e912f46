"""Sentences on one group's explanation, and its rows: loads by member, lags by partition."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from optimizer.advice import Advice
from optimizer.figures import figure, plural
from spark.errors import InputError
from spark.explain.explain import GroupExplanation
from spark.fleet import FleetFiles, FleetSnapshot, plain_rows

SETTLED = "Stable"
"""State of a group that isn't in a rebalance and has members."""

COVERED_BY = {"look": ("invalid-group", "failed-group"), "members": ("spare-members",)}
"""Findings that advice of a kind says in its own words."""


def loads_of(explained: GroupExplanation, changing_first: bool) -> list[dict[str, Any]]:
    """A row a member: what it has now and planned, by weight if that is what counts."""
    counts = explained.weights or explained.loads
    ordered = sorted(counts, key=lambda member: -abs(counts[member][0] - counts[member][1]))
    rows = []
    for member in ordered if changing_first else explained.loads:
        row: dict[str, Any] = {"member": member}
        if explained.weights:
            before, after = map(figure, explained.weights[member])
            row |= {"weight_now": before, "weight_planned": after}
        now, planned = explained.loads[member]
        rows.append(row | {"partitions_now": now, "planned": planned})
    return rows


def problems_of(explained: GroupExplanation) -> Iterator[tuple[str, str]]:
    """Faults of the group: a name, and a sentence with its cure; the advice first, muted ones last.

    `muted` of a finding says until when and why.
    """
    advised, silenced = explained.advised, []
    if advised.advice:
        yield "advice", f"{(advised.severity or 'Note').capitalize()}: {advised.advice}"
    for finding in explained.findings:
        name, cure = finding["finding"], f"{finding['sentence']} {finding['advice']}"
        cured = f"{finding['severity'].capitalize()}: {cure}"
        if finding["muted"]:
            silenced.append((name, f"Muted {finding['muted']}. {cured}"))
        elif not _is_in(finding, advised):
            yield name, cured
    yield from silenced


def summary_of(explained: GroupExplanation) -> Iterator[str]:
    """How the group is, and what its plan makes of it."""
    group = f"Group {explained.group} of cluster {explained.cluster}"
    reason = explained.reason or ""
    status = f"(status {explained.status}{reason and ', '}{reason})"
    if explained.state and explained.state != SETTLED:
        yield f"Kafka's state of the group is {explained.state}."
    if not explained.loads:
        yield f"{group} is {explained.status}{reason and ': '}{reason}."
        return
    before, after = ([pair[at] for pair in explained.loads.values()] for at in (0, 1))
    unowned = sum(after) - sum(before)
    if explained.weights:
        yield from _summary_by_weight(explained, status)
        if unowned > 0:
            yield f"Nobody reads {plural(unowned, 'partition')}."
        return
    is_better = unowned > 0 or sum(load**2 for load in after) < sum(load**2 for load in before)
    how = "could be more even" if is_better else "is as even as possible"
    nobodys = f", and {plural(unowned, 'partition')} no owner" if unowned > 0 else ""
    have = plural(len(before), "member") + (" has" if len(before) == 1 else " have")
    yield f"{group} {how} {status}: {have} {_range(before)}{nobodys}."
    if is_better or explained.moves:
        yield f"The plan gives them {_range(after)} with {plural(len(explained.moves), 'move')}."


def _is_in(finding: dict[str, Any], advised: Advice) -> bool:
    """Whether the advice says what was found: it is the same, or names whom to look at."""
    covered = COVERED_BY.get(advised.advice_kind, ())
    if finding["advice"] == advised.advice or finding["finding"] in covered:
        return True
    _, _, name = finding["subject"].partition(" ")
    return advised.advice_kind == "look" and name in (advised.advice or "")


def _summary_by_weight(explanation: GroupExplanation, how: str) -> Iterator[str]:
    before, after = (max(pair[at] for pair in explanation.weights.values()) for at in (0, 1))
    bound = (
        f"; no plan gets below {figure(explanation.weight_bound)}"
        if explanation.weight_bound
        else ""
    )
    yield (
        f"Group {explanation.group} of cluster {explanation.cluster} {how}: the largest load "
        f"by weight of {plural(len(explanation.weights), 'member')} is {figure(before)}{bound}."
    )
    if explanation.moves or after != before:
        yield f"The plan makes it {figure(after)} with {plural(len(explanation.moves), 'move')}."


def _range(loads: list[int]) -> str:
    """`3 partitions each`, `from 0 to 6 partitions each`."""
    least, most = min(loads), max(loads)
    each = " each" if len(loads) > 1 else ""
    return f"{f'from {least:,} to ' * (least < most)}{plural(most, 'partition')}{each}"


Fleet = FleetFiles | FleetSnapshot

OWNER = ("topic", "partition", "member_id")
OFFSETS = ("topic", "partition", "committed_offset", "lag")


def lags_of(fleet: Fleet, before: Fleet | None, cluster: str, group: str) -> list[dict[str, Any]]:
    """A row a partition with lag: its owner, how far it is, and what came in and was read since.

    The largest lag comes first. `read` and `written` are since the snapshot before; null without.
    """
    owners = {
        (topic, number): member
        for topic, number, member in plain_rows(fleet, "assignments", OWNER, cluster, group)
    }
    then = {}
    with suppress(InputError):  # of a file that can't be read nothing is told
        rows = plain_rows(before, "offsets", OFFSETS, cluster, group) if before else ()
        then = {(topic, number): offsets for topic, number, *offsets in rows}
    lags = []
    for topic, number, committed, lag in plain_rows(fleet, "offsets", OFFSETS, cluster, group):
        if committed is None or not lag:
            continue
        old, old_lag = then.get((topic, number), (None, None))
        is_known = None not in (old, old_lag)
        lags.append(
            {"partition": f"{topic}-{number}", "member": owners.get((topic, number))}
            | {"committed": committed, "lag": lag, "read": committed - old if is_known else None}
            | {"written": committed + lag - old - old_lag if is_known else None}
        )
    return sorted(lags, key=lambda row: (-row["lag"], row["partition"]))


def stalled_in(lags: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Partitions of which nothing was read while records came in."""
    stalled = (row for row in lags if row["read"] == 0 and row["written"] > 0)
    return [{name: cell for name, cell in row.items() if name != "read"} for row in stalled]


def share_topics(fleet: Fleet, cluster: str, group: str) -> list[dict[str, Any]]:
    """A row a topic: members that subscribe, partitions with a start offset, the sum of lags.

    `start_offset` is the lowest: before it all records are done with. Null where none is known.
    """
    subscribed = plain_rows(fleet, "subscriptions", ("topic",), cluster, group)
    members = Counter(topic for (topic,) in subscribed)
    starts: defaultdict[str, list[int]] = defaultdict(list)
    lags: defaultdict[str, list[int]] = defaultdict(list)
    for topic, _, start, lag in plain_rows(fleet, "offsets", OFFSETS, cluster, group):
        starts[topic] += [] if start is None else [start]
        lags[topic] += [] if lag is None else [lag]
    return [
        {
            "topic": topic,
            "members": members[topic],
            "partitions": len(starts[topic]),
            "start_offset": min(starts[topic], default=None),
            "lag": sum(lags[topic]) if lags[topic] else None,
        }
        for topic in sorted({*members, *starts})
    ]
