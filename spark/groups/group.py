"""One encoded row becomes a problem, or the reason why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from optimizer.figures import plural
from optimizer.model import (
    GONE,
    IntArray,
    KafkaFacts,
    Problem,
    StrategyError,
    TimeLimitError,
    classes_of,
    rack_notes,
    settlement_notes,
)
from spark.fleet import REBALANCING_STATES, UNKNOWN_STATE, UNSUPPORTED, why_hidden, why_unsupported
from spark.groups.cut import objects
from spark.groups.facts import (
    Claims,
    Topics,
    capacity_faults,
    has_weights,
    read_capacities,
    read_claims,
    read_subscriptions,
    read_topics,
    read_weights,
    settle,
)
from spark.groups.memory import BEYOND_LIMIT, NotEnoughMemoryError, check_memory
from spark.groups.rows import ABSENT, EncodedRow, Fault
from spark.text import list_of, shortened_in

TOPIC_FAULTS = {
    Fault.NEGATIVE: "has a negative partition number",
    Fault.TWICE: "has a partition that is listed twice",
    Fault.GAPS: "has gaps in its partition numbers",
    Fault.NO_ID: "has a topic id that is neither 32 hex digits nor Kafka's 22 characters",
    Fault.TWO_IDS: "has two topic ids",
    Fault.SHARED_ID: "has a topic id that another topic has too",
}


@dataclass(frozen=True)
class FleetGroup:
    """A group as the worker sees it.

    `problem` is None unless the status is `ok` or `inferred`. `previous` has for each partition
    the index of its owner in `names`: the members, then the owners who left. `unread` counts the
    partitions that no member owns though one subscribes to their topics; None where nothing tells
    who owns what.
    """

    status: str
    remarks: Sequence[str] = ()
    names: Sequence[str] = ()
    problem: Problem | None = None
    previous: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    unread: int | None = None

    @property
    def reason(self) -> str | None:
        return "; ".join(map(shortened_in, self.remarks)) or None

    def outcome(self, row: EncodedRow) -> dict[str, Any]:
        """The columns of an `Outcome` of the group, of which `row` is the encoded one."""
        names = {"cluster": row.cluster, "group": row.group}
        return names | {"status": self.status, "reason": self.reason}


def read_group(row: EncodedRow, weight: str | None = None) -> FleetGroup:
    """Check a row of `spark.groups.encode` and make a problem of it.

    `weight` tells where partitions' weights come from, if they matter.

    Raises NotEnoughMemoryError for one that memory won't do for, before anything is made of it.
    """
    if row.trouble:
        return FleetGroup(row.trouble.status, [row.trouble.sentence])
    if why := why_unsupported(row.type, row.group_strategy, row.client_ids.tolist()):
        return FleetGroup(UNSUPPORTED, [why])
    topics = read_topics(row)
    check_memory(row, int(topics.offsets[-1]))
    subscribed = topics.place[row.subscription_topics]
    faults = _faults(row, topics, subscribed)
    if weight is not None and not has_weights(row, weight):
        weight = None
    if weight is not None:
        faults += capacity_faults(row)
    if faults:
        return FleetGroup("invalid", faults)
    if unplanned := _group_without_plan(row):
        return unplanned
    claims = read_claims(row, topics)
    if why := _why_hidden(row) or _no_topic_there(subscribed, topics, claims):
        return FleetGroup("invalid", [why])
    ownership = settle(claims, row.generations, int(topics.offsets[-1]))
    owner = ownership.owner
    problem = _problem(row, topics, subscribed, claims, owner)
    if weight is not None:
        weights = read_weights(row, topics, weight)
        problem = replace(problem, weights=weights, capacities=read_capacities(row))
    return FleetGroup(
        status="inferred" if row.inferred else "ok",
        remarks=[
            *_absent_topics(subscribed, topics),
            *settlement_notes(ownership, claims.impossible),
            *(rack_notes(problem) if problem.replica_racks else ()),
        ],
        names=[*problem.member_ids, *claims.gone],
        problem=problem,
        previous=owner,
        unread=_unread(row, claims, problem),
    )


def is_claimless(row: EncodedRow) -> bool:
    """Whether nothing tells who owns what, as of a group that is yet to begin.

    A group that is Stable in a cluster whose other groups have claims owns nothing in truth.
    """
    is_settled = row.state == "Stable" and getattr(row, "cluster_has_claims", False)
    return not len(row.claim_topics) and not is_settled


def _unread(row: EncodedRow, claims: Claims, problem: Problem) -> int | None:
    """Partitions that nobody claims; one that is claimed in vain is another trouble."""
    if is_claimless(row):
        return None
    is_unread = classes_of(problem).of_partition >= 0
    is_unread[claims.partition] = False
    return int(np.count_nonzero(is_unread))


def read_or_failed(row: EncodedRow, weight: str | None = None) -> FleetGroup:
    """Read a group as `read_group`; one that can't be read is `failed`."""
    try:
        return read_group(row, weight)
    except Exception as error:
        return failure_of(error)


def failure_of(error: Exception) -> FleetGroup:
    """A group that something went wrong with; what wasn't said for people gets its class."""
    if isinstance(error, MemoryError):  # the system kills, unless this process has a limit
        return FleetGroup("failed", [BEYOND_LIMIT])
    is_plain = isinstance(error, StrategyError | TimeLimitError | NotEnoughMemoryError)
    return FleetGroup("failed", [str(error) if is_plain else f"{type(error).__name__}: {error}"])


def _problem(
    row: EncodedRow, topics: Topics, subscribed: IntArray, claims: Claims, previous: IntArray
) -> Problem:
    member_ids = row.member_ids.tolist()
    read = read_subscriptions(topics, len(member_ids), row.subscription_members, subscribed)
    return Problem(
        member_ids=member_ids,
        topics=topics.names,
        topic_offsets=topics.offsets,
        member_subscription=read.of_member,
        subscriptions=read.topics,
        owner=np.where(previous >= len(member_ids), GONE, previous),
        racks=row.racks.tolist(),
        hosts=row.hosts.tolist(),
        **read_racks(row, topics),
        kafka=KafkaFacts(
            claims=claims.of_present_members(len(member_ids)),
            instance_ids=row.instance_ids.tolist(),
            client_ids=row.client_ids.tolist(),
            generations=row.generations.astype(np.int64),
            topic_ids=topics.ids,
            vanished=read.vanished,
            beyond=claims.beyond,
        ),
    )


def _faults(row: EncodedRow, topics: Topics, subscribed: IntArray) -> list[str]:
    faults, member_ids = [], row.member_ids.tolist()
    if row.listed > 1:
        faults.append("the group is listed twice")
    if len(set(member_ids)) < len(member_ids):
        twice = min(a for a, b in pairwise(member_ids) if a == b)
        faults.append(f"two members have the id {twice!r}")
    strangers = subscribed[row.subscription_members >= len(member_ids)]
    if len(strangers):
        faults.append(
            f"{len(strangers)} subscriptions are of members that aren't there "
            f"(one to topic {topics.names[strangers.min()]!r})"
        )
    return faults + _of_subscribed_topics(subscribed, topics, TOPIC_FAULTS)


def _group_without_plan(row: EncodedRow) -> FleetGroup | None:
    """The group without a plan, where its state or a want of members rules one out."""
    if (row.state or "").startswith(UNKNOWN_STATE):
        return FleetGroup("invalid", [f"what the group reads and owns isn't known: {row.state}"])
    if row.state in REBALANCING_STATES:
        return FleetGroup("rebalancing", [f"the group is rebalancing (state {row.state})"])
    return None if len(row.member_ids) else FleetGroup("empty", ["the group has no members"])


def _why_hidden(row: EncodedRow) -> str | None:
    """Why a part of what the group reads can't be seen.

    Where the snapshot doesn't tell what was hidden, a topic that members own and the cluster lacks
    is. One that they only subscribe to may be deleted, or yet to come.
    """
    if row.hidden is not None:
        return why_hidden(row.hidden.tolist())
    absent = np.flatnonzero(row.topic_sizes == ABSENT)
    owned = np.intersect1d(absent, row.claim_topics) if len(absent) else absent
    if not len(owned):
        return None
    lost = list_of("topic", row.topics[owned].tolist())
    why = "hidden from the user that took it, or left out: take it of all topics"
    return f"its members own partitions of {lost} that the snapshot lacks, {why}"


def _no_topic_there(subscribed: IntArray, topics: Topics, claims: Claims) -> str | None:
    """Why nothing can be planned: members read or own only what is of topics that are absent.

    A group of which nothing is known but that would look as even as it can be.
    """
    lost = claims.impossible
    if not (lost or len(subscribed)) or len(claims.partition):
        return None
    if (topics.sizes[subscribed] != ABSENT).any():
        return None
    unplaced = f", so its {plural(lost, 'claim')} can't be placed" * (lost > 0)
    return (
        f"none of the topics it reads is in the snapshot ({topics.names[0]!r} is one){unplaced}: "
        "take a snapshot of all topics"
    )


def _absent_topics(subscribed: IntArray, topics: Topics) -> list[str]:
    what = {ABSENT: "is subscribed to and isn't in the cluster: ignored"}
    return _of_subscribed_topics(subscribed, topics, what)


def _of_subscribed_topics(
    subscribed: IntArray, topics: Topics, summary_of_size: dict[int, str]
) -> list[str]:
    """A sentence for each topic that somebody subscribes to and whose size is a sign."""
    if topics.sizes.min(initial=0) >= 0:
        return []
    sizes = topics.sizes.tolist()
    return [
        f"topic {topics.names[t]!r} {summary_of_size[sizes[t]]}"
        for t in np.unique(subscribed).tolist()
        if sizes[t] in summary_of_size
    ]


def read_racks(row: EncodedRow, topics: Topics) -> dict[str, Any]:
    """The rack of each partition's leader, and those of its replicas, as far as they are known."""
    racks: Any = getattr(row, "place_racks", ())
    if not len(racks):
        return {}
    sizes, ends = row.place_partitions_counts, row.place_racks_counts.cumsum().tolist()
    topic = topics.place[row.place_topics].repeat(sizes)
    partition = topics.offsets[topic] + row.place_partitions
    rows = np.arange(len(sizes)).repeat(sizes)
    count = int(topics.offsets[-1])
    leaders, replicas = np.full(count, None), np.full(count, None)
    replicas[:] = [()]
    of_rows = [racks[a:b].tolist() for a, b in pairwise([0, *ends])]
    leaders[partition] = objects(leader for leader, *_ in of_rows)[rows]
    replicas[partition] = objects(tuple(others) for _, *others in of_rows)[rows]
    return {"leader_racks": leaders.tolist(), "replica_racks": replicas.tolist()}
