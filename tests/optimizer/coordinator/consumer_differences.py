"""Where a timeline of KIP-848 isn't as recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from tests.optimizer.coordinator.account import Account, named, shown


def consumer_differences(account: Account) -> Iterator[str]:
    """Epochs, targets, and the states of members on their way to them."""
    record, timeline = account.record, account.timeline
    bumps = [(event["t"], event["group_epoch"]) for event in account.of_coordinator("epoch_bumped")]
    yield from _epochs(account, "group epoch", timeline.epochs, bumps)
    yield from _epochs(account, "group epoch", timeline.epochs, record["outcome"]["group_epochs"])
    targets = [(target.at, target.epoch) for target in timeline.targets]
    yield from _epochs(account, "target", targets, record["outcome"]["targets"])
    yield from _targets(account)
    yield from _states(account)


def _epochs(
    account: Account, what: str, ours: Sequence[Any], theirs: Sequence[Any]
) -> Iterator[str]:
    if [epoch for _, epoch in ours] != [epoch for _, epoch in theirs]:
        reports = [epoch for _, epoch in ours]
        yield f"{what}s are {[epoch for _, epoch in theirs]}, by the twin {reports}"
        return
    for our, their in zip(ours, theirs, strict=True):
        if not account.near(our[0], their[0]):
            yield f"{what} {our[1]} came at {their[0]} ms, by the twin at {our[0]:.0f}"


def _targets(account: Account) -> Iterator[str]:
    name_of = account.record["member_ids"]
    theirs = account.of_coordinator("target_computed")
    for our, their in zip_longest(account.timeline.targets, theirs):
        if our is None or their is None or our.epoch != their["target_epoch"]:
            yield f"the target of epoch {(their or {}).get('target_epoch')} was recorded"
            return
        if our.assignor != their["assignor"]:
            yield f"target {our.epoch} is by {their['assignor']}, by the twin by {our.assignor}"
        if not account.near(our.at, their["t"]):
            yield f"target {our.epoch} came at {their['t']} ms, by the twin at {our.at:.0f}"
        recorded = {
            name_of.get(item, item): named(parts)
            for item, parts in their["target"].items()
            if parts
        }
        reports = {name: account.names(parts) for name, parts in our.assignment.items() if parts}
        for name in sorted({*recorded, *reports}):
            if recorded.get(name, []) != reports.get(name, []):
                yield (
                    f"target {our.epoch} gives {name} {shown(recorded.get(name, []))}, "
                    f"by the twin {shown(reports.get(name, []))}"
                )


State = tuple[int, int, str, list[tuple[str, int]], list[tuple[str, int]], float]


def _states(account: Account) -> Iterator[str]:
    theirs: dict[str, list[State]] = {}
    ours: dict[str, list[State]] = {}
    for event in account.of_coordinator("member_state"):
        parts = named(event["assigned"]), named(event["revoking"])
        state = event["epoch"], event["previous_epoch"], event["state"], *parts, event["t"]
        theirs.setdefault(event["member"], []).append(state)
    for member_state in account.timeline.member_states:
        reports = account.names(member_state.assigned), account.names(member_state.revoking)
        ours.setdefault(member_state.member, []).append(
            (
                member_state.epoch,
                member_state.previous_epoch,
                member_state.state,
                *reports,
                member_state.at,
            )
        )
    for name in sorted({*ours, *theirs}):
        for our, their in zip_longest(ours.get(name, []), theirs.get(name, [])):
            same = our is not None and their is not None and our[:5] == their[:5]
            if not same or not account.near(our[5], their[5]):
                yield f"{name} was {_state(their)}, by the twin {_state(our)}"
            if not same:
                break


def _state(state: State | None) -> str:
    if state is None:
        return "left alone"
    epoch, _, name, assigned, revoking, at = state
    return (
        f"{name} at epoch {epoch} with {shown(assigned)} without {shown(revoking)} at {at:.0f} ms"
    )
