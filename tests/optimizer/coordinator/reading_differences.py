"""Where a timeline reads otherwise than applications were seen to."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from optimizer.coordinator import Pause
from tests.optimizer.coordinator.account import Account, Partition, shown
from tests.optimizer.coordinator.recording import Event, Record

SLOWEST_FETCH_MS = 1_000
"""How much longer than usual a first fetch may have taken."""

SEEN_EVERY_MS = 300
"""How often the group was looked at."""

GONE = ("left", "classic_left", "session_expired", "rebalance_timeout")


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


def _read_by_several(record: Record) -> set[Partition]:
    """Partitions with offsets that two runs of reads have."""
    offsets: dict[Partition, set[int]] = defaultdict(set)
    again = set()
    for run in record["reads"]:
        name = _name(run)
        run_of = set(range(run["first_offset"], run["last_offset"] + 1))
        if offsets[name] & run_of:
            again.add(name)
        offsets[name] |= run_of
    return again


def _name(event: Event) -> Partition:
    return event["partition"][0], event["partition"][1]


def _pauses(account: Account) -> Iterator[str]:
    """Pauses of partitions, but of those whose reader wasn't watched, in a process of its own."""
    seen = _Pauses(account)
    for name, pauses in seen.theirs.items():
        for pause in pauses:
            if seen.unwatched & {pause["before"], pause["after"]} or seen.read_unwatched(pause):
                continue
            near = [item for item in seen.ours[name] if seen.near(item, pause)]
            went_on = any(seen.name(item.after) == pause["after"] for item in near)
            if not went_on or not any(
                seen.name(item.before) in (None, pause["before"]) for item in near
            ):
                yield f"{shown([name])} was unread as in {pause}, by the twin as in {near}"
    for name, pauses in seen.ours.items():
        for pause in pauses:
            if seen.counts(pause) and not any(seen.near(pause, item) for item in seen.theirs[name]):
                yield f"{shown([name])} is unread by the twin as in {pause}"


class _Pauses:
    """Pauses of each partition, as recorded and by the twin."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.timeline = account.timeline
        every = account.record["produce_every_ms"]
        self.spare = account.tolerance + account.lag + 2 * every + 200
        self.least = 2 * every + 100 + self.spare
        members = account.record["members"].items()
        self.unwatched = {name for name, item in members if item.get("process")}
        self.busy = [
            (happening.member, happening.at)
            for happening in self.timeline.happenings
            if happening.what in ("block_begin", "revoked")
        ]
        self.theirs: dict[Partition, list[Event]] = defaultdict(list)
        self.ours: dict[Partition, list[Pause]] = defaultdict(list)
        for event in account.record["outcome"]["unread"]:
            self.theirs[_name(event)].append(event)
        for pause in self.timeline.pauses:
            self.ours[account.names([pause.partition])[0]].append(pause)

    def name(self, life: int) -> str | None:
        return self.timeline.lives[life] if life >= 0 else None

    def read_unwatched(self, pause: Event) -> bool:
        """Whether a process that wasn't watched read the partition in the meantime."""
        return any(
            item.start < pause["to"]
            and item.end > pause["from"]
            and self.timeline.lives[item.member] in self.unwatched
            and self.account.names([item.partition]) == [_name(pause)]
            for item in self.timeline.readings
        )

    def near(self, our: Pause, their: Event) -> bool:
        """Whether a pause is the recorded one.

        What a busy application doesn't read in the meantime wasn't taken for a pause.
        """
        if not -self.spare <= their["to"] - our.end <= self.spare + SLOWEST_FETCH_MS:
            return False
        if abs(our.start - their["from"]) <= self.spare:
            return True
        busy = (self.name(our.before), our.start) in self.busy
        return busy and our.start < their["from"] < our.end

    def counts(self, pause: Pause) -> bool:
        """Whether a pause of the twin's would have been recorded: long, and seen at both ends."""
        own = pause.before == pause.after and not pause.in_rebalance
        who = {self.name(pause.before), self.name(pause.after)}
        return (
            pause.end - pause.start > self.least and not own and not who & {None, *self.unwatched}
        )


def _described(account: Account) -> Iterator[str]:
    """The group as it was described from time to time, without names."""
    changes = _assignments(account)
    for entry in account.record["history"]:
        if entry["state"] == "Stable":
            held = (member["assignment"] for member in entry["members"])
            recorded = sorted(shown(partitions) for partitions in held if partitions)
            first = entry["t"] - account.tolerance - 3 * SEEN_EVERY_MS
            last = entry["t"] + account.tolerance
            before = [held for at, held in changes if at <= first][-1:]
            if recorded not in [*before, *(held for at, held in changes if first < at <= last)]:
                yield f"at {entry['t']} ms members were described with {recorded}"


def _assignments(account: Account) -> list[tuple[float, list[str]]]:
    """What members have by the twin, without their names, each time that it changes."""
    timeline = account.timeline
    changes: list[tuple[float, str | None, Any]] = [
        *((item.at, None, item.assignment) for item in timeline.generations),
        *((state.at, state.member, state.assigned) for state in timeline.member_states),
        *((gone.at, gone.member or "", ()) for gone in timeline.happenings if gone.what in GONE),
    ]
    result = []
    now: dict[str, Any] = {}
    for at, member, held in sorted(changes, key=lambda change: change[0]):
        if member is not None:
            now[member] = held
        elif held is not None:
            now = dict(held)
        result.append((at, sorted(account.shown(items) for items in now.values() if items)))
    return result
