"""A cluster of Connect workers as recorded brokers describe it, and the tables of it."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest

from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.collect import tables_of
from spark.sources.live.read_cluster import Answers, read_cluster
from tests.spark.sources.live.member_bytes import orders, worker
from tests.spark.sources.live.recorded_brokers import CLUSTER, three

pytestmark = pytest.mark.usefixtures("at_once")

Said = Sequence[tuple[bytes, bytes]]
"""Metadata and assignment of each worker."""

NAME = "a-classic"

SESSIONED: Said = (
    (worker({"sink": [-1, 0, 1], "src": [0]}), orders({}, {"sink": [1]})),
    (worker(), orders({"sink": [1, 3], "src": [-1]})),
)
EAGER: Said = (
    (worker(version=0), orders({"sink": [-1, 0]}, version=0)),
    (worker(version=0), orders({"sink": [1, 3], "src": [-1, 0]}, version=0)),
)
RUBBISH = b"\0\1rubbish"


def read(
    said: Said, strategy: str = "sessioned", state: str = "Stable", cluster: Cluster = CLUSTER
) -> Answers:
    """The recorded group `a-classic`, as if its members were workers that said this."""

    def become_connect(answer: Any) -> None:
        answer.groups[0].protocol_type = "connect"

    def describe(answer: Any) -> None:
        become_connect(answer)
        group = answer.groups[0]
        group.protocol_data, group.group_state = strategy, state
        template, group.members = group.members[0], []
        for at, (metadata, assignment) in enumerate(said):
            member = copy.copy(template)
            member.member_id = f"worker-{at}"
            member.member_metadata, member.member_assignment = metadata, assignment
            group.members.append(member)

    brokers = three().on(ListGroupsRequest, become_connect, 1)
    return read_cluster(cluster, brokers.on(DescribeGroupsRequest, describe, 1))


def rows(reading: Answers, table: str, cluster: Cluster = CLUSTER) -> list[Mapping[str, Any]]:
    result = tables_of(cluster, reading)[table].to_pylist()
    return [row for row in result if row.get("group", NAME) == NAME]


def owned(reading: Answers) -> dict[str, list[str]]:
    result: dict[str, list[str]] = {}
    for row in rows(reading, "assignments"):
        task = f"{row['topic'].removeprefix(f'{NAME}/')}-{row['partition']}"
        result.setdefault(row["member_id"], []).append(task)
    return result


@pytest.mark.parametrize(
    ("said", "strategy"), [(SESSIONED, "sessioned"), (SESSIONED, "compatible"), (EAGER, "default")]
)
def test_tasks_are_partitions_and_connectors_topics(said: Said, strategy: str) -> None:
    """A worker keeps what it ran when it joined, but for what it was told to stop."""
    reading = read(said, strategy)
    (group,) = rows(reading, "groups")
    assert (group["type"], group["strategy"], group["state"]) == ("connect", strategy, "Stable")
    described = reading.groups[0]
    assert (described.status, described.reason, described.why_unsupported) == ("ok", None, None)
    assert reading.missing == []
    wanted = {"worker-0": ["sink-0", "src-0"], "worker-1": ["sink-1", "sink-3"]}
    if said is EAGER:
        wanted = {"worker-0": ["sink-0"], "worker-1": ["sink-1", "sink-3", "src-0"]}
    assert owned(reading) == wanted
    places = [(row["topic"], row["partition"]) for row in rows(reading, "partitions")]
    assert places == sorted(places)
    tasks = [row for row in rows(reading, "partitions") if "/" in row["topic"]]
    assert [(row["topic"], row["partition"]) for row in tasks] == [
        *((f"{NAME}/sink", number) for number in range(4)),
        (f"{NAME}/src", 0),
    ]
    assert {row["leader"] for row in tasks} == {None}
    read_by = [(row["member_id"], row["topic"]) for row in rows(reading, "subscriptions")]
    connectors = (f"{NAME}/sink", f"{NAME}/src")
    assert read_by == [(f"worker-{at}", name) for at in (0, 1) for name in connectors]
    assert not any("/" in row["topic"] for row in rows(reading, "offsets"))


def test_patterns_of_topics_do_not_choose_among_connectors() -> None:
    cluster = Cluster("recorded", ("broker:9092",), topics=ClusterSelection(("orders",)))
    reading = read(SESSIONED, cluster=cluster)
    for table in ("partitions", "subscriptions", "assignments"):
        topics = {row["topic"] for row in rows(reading, table, cluster)}
        assert topics - {"orders"} == {f"{NAME}/sink", f"{NAME}/src"}


def test_a_task_that_is_told_twice() -> None:
    """A worker that ran and was given the same has it once; two that run one task both claim it.

    The latter as a worker does that comes back with an assignment that is over (KAFKA-9841).
    """
    once = read([(worker({"sink": [0, 1]}), orders({"sink": [1]}))])
    assert owned(once) == {"worker-0": ["sink-0", "sink-1"]}
    twice = read([(worker({"sink": [0]}), orders({}))] * 2)
    assert owned(twice) == {"worker-0": ["sink-0"], "worker-1": ["sink-0"]}


def test_connectors_of_which_no_task_is_known_are_left_out() -> None:
    reading = read([(worker({"idle": [-1]}), orders({})), (worker(), b"")])
    assert rows(reading, "subscriptions") == rows(reading, "assignments") == []
    assert (len(rows(reading, "members")), reading.groups[0].status) == (2, "ok")


def test_while_workers_rebalance_nothing_tells_what_they_run() -> None:
    reading = read([(b"", orders({"sink": [0]}))] * 2, "", "PreparingRebalance")
    group = reading.groups[0]
    assert (group.type, group.status, len(group.members)) == ("connect", "rebalancing", 2)
    assert "doesn't report their tasks" in (group.reason or "")
    assert owned(reading) == {}


@pytest.mark.parametrize("said", [(RUBBISH, SESSIONED[0][1]), (SESSIONED[0][0], RUBBISH)])
def test_bytes_that_can_not_be_read_leave_the_group_unknown(said: tuple[bytes, bytes]) -> None:
    group = read([said, SESSIONED[1]]).groups[0]
    assert (group.type, group.status) == ("connect", "invalid")
    assert group.state == "Unknown: what a worker runs can't be decoded"


def test_workers_that_are_all_gone_leave_an_empty_group() -> None:
    group = read([], "", "Empty").groups[0]
    assert (group.type, group.status) == ("connect", "empty")
