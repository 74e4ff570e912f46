"""Where a timeline isn't as recorded in what both protocols have: members, calls, the end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

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


def common_differences(account: Account) -> Iterator[str]:
    """Members that came and went, what listeners were told, what everybody ends with."""
    yield from _comings(account)
    yield from _handed_out(account)
    yield from _final(account)


def _final(account: Account) -> Iterator[str]:
    ends = {name: account.names(parts) for name, parts in account.timeline.final.items()}
    record = account.record
    recorded = {
        "ends": {name: named(parts) for name, parts in record["outcome"]["final"].items()},
        "is described in the end": {
            one["member"]: named(one["assignment"]) for one in record["final"]["members"]
        },
    }
    for how, final in recorded.items():
        for name in sorted({*final, *ends}):
            theirs, ours = final.get(name, []), ends.get(name, [])
            if theirs != ours:
                yield f"{name} {how} with {shown(theirs)}, by the twin with {shown(ours)}"


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
