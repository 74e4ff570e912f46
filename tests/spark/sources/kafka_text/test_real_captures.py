"""Text of a real Kafka 4.3.1: what one view says has to be what another one says."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings, strategies as st

from spark.errors import InputError
from spark.sources.kafka_text.captures import CliGroup
from spark.sources.kafka_text.consumer_groups import ConsumerGroups
from spark.sources.kafka_text.lines import parse_header
from spark.sources.kafka_text.views import View, read_row


class Facts(NamedTuple):
    """What was made."""

    state: str
    strategy: str | None
    coordinator: int


GROUPS = {
    "g-cf-coop": Facts("Stable", "cooperative-sticky", 3),
    "g-cf-range": Facts("Stable", "range", 1),
    "g-coop": Facts("Stable", "cooperative-sticky", 3),
    "g-empty": Facts("Empty", None, 3),
    "g-idle": Facts("Stable", "range", 3),
    "g-range": Facts("Stable", "range", 1),
    "g-rr": Facts("Stable", "roundrobin", 1),
    "g-sticky": Facts("Stable", "sticky", 1),
    "g848": Facts("Stable", "uniform", 1),
    "g848-idle": Facts("Stable", "range", 1),
}


def read(captures: Path, *views: str) -> ConsumerGroups:
    result = ConsumerGroups().read([captures / f"{view}.txt" for view in views])
    assert result.unreadable_lines == []
    return result


def facts_of(groups: dict[str, CliGroup], *names: str) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(getattr(group, fact) for fact in names) for name, group in groups.items()}


@pytest.mark.parametrize("view", ["state", "state_verbose"])
def test_state_strategy_and_coordinator_come_from_the_state_view(captures: Path, view: str) -> None:
    groups = read(captures, view).groups
    assert facts_of(groups, *Facts._fields) == GROUPS
    listed = read(captures, "list_state").groups
    assert facts_of(listed, "state", "strategy") == {n: (f[0], None) for n, f in GROUPS.items()}


@pytest.mark.parametrize("view", ["offsets_plain", "offsets_verbose"])
def test_owners_are_the_same_from_members_and_from_offsets(captures: Path, view: str) -> None:
    by_members, by_offsets = (read(captures, v).groups for v in ("members_verbose", view))
    assert by_offsets.keys() == GROUPS.keys()
    # the table of an empty group has no rows, and so no name, in the members view
    assert by_members.keys() == GROUPS.keys() - {"g-empty"}
    for name, group in by_members.items():
        assert group.claims == by_offsets[name].claims
        for member_id, member in by_offsets[name].members.items():
            assert member.client_id == group.members[member_id].client_id
    assert facts_of(by_offsets, "coordinator") == dict.fromkeys(GROUPS, (None,))


def test_epochs_are_generations_and_tell_of_the_new_protocol(captures: Path) -> None:
    """Their absence tells of nothing."""
    groups = read(captures, "members_verbose", "state_verbose").groups
    assert groups["g848"].generation == 4
    assert {member.generation for member in groups["g848"].members.values()} == {4}
    assert groups["g-coop"].generation is None
    assert {member.generation for member in groups["g-coop"].members.values()} == {None}
    for view in ("members_verbose", "state_verbose"):
        types = facts_of(read(captures, view).groups, "type")
        assert {name for name, (kind,) in types.items() if kind} == {"g848", "g848-idle"}
        assert types["g848"] == ("consumer",)


def test_a_dash_is_no_offset_and_no_owner(captures: Path) -> None:
    groups = read(captures, "offsets_plain").groups
    assert groups["g848-idle"].offsets == {("one", 0): (None, 0, None)}
    empty = groups["g-empty"]
    offsets = [(74, 74, 0), (0, 77, 77), (0, 69, 69), (0, 80, 80)]
    assert empty.offsets == {("orders", number): row for number, row in enumerate(offsets)}
    assert (empty.members, empty.claims, empty.topics) == ({}, [], set())


def test_views_of_one_moment_agree_in_any_order_and_in_one_file(
    captures: Path, tmp_path: Path
) -> None:
    views = ("members_plain", "members_verbose", "offsets_plain", "state_verbose")
    facts = ("state", "strategy", "generation", "members", "claims", "offsets")
    first = facts_of(read(captures, *views).groups, *facts)
    for order in permutations(views):
        again = read(captures, *order)
        assert again.notes == []
        assert facts_of(again.groups, *facts) == first
    together = tmp_path / "all.txt"
    together.write_text("".join((captures / f"{view}.txt").read_text() for view in views))
    all_in_one = ConsumerGroups().read([together])
    assert all_in_one.unreadable_lines == []
    assert all_in_one.groups == read(captures, *views).groups


def test_what_views_lack_is_noted(captures: Path) -> None:
    """Plain members don't say who owns what, and members without partitions own no offsets."""
    (note,) = read(captures, "members_plain").notes
    assert note.startswith("Nothing says which partitions the members of 9 groups (")
    (note,) = read(captures, "offsets_plain", "state").notes
    assert "counts more members in 2 groups (g-idle, g848-idle)" in note


OLD = [
    "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\n"
    "g, t, 0, 10, 15, 5, my app_/10.0.0.1\n",
    "Group Topic Pid Offset logSize Lag Owner\ng t 0 10 15 5 none\n",
    "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "t     0         10             15             5   m-1         /h   c\n",
]
NEW = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "g     t     0         10             15             5   m-1         /h   c\n"
)


@pytest.mark.parametrize("old", OLD, ids=["0.9", "the offset checker", "1.1"])
def test_an_old_text_is_refused_and_among_new_ones_named_once(
    read_groups: Callable[..., ConsumerGroups], old: str
) -> None:
    with pytest.raises(InputError, match=r"0\.txt: its tables name no group, .* use kafka-con"):
        read_groups(old)
    result = read_groups(f"{old}\n{NEW}")
    assert result.groups["g"].claims == [("t", 0, "m-1")]
    (fault,) = result.unreadable_lines
    why = "its tables name no group, as those of Kafka's tools before 2.4"
    assert (fault.line, fault.why.split(":")[0]) == (1, why)


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
