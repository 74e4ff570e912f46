"""Text of a real Kafka 4.3.1: what one view says has to be what another one says."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups, read_consumer_groups

GROUPS = {
    "g-cf-coop",
    "g-cf-range",
    "g-coop",
    "g-empty",
    "g-idle",
    "g-range",
    "g-rr",
    "g-sticky",
    "g848",
    "g848-idle",
}


def read(captures: Path, *views: str) -> ConsumerGroups:
    result = read_consumer_groups([captures / f"{view}.txt" for view in views])
    assert result.unreadable_lines == []
    return result


@pytest.mark.parametrize("offsets", ["offsets_plain", "offsets_verbose"])
def test_ownership_is_the_same_from_members_and_from_offsets(captures: Path, offsets: str) -> None:
    by_members = read(captures, "members_verbose").groups
    by_offsets = read(captures, offsets).groups
    # the table of an empty group has no rows, and so no name, in the members view
    assert by_members.keys() == by_offsets.keys() - {"g-empty"} == GROUPS - {"g-empty"}
    for name, group in by_members.items():
        assert group.claims
        assert group.claims == by_offsets[name].claims


def test_every_partition_of_every_group_is_owned_once(captures: Path) -> None:
    groups = read(captures, "members_verbose").groups
    assert {name: len(group.claims) for name, group in groups.items()} == {
        "g-cf-coop": 6,
        "g-cf-range": 10,
        "g-coop": 10,
        "g-idle": 1,
        "g-range": 10,
        "g-rr": 4,
        "g-sticky": 10,
        "g848": 10,
        "g848-idle": 1,
    }
    for group in groups.values():
        assert len({(topic, partition) for topic, partition, _ in group.claims}) == len(
            group.claims
        )


def test_members_are_the_same_in_both_members_views(captures: Path) -> None:
    plain, verbose = read(captures, "members_plain"), read(captures, "members_verbose")
    for name, group in verbose.groups.items():
        shown = {id_: m._replace(generation=None) for id_, m in group.members.items()}
        assert shown == plain.groups[name].members


def test_instance_ids_are_those_of_static_members_alone(captures: Path) -> None:
    groups = read(captures, "members_verbose").groups
    instances = {
        name: sorted(m.instance_id for m in group.members.values() if m.instance_id)
        for name, group in groups.items()
    }
    assert {name: ids for name, ids in instances.items() if ids} == {
        "g-cf-range": ["cf-st0"],
        "g-coop": ["g-coop-st0"],
        "g-range": ["g-range-st0"],
        "g-sticky": ["g-sticky-st0"],
        "g848": ["g848-st0"],
    }
    hosts = {member.host for group in groups.values() for member in group.members.values()}
    assert hosts == {"/127.0.0.1"}


def test_client_ids_are_the_same_in_members_and_offsets(captures: Path) -> None:
    by_members = read(captures, "members_verbose").groups
    for name, group in read(captures, "offsets_verbose").groups.items():
        for member_id, member in group.members.items():
            assert member.client_id == by_members[name].members[member_id].client_id


def test_idle_members_are_in_the_members_view_alone(captures: Path) -> None:
    members, offsets = read(captures, "members_verbose"), read(captures, "offsets_plain")
    for name in ("g-idle", "g848-idle"):
        assert len(members.groups[name].members) == 2
        assert len(offsets.groups[name].members) == 1


def test_a_new_groups_epochs_are_generations_and_a_classic_one_has_none(captures: Path) -> None:
    groups = read(captures, "members_verbose", "state_verbose").groups
    assert groups["g848"].generation == 4
    assert {member.generation for member in groups["g848"].members.values()} == {4}
    assert groups["g-coop"].generation is None
    assert {member.generation for member in groups["g-coop"].members.values()} == {None}


@pytest.mark.parametrize("view", ["state", "state_verbose"])
def test_state_and_strategy_come_from_the_state_view(captures: Path, view: str) -> None:
    groups = read(captures, view).groups
    assert {name: (group.state, group.strategy) for name, group in groups.items()} == {
        "g-cf-coop": ("Stable", "cooperative-sticky"),
        "g-cf-range": ("Stable", "range"),
        "g-coop": ("Stable", "cooperative-sticky"),
        "g-empty": ("Empty", None),
        "g-idle": ("Stable", "range"),
        "g-range": ("Stable", "range"),
        "g-rr": ("Stable", "roundrobin"),
        "g-sticky": ("Stable", "sticky"),
        "g848": ("Stable", "uniform"),
        "g848-idle": ("Stable", "range"),
    }


@pytest.mark.parametrize("view", ["state", "state_verbose"])
def test_coordinators_come_from_the_state_view(captures: Path, view: str) -> None:
    groups = read(captures, "offsets_plain", view).groups
    of_broker_3 = {"g-cf-coop", "g-coop", "g-empty", "g-idle"}
    assert {name for name, group in groups.items() if group.coordinator == 3} == of_broker_3
    assert {group.coordinator for group in groups.values()} == {1, 3}
    assert {group.coordinator for group in read(captures, "offsets_plain").groups.values()} == {
        None
    }


def test_the_list_gives_states_alone(captures: Path) -> None:
    listed, described = read(captures, "list_state").groups, read(captures, "state").groups
    assert {name: group.state for name, group in listed.items()} == {
        name: group.state for name, group in described.items()
    }
    assert {group.strategy for group in listed.values()} == {None}


def test_offsets_of_an_empty_group_have_no_owner(captures: Path) -> None:
    group = read(captures, "offsets_plain").groups["g-empty"]
    assert {key: tuple(offset) for key, offset in group.offsets.items()} == {
        ("orders", 0): (74, 74, 0),
        ("orders", 1): (0, 77, 77),
        ("orders", 2): (0, 69, 69),
        ("orders", 3): (0, 80, 80),
    }
    assert (group.members, group.claims, group.topics) == ({}, [], set())


def test_a_dash_is_no_offset(captures: Path) -> None:
    group = read(captures, "offsets_plain").groups["g848-idle"]
    assert {key: tuple(offset) for key, offset in group.offsets.items()} == {
        ("one", 0): (None, 0, None)
    }


def test_views_of_one_moment_agree_and_their_order_does_not_matter(captures: Path) -> None:
    views = ("members_plain", "members_verbose", "offsets_plain", "state_verbose")
    first = read(captures, *views)
    assert first.notes == []
    for order in permutations(views):
        again = read(captures, *order)
        assert again.notes == []
        for name, group in first.groups.items():
            other = again.groups[name]
            assert (group.state, group.strategy, group.generation) == (
                other.state,
                other.strategy,
                other.generation,
            )
            assert (group.members, group.claims, group.offsets) == (
                other.members,
                other.claims,
                other.offsets,
            )


def test_all_views_in_one_file_are_as_good_as_in_many(captures: Path, tmp_path: Path) -> None:
    views = ("members_verbose", "offsets_verbose", "state", "list_state")
    together = tmp_path / "all.txt"
    together.write_text("".join((captures / f"{view}.txt").read_text() for view in views))
    item, many = read_consumer_groups([together]), read(captures, *views)
    assert item.unreadable_lines == []
    assert item.groups == many.groups


def test_plain_members_and_offsets_are_enough(captures: Path) -> None:
    """The 3.8 and 3.9 way: members without topic names, owners from the offsets view."""
    enough, full = (
        read(captures, "members_plain", "offsets_plain"),
        read(captures, "members_verbose"),
    )
    assert enough.notes == []
    for name, group in full.groups.items():
        assert enough.groups[name].claims == group.claims
        assert enough.groups[name].members.keys() == group.members.keys()


def test_plain_members_alone_do_not_say_who_owns_what(captures: Path) -> None:
    result = read(captures, "members_plain")
    assert [note[:55] for note in result.notes] == [
        "Nothing says which partitions the members of 9 groups ("
    ]


def test_offsets_and_state_alone_miss_idle_members(captures: Path) -> None:
    (note,) = read(captures, "offsets_plain", "state").notes
    assert "counts more members in 2 groups (g-idle, g848-idle)" in note
