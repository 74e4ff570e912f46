"""Where a timeline's group isn't as recorded: members, generations, epochs, calls, the end."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.optimizer.coordinator.account import Account, Fact, shown

SAME_MS = 20
"""Clocks of the broker and of its clients lie no further apart."""

ONE_BY_ONE = (
    *("session_expired", "left", "kicked_not_rejoined", "member_added", "static_added"),
    *("static_replaced", "static_no_rebalance", "static_refused", "static_left_for_now", "empty"),
    *("rebalance_timeout", "converted_to_consumer", "converted_to_classic"),
)

CALLS = ("assigned", "revoked", "lost")


def group_differences(account: Account) -> Iterator[str]:
    """In what both protocols have, then generations (classic), then epochs (KIP-848)."""
    yield from _comings(account)
    yield from _errors(account)
    yield from _calls(account)
    yield from _final(account)
    yield from _generations(account)
    yield from _epochs(account)
    yield from _targets(account)
    yield from _states(account)


def _comings(account: Account) -> Iterator[str]:
    """Members that came and went, and when; and errors that ended one."""
    recorded = account.of("coordinator", *ONE_BY_ONE)
    nameless = {event["what"] for event in recorded if not event.get("member")}

    def coming(what: str, member: str | None, at: float) -> Fact:
        return Fact(what if what in nameless else f"{what} of {member or ''}", what, at)

    yield from account.unlike(
        (coming(event["what"], event.get("member"), event["t"]) for event in recorded),
        (
            coming(happening.what, happening.member, happening.at)
            for happening in account.timeline.happenings
            if happening.what in ONE_BY_ONE
        ),
    )


def _errors(account: Account) -> Iterator[str]:
    """Members that ended by an error that nothing mends."""
    yield from account.unlike(
        (Fact(f"{event['member']}", "an error") for event in account.of("events", "error")),
        (
            Fact(f"{happening.member}", "an error")
            for happening in account.timeline.happenings
            if happening.what == "error"
        ),
    )


def _calls(account: Account) -> Iterator[str]:
    """What applications were told: the calls of their listeners, each member's in order."""
    eager = account.record["kind"] == "eager"
    fenced = {event["member"] for event in account.of("events", "error")}

    def counts(what: str, partitions: object) -> bool:
        """How often nothing was assigned varies, but under the eager protocol."""
        return eager or what != "assigned" or bool(partitions)

    recorded, by_twin = [], []
    for event in account.of("events", *CALLS):
        if counts(event["what"], event["partitions"]):
            # the application closes after the error
            is_lost = event["member"] in fenced and event["what"] == "revoked"
            call = "lost" if is_lost else event["what"], shown(event["partitions"])
            recorded.append(Fact(event["member"], call, event["t"]))
    for happening in account.timeline.happenings:
        if happening.what in CALLS and counts(happening.what, happening.partitions):
            call = happening.what, account.shown(happening.partitions)
            by_twin.append(Fact(happening.member or "", call, happening.at))
    yield from account.unlike(recorded, by_twin, lag=account.lag)


def _final(account: Account) -> Iterator[str]:
    """What members have in the end, as they ended and as the group was described."""
    record, alias = account.record, _alias(account)
    finals = {"ends with": record["outcome"]["final"].items()}
    if described := record.get("final"):  # else its last describe failed: `final_error`
        members = described["members"]
        finals["is described with"] = [(item["member"], item["assignment"]) for item in members]
    ours = {alias[name]: account.shown(p) for name, p in account.timeline.final.items()}
    for how, final in finals.items():
        theirs = {alias[name]: shown(partitions) for name, partitions in final}
        yield from account.unlike(_held(theirs, how), _held(ours, how))


def _held(by_member: Mapping[str, str], how: str) -> list[Fact]:
    return [Fact(f"{name} {how}", held) for name, held in by_member.items() if held != shown([])]


def _alias(account: Account) -> dict[str, str]:
    """The records name a member by its instance id, which two of them may have."""
    by_instance: dict[str, str] = {}
    return {
        name: by_instance.setdefault(member["config"].get("group.instance.id", name), name)
        for name, member in account.record["members"].items()
    }


def _generations(account: Account) -> Iterator[str]:
    """Generations of the classic protocol, and who was in them."""
    ours = account.timeline.generations
    sizes = [Fact("generations", (our.number, len(our.members)), our.at) for our in ours]
    outcome = account.record["outcome"]["generations"]
    yield from account.unlike(
        [Fact("generations", (number, count), at) for at, number, count in outcome], sizes
    )
    joined = [our for our in ours if our.protocol is not None]
    done = account.of("coordinator", "join_phase_done")
    yield from account.unlike(
        [
            Fact("generations", (event["generation"], event["members"]), event["t"])
            for event in done
        ],
        [size for size, our in zip(sizes, ours, strict=True) if our.protocol is not None],
    )
    ends = {event["generation"]: event["t"] for event in done}
    members, protocols, told = defaultdict(set), defaultdict(set), defaultdict(list)
    for event in account.of("client", "joined"):
        # a static member that comes back later joins an old generation
        if event["t"] <= ends.get(event["generation"], 0) + account.tolerance:
            members[event["generation"]].add(event["member"])
            protocols[event["generation"]].add(event["protocol"])
    for event in account.of("client", "leads"):
        # the newest generation, when an answer to its JoinGroup told a member to lead
        before = [number for number, at in ends.items() if at <= event["t"] + SAME_MS]
        if before:
            told[before[-1]].append(event["member"])
    received = account.of("coordinator", "assignment_received")
    leaders = {event["generation"]: event["member"] for event in received}
    unseen = {name for name, item in account.record["members"].items() if item.get("process")}
    for our in joined:
        number = our.number
        seen = {
            "joined by": (members[number], {*our.members} - {*our.absent} - unseen),
            "led by": (leaders.get(number), None if our.assignment is None else our.leader),
            "told to be led by": (told[number], [our.leader] * len(told[number])),
            "of protocol": (protocols[number], {our.protocol} if protocols[number] else set()),
        }
        for how, (recorded, by_twin) in seen.items():
            if recorded != by_twin:
                yield f"generation {number} was {how} {recorded}, by the twin {by_twin}"


def _epochs(account: Account) -> Iterator[str]:
    """Epochs of a group of KIP-848, targets, and the states of members on their way to them."""
    timeline, outcome = account.timeline, account.record["outcome"]
    epochs = [Fact("group epochs", epoch, at) for at, epoch in timeline.epochs]
    bumps = account.of("coordinator", "epoch_bumped")
    bumped = [Fact("group epochs", event["group_epoch"], event["t"]) for event in bumps]
    targets = [Fact("targets", target.epoch, target.at) for target in timeline.targets]
    recorded = [Fact("group epochs", epoch, at) for at, epoch in outcome["group_epochs"]]
    recorded += [Fact("targets", epoch, at) for at, epoch in outcome["targets"]]
    yield from account.unlike(bumped, epochs)
    yield from account.unlike(recorded, [*epochs, *targets])


def _targets(account: Account) -> Iterator[str]:
    name_of = account.record["member_ids"]
    recorded, by_twin = [], []
    for event in account.of("coordinator", "target_computed"):
        epoch, held = event["target_epoch"], event["target"].items()
        recorded.append(Fact("targets", (epoch, event["assignor"]), event["t"]))
        named = {name_of.get(item, item): shown(partitions) for item, partitions in held}
        recorded += _held(named, f"by target {epoch}")
    for target in account.timeline.targets:
        by_twin.append(Fact("targets", (target.epoch, target.assignor), target.at))
        named = {name: account.shown(parts) for name, parts in target.assignment.items()}
        by_twin += _held(named, f"by target {target.epoch}")
    yield from account.unlike(recorded, by_twin)


def _states(account: Account) -> Iterator[str]:
    recorded, by_twin = [], []
    for event in account.of("coordinator", "member_state"):
        epochs = event["epoch"], event["previous_epoch"], event["state"]
        held = shown(event["assigned"]), shown(event["revoking"])
        recorded.append(Fact(event["member"], (*epochs, *held), event["t"]))
    for item in account.timeline.member_states:
        epochs = item.epoch, item.previous_epoch, item.state
        held = account.shown(item.assigned), account.shown(item.revoking)
        by_twin.append(Fact(item.member, (*epochs, *held), item.at))
    yield from account.unlike(recorded, by_twin)
