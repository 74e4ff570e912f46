"""What was done in a recorded run, as a scenario of the twin.

Taken from the record is what was done, and what is chance: when a process was really started, how
long it took to its first request, and the ids that came to be. What the group made of it isn't.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

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
from tests.optimizer.coordinator.held_up import held_up
from tests.optimizer.coordinator.recorded_chance import Observed, recorded_chance

Record = dict[str, Any]

SLOWEST_STEP_MS = 400
"""How much later than planned a step may have run, as the machine held it up."""

SLOWEST_CLOSE_MS = 800
"""How long the last commit of a member may have taken."""

SLOWEST_LOOK_MS = 300
"""How much later than its metadata's age allows a member may have looked at a topic again."""

SLOWEST_START_MS = 4_000
"""How long a process may have taken from its start to the coordinator."""

ARRIVALS = ("member_added", "static_added", "static_replaced", "static_refused")

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
    looks = {step.at: _noticed(record, step.at) for step in steps if isinstance(step, Grow)}
    return Scenario(
        group=group,
        steps=steps,
        delays=_delays(record),
        broker=broker.of_group(record.get("group_config") or {}),
        chance=partial(
            recorded_chance,
            Observed(_beats(record), _joins(record), _reconciled(record), held_up(record), looks),
        ),
        end=record["end"],
    )


def _delays(record: Record) -> Delays:
    """How long it took to resolve a pattern for the first time, if there is one."""
    first = next(event["t"] for event in record["coordinator"] if event["what"] in ARRIVALS)
    bumps = (item["t"] for item in record["coordinator"] if item["what"] == "epoch_bumped")
    took = next(bumps, first) - first
    has_pattern = any("pattern" in member for member in record["members"].values())
    return replace(Delays(), resolve=min(took, 400)) if has_pattern else Delays()


def _beats(record: Record) -> dict[str, list[float]]:
    """When members heard the coordinator: their heartbeats, sent or answered."""
    reports = [event for event in record["client"] if "already rebalancing" in event.get("why", "")]
    beats = _times(record, "heartbeat")
    for event in reports:
        beats.setdefault(event["member"], []).append(float(event["t"]))
    kinds = "member_added", "static_replaced", "member_state", "left", "static_left_for_now"
    for order, event in enumerate(record["coordinator"]):
        if event["what"] in kinds and event.get("member"):
            beats.setdefault(event["member"], []).append(event["t"] + order / 1e5)
    return {name: sorted(times) for name, times in beats.items()}


def _joins(record: Record) -> dict[str, list[float]]:
    """When members sent JoinGroups: when they arrived, where a group of KIP-848 answers each."""
    arrivals = [event for event in record["coordinator"] if event.get("protocol") == "classic"]
    return {
        name: [
            next(
                (
                    float(event["t"])
                    for event in arrivals
                    if event.get("member") == name and 0 <= event["t"] - sent <= SLOWEST_STEP_MS
                ),
                sent,
            )
            for sent in times
        ]
        for name, times in _times(record, "join_sent").items()
    }


def _reconciled(record: Record) -> dict[str, list[float]]:
    """When consumers of KIP-848 were done with a reconciliation."""
    times: dict[str, list[float]] = {}
    for event in record["events"]:
        if event["what"] == "assigned":
            times.setdefault(event["member"], []).append(float(event["t"]))
    return times


def _times(record: Record, what: str) -> dict[str, list[float]]:
    """When each member did something of that kind."""
    times: dict[str, list[float]] = {}
    for event in record["client"]:
        if event["what"] == what:
            times.setdefault(event["member"], []).append(float(event["t"]))
    return times


def _closing(record: Record, name: str, at: float) -> float:
    """How long the last commit of a member took before it left, or was gone without leaving."""
    ends = [
        event["t"] + order / 1e5 - Delays().round_trip
        for order, event in enumerate(record["coordinator"])
        if event["what"] == "left" and event.get("member") == name
    ]
    ends += [
        event["t"]
        for event in record["client"]
        if event["what"] == "committed" and event["member"] == name
    ]
    return next((max(end - at, 0) for end in ends if -5 <= end - at <= SLOWEST_CLOSE_MS), 0)


def _silence(record: Record, name: str, at: float) -> float | None:
    """How long before it was gone a member gave its last sign of life, by when that was missed.

    It may be what its heartbeats allow, and not more.
    """
    config = record["members"][name]["config"]
    settings, broker = ClientSettings.of(config), BrokerSettings.of(record["broker"])
    rules = broker if settings.protocol == "consumer" else settings
    for event in record["coordinator"]:
        if event["what"] == "session_expired" and event.get("member") == name:
            silent = at + rules.session_ms - event["t"]
            if -100 <= silent <= rules.heartbeat_ms + 100:
                return float(silent)
    return None


def _steps(record: Record) -> Iterator[Step]:
    ran: dict[tuple[str, str | None], list[float]] = {}
    for event in record["events"]:
        if event["what"].startswith("script:"):
            key = event["what"].removeprefix("script:"), event.get("member")
            ran.setdefault(key, []).append(event["t"])
    starts: dict[str, int] = {}
    for step in record["script"]:
        times = ran.get((step["do"], step.get("member")), [])
        at = float(times.pop(0)) if times else step["at"]
        if not 0 <= at - step["at"] <= SLOWEST_STEP_MS:
            at = step["at"]
        if step["do"] == "start":
            nth = starts[step["member"]] = starts.get(step["member"], -1) + 1
            yield _start(record, step, at, nth)
        else:
            yield _step(record, step, at)


def _start(record: Record, step: Record, at: float, nth: int) -> Start:
    name = step["member"]
    member = record["members"][name]
    config = member["config"] | step.get("with", {})
    arrival, member_id = _arrival(record, name, config.get("group.instance.id"), nth)
    if not 0 <= arrival - at <= SLOWEST_START_MS:
        arrival = at
    settings = ClientSettings.of(config)
    if sleep := member.get("revoke_sleep_ms"):
        settings = replace(settings, revoke_ms=sleep)
    return Start(
        at,
        name,
        topics=tuple(
            record["topic_prefix"] + item for item in step.get("topics", member["topics"])
        ),
        client=settings,
        instance_id=config.get("group.instance.id"),
        member_id=member_id,
        delay_ms=arrival - at,
        pattern=_pattern(record, member),
    )


def _pattern(record: Record, member: Record) -> str | None:
    pattern = member.get("pattern")
    return pattern and pattern.replace("PREFIX", record["topic_prefix"])


def _arrival(
    record: Record, name: str, instance_id: str | None, nth: int
) -> tuple[float, str | None]:
    """When the nth life of a member came to the coordinator, and its id.

    Those that came in one millisecond keep their order.
    """
    lives = -1
    ids = {item for item, owner in record["member_ids"].items() if owner == name}
    for order, event in enumerate(record["coordinator"]):
        same = event.get("member") == name or event.get("member_id") in ids
        if event["what"] in ("static_replaced", "static_refused"):
            same = event.get("instance_id") == instance_id and _life_near(record, name, event["t"])
        if event["what"] not in (*ARRIVALS, "member_id_required") or not same:
            continue
        if event["what"] == "member_id_required" and _is_added(record, event["member_id"]):
            continue
        lives += 1
        if lives == nth:
            member_id = event.get("member_id") or _joined_after(record, name, event["t"])
            return event["t"] + order / 1e5, member_id
    return -1, None


def _is_added(record: Record, member_id: str) -> bool:
    """Whether the member of that id ever got into the group."""
    return any(
        event["what"] == "member_added" and event["member_id"] == member_id
        for event in record["coordinator"]
    )


def _life_near(record: Record, name: str, time: float) -> bool:
    """Whether a process of that name was started shortly before."""
    return any(
        event["what"] == "starting"
        and event["member"] == name
        and 0 <= time - event["t"] <= SLOWEST_START_MS
        for event in record["events"]
    )


def _joined_after(record: Record, name: str, time: float) -> str | None:
    for event in record["client"]:
        if event["what"] == "joined" and event["member"] == name and event["t"] >= time:
            return str(event["member_id"])
    return None


def _step(record: Record, step: Record, at: float) -> Step:
    topic = record["topic_prefix"] + step.get("topic", "")
    match step["do"]:
        case "close":
            at = _when(record, "closing", step, at)
            leave = LEAVES[step.get("operation")]
            takes = _closing(record, step["member"], at)
            return Close(at, step["member"], leave, takes, _silence(record, step["member"], at))
        case "kill":
            return Kill(at, step["member"], _silence(record, step["member"], at))
        case "block":
            return Block(_when(record, "block_begin", step, at), step["member"], step["for_ms"])
        case "subscribe":
            topics = tuple(record["topic_prefix"] + item for item in step["topics"])
            return Subscribe(_when(record, "resubscribed", step, at), step["member"], topics)
        case "grow" | "create":
            at = _known(record, _when(record, "grown", step, at))
            return Grow(at, topic, step["partitions"])
    raise ValueError(f"no step of a record: {step}")


def _when(record: Record, what: str, step: Record, at: float) -> float:
    """When the application came to do what the script said."""
    for event in record["events"]:
        if (
            event["what"] == what
            and event.get("member") == step.get("member")
            and (0 <= event["t"] - at <= SLOWEST_STEP_MS)
        ):
            return float(event["t"])
    return at


def _known(record: Record, at: float) -> float:
    """When the coordinator of KIP-848 knew of a topic that had changed: before it counted on."""
    for event in record["coordinator"]:
        if event["what"] == "epoch_bumped" and 0 <= event["t"] - at <= SLOWEST_STEP_MS:
            return float(event["t"]) - 1
    return at


def _noticed(record: Record, at: float) -> dict[str, float]:
    """How long it took until clients looked at their metadata again: chance, up to its age."""
    noticed: dict[str, float] = {}
    for event in record["client"]:
        if event["what"] != "rejoin_wanted":
            continue
        member = record["members"][event["member"]]
        is_found = "metadata" in event["why"]
        if "pattern" in member:
            is_found |= "subscription has changed" in event["why"]
        age = ClientSettings.of(member["config"]).metadata_max_age_ms
        if is_found and 0 <= event["t"] - at <= age + SLOWEST_LOOK_MS:
            noticed.setdefault(event["member"], float(event["t"] - at))
    return noticed
