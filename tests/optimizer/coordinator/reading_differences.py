"""Where a timeline reads otherwise than applications were seen to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from optimizer.coordinator import Pause
from tests.optimizer.coordinator.account import Account, named, shown

SLOWEST_FETCH_MS = 1_000
"""How much longer than usual a first fetch may have taken."""

SEEN_EVERY_MS = 300
"""How often the group was looked at."""


def reading_differences(account: Account) -> Iterator[str]:
    """Pauses of partitions, what was read again, and the group as it was described."""
    yield from _pauses(account)
    seen, twin, band = read_again(account)
    if abs(seen - twin) > band:
        yield f"{seen} records were read again, {twin:.0f} by the twin"
    yield from _described(account)


def read_again(account: Account) -> tuple[int, float, float]:
    """Records that were read again, the twin's, and how far these may lie apart.

    What is read again of a partition is what came in since its last commit. A commit goes out in
    the first poll() after its interval, so a step of the script falls before it or after it: that
    makes one interval of records a partition, and a poll() at either end one record each. What a
    process that was killed read last isn't in its log, which is less than an interval too.
    """
    record, timeline = account.record, account.timeline
    every = record["produce_every_ms"]
    interval = max(
        float(member["config"].get("auto.commit.interval.ms", 5_000))
        for member in record["members"].values()
    )
    ours = {account.names([partition])[0] for partition in timeline.reread}
    partitions = len(ours | _read_by_several(record))
    twin = timeline.seconds_read_twice * 1000 / every
    return record["outcome"]["read_again"], twin, partitions * (interval / every + 2)


def _read_by_several(record: Any) -> set[tuple[str, int]]:
    """Partitions with offsets that two runs of reads have."""
    offsets: dict[tuple[str, int], set[int]] = {}
    again = set()
    for run in record["reads"]:
        name = run["partition"][0], run["partition"][1]
        run_of = set(range(run["first_offset"], run["last_offset"] + 1))
        if offsets.setdefault(name, set()) & run_of:
            again.add(name)
        offsets[name] |= run_of
    return again


def _pauses(account: Account) -> Iterator[str]:
    """Pauses of partitions, but of those whose reader wasn't watched, in a process of its own."""
    seen = _Pauses(account)
    for pause in account.record["outcome"]["unread"]:
        key = pause["partition"][0], pause["partition"][1]
        if seen.unwatched & {pause["before"], pause["after"]} or seen.were_read_meanwhile(
            key, pause
        ):
            continue
        near = [item for item in seen.ours.get(key, []) if seen.near(item, pause)]
        if not near:
            yield f"{shown([key])} was unread from {pause['from']} to {pause['to']} ms"
        elif not any(seen.name(item.after) == pause["after"] for item in near):
            yield f"{shown([key])} was read by {pause['after']} from {pause['to']} ms on"
        elif not any(seen.name(item.before) in (None, pause["before"]) for item in near):
            yield f"{shown([key])} was read by {pause['before']} until {pause['from']} ms"
    yield from seen.not_recorded()


class _Pauses:
    def __init__(self, account: Account) -> None:
        self.account = account
        self.record, self.timeline = account.record, account.timeline
        every = self.record["produce_every_ms"]
        self.spare = account.tolerance + account.lag + 2 * every + 200
        self.least = 2 * every + 100 + self.spare
        members = self.record["members"].items()
        self.unwatched = {name for name, item in members if item.get("process")}
        self.busy = [
            (happening.member, happening.at)
            for happening in self.timeline.happenings
            if happening.what in ("block_begin", "revoked")
        ]
        self.ours: dict[Any, list[Pause]] = {}
        for pause in self.timeline.pauses:
            self.ours.setdefault(account.names([pause.partition])[0], []).append(pause)

    def name(self, life: int) -> str | None:
        return self.timeline.lives[life] if life >= 0 else None

    def were_read_meanwhile(self, key: Any, pause: Any) -> bool:
        """Whether a process that wasn't watched read the partition in the meantime."""
        return any(
            item.start < pause["to"]
            and item.end > pause["from"]
            and self.timeline.lives[item.member] in self.unwatched
            and self.account.names([item.partition]) == [key]
            for item in self.timeline.readings
        )

    def near(self, our: Pause, their: Any) -> bool:
        """Whether a pause is the recorded one.

        What a busy application doesn't read in the meantime wasn't taken for a pause.
        """
        if not -self.spare <= their["to"] - our.end <= self.spare + SLOWEST_FETCH_MS:
            return False
        if abs(our.start - their["from"]) <= self.spare:
            return True
        busy = (self.name(our.before), our.start) in self.busy
        return busy and our.start < their["from"] < our.end

    def not_recorded(self) -> Iterator[str]:
        for key, pauses in self.ours.items():
            theirs = [
                pause
                for pause in self.record["outcome"]["unread"]
                if (pause["partition"][0], pause["partition"][1]) == key
            ]
            for item in pauses:
                own = item.before == item.after and not item.in_rebalance
                who = {self.name(item.before), self.name(item.after)}
                if item.end - item.start <= self.least or own or who & {None, *self.unwatched}:
                    continue
                if not any(self.near(item, pause) for pause in theirs):
                    span = f"from {item.start:.0f} to {item.end:.0f}"
                    yield f"{shown([key])} is unread {span} by the twin"


def _described(account: Account) -> Iterator[str]:
    changes = _assignments(account)
    for entry in account.record["history"]:
        if entry["state"] != "Stable":
            continue
        recorded = {
            member["member_id"]: named(member["assignment"])
            for member in entry["members"]
            if member["assignment"]
        }
        parts = sorted(recorded.values())
        first, last = (
            entry["t"] - account.tolerance - 3 * SEEN_EVERY_MS,
            entry["t"] + account.tolerance,
        )
        before = [report for at, report in changes if at <= first][-1:]
        within = [report for at, report in changes if first < at <= last]
        if parts not in [*before, *within]:
            yield f"at {entry['t']} ms members were described with {parts}"


def _assignments(account: Account) -> list[tuple[float, list[list[tuple[str, int]]]]]:
    """What members have by the twin, without their names, each time that it changes."""
    changes: list[tuple[float, str, Any]] = []
    for generation in account.timeline.generations:
        if generation.assignment is not None:
            changes.append((generation.at, "all", generation.assignment))
    for state in account.timeline.member_states:
        changes.append((state.at, state.member, state.assigned))
    for gone in account.timeline.happenings:
        if gone.what in ("left", "classic_left", "session_expired", "rebalance_timeout"):
            changes.append((gone.at, gone.member or "", frozenset()))
    reports = []
    now: dict[str, Any] = {}
    for at, who, parts in sorted(changes, key=lambda change: change[0]):
        now = dict(parts) if who == "all" else now | {who: parts}
        reports.append((at, sorted(account.names(items) for items in now.values() if items)))
    return reports
