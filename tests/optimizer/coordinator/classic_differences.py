"""Where a timeline of a classic group isn't as recorded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from optimizer.coordinator import Generation
from tests.optimizer.coordinator.account import Account, named, shown

ONE_BY_ONE = {
    "session_expired": "session_expired",
    "left": "left",
    "kicked_not_rejoined": "kicked_not_rejoined",
    "member_added": "member_added",
    "static_added": "static_added",
    "static_replaced": "static_replaced",
    "static_no_rebalance": "static_no_rebalance",
    "empty": "empty",
}


def classic_differences(account: Account) -> Iterator[str]:
    """Generations, who was in them, who led, what was handed out; members that came and went."""
    yield from _generations(account)
    yield from _outcome(account)
    yield from _handed_out(account)
    yield from _comings(account)


def _generations(account: Account) -> Iterator[str]:
    ours = [one for one in account.timeline.generations if one.protocol is not None]
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
            for what, recorded, told in seen.of(our):
                if recorded != told:
                    yield f"{where} {what} {recorded}, by the twin {told}"


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
        for event in joins:
            self.joined.setdefault(event["generation"], set()).add(event["member"])
            self.protocols.setdefault(event["generation"], set()).add(event["protocol"])
        self.leaders = {
            one["generation"]: one["member"]
            for one in account.of_coordinator("assignment_received")
        }

    def of(self, our: Generation) -> Iterator[tuple[str, object, object]]:
        """What was seen of a generation, and the same by the twin."""
        joined = self.joined.get(our.number, set())
        yield "was joined by", sorted(joined), sorted({*our.members} - {*our.absent} - self.unseen)
        if our.number in self.leaders:
            yield "was led by", self.leaders[our.number], our.leader
        yield "got an assignment:", our.number in self.leaders, our.assignment is not None
        if our.number in self.protocols:
            yield "used", sorted(self.protocols[our.number]), [our.protocol]


def _outcome(account: Account) -> Iterator[str]:
    ours = [(one.number, len(one.members)) for one in account.timeline.generations]
    outcome = account.record["outcome"]
    theirs = [(number, count) for _, number, count in outcome["generations"]]
    if ours != theirs:
        yield f"generations and their members are {theirs}, by the twin {ours}"
    else:
        for our, their in zip(account.timeline.generations, outcome["generations"], strict=True):
            if not account.near(our.at, their[0]):
                yield f"generation {our.number} came at {their[0]} ms, by the twin at {our.at:.0f}"
    final = {name: named(parts) for name, parts in outcome["final"].items()}
    ends = _final(account)
    for name in sorted({*final, *ends}):
        recorded, told = final.get(name, []), ends.get(name, [])
        if recorded != told:
            yield f"{name} ends with {shown(recorded)}, by the twin with {shown(told)}"


def _final(account: Account) -> dict[str, list[tuple[str, int]]]:
    last = account.timeline.generations[-1]
    return {name: account.names(parts) for name, parts in (last.assignment or {}).items()}


Call = tuple[str, list[tuple[str, int]], float]


def _handed_out(account: Account) -> Iterator[str]:
    """What applications were told: the calls of their listeners, each member's in order."""
    kinds = "assigned", "revoked", "lost"
    theirs: dict[str, list[Call]] = {}
    eager = account.record["kind"] == "eager"
    fenced = {event["member"] for event in account.of_application("error")}
    for event in account.of_application(*kinds):
        if not eager and event["what"] == "assigned" and not event["partitions"]:
            continue  # how often that is told varies
        # the application closes after the error
        what = "lost" if event["member"] in fenced and event["what"] == "revoked" else event["what"]
        call = what, named(event["partitions"]), event["t"]
        theirs.setdefault(event["member"], []).append(call)
    ours: dict[str, list[Call]] = {}
    for one in account.timeline.happenings:
        if one.what in kinds and (eager or one.partitions or one.what != "assigned"):
            called = one.what, account.names(one.partitions), one.at
            ours.setdefault(one.member or "", []).append(called)
    for name in sorted({*ours, *theirs}):
        for our, their in zip_longest(ours.get(name, []), theirs.get(name, [])):
            same = our is not None and their is not None and our[:2] == their[:2]
            if not same or not account.near(our[2], their[2], lag=account.lag):
                yield f"{name} was told {_call(their)}, by the twin {_call(our)}"
            if not same:
                break


def _call(call: Call | None) -> str:
    return "nothing more" if call is None else f"{call[0]} {shown(call[1])} at {call[2]:.0f} ms"


def _comings(account: Account) -> Iterator[str]:
    theirs: dict[str, list[tuple[str | None, float]]] = {}
    ours: dict[str, list[tuple[str | None, float]]] = {}
    for event in account.of_coordinator(*ONE_BY_ONE):
        theirs.setdefault(event["what"], []).append((event.get("member"), event["t"]))
    for one in account.timeline.happenings:
        if one.what in ONE_BY_ONE:
            ours.setdefault(one.what, []).append((one.member, one.at))
    for what in sorted({*ours, *theirs}):
        for our, their in zip_longest(ours.get(what, []), theirs.get(what, [])):
            if our is None or their is None:
                yield f"{what}: recorded {their}, by the twin {our}"
            elif their[0] is not None and their[0] != our[0]:
                yield f"{what}: of {their[0]}, by the twin of {our[0]}"
            elif not account.near(our[1], their[1]):
                yield f"{what}: at {their[1]} ms, by the twin at {our[1]:.0f}"
