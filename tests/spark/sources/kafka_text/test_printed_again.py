"""Any group that Kafka can print, with whatever names, is read as it was."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given, settings, strategies as st

from spark.sources.kafka_text.captures import TopicPartition
from spark.sources.kafka_text.table import parse_header
from spark.sources.kafka_text.views import View, read_row

LETTERS = "aZ09_.-"
topics = st.text(LETTERS, min_size=1, max_size=60)
# Single spaces may stand inside a client's id: a table can't tell of more, nor of spaces around
# it. A dash alone is how Kafka prints that there is nothing.
words = st.text(LETTERS + "/:'+", min_size=1, max_size=30).map("x{}".format)
clients = st.lists(words, min_size=1, max_size=3).map(" ".join)
uuids = st.uuids(version=4).map(str)
hosts = st.ip_addresses(v=4).map("/{}".format)
owned_partitions = st.dictionaries(topics, st.sets(st.integers(0, 5000), min_size=1), max_size=4)


class Printed(NamedTuple):
    """A member that one of Kafka's formats prints."""

    client_id: str
    uuid: str
    host: str
    instance_id: str
    owned: dict[str, set[int]]

    @property
    def member_id(self) -> str:
        return f"{self.instance_id or self.client_id}-{self.uuid}"

    @property
    def partitions(self) -> set[TopicPartition]:
        return {(topic, number) for topic, numbers in self.owned.items() for number in numbers}


members = st.lists(
    st.builds(Printed, clients, uuids, hosts, st.just("") | clients, owned_partitions),
    min_size=1,
    max_size=4,
    unique_by=lambda member: member.uuid,
)
quick = settings(max_examples=100, deadline=None)


def width(least: int, values: list[str]) -> int:
    return max(least, *map(len, values))


def rows(view: View, lines: list[str]) -> list[dict[str, str]]:
    header = parse_header(lines[0].rstrip())
    assert header is not None
    cells = [header.cells(line.rstrip()) for line in lines[1:]]
    return [row for row in cells if row is not None]


@quick
@given(members, clients)
def test_members_of_4_0_and_later(printed: list[Printed], group: str) -> None:
    def ownership(member: Printed) -> str:
        parts = (f"{t}:{','.join(map(str, sorted(ns)))}" for t, ns in sorted(member.owned.items()))
        return ";".join(parts) or "-"

    static = any(member.instance_id for member in printed)
    columns: list[tuple[str, int, list[str]]] = [
        ("GROUP", 15, [group] * len(printed)),
        ("CONSUMER-ID", 15, [member.member_id for member in printed]),
        ("GROUP-INSTANCE-ID", 17, [member.instance_id for member in printed]),
        ("HOST", 15, [member.host for member in printed]),
        ("CLIENT-ID", 15, [member.client_id for member in printed]),
        ("#PARTITIONS", 15, [str(len(member.partitions)) for member in printed]),
        ("CURRENT-EPOCH", 15, ["-"] * len(printed)),
        ("CURRENT-ASSIGNMENT", 20, [ownership(member) for member in printed]),
        ("TARGET-EPOCH", 15, ["-"] * len(printed)),
        ("TARGET-ASSIGNMENT", 20, ["-"] * len(printed)),
    ]
    columns = [column for column in columns if static or column[0] != "GROUP-INSTANCE-ID"]
    form = " ".join(f"%-{width(least, values)}s" for _, least, values in columns)
    lines = [form % tuple(name for name, _, _ in columns)]
    lines += [form % row for row in zip(*(values for _, _, values in columns), strict=True)]

    result = rows(View.MEMBERS, lines)
    assert len(result) == len(printed)
    for cells, member in zip(result, printed, strict=True):
        row, fault = read_row(View.MEMBERS, cells)
        assert fault is None
        assert cells["GROUP"] == group
        assert row.member == (
            member.member_id,
            member.instance_id or None,
            member.client_id,
            member.host,
            None,
        )
        assert set(row.owned) == member.partitions


@quick
@given(members, topics, st.integers(0, 10**12))
def test_offsets_of_0_10_2_to_1_0_with_their_fixed_widths(
    printed: list[Printed], topic: str, offset: int
) -> None:
    form = "%-30s %-10s %-15s %-15s %-10s %-50s%-30s %s"
    lines = [
        form
        % (
            "TOPIC",
            "PARTITION",
            "CURRENT-OFFSET",
            "LOG-END-OFFSET",
            "LAG",
            "CONSUMER-ID",
            "HOST",
            "CLIENT-ID",
        )
    ]
    lines += [
        form % (topic, number, offset, offset, 0, f"{m.client_id}-{m.uuid}", m.host, m.client_id)
        for number, m in enumerate(printed)
    ]
    result = rows(View.OFFSETS, lines)
    assert len(result) == len(printed)
    for number, (cells, member) in enumerate(zip(result, printed, strict=True)):
        row, _ = read_row(View.OFFSETS, cells)
        assert row.partition == (topic, number)
        assert row.offset == (offset, offset, 0)
        assert row.member == (
            f"{member.client_id}-{member.uuid}",
            None,
            member.client_id,
            member.host,
            None,
        )


@quick
@given(
    clients,
    st.text("a0.-", min_size=1, max_size=60).map("{}:9092".format),
    st.sampled_from(["", "range", "cooperative-sticky", "an-assignor-with-a-very-long-name"]),
    st.sampled_from(["Stable", "Empty", "PreparingRebalance", "CompletingRebalance"]),
    st.integers(0, 10**6),
)
def test_states_of_2_3_to_3_9_with_a_groups_column_as_wide_as_a_coordinator(
    group: str, address: str, strategy: str, state: str, count: int
) -> None:
    coordinator = f"{address} (12)"
    form = f"%-{max(25, len(coordinator))}s %-25s %-20s %-15s %s"
    header = ("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS")
    lines = [form % header, form % (group, coordinator, strategy, state, count)]
    (cells,) = rows(View.STATE, lines)
    assert tuple(cells.values()) == (group, coordinator, strategy, state, str(count))
