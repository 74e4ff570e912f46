"""A simulation in rows and sentences for people, and in tables for programs: all that happened."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Any

from optimizer.coordinator import TITLES, LogEntry, Timeline, figures_of
from optimizer.figures import duration, partition_time, plural
from spark.text import list_of
from spark.trial import lag_text

Rows = list[dict[str, Any]]

IN_WORDS = {
    "starting": "started",
    "closing": "closed",
    "killed": "died without leaving",
    "block_begin": "stopped polling",
    "block_end": "polled again",
    "freeze_begin": "froze",
    "freeze_end": "resumed",
    "poll_timeout": "exceeded max.poll.interval.ms",
    "error": "ended with an error",
    "left": "left",
    "session_expired": "removed: the session expired",
    "kicked_not_rejoined": "removed: not joined again in time",
    "static_replaced": "took over what its instance id had",
    "static_left_for_now": "left, to be back in its session",
    "static_refused": "refused: its instance id is taken",
    "rebalance_timeout": "removed: partitions weren't given up in time",
    "preparing": "a rebalance began",
    "coordinator_moved": "another broker became the coordinator",
    "converted_to_consumer": "the group turned to the consumer protocol",
    "converted_to_classic": "the group turned to the classic protocol",
    "assigned": "got",
    "revoked": "gave up",
    "lost": "lost",
}
"""Happenings of a run that are printed, of one member or several; the others are in JSON alone."""

OF_PARTITIONS = "assigned", "revoked", "lost"
"""Events that matter where they are about partitions."""


def rows_of(timeline: Timeline) -> Rows:
    """Events for people: what many members do at one time is one row."""
    happenings = [
        entry
        for entry in timeline.happenings
        if entry.what in IN_WORDS and (entry.partitions or entry.what not in OF_PARTITIONS)
    ]
    short = _short_names(timeline.lives)
    by_time = groupby(happenings, key=lambda entry: (round(entry.at, -1), entry.what))
    rows = [(at, *_merge([*same], short)) for (at, _), same in by_time]
    rows += [
        (
            generation.at,
            "",
            f"generation {generation.number}: {plural(len(generation.members), 'member')}, "
            f"{generation.protocol}, led by {short.get(generation.leader, generation.leader)}",
        )
        for generation in timeline.generations
        if generation.leader
    ]
    targets = timeline.targets
    rows += [
        (entry.at, "", f"target of epoch {entry.epoch} by {entry.assignor}") for entry in targets
    ]
    shown = [
        {"seconds": round(at / 1000, 1), "member": member, "what": what}
        for at, member, what in rows
    ]
    return sorted(shown, key=lambda row: row["seconds"])


_RANDOM = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.ASCII)
"""Ending that Kafka's coordinator gives a client id to make a member id of it."""


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """Client ids in place of member ids, where no two have the same."""
    short = {name: _RANDOM.sub("", name) for name in names}
    taken = Counter([*short.values(), *short])
    return {
        name: client_id if client_id and taken[client_id] == 1 + (client_id == name) else name
        for name, client_id in short.items()
    }


def _merge(same: list[LogEntry], short: Mapping[str, str]) -> tuple[str, str]:
    """The members and the text of entries that say the same at one time."""
    first, names = same[0], {entry.member or "" for entry in same}
    who, what = short.get(first.member or "", first.member or ""), IN_WORDS[first.what]
    if len(names) > 1:
        who = f"{len(names)} members"
    if partitions := sum(len(entry.partitions) for entry in same):
        what = f"{what} {plural(partitions, 'partition')}"
    elif first.why and first.what in ("preparing", "error"):
        what = f"{what}: {first.why.replace('_', ' ')}"
    return who, what


def sentences_of(timeline: Timeline, group: str) -> Iterator[str]:
    """Summary of a group's timeline: rebalances and what nobody reads first."""
    if not timeline.rebalances:
        yield f"Group {group} doesn't rebalance."
    else:
        yield (
            f"Group {group} rebalances {plural(timeline.rebalances, 'time')}: "
            f"{plural(timeline.moved, 'partition')} moved, {timeline.taken_over:,} taken over "
            "from members that are gone."
        )
    if timeline.unread_seconds:
        waited = ""
        if timeline.records_waited is not None:
            waited = f"; {plural(round(timeline.records_waited), 'record')} wait"
        yield (
            f"{partition_time(timeline.unread_seconds)} unread, up to "
            f"{duration(timeline.longest_pause)} at a stretch{waited}."
        )
    else:
        yield "Every partition is read all the time."
    yield from _costs_of(timeline)


def _costs_of(timeline: Timeline) -> Iterator[str]:
    """The other costs, and what is wrong at the end."""
    if timeline.stopped_needlessly:
        yield (
            f"{plural(timeline.stopped_needlessly, 'needless stop')} of a partition (same owner "
            "before and after): cooperative members avoid that."
        )
    if timeline.seconds_read_twice:
        records = timeline.records_read_twice
        about = "" if records is None else f", about {plural(round(records), 'record')}"
        yield f"{partition_time(timeline.seconds_read_twice)} are read twice{about}."
    if timeline.lag is not None:
        lag = lag_text(figures_of(timeline), in_records=True)
        yield f"{lag[0].upper()}{lag[1:]}."
    if left := sorted(partitions_of(timeline, timeline.unread_at_end)):
        yield f"At the end no member reads {list_of('partition', left)}."
    if not timeline.stable:
        yield "The group is still rebalancing at the end."


def unknown_lag(timeline: Timeline) -> str | None:
    """Why lag isn't known, and what to do; None where it is."""
    if timeline.lag is not None:
        return None
    if not timeline.rates:
        return "Lag is unknown without rates: collect twice, or state [rates] in the scenario."
    return "Lag is unknown: state peak_rate (records/s) in [consumers] or in the scenario."


def partitions_of(timeline: Timeline, numbers: Iterable[int]) -> list[str]:
    """Partitions as Kafka prints them."""
    names = sorted(timeline.partitions[number] for number in {*numbers})
    return [f"{topic}-{number}" for topic, number in names]


TABLES = {
    "generations": "at_ms=at generation=number protocol leader members assignment",
    "targets": "at_ms=at epoch assignor assignment",
    "pauses": "partition from_ms=start to_ms=end before after",
    "lag": "partition records seconds catch_up_seconds=catch_up reader",
    "happenings": "at_ms=at what member member_id generation partitions why",
}
"""The columns of each table, and after a `=` what they are in a timeline."""


def tables_of(timeline: Timeline, **of_group: str) -> dict[str, Rows]:
    """All of a simulation for programs; partitions as Kafka prints them."""

    def in_ms(number: float | None) -> float | None:
        return number and round(number, 3)

    def names(parts: Iterable[int]) -> list[str]:
        return partitions_of(timeline, parts)

    def life(number: int | None) -> str | None:
        return None if number is None or number < 0 else timeline.lives[number]

    shown: dict[str, Any] = {
        **dict.fromkeys(("at", "start", "end", "records", "seconds", "catch_up"), in_ms),
        **dict.fromkeys(("before", "after", "reader"), life),
        "partition": lambda number: names([number])[0],
        "partitions": names,
        "members": list,
        "assignment": lambda of: {name: names(parts) for name, parts in (of or {}).items()},
    }
    of_lag = timeline.lag.partitions if timeline.lag else {}
    lag = [{"partition": number, **column._asdict()} for number, column in of_lag.items()]
    summary = {**of_group, "seconds": in_ms(timeline.end / 1000), **figures_of(timeline)}
    tables: dict[str, Rows] = {"simulation": [summary]}
    for table, columns in TABLES.items():
        fields = {column.split("=")[0]: column.split("=")[-1] for column in columns.split()}
        rows = lag if table == "lag" else [column._asdict() for column in getattr(timeline, table)]
        tables[table] = [
            {
                title: shown[field](row[field]) if field in shown else row[field]
                for title, field in fields.items()
            }
            for row in rows
        ]
    return tables


def spread_of(timelines: Sequence[Timeline]) -> Rows:
    """A row a measure: its least, median and most among the timelines, of which there is one."""
    by_timeline = [figures_of(timeline) for timeline in timelines]
    rows = []
    for column, title in TITLES.items():
        figures = [of[column] for of in by_timeline if of[column] is not None]
        if title and figures:
            least, middle, most = (float(of(figures)) for of in (min, median, max))
            rows += [{"measure": title, "least": least, "median": middle, "most": most}]
    return rows
