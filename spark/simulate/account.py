"""A timeline for people, as rows and sentences: what happened, and what it comes to."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from optimizer.coordinator import Lag, LogEntry, Timeline
from optimizer.figures import counted, figure
from spark.text import named

IN_WORDS = {
    "starting": "starts",
    "closing": "closes",
    "killed": "is gone without a word",
    "block_begin": "stops polling",
    "block_end": "polls again",
    "freeze_begin": "stands still",
    "freeze_end": "goes on",
    "poll_timeout": "exceeds max.poll.interval.ms",
    "error": "ends with an error",
    "left": "has left",
    "session_expired": "is missed: its session is over",
    "kicked_not_rejoined": "is removed: it hasn't joined again",
    "static_replaced": "takes over what its instance id had",
    "static_left_for_now": "says that it will be back",
    "static_refused": "is refused: its instance id is taken",
    "rebalance_timeout": "is removed: it didn't give up its partitions in time",
    "preparing": "a rebalance begins",
    "coordinator_moved": "another broker coordinates the group",
    "converted_to_consumer": "the group turns to the consumer protocol",
    "converted_to_classic": "the group turns to the classic protocol",
    "assigned": "gets",
    "revoked": "gives up",
    "lost": "loses",
}
"""Happenings of a run that are printed; the others are in JSON alone."""


def rows_of(timeline: Timeline) -> list[dict[str, Any]]:
    """What happened, for people: what many members do at one time is one row."""
    reports = [
        happening
        for happening in timeline.happenings
        if happening.what in IN_WORDS and _matters(happening)
    ]
    short = _short_names(timeline.lives)
    rows = [
        {"seconds": round(at / 1000, 1), "member": short.get(who, who), "what": what}
        for (at, _), same in groupby(reports, key=lambda item: (round(item.at, -1), item.what))
        for who, what in [_merged([*same])]
    ]
    for generation in timeline.generations:
        what = f"generation {generation.number}: {counted(len(generation.members), 'member')}"
        led = (
            generation.leader
            and f"{what}, {generation.protocol}, "
            f"led by {short.get(generation.leader, generation.leader)}"
        )
        rows.append(_row(generation.at, led))
    for target in timeline.targets:
        rows.append(_row(target.at, f"target of epoch {target.epoch} by {target.assignor}"))
    rows = [row for row in rows if row["what"]]
    return sorted(rows, key=lambda row: row["seconds"])


_RANDOM = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.ASCII)
"""What Kafka's coordinator puts behind a client id to make a member id of it."""


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """Client ids in place of member ids, where no two have the same."""
    short = {name: _RANDOM.sub("", name) for name in names}
    taken = Counter([*short.values(), *short])
    return {
        name: item if item and taken[item] == 1 + (item == name) else name
        for name, item in short.items()
    }


def _row(at: float, what: str | None) -> dict[str, Any]:
    return {"seconds": round(at / 1000, 1), "member": "", "what": what}


def _matters(log_entry: LogEntry) -> bool:
    return bool(log_entry.partitions) or log_entry.what not in ("assigned", "revoked", "lost")


def _merged(same: list[LogEntry]) -> tuple[str, str]:
    """Who did it, and what it was, of those that did the same at one time."""
    first = same[0]
    names = list(dict.fromkeys(log_entry.member or "" for log_entry in same))
    who = names[0] if len(names) == 1 else f"{len(names)} members"
    what = IN_WORDS[first.what]
    if len(names) > 1:
        what = {"gets": "get", "gives up": "give up", "loses": "lose"}.get(what, what)
    partitions = sum(len(log_entry.partitions) for log_entry in same)
    if partitions:
        what = f"{what} {counted(partitions, 'partition')}"
    elif first.why and first.what in ("preparing", "error"):
        what = f"{what}: {first.why.replace('_', ' ')}"
    return who, what


def sentences_of(timeline: Timeline, group: str) -> Iterator[str]:
    """What a group's timeline comes to."""
    if not timeline.rebalances:
        yield f"Group {group} doesn't rebalance."
    else:
        yield (
            f"Group {group} rebalances {counted(timeline.rebalances, 'time')}: "
            f"{counted(timeline.moved, 'partition')} moved, "
            f"{timeline.taken_over} taken over from members that were gone."
        )
    if timeline.unread_seconds:
        yield (
            f"Partitions were unread for {figure(timeline.unread_seconds)} s in all, one of them "
            f"for {figure(timeline.longest_pause)} s at a stretch."
        )
        if timeline.records_waited is not None:
            yield f"About {counted(round(timeline.records_waited), 'record')} waited meanwhile."
    else:
        yield "Every partition was read all the time."
    if timeline.stopped_needlessly:
        yield (
            f"{counted(timeline.stopped_needlessly, 'needless stop')} of a partition (the same "
            "owner before and after): cooperative members avoid that."
        )
    if timeline.seconds_read_twice:
        records = timeline.records_read_twice
        about = "" if records is None else f": about {counted(round(records), 'record')}"
        seconds = f"{figure(timeline.seconds_read_twice)} partition-seconds"
        yield f"Records of {seconds} are read twice{about}."
    if timeline.lag is not None:
        yield _lag_sentence(timeline.lag)
    if left := sorted(partitions_of(timeline, frozenset(timeline.unread_at_end))):
        yield f"At the end no member reads {named('partition', left)}."
    if not timeline.stable:
        yield "The group is still rebalancing at the end."


def _lag_sentence(lag: Lag) -> str:
    if not lag.records:
        return "No partition falls behind."
    behind = (
        f"The group falls up to {counted(round(lag.records), 'record')} behind, one partition up "
        f"to {figure(lag.seconds)} s"
    )
    if lag.catch_up is not None:
        return f"{behind}; the slowest catches up {figure(lag.catch_up)} s after it is read again."
    return f"{behind}; {counted(lag.never, 'partition')} never catch{'es' * (lag.never == 1)} up."


def unknown_lag(timeline: Timeline) -> str | None:
    """Why lag isn't known, and what to do; None where it is."""
    if timeline.lag is not None:
        return None
    if not timeline.rates:
        return (
            "Lag isn't known: the store has no two snapshots with offsets in the window. State "
            "[rates] in the scenario."
        )
    return (
        "Lag isn't known: the store doesn't show that members can read enough to catch up. State "
        "peak_rate (records a second) in [consumers] or in the scenario."
    )


def partitions_of(timeline: Timeline, numbers: frozenset[int]) -> list[str]:
    """As Kafka prints them."""
    names = sorted(timeline.partitions[number] for number in numbers)
    return [f"{topic}-{number}" for topic, number in names]
