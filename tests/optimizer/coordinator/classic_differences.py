"""Where a timeline of a classic group isn't as recorded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from optimizer.coordinator import Generation
from tests.optimizer.coordinator.account import Account

SAME_MS = 20
"""Clocks of the broker and of its clients lie no further apart."""


def classic_differences(account: Account) -> Iterator[str]:
    """Generations, who was in them, and who led."""
    yield from _generations(account)
    yield from _outcome(account)


def _generations(account: Account) -> Iterator[str]:
    ours = [
        generation for generation in account.timeline.generations if generation.protocol is not None
    ]
    theirs = account.of_coordinator("join_phase_done")
    seen = _Seen(account)
    for our, their in zip_longest(ours, theirs):
        if our is None or their is None:
            which = their["generation"] if their else our.number
            yield f"generation {which} is only {'recorded' if their else 'told by the twin'}"
        elif our.number != their["generation"]:
            yield f"generation {their['generation']} was recorded, the twin counts {our.number}"
        else:
            where = f"generation {our.number}"
            if not account.near(our.at, their["t"]):
                yield f"{where} came at {their['t']} ms, by the twin at {our.at:.0f}"
            if len(our.members) != their["members"]:
                yield f"{where} had {their['members']} members, by the twin {len(our.members)}"
            for what, recorded, report in seen.of(our):
                if recorded != report:
                    yield f"{where} {what} {recorded}, by the twin {report}"


class _Seen:
    """What members saw of generations."""

    def __init__(self, account: Account) -> None:
        done = account.of_coordinator("join_phase_done")
        ends = {event["generation"]: event["t"] for event in done}
        # a static member that comes back later joins an old generation
        joins = [
            event
            for event in account.of_client("joined")
            if event["t"] <= ends.get(event["generation"], 0) + account.tolerance
        ]
        members = account.record["members"].items()
        self.unseen = {name for name, member in members if member.get("process")}
        self.joined: dict[int, set[str]] = {}
        self.protocols: dict[int, set[str]] = {}
        self.told_to_lead = _told_to_lead(account)
        for event in joins:
            self.joined.setdefault(event["generation"], set()).add(event["member"])
            self.protocols.setdefault(event["generation"], set()).add(event["protocol"])
        self.leaders = {
            record["generation"]: record["member"]
            for record in account.of_coordinator("assignment_received")
        }

    def of(self, our: Generation) -> Iterator[tuple[str, object, object]]:
        """What was seen of a generation, and the same by the twin."""
        joined = self.joined.get(our.number, set())
        yield "was joined by", sorted(joined), sorted({*our.members} - {*our.absent} - self.unseen)
        if our.number in self.leaders:
            yield "was led by", self.leaders[our.number], our.leader
        for name in self.told_to_lead.get(our.number, ()):
            yield "told to lead it", name, our.leader
        yield "got an assignment:", our.number in self.leaders, our.assignment is not None
        if our.number in self.protocols:
            yield "used", sorted(self.protocols[our.number]), [our.protocol]


def _told_to_lead(account: Account) -> dict[int, list[str]]:
    """Whom an answer to its JoinGroup told to lead, by the newest generation then."""
    reports: dict[int, list[str]] = {}
    done = account.of_coordinator("join_phase_done")
    for event in account.of_client("leads"):
        before = [record["generation"] for record in done if record["t"] <= event["t"] + SAME_MS]
        if before:
            reports.setdefault(before[-1], []).append(event["member"])
    return reports


def _outcome(account: Account) -> Iterator[str]:
    ours = [
        (generation.number, len(generation.members)) for generation in account.timeline.generations
    ]
    outcome = account.record["outcome"]
    theirs = [(number, count) for _, number, count in outcome["generations"]]
    if ours != theirs:
        yield f"generations and their members are {theirs}, by the twin {ours}"
    else:
        for our, their in zip(account.timeline.generations, outcome["generations"], strict=True):
            if not account.near(our.at, their[0]):
                yield f"generation {our.number} came at {their[0]} ms, by the twin at {our.at:.0f}"
