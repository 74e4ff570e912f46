from __future__ import annotations

import pytest

from spark.sources.kafka_text.table import Header, parse_header

MEMBERS = (
    "GROUP           CONSUMER-ID     GROUP-INSTANCE-ID HOST            CLIENT-ID       #PARTITIONS"
)
STATE = (
    "GROUP                     COORDINATOR (ID)          "
    "ASSIGNMENT-STRATEGY  STATE           #MEMBERS"
)


def header(line: str) -> Header:
    result = parse_header(line)
    assert result is not None
    return result


def test_a_header_is_its_columns_and_where_they_start() -> None:
    assert header("GROUP  COORDINATOR (ID)  #MEMBERS") == Header(
        ("GROUP", "COORDINATOR (ID)", "#MEMBERS"), (0, 7, 25)
    )


def test_the_header_of_0_9_is_parted_by_commas() -> None:
    line = "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER"
    assert header(line).columns[3:5] == ("CURRENT-OFFSET", "LOG-END-OFFSET")


def test_the_header_of_the_offset_checker_has_words_of_its_own() -> None:
    line = "Group Topic Pid Offset logSize Lag Owner"
    assert header(line) == Header(
        ("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG", "OWNER"),
        (0, 6, 12, 16, 23, 31, 35),
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Group Topic Offset",
        "GROUP",  # a group of that name in a --list without states
        "GROUP-7         orders          0",
        "orders          GROUP           0",
        "TOPIC of the day",
        "Topic: orders\tPartition: 0",
    ],
)
def test_other_lines_are_no_headers(line: str) -> None:
    assert parse_header(line) is None


def test_a_blank_field_stays_blank_and_shifts_nothing() -> None:
    row = "g               c1-uuid                           /127.0.0.1      c1              2"
    assert header(MEMBERS).cells(row) == {
        "GROUP": "g",
        "CONSUMER-ID": "c1-uuid",
        "GROUP-INSTANCE-ID": "",
        "HOST": "/127.0.0.1",
        "CLIENT-ID": "c1",
        "#PARTITIONS": "2",
    }


def test_fields_may_hold_spaces_where_the_columns_stand() -> None:
    row = "my group        my c-uuid       pod 1             /127.0.0.1      my c            2"
    cells = header(MEMBERS).cells(row)
    assert cells is not None
    assert list(cells.values()) == ["my group", "my c-uuid", "pod 1", "/127.0.0.1", "my c", "2"]


def test_a_row_pushed_right_by_a_long_group_is_cut_by_the_form_of_its_values() -> None:
    """--state of 2.3 to 3.9: the group's column is as wide as the coordinator's."""
    group = "a-group-whose-name-is-longer-than-any-coordinator"
    row = f"{group} kafka-0:9092 (7)          range                Stable          3"
    cells = header(STATE).cells(row)
    assert cells is not None
    assert list(cells.values()) == [group, "kafka-0:9092 (7)", "range", "Stable", "3"]


def test_a_long_group_may_hold_spaces_and_the_strategy_may_be_blank() -> None:
    group = "a group whose name is longer than any coordinator"
    row = f"{group} kafka-0:9092 (7)                               Empty           0"
    cells = header(STATE).cells(row)
    assert cells is not None
    assert list(cells.values()) == [group, "kafka-0:9092 (7)", "", "Empty", "0"]


def test_a_state_longer_than_its_column_is_read() -> None:
    """CompletingRebalance has 19 letters, the column of 2.3 to 3.9 has 15."""
    form = "%-25s %-25s %-20s %-15s %s"
    row = form % ("g", "kafka-0:9092 (7)", "", "CompletingRebalance", "3")
    cells = header(STATE).cells(row)
    assert cells is not None
    assert (cells["STATE"], cells["#MEMBERS"]) == ("CompletingRebalance", "3")


def test_rows_whose_spaces_were_collapsed_are_read() -> None:
    table = header(
        "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
    )
    member_id = "my app-3fc8d6f1-581a-4472-bdf3-3515b4aee8c1"
    owned = table.cells(f"a-long-group t.a-b_c 12 - 7 - {member_id} /10.0.0.1 my app")
    assert owned is not None
    assert list(owned.values()) == [
        *("a-long-group", "t.a-b_c", "12", "-", "7", "-"),
        *(member_id, "/10.0.0.1", "my app"),
    ]
    unowned = table.cells("a-long-group t.a-b_c 12 3 7 4 - - -")
    assert unowned is not None
    assert list(unowned.values())[6:] == ["-", "-", "-"]


def test_with_collapsed_spaces_a_blank_instance_id_is_still_blank() -> None:
    table = header("GROUP CONSUMER-ID GROUP-INSTANCE-ID HOST CLIENT-ID #PARTITIONS")
    static = table.cells("g c0-uuid pod-0 /10.0.0.1 c0 4")
    dynamic = table.cells("g c1-uuid /10.0.0.1 a/b 3")
    assert static is not None
    assert dynamic is not None
    assert (static["GROUP-INSTANCE-ID"], dynamic["GROUP-INSTANCE-ID"]) == ("pod-0", "")
    assert (static["CLIENT-ID"], dynamic["CLIENT-ID"]) == ("c0", "a/b")


@pytest.mark.parametrize(
    "row",
    [
        "g               c1-uuid",
        "g               c1-uuid                           /127.0.0.1      c1              two",
        "[2026-11-21 06:00:00,123] WARN Connection to node -1 could not be established",
        "Consumer group 'g' has no active members.",
    ],
)
def test_a_row_that_fits_in_no_way_is_none(row: str) -> None:
    assert header(MEMBERS).cells(row) is None


@pytest.mark.parametrize("words", ["x 1 ", "x /1 ", "x:1 (1) ", "x, "])
@pytest.mark.parametrize(
    "columns",
    [
        MEMBERS,
        STATE,
        "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT",
        "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID",
        "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER",
    ],
)
def test_a_long_line_of_anything_costs_no_more_than_its_length(columns: str, words: str) -> None:
    """If forms could be matched in ever more ways, this would not end."""
    assert header(columns).cells(words * 200_000) is None
