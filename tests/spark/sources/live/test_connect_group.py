"""A cluster of Connect workers as recorded brokers describe it, and the tables of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest  # noqa: E402

from spark.sources.live.cluster import Cluster, ClusterSelection  # noqa: E402
from spark.sources.live.read_cluster import Reading, read_cluster  # noqa: E402
from spark.sources.live.tables import tables_of  # noqa: E402
from tests.spark.sources.live.recorded_brokers import CLUSTER, three  # noqa: E402
from tests.spark.sources.live.workers import orders, worker  # noqa: E402

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


def read(
    said: Said, strategy: str = "sessioned", state: str = "Stable", cluster: Cluster = CLUSTER
) -> Reading:
    """The recorded group `a-classic`, as if its members were workers that said this."""
    brokers = three()

    def spoil(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, ListGroupsRequest | DescribeGroupsRequest) and node == 1:
            groups = next(group for group in answer.groups if group.group_id == NAME)
            groups.protocol_type = "connect"
            if isinstance(request, DescribeGroupsRequest):
                groups.protocol_data, groups.group_state = strategy, state
                template = groups.members[0]
                groups.members = [_member(template, at, *of_one) for at, of_one in enumerate(said)]
        return answer

    brokers.spoil = spoil
    return read_cluster(cluster, brokers)


def _member(template: Any, at: int, metadata: bytes, assignment: bytes) -> Any:
    member = copy.copy(template)
    member.member_id = f"worker-{at}"
    member.member_metadata, member.member_assignment = metadata, assignment
    return member


def rows(reading: Reading, table: str, cluster: Cluster = CLUSTER) -> list[Mapping[str, Any]]:
    result = tables_of(cluster, reading)[table].to_pylist()
    return [row for row in result if row.get("group", NAME) == NAME]


def owned(reading: Reading) -> dict[str, list[str]]:
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
    wanted = {"worker-0": ["sink-0", "src-0"], "worker-1": ["sink-1", "sink-3"]}
    if said is EAGER:
        wanted = {"worker-0": ["sink-0"], "worker-1": ["sink-1", "sink-3", "src-0"]}
    assert owned(reading) == wanted
    tasks = [row for row in rows(reading, "partitions") if "/" in row["topic"]]
    assert [(row["topic"], row["partition"]) for row in tasks] == [
        *((f"{NAME}/sink", number) for number in range(4)),
        (f"{NAME}/src", 0),
    ]
    assert {row["leader"] for row in tasks} == {None}
    read_by = [(row["member_id"], row["topic"]) for row in rows(reading, "subscriptions")]
    connectors = (f"{NAME}/sink", f"{NAME}/src")
    assert read_by == [(f"worker-{at}", name) for at in (0, 1) for name in connectors]


def test_it_is_planned_and_has_nothing_to_tell() -> None:
    reading = read(SESSIONED)
    group = reading.groups[0]
    assert (group.status, group.reason, group.why_unsupported) == ("ok", None, None)
    assert reading.missing == []


def test_tables_stay_sorted_and_tasks_have_no_offsets() -> None:
    reading = read(SESSIONED)
    places = [(row["topic"], row["partition"]) for row in rows(reading, "partitions")]
    assert places == sorted(places)
    assert not any("/" in row["topic"] for row in rows(reading, "offsets"))


def test_patterns_of_topics_do_not_choose_among_connectors() -> None:
    cluster = Cluster("recorded", ("broker:9092",), topics=ClusterSelection(("orders",)))
    reading = read(SESSIONED, cluster=cluster)
    for table in ("partitions", "subscriptions", "assignments"):
        topics = {row["topic"] for row in rows(reading, table, cluster)}
        assert topics - {"orders"} == {f"{NAME}/sink", f"{NAME}/src"}


def test_a_worker_that_ran_and_was_given_the_same_has_it_once() -> None:
    reading = read([(worker({"sink": [0, 1]}), orders({"sink": [1]}))])
    assert owned(reading) == {"worker-0": ["sink-0", "sink-1"]}


def test_two_that_run_one_task_both_claim_it() -> None:
    """As a worker does that comes back with an assignment that is over (KAFKA-9841)."""
    reading = read([(worker({"sink": [0]}), orders({}))] * 2)
    assert owned(reading) == {"worker-0": ["sink-0"], "worker-1": ["sink-0"]}


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


@pytest.mark.parametrize("which", [0, 1])
def test_bytes_that_can_not_be_read_leave_the_group_unknown(which: int) -> None:
    output = [*SESSIONED[0]]
    output[which] = b"\0\1rubbish"
    group = read([(output[0], output[1]), SESSIONED[1]]).groups[0]
    assert (group.type, group.status) == ("connect", "invalid")
    assert group.state == "Unknown: what a worker runs can't be decoded"


def test_workers_that_are_all_gone_leave_an_empty_group() -> None:
    group = read([], "", "Empty").groups[0]
    assert (group.type, group.status) == ("connect", "empty")
