import pytest

from spark.sources.kafka_text.lines import Header, parse_header

MEMBERS = (
    "GROUP           CONSUMER-ID     GROUP-INSTANCE-ID HOST            CLIENT-ID       #PARTITIONS"
)
STATE = (
    "GROUP                     COORDINATOR (ID)          "
    "ASSIGNMENT-STRATEGY  STATE           #MEMBERS"
)
COLLAPSED_MEMBERS = " ".join(MEMBERS.split())
COLLAPSED_OFFSETS = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
)
MEMBER_ID = "my app-3fc8d6f1-581a-4472-bdf3-3515b4aee8c1"


def header(line: str) -> Header:
    result = parse_header(line)
    assert result is not None
    return result


def test_a_header_is_its_columns_and_where_they_start() -> None:
    columns = ("GROUP", "COORDINATOR (ID)", "#MEMBERS")
    assert header("GROUP  COORDINATOR (ID)  #MEMBERS") == Header(columns, (0, 7, 25))


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


@pytest.mark.parametrize(
    ("columns", "row", "cells"),
    [
        (  # --state of 2.3 to 3.9: the group's column is as wide as the coordinator's
            STATE,
            "a-group-whose-name-is-longer-than-any-coordinator kafka-0:9092 (7)          "
            "range                Stable          3",
            [
                *("a-group-whose-name-is-longer-than-any-coordinator", "kafka-0:9092 (7)"),
                *("range", "Stable", "3"),
            ],
        ),
        (
            STATE,
            "a group whose name is longer than any coordinator kafka-0:9092 (7)"
            "                               Empty           0",
            [
                *("a group whose name is longer than any coordinator", "kafka-0:9092 (7)"),
                *("", "Empty", "0"),
            ],
        ),
        (  # CompletingRebalance has 19 letters, the column of 2.3 to 3.9 has 15
            STATE,
            "g                         kafka-0:9092 (7)                               "
            "CompletingRebalance 3",
            ["g", "kafka-0:9092 (7)", "", "CompletingRebalance", "3"],
        ),
        (  # spaces were collapsed
            COLLAPSED_OFFSETS,
            f"a-long-group t.a-b_c 12 - 7 - {MEMBER_ID} /10.0.0.1 my app",
            ["a-long-group", "t.a-b_c", "12", "-", "7", "-", MEMBER_ID, "/10.0.0.1", "my app"],
        ),
        (
            COLLAPSED_OFFSETS,
            "a-long-group t.a-b_c 12 3 7 4 - - -",
            ["a-long-group", "t.a-b_c", "12", "3", "7", "4", "-", "-", "-"],
        ),
        (
            COLLAPSED_MEMBERS,
            "g c0-uuid pod-0 /10.0.0.1 c0 4",
            ["g", "c0-uuid", "pod-0", "/10.0.0.1", "c0", "4"],
        ),
        (
            COLLAPSED_MEMBERS,
            "g c1-uuid /10.0.0.1 a/b 3",
            ["g", "c1-uuid", "", "/10.0.0.1", "a/b", "3"],
        ),
        # what fits in no way
        (MEMBERS, "g               c1-uuid", None),
        (
            MEMBERS,
            "g               c1-uuid                           /127.0.0.1      c1              two",
            None,
        ),
        (MEMBERS, "[2026-11-21 06:00:00,123] WARN Connection to node -1 wasn't established", None),
        (MEMBERS, "Consumer group 'g' has no active members.", None),
    ],
)
def test_a_row_is_cut_by_its_columns_or_by_the_form_of_its_values(
    columns: str, row: str, cells: list[str] | None
) -> None:
    table = header(columns)
    assert table.cells(row) == (cells and dict(zip(table.columns, cells, strict=True)))


@pytest.mark.parametrize("words", ["x 1 ", "x /1 ", "x:1 (1) ", "x, "])
@pytest.mark.parametrize(
    "columns",
    [
        MEMBERS,
        STATE,
        "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT",
        "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID",
    ],
)
def test_a_long_line_of_anything_costs_no_more_than_its_length(columns: str, words: str) -> None:
    """If forms could be matched in ever more ways, this would not end."""
    assert header(columns).cells(words * 200_000) is None
