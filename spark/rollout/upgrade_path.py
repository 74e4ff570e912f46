"""Which rolling restarts lead a group to another assignor or protocol, and why some can't go."""

from typing import NamedTuple

from optimizer.coordinator import ClientSettings
from optimizer.scenarios import Event, Migrate, Upgrade
from optimizer.strategies import CLASSIC_ASSIGNORS
from spark.fleet import CONNECT, CONSUMER, LENGTH_OF_UUID
from spark.groups import EncodedRow
from spark.settings import ConsumerSettings

COOPERATIVE = "cooperative-sticky"

TARGETS = (COOPERATIVE, CONSUMER)
"""What groups can be brought to: an assignor, or the protocol of KIP-848."""

NEW_PROTOCOL = "group.protocol=consumer, without partition.assignment.strategy"
"""What members are to be configured with for KIP-848."""

LEAST_BROKER = (4, 0)
"""The first version of brokers that has the new protocol for general use (KIP-848)."""


class UpgradePath(NamedTuple):
    """The list of assignors that members offer now, and the restarts that are needed, in words too.

    `reason` says why there is no way; no restarts and no reason: the group is there already.
    """

    offered: tuple[str, ...]
    restarts: tuple[tuple[str, Event], ...] = ()
    reason: str | None = None


def upgrade_path(row: EncodedRow, to: str, config: ConsumerSettings, seconds: float) -> UpgradePath:
    """The upgrade path of an encoded group; each restart takes a member a number of seconds.

    A list of assignors that is stated for it counts if its own assignor is in it. Without one,
    range stands for the client's default, and any other assignor for itself.
    """
    offered = offered_by(row, config)
    if reason := _why_not(row, to, config):
        return UpgradePath(offered, reason=reason)
    is_new = row.type == CONSUMER
    if to == CONSUMER:
        if is_new:
            return UpgradePath(offered)
        return UpgradePath(offered, ((NEW_PROTOCOL, Migrate(seconds=seconds)),))
    if offered == (COOPERATIVE,):
        return UpgradePath(offered)
    lists: list[tuple[str, ...]] = [(COOPERATIVE,)]
    if COOPERATIVE not in offered:
        lists.insert(0, (COOPERATIVE, *offered))
    return UpgradePath(
        offered,
        tuple(
            (f"partition.assignment.strategy={','.join(item)}", Upgrade(item, seconds=seconds))
            for item in lists
        ),
    )


def offered_by(row: EncodedRow, config: ConsumerSettings) -> tuple[str, ...]:
    """The assignors that members are taken to offer, the preferred one first."""
    own = row.group_strategy
    listed = tuple(config.get("partition_assignment_strategy", ()))
    if listed and (own is None or own in listed):
        return listed
    if own in CLASSIC_ASSIGNORS and own != ClientSettings().assignors[0]:
        return (str(own),)
    return ClientSettings().assignors


def _why_not(row: EncodedRow, to: str, values: ConsumerSettings) -> str | None:
    own = row.group_strategy
    if row.type == CONNECT:
        return "workers of Connect have protocols of their own (connect.protocol)"
    new = sum(len(member) == LENGTH_OF_UUID for member in row.member_ids)
    if row.type == CONSUMER and 0 < new < len(row.member_ids):
        return f"{new} of {len(row.member_ids)} members use the new protocol and the others don't"
    if row.type == CONSUMER:
        is_done = to == CONSUMER
        return None if is_done else "the coordinator assigns already (protocol consumer)"
    if own is not None and own not in CLASSIC_ASSIGNORS:
        return f"the group has an assignor of its own, {own}"
    version = values.get("broker_version")
    if to == CONSUMER and version and _numbers(version) < LEAST_BROKER:
        return f"the brokers have version {version}; the new protocol needs 4.0"
    return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
