"""What comes of captures that were taken at different moments, and of lines that can't be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups

Read = Callable[..., ConsumerGroups]

MEMBERS_FORM = "%-15s %-15s %-15s %-15s %-15s %-15s %-20s %-15s %s"
MEMBERS_HEADER = (
    "GROUP|CONSUMER-ID|HOST|CLIENT-ID|#PARTITIONS"
    "|CURRENT-EPOCH|CURRENT-ASSIGNMENT|TARGET-EPOCH|TARGET-ASSIGNMENT"
)
OFFSETS_FORM = "%-15s %-15s %-10s %-15s %-15s %-15s %-15s %-15s %s"
OFFSETS_HEADER = (
    "GROUP|TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID"
)


def table(form: str, *rows: str) -> str:
    return "\n" + "\n".join(form % tuple(row.split("|")) for row in rows) + "\n"


def members(**owned: str) -> str:
    """The members view of group g: what each member owns."""
    rows = []
    for member_id, partitions in owned.items():
        count = 0 if partitions == "-" else partitions.count(",") + partitions.count(";") + 1
        rows.append(f"g|{member_id}|/h|{member_id}|{count}|-|{partitions}|-|-")
    return table(MEMBERS_FORM, MEMBERS_HEADER, *rows)


def offsets(*rows: tuple[str, int, str]) -> str:
    """The offsets view of group g: topic, partition, owner."""
    printed = (f"g|{topic}|{number}|1|2|1|{owner}|/h|{owner}" for topic, number, owner in rows)
    return table(OFFSETS_FORM, OFFSETS_HEADER, *printed)


def state(name: str, count: int = 0) -> str:
    return table(
        "%-15s %-25s %-20s %-20s %s",
        "GROUP|COORDINATOR (ID)|ASSIGNMENT-STRATEGY|STATE|#MEMBERS",
        f"g|k:9092  (1)|range|{name}|{count}",
    )


EMPTY = "\nConsumer group 'g' has no active members.\n"
REBALANCING = "\nWarning: Consumer group 'g' is rebalancing.\n"


def disagree(result: ConsumerGroups) -> bool:
    return any("do not agree" in note for note in result.notes)


def test_the_last_ownership_counts_and_the_disagreement_is_noted(read_groups: Read) -> None:
    result = read_groups(members(a="t:0,1", b="-"), members(a="t:0", b="t:1"))
    assert result.groups["g"].claims == [("t", 0, "a"), ("t", 1, "b")]
    assert disagree(result)
    swapped = read_groups(members(a="t:0", b="t:1"), members(a="t:0,1", b="-"))
    assert swapped.groups["g"].claims == [("t", 0, "a"), ("t", 1, "a")]
    assert disagree(swapped)


def test_offsets_given_last_decide_for_the_partitions_they_list(read_groups: Read) -> None:
    result = read_groups(members(a="t:0,1,2"), offsets(("t", 0, "b"), ("t", 1, "-")))
    assert result.groups["g"].claims == [("t", 0, "b"), ("t", 2, "a")]
    assert list(result.groups["g"].members) == ["a", "b"]
    assert disagree(result)


def test_a_partition_that_members_view_has_and_an_older_offsets_view_lacks_is_disagreement(
    read_groups: Read,
) -> None:
    assert disagree(read_groups(offsets(("t", 0, "a")), members(a="t:0", b="t:1"))) is False
    assert disagree(read_groups(offsets(("t", 0, "a"), ("t", 1, "-")), members(a="t:0", b="t:1")))


def test_the_last_members_view_says_who_is_there(read_groups: Read) -> None:
    result = read_groups(members(a="t:0", gone="-"), members(a="t:0"))
    assert list(result.groups["g"].members) == ["a"]
    assert disagree(result)


def test_an_owner_that_the_members_view_lacks_is_a_member_too(read_groups: Read) -> None:
    result = read_groups(members(a="t:0"), offsets(("t", 0, "a"), ("u", 0, "late")))
    assert list(result.groups["g"].members) == ["a", "late"]
    assert disagree(result)


def test_captures_that_agree_are_not_noted(read_groups: Read) -> None:
    result = read_groups(
        members(a="t:0,1", idle="-"),
        offsets(("t", 0, "a"), ("t", 1, "a"), ("old", 3, "-")),
        state("Stable", 2),
    )
    assert result.notes == []
    assert list(result.groups["g"].members) == ["a", "idle"]


def test_two_owners_in_one_capture_are_two_claims(read_groups: Read) -> None:
    result = read_groups(members(a="t:0,1", b="t:1"))
    assert result.groups["g"].claims == [("t", 0, "a"), ("t", 1, "a"), ("t", 1, "b")]
    assert not disagree(result)
    assert read_groups(offsets(("t", 1, "b"), ("t", 1, "a"))).groups["g"].claims == [
        ("t", 1, "a"),
        ("t", 1, "b"),
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_a_group_once_seen_rebalancing_stays_so(read_groups: Read, order: int) -> None:
    result = read_groups(*[state("Stable"), REBALANCING][::order])
    assert result.groups["g"].state == "PreparingRebalance"
    assert disagree(result)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("exact", ["CompletingRebalance", "Assigning", "Reconciling"])
def test_the_state_view_says_more_exactly_how_a_group_rebalances(
    read_groups: Read, exact: str, order: int
) -> None:
    result = read_groups(*[state(exact), REBALANCING][::order])
    assert result.groups["g"].state == exact
    assert not disagree(result)


def test_other_states_are_the_last_ones(read_groups: Read) -> None:
    result = read_groups(state("Stable"), EMPTY)
    assert result.groups["g"].state == "Empty"
    assert disagree(result)


def test_no_active_members_is_empty(read_groups: Read) -> None:
    result = read_groups(EMPTY + offsets(("t", 0, "-")) + EMPTY)
    assert (result.groups["g"].state, result.notes) == ("Empty", [])


def test_an_empty_group_with_members_is_disagreement(read_groups: Read) -> None:
    assert disagree(read_groups(EMPTY, members(a="t:0")))


def test_a_group_that_does_not_exist_is_noted_and_left_out(read_groups: Read) -> None:
    result = read_groups(
        "\nError: Consumer group 'gone' does not exist.\n",
        "Error: The consumer group 'never there' does not exist.",
    )
    assert result.groups == {}
    assert result.notes == [
        "Kafka says that 2 groups (gone, never there) did not exist.",
        "No consumer group was found.",
    ]


def test_errors_beside_tables_are_notes_with_file_and_line(read_groups: Read) -> None:
    result = read_groups(members(a="t:0") + "\nError: Executing failed due to timed out\n")
    (note,) = result.notes
    assert note.endswith("0.txt, line 5: Kafka says: Error: Executing failed due to timed out")
    assert result.unreadable_lines == []


def test_moved_offsets_are_noted_and_the_last_count(read_groups: Read) -> None:
    result = read_groups(offsets(("t", 0, "a")), offsets(("t", 0, "a")).replace(" 2 ", " 9 "))
    assert result.groups["g"].offsets["t", 0].end == 9
    (note,) = result.notes
    assert note.startswith("The offsets of 1 group (g) were given more than once")


def test_a_line_that_cannot_be_read_is_reported_and_the_rest_is_read(read_groups: Read) -> None:
    text = members(a="t:0", b="t:1").replace("g               b", "what is this\ng               b")
    result = read_groups(text, names=["m.txt"])
    (line,) = result.unreadable_lines
    assert (line.file.endswith("m.txt"), line.line, line.text) == (True, 4, "what is this")
    assert line.why == "it doesn't fit the columns of its table"
    assert result.groups["g"].claims == [("t", 0, "a"), ("t", 1, "b")]


def test_a_line_before_any_table_is_reported(read_groups: Read) -> None:
    result = read_groups("== orders ==\n" + members(a="t:0"))
    assert [(line.line, line.why) for line in result.unreadable_lines] == [(1, "it is in no table")]


@pytest.mark.parametrize(
    ("count", "assignment", "why"),
    [
        (3, "t:0,1", "#PARTITIONS is 3 and CURRENT-ASSIGNMENT has 2"),
        (2, "t:0,1;u", "'u' is not a topic with its partitions"),
        (2, "t:0,0", "it names a partition twice"),
        (1, "t:0,", "'t:0,' is not a topic with its partitions"),
    ],
)
def test_ownership_that_was_cut_off_is_reported_and_its_member_kept(
    read_groups: Read, count: int, assignment: str, why: str
) -> None:
    text = table(
        MEMBERS_FORM,
        MEMBERS_HEADER,
        f"g|a|/h|a|{count}|-|{assignment}|-|-",
        "g|b|/h|b|1|-|t:7|-|-",
    )
    result = read_groups(text)
    (line,) = result.unreadable_lines
    assert why in line.why
    assert list(result.groups["g"].members) == ["a", "b"]
    assert result.groups["g"].claims == [("t", 7, "b")]
    assert not disagree(result)


def test_noise_between_rows_is_passed_over(read_groups: Read) -> None:
    noise = "[2026-11-21 06:00:00,123] WARN something (org.apache.kafka.clients.NetworkClient)\n"
    text = "".join(noise + line for line in members(a="t:0", b="t:1").splitlines(keepends=True))
    result = read_groups("SLF4J: no providers were found.\n" + text)
    assert result.unreadable_lines == []
    assert result.groups["g"].claims == [("t", 0, "a"), ("t", 1, "b")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_windows_file_reads_the_same(read_groups: Read, encoding: str) -> None:
    text = EMPTY.replace("'g'", "'other'") + members(a="t:0", b="t:1") + state("Stable", 2)
    windows = text.replace("\n", "\r\n").encode(encoding)
    assert read_groups(windows).groups == read_groups(text).groups
