"""Text of a real Kafka 4.3.1: what one view says has to be what another one says."""

from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from spark.sources.kafka_text.captures import ConsumerGroup
from spark.sources.kafka_text.consumer_groups import ConsumerGroups, read_consumer_groups


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
    result = read_consumer_groups([captures / f"{view}.txt" for view in views])
    assert result.unreadable_lines == []
    return result


def facts_of(groups: dict[str, ConsumerGroup], *names: str) -> dict[str, tuple[Any, ...]]:
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
    all_in_one = read_consumer_groups([together])
    assert all_in_one.unreadable_lines == []
    assert all_in_one.groups == read(captures, *views).groups


def test_what_views_lack_is_noted(captures: Path) -> None:
    """Plain members don't say who owns what, and members without partitions own no offsets."""
    (note,) = read(captures, "members_plain").notes
    assert note.startswith("Nothing says which partitions the members of 9 groups (")
    (note,) = read(captures, "offsets_plain", "state").notes
    assert "counts more members in 2 groups (g-idle, g848-idle)" in note
