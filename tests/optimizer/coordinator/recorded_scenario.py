"""What was done in a recorded run, as a scenario of the twin.

Taken from the record is what was done, and what is chance: when a process was really started, how
long it took to its first request, and the ids that came to be. What the group made of it isn't.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from optimizer import Group
from optimizer.coordinator import (
    Block,
    BrokerSettings,
    ClientSettings,
    Close,
    Delays,
    Grow,
    Kill,
    Scenario,
    Start,
    Step,
    Subscribe,
)
from tests.optimizer.coordinator.recorded_chance import Observed, recorded_chance
from tests.optimizer.coordinator.recording import (
    Event,
    Record,
    Times,
    events,
    held_up,
    near,
    ordered,
    times_of,
)

SLOWEST_STEP_MS = 400
"""How much later than planned a step may have run, as the machine held it up."""

SLOWEST_CLOSE_MS = 800
"""How long the last commit of a member may have taken."""

SLOWEST_LOOK_MS = 300
"""How much later than its metadata's age allows a member may have looked at a topic again."""

SLOWEST_START_MS = 4_000
"""How long a process may have taken from its start to the coordinator."""

ARRIVALS = ("member_added", "static_added", "static_replaced", "static_refused")

HEARD = ("member_added", "static_replaced", "member_state", "left", "static_left_for_now")
"""What the coordinator did when it heard a member."""

LEAVES = {None: None, "LEAVE_GROUP": True, "REMAIN_IN_GROUP": False, "DEFAULT": None}


def scenario_of(record: Record) -> Scenario:
    """The scenario that a record tells of; topics have the names that the broker knew them by."""
    prefix = record["topic_prefix"]
    group = Group(
        topics={prefix + topic: count for topic, count in record["topics"].items()},
        members=[],
        topic_ids={prefix + topic: topic_id for topic, topic_id in record["topic_ids"].items()},
    )
    broker = BrokerSettings.of(record["broker"])
    steps = [*_steps(record)]
    observed = Observed(
        beats=_beats(record),
        joins=_joins(record),
        # when consumers of KIP-848 were done with a reconciliation
        reconciled=times_of(events(record, "events", "assigned")),
        held_up_ms=held_up(record),
        looks={step.at: _looks(record, step.at) for step in steps if isinstance(step, Grow)},
    )
    return Scenario(
        group=group,
        steps=steps,
        delays=_delays(record),
        broker=broker.of_group(record.get("group_config") or {}),
        chance=partial(recorded_chance, observed),
        end=record["end"],
    )


def _delays(record: Record) -> Delays:
    """How long it took to resolve a pattern for the first time, if there is one."""
    if not any("pattern" in member for member in record["members"].values()):
        return Delays()
    first = events(record, "coordinator", *ARRIVALS)[0]["t"]
    bumps = [event["t"] for event in events(record, "coordinator", "epoch_bumped")]
    return replace(Delays(), resolve=min(bumps[0] - first if bumps else 0, 400))


def _beats(record: Record) -> Times:
    """When members heard the coordinator: their heartbeats, sent or answered."""
    of_client = [
        event
        for event in record["client"]
        if event["what"] == "heartbeat" or "already rebalancing" in event.get("why", "")
    ]
    return times_of([*of_client, *(event | {"t": at} for at, event in ordered(record, *HEARD))])


def _joins(record: Record) -> Times:
    """When members sent JoinGroups: when they arrived, where a group of KIP-848 answers each."""
    classic = [event for event in record["coordinator"] if event.get("protocol") == "classic"]
    joins = {}
    for name, times in times_of(events(record, "client", "join_sent")).items():
        arrivals = [event for event in classic if event.get("member") == name]
        joins[name] = [_first_near(arrivals, sent, SLOWEST_STEP_MS) for sent in times]
    return joins


def _first_near(found: list[Event], at: float, latest: float) -> float:
    """When the first of the events came, if it came soon after a time; else that time."""
    return float(next(near(found, at, latest), {"t": at})["t"])


def _looks(record: Record, at: float) -> dict[str, float]:
    """How long it took until clients looked at their metadata again: chance, up to its age."""
    looks: dict[str, float] = {}
    for event in events(record, "client", "rejoin_wanted"):
        member = record["members"][event["member"]]
        is_found = "metadata" in event["why"]
        if "pattern" in member:
            is_found |= "subscription has changed" in event["why"]
        age = ClientSettings.of(member["config"]).metadata_max_age_ms
        if is_found and 0 <= event["t"] - at <= age + SLOWEST_LOOK_MS:
            looks.setdefault(event["member"], float(event["t"] - at))
    return looks


def _closing(record: Record, name: str, at: float) -> float:
    """How long the last commit of a member took before it left, or was gone without leaving."""
    ends = [
        time - Delays().round_trip
        for time, event in ordered(record, "left")
        if event.get("member") == name
    ]
    ends += [event["t"] for event in events(record, "client", "committed", member=name)]
    return next((max(end - at, 0) for end in ends if -5 <= end - at <= SLOWEST_CLOSE_MS), 0)


def _silence(record: Record, name: str, at: float) -> float | None:
    """How long before it was gone a member gave its last sign of life, by when that was missed.

    It may be what its heartbeats allow, and not more.
    """
    config = record["members"][name]["config"]
    settings, broker = ClientSettings.of(config), BrokerSettings.of(record["broker"])
    rules = broker if settings.protocol == "consumer" else settings
    expired = events(record, "coordinator", "session_expired", member=name)
    silences = (float(at + rules.session_ms - event["t"]) for event in expired)
    return next((item for item in silences if -100 <= item <= rules.heartbeat_ms + 100), None)


def _steps(record: Record) -> Iterator[Step]:
    ran: dict[tuple[str, str | None], list[float]] = {}
    for event in record["events"]:
        ran.setdefault((event["what"], event.get("member")), []).append(event["t"])
    starts: dict[str, int] = {}
    for step in record["script"]:
        times = ran.get((f"script:{step['do']}", step.get("member")), [])
        at = float(times.pop(0)) if times else step["at"]
        if not 0 <= at - step["at"] <= SLOWEST_STEP_MS:
            at = step["at"]
        if step["do"] == "start":
            nth = starts[step["member"]] = starts.get(step["member"], -1) + 1
            yield _start(record, step, at, nth)
        else:
            yield _step(record, step, at)


def _start(record: Record, step: Event, at: float, nth: int) -> Start:
    name = step["member"]
    member = record["members"][name]
    config = member["config"] | step.get("with", {})
    instance_id = config.get("group.instance.id")
    arrivals = islice(_arrivals(record, name, instance_id), nth, None)
    arrival, member_id = next(arrivals, (-1, None))
    if not 0 <= arrival - at <= SLOWEST_START_MS:
        arrival = at
    settings = ClientSettings.of(config)
    if sleep := member.get("revoke_sleep_ms"):
        settings = replace(settings, revoke_ms=sleep)
    prefix, pattern = record["topic_prefix"], member.get("pattern")
    return Start(
        at,
        name,
        topics=tuple(prefix + item for item in step.get("topics", member["topics"])),
        client=settings,
        instance_id=instance_id,
        member_id=member_id,
        delay_ms=arrival - at,
        pattern=pattern and pattern.replace("PREFIX", prefix),
    )


def _arrivals(
    record: Record, name: str, instance_id: str | None
) -> Iterator[tuple[float, str | None]]:
    """When each life of a member came to the coordinator, and its id."""
    ids = {item for item, owner in record["member_ids"].items() if owner == name}
    added = {event["member_id"] for event in events(record, "coordinator", "member_added")}
    starts = events(record, "events", "starting", member=name)
    joins = events(record, "client", "joined", member=name)
    for at, event in ordered(record, *ARRIVALS, "member_id_required"):
        time, what, member_id = event["t"], event["what"], event.get("member_id")
        if what in ("static_replaced", "static_refused"):
            started = any(0 <= time - start["t"] <= SLOWEST_START_MS for start in starts)
            is_own = event.get("instance_id") == instance_id and started
        else:
            is_own = event.get("member") == name or member_id in ids
        # a member that got its id, and into the group with it, is added later
        if is_own and not (what == "member_id_required" and member_id in added):
            joined = (str(join["member_id"]) for join in joins if join["t"] >= time)
            yield at, member_id or next(joined, None)


def _step(record: Record, step: Event, at: float) -> Step:
    prefix, name = record["topic_prefix"], step.get("member")

    def when(what: str) -> float:
        """When the application came to do what the script said."""
        return _first_near(events(record, "events", what, member=name), at, SLOWEST_STEP_MS)

    match step["do"]:
        case "close":
            at, leave = when("closing"), LEAVES[step.get("operation")]
            return Close(at, name, leave, _closing(record, name, at), _silence(record, name, at))
        case "kill":
            return Kill(at, name, _silence(record, name, at))
        case "block":
            return Block(when("block_begin"), name, step["for_ms"])
        case "subscribe":
            topics = tuple(prefix + item for item in step["topics"])
            return Subscribe(when("resubscribed"), name, topics)
        case "grow" | "create":
            at = when("grown")
            bumps = near(events(record, "coordinator", "epoch_bumped"), at, SLOWEST_STEP_MS)
            # the coordinator of KIP-848 knew of it before it counted on
            known = next((float(event["t"]) - 1 for event in bumps), at)
            return Grow(known, prefix + step["topic"], step["partitions"])
    raise ValueError(f"no step of a record: {step}")
