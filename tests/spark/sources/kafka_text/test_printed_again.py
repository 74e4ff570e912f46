"""Any group that Kafka can print, with whatever names, is read as it was."""

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


@settings(max_examples=100, deadline=None)
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
    form = " ".join(f"%-{max(least, *map(len, values))}s" for _, least, values in columns)
    header = parse_header((form % tuple(name for name, _, _ in columns)).rstrip())
    assert header is not None
    values = zip(*(values for _, _, values in columns), strict=True)
    for line, member in zip(values, printed, strict=True):
        cells = header.cells((form % line).rstrip())
        assert cells is not None
        row, fault = read_row(View.MEMBERS, cells)
        assert fault is None
        assert cells["GROUP"] == group
        instance_id = member.instance_id or None
        ids = (member.member_id, instance_id, member.client_id, member.host, None)
        assert row.member == ids
        assert set(row.owned) == member.partitions
