"""Any group that Kafka can print, with whatever names, is read as it was."""

from hypothesis import given, settings, strategies as st

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
partitions = st.lists(st.tuples(topics, st.integers(0, 5000)), unique=True, max_size=9)
members = st.tuples(uuids, clients, hosts, st.none() | clients, partitions)

LEAST = {
    **{"GROUP": 15, "CONSUMER-ID": 15, "GROUP-INSTANCE-ID": 17, "HOST": 15, "CLIENT-ID": 15},
    **{"#PARTITIONS": 15, "CURRENT-EPOCH": 15, "CURRENT-ASSIGNMENT": 20},
    **{"TARGET-EPOCH": 15, "TARGET-ASSIGNMENT": 20},
}
"""The columns of 4.0 and later, and how wide each is at least."""


@settings(max_examples=100, deadline=None)
@given(st.lists(members, min_size=1, max_size=4), clients)
def test_members_of_4_0_and_later(printed: list[tuple], group: str) -> None:
    rows = []
    for uuid, client, host, instance, owned in printed:
        numbers: dict[str, list[str]] = {}
        for topic, number in sorted(owned):
            numbers.setdefault(topic, []).append(str(number))
        text = ";".join(f"{topic}:{','.join(of_it)}" for topic, of_it in numbers.items()) or "-"
        names = (group, f"{instance or client}-{uuid}", instance or "", host, client)
        rows.append((*names, str(len(owned)), "-", text, "-", "-"))
    columns = [
        (name, *cells)
        for name, cells in zip(LEAST, zip(*rows, strict=True), strict=True)
        if name != "GROUP-INSTANCE-ID" or any(cells)
    ]
    form = " ".join(f"%-{max(LEAST[column[0]], *map(len, column))}s" for column in columns)
    first, *lines = ((form % line).rstrip() for line in zip(*columns, strict=True))
    header = parse_header(first)
    assert header is not None
    for line, row, member in zip(lines, rows, printed, strict=True):
        cells = header.cells(line)
        assert cells is not None
        read, fault = read_row(View.MEMBERS, cells)
        assert (fault, cells["GROUP"]) == (None, group)
        _, client, host, instance, owned = member
        assert read.member == (row[1], instance, client, host, None)
        assert sorted(read.owned) == sorted(owned)
