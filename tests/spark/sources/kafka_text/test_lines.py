from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.lines import LONGEST_LINE, UnreadableLines, is_noise, read_lines

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
