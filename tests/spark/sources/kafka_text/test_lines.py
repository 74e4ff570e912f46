"""Lines of texts of Kafka's tools, and tables that are cut into cells."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.lines import (
    LONGEST_LINE,
    Header,
    UnreadableLines,
    is_noise,
    parse_header,
    read_lines,
)

Write = Callable[..., Path]

TIME = "2026-03-02T08:15:30.123456789Z "
LINES = [(1, "a  b"), (2, "c d")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        # ends of lines, byte order marks, colours and hard spaces don't show
        (b"a  b\nc d\n", LINES),
        (b"a  b\r\nc d\r\n", LINES),
        (b"a  b   \r\r\nc d", LINES),
        (b"\xef\xbb\xbfa  b\nc d\n", LINES),
        (b"\xef\xbb\xbfa  b\n\xef\xbb\xbfc d\n", LINES),
        ("a  b\r\nc d\r\n".encode("utf-16"), LINES),
        (b"\xfe\xff" + "a  b\nc d\n".encode("utf-16-be"), LINES),
        (b"\x1b[1ma\x1b[0m  b\x1b[K\n\x1b]0;title\x07c d\n", LINES),
        ("a \N{NO-BREAK SPACE}b\nc d\n".encode(), LINES),
        # blank lines are counted, spaces before a text stay, and a line feed alone ends a line
        (b"\n  \na\n", [(3, "a")]),
        (b"  a\n", [(1, "  a")]),
        ("a\u2028b\x0bc\n".encode(), [(1, "a\u2028b\x0bc")]),
        # what docker compose, kubectl and --timestamps write before each line doesn't
        (b"kafka-1  | a  b\nkafka-1  | c d\n", LINES),
        (b"kafka-1  |\nkafka-1  | \ta\n", [(2, "\ta")]),
        (b"[pod/kafka-0/kafka] a  b\n[pod/kafka-0/kafka] c d\n", LINES),
        (f"{TIME}a  b\n{TIME}c d\n".encode(), LINES),
        (f"[pod/k-0/kafka] {TIME}a  b\nk-1 | {TIME}c d\n".encode(), LINES),
        # but a group may be called by a time
        (f"GROUP\n{TIME}a\n".encode(), [(1, "GROUP"), (2, f"{TIME}a")]),
    ],
)
def test_a_text_is_its_lines_with_their_numbers(
    write: Write, content: bytes, expected: list[tuple[int, str]]
) -> None:
    unreadable = UnreadableLines()
    lines = read_lines(write("t", content), "a table", unreadable)
    assert [(line.number, line.text) for line in lines] == expected
    assert unreadable == []


def test_a_line_that_is_not_utf8_is_reported_and_the_rest_read(write: Write) -> None:
    unreadable = UnreadableLines()
    path = write("t", b"a\n\xff\xfeb\nc\n")
    assert [line.text for line in read_lines(path, "a table", unreadable)] == ["a", "c"]
    assert [(line.file, line.line, line.why) for line in unreadable] == [
        (str(path), 2, "it is not UTF-8")
    ]


def test_what_is_no_text_is_refused_by_name(write: Write, tmp_path: Path) -> None:
    for path, why in (
        *(
            (write(f"{at}.bin", content), "is not a text file")
            for at, content in enumerate((b"PAR1\x15\x04\x00\x00", b"\x1f\x8b\x08\x00", b"g\0\n"))
        ),
        (tmp_path / "gone.txt", "No such file or directory"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(InputError, match=rf"{path.name}: {why}; expected a table"):
            list(read_lines(path, "a table", UnreadableLines()))


NOISE = [
    "SLF4J: Class path contains multiple SLF4J bindings.",
    "log4j:WARN No appenders could be found for logger (kafka.utils).",
    "[2026-11-21 06:00:00,123] WARN [AdminClient clientId=adminclient-1] Node -1 disconnected.",
    "2026-11-21T06:00:00.123Z main WARN Reconfiguration",
    "main ERROR Reconfiguration failed: No configuration found",
    "OpenJDK 64-Bit Server VM warning: Options -Xverify:none deprecated",
    "Picked up JAVA_TOOL_OPTIONS: -Dfile.encoding=UTF-8",
    "Note: This will not show information about old Zookeeper-based consumers.",
    "java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException",
    "\tat org.apache.kafka.tools.ConsumerGroupCommand.main(ConsumerGroupCommand.java:95)",
    "Caused by: org.apache.kafka.common.errors.TimeoutException: timed out",
    "\t... 4 more",
    "$ kafka-consumer-groups.sh --bootstrap-server kafka:9092 --describe --all-groups",
    "==> members.txt <==",
    'Defaulted container "kafka" out of: kafka, exporter',
]
OTHERS = [
    "g               orders          0",
    "Topic: orders\tPartition: 0",
    "kafka-0:9092 (id: 1 rack: a) -> (",
    "What a fine day",
]


@pytest.mark.parametrize("line", [*NOISE, *OTHERS])
def test_what_jvms_loggers_and_shells_write_is_noise(line: str) -> None:
    assert is_noise(line) == (line in NOISE)


def test_a_line_without_end_is_left_out_and_the_next_is_read(write: Write) -> None:
    unreadable = UnreadableLines()
    path = write("t", "x" * (2 * LONGEST_LINE + 5) + "\na\n")
    assert [(line.number, line.text) for line in read_lines(path, "t", unreadable)] == [(2, "a")]
    assert [line.why for line in unreadable] == ["it is longer than 16,777,216 letters"]


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
