"""Where a timeline isn't as recorded in what both protocols have: members, calls, the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from tests.optimizer.coordinator.account import Account, named, shown

ONE_BY_ONE = (
    *("session_expired", "left", "kicked_not_rejoined", "member_added", "static_added"),
    *("static_replaced", "static_no_rebalance", "static_refused", "static_left_for_now", "empty"),
    *("rebalance_timeout", "converted_to_consumer", "converted_to_classic"),
)


def common_differences(account: Account) -> Iterator[str]:
    """Members that came and went, what listeners were told, what everybody ends with."""
    yield from _comings(account)
    yield from _errors(account)
    yield from _distributed(account)
    yield from _final(account)


def _final(account: Account) -> Iterator[str]:
    record, alias = account.record, _alias(account)
    ends = {alias[name]: account.names(parts) for name, parts in account.timeline.final.items()}
    recorded = {
        "ends": {alias[name]: named(p) for name, p in record["outcome"]["final"].items()},
    }
    if described := record.get("final"):  # else its last describe failed: `final_error`
        recorded["is described in the end"] = {
            alias[member["member"]]: named(member["assignment"]) for member in described["members"]
        }
    for how, final in recorded.items():
        for name in sorted({*final, *ends}):
            theirs, ours = final.get(name, []), ends.get(name, [])
            if theirs != ours:
                yield f"{name} {how} with {shown(theirs)}, by the twin with {shown(ours)}"


def _alias(account: Account) -> dict[str, str]:
    """The records name a member by its instance id, which two of them may have."""
    by_instance: dict[str, str] = {}
    alias = {}
    for name, member in account.record["members"].items():
        instance = member["config"].get("group.instance.id", name)
        alias[name] = by_instance.setdefault(instance, name)
    return alias


Call = tuple[str, list[tuple[str, int]], float]


def _distributed(account: Account) -> Iterator[str]:
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
    for happening in account.timeline.happenings:
        if happening.what in kinds and (
            eager or happening.partitions or happening.what != "assigned"
        ):
            called = happening.what, account.names(happening.partitions), happening.at
            ours.setdefault(happening.member or "", []).append(called)
    for name in sorted({*ours, *theirs}):
        for our, their in zip_longest(ours.get(name, []), theirs.get(name, [])):
            same = our is not None and their is not None and our[:2] == their[:2]
            if not same or not account.near(our[2], their[2], lag=account.lag):
                yield f"{name} was told {_call(their)}, by the twin {_call(our)}"
            if not same:
                break


def _call(call: Call | None) -> str:
    return "nothing more" if call is None else f"{call[0]} {shown(call[1])} at {call[2]:.0f} ms"


def _errors(account: Account) -> Iterator[str]:
    """Members that ended by an error that nothing mends."""
    theirs = Counter(event["member"] for event in account.of_application("error"))
    ours = Counter(
        happening.member for happening in account.timeline.happenings if happening.what == "error"
    )
    for name in sorted({*theirs, *ours}, key=str):
        if theirs[name] != ours[name]:
            yield f"{name} ended by an error {theirs[name]} times, by the twin {ours[name]} times"


def _comings(account: Account) -> Iterator[str]:
    """What happened to each member, and when."""
    theirs: dict[tuple[str, str], list[float]] = {}
    ours: dict[tuple[str, str], list[float]] = {}
    recorded_events = account.of_coordinator(*ONE_BY_ONE)
    nameless = {record["what"] for record in recorded_events if not record.get("member")}
    for event in recorded_events:
        key = event["what"], "" if event["what"] in nameless else event["member"]
        theirs.setdefault(key, []).append(event["t"])
    for happening in account.timeline.happenings:
        if happening.what in ONE_BY_ONE:
            who = "" if happening.what in nameless else happening.member or ""
            ours.setdefault((happening.what, who), []).append(happening.at)
    for what, member in sorted({*ours, *theirs}):
        report, recorded = ours.get((what, member), []), theirs.get((what, member), [])
        who = f"{what} of {member}" if member else what
        if len(report) != len(recorded):
            yield f"{who} was recorded {len(recorded)} times, by the twin {len(report)} times"
        for our, their in zip(report, recorded, strict=False):
            if not account.near(our, their):
                yield f"{who} was at {their} ms, by the twin at {our:.0f}"
