"""Fleets for findings about lag and commits, by finding."""

from __future__ import annotations

from collections.abc import Iterable

from tests.spark.audit.findings.cases_of_balance import THREE
from tests.spark.audit.findings.place import Build, Cases, TableStore, Told, owning


def lagging(*lags: int | None) -> Build:
    """Three members, and a topic with that lag on each partition; the members own it in turn."""

    def build(place: TableStore) -> None:
        place.topic("t", len(lags))
        owned = {member: range(at, len(lags), 3) for at, member in enumerate(THREE)}
        place.group(THREE, owning("t", **owned))
        place.lags("t", lags)

    return build


def committing(before: tuple[int, int], now: tuple[int, int], reads: bool = True) -> Build:
    """A partition: what is committed and where it ends, before and now."""

    def build(place: TableStore) -> None:
        place.topic("t", 1)
        place.topic("u", 1)
        claims: Iterable[tuple[str, int, str]] = [("t", 0, "a")] if reads else []
        place.was({"a": (0,)})
        place.group({"a": ["t" if reads else "u"]}, claims)
        place.offsets(place.fleets.before, *before)
        place.offsets(place.fleets.now, *now)

    return build


def committed_beyond(committed: int, end: int, known: bool = True) -> Build:
    """Two partitions; on the second that offset is committed.

    Broker 7 leads the only partition of offsets. Earlier versions stated a lag of 0.
    """

    def build(place: TableStore) -> None:
        place.topic("t", 2)
        place.topic("__consumer_offsets", 1, leader=[7])
        if known:
            place.group({"a": ["t"]}, owning("t", a=range(2)))
        else:
            place.group({"a": []})
        for number, offset in ((0, end), (1, committed)):
            result = {"committed_offset": offset, "end_offset": end, "lag": 0}
            place.fleets.now.add("offsets", **place.entry("t", number), **result)

    return build


def log_from(start: int | None, committed: int) -> Build:
    """A group that has committed that offset of its partition."""

    def build(place: TableStore) -> None:
        place.topic("t", 1)
        place.group({"a": ["t"]}, owning("t", a=range(1)))
        result = {"committed_offset": committed, "end_offset": 200, "start_offset": start}
        place.fleets.now.add("offsets", **place.entry("t", 0), **result)

    return build


CASES = {
    "lag-on-few-partitions": Cases(
        Told(
            *("warning", "topic t", 0.8, 0.8),
            "One of the 10 partitions of topic t has 80 % of the 10,000 records that group g lags "
            "behind there; the worst is t-3.",
        ),
        fires=lagging(0, 2000, 0, 8000, 0, 0, 0, 0, 0, 0),
        # a record less
        nearly=lagging(0, 1999, 0, 8000, 0, 0, 0, 0, 0, 0),
        # how far one is behind nobody knows: that leaves nine
        never=lagging(0, 2000, 0, 8000, 0, 0, 0, 0, 0, None),
    ),
    "lag-on-one-member": Cases(
        Told(
            *("info", "member b", 0.7, 0.6),
            "Member b, one of 3 with partitions in group g, has 70 % of the group's lag: 7,000 "
            "records of 10000.",
        ),
        fires=lagging(1500, 3500, 0, 1500, 3500, 0),
        nearly=lagging(2001, 3000, 0, 2000, 2999, 0),
        never=lagging(5000, 5000, 5000, 0, 0, 0),
    ),
    "stalled-partitions": Cases(
        Told(
            *("critical", "topic t", 1, 1),
            "No commits of group g since the last snapshot on 1 partition of topic t, while "
            "records keep arriving (worst: t-0 at offset 100, 200 records behind).",
        ),
        fires=committing(before=(100, 200), now=(100, 300)),
        # nothing is written either
        nearly=committing(before=(100, 300), now=(100, 300)),
        # the group has left this topic, and its offsets remain
        never=committing(before=(100, 200), now=(100, 300), reads=False),
    ),
    "offset-beyond-end": Cases(
        Told(
            *("critical", "topic t", 1, 1),
            "Group g has committed an offset beyond the end on 1 partition of topic t: t-1 is 1 "
            "record beyond 100, at 101; its offsets are in __consumer_offsets-0, led by broker 7, "
            "the likely coordinator.",
        ),
        fires=committed_beyond(101, 100),
        # all is read
        nearly=committed_beyond(100, 100),
        # the group has left this topic
        never=committed_beyond(101, 100, known=False),
    ),
    "offset-before-start": Cases(
        Told(
            *("critical", "topic t", 1, 1),
            "Records were deleted before group g read them, on 1 partition of topic t: 30 records "
            "of t-0, which begins at 130; the group's offset is 100.",
        ),
        fires=log_from(130, 100),
        # the next one is the first that is left
        nearly=log_from(100, 100),
        never=log_from(None, 100),
    ),
}
