from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.lines import UnreadableLine, is_noise, read_lines

Write = Callable[..., Path]


def lines(path: Path) -> list[tuple[int, str]]:
    unreadable: list[UnreadableLine] = []
    result = [(line.number, line.text) for line in read_lines(path, "a table", unreadable)]
    assert unreadable == []
    return result


@pytest.mark.parametrize(
    "content",
    [
        b"a  b\nc d\n",
        b"a  b\r\nc d\r\n",
        b"a  b   \r\r\nc d",
        b"\xef\xbb\xbfa  b\nc d\n",
        b"\xef\xbb\xbfa  b\n\xef\xbb\xbfc d\n",
        "a  b\r\nc d\r\n".encode("utf-16"),
        b"\xfe\xff" + "a  b\nc d\n".encode("utf-16-be"),
        b"\x1b[1ma\x1b[0m  b\x1b[K\n\x1b]0;title\x07c d\n",
        "a \N{NO-BREAK SPACE}b\nc d\n".encode(),
    ],
)
def test_ends_marks_codes_and_hard_spaces_do_not_show(write: Write, content: bytes) -> None:
    assert lines(write("t", content)) == [(1, "a  b"), (2, "c d")]


def test_blank_lines_are_passed_over_and_counted(write: Write) -> None:
    assert lines(write("t", "\n  \na\n")) == [(3, "a")]


def test_leading_spaces_stay(write: Write) -> None:
    assert lines(write("t", "  a\n")) == [(1, "  a")]


def test_only_a_line_feed_ends_a_line(write: Write) -> None:
    assert lines(write("t", "a\u2028b\x0bc\n")) == [(1, "a\u2028b\x0bc")]


def test_a_line_that_is_not_utf8_is_reported_and_the_rest_read(write: Write) -> None:
    unreadable: list[UnreadableLine] = []
    path = write("t", b"a\n\xff\xfeb\nc\n")
    assert [line.text for line in read_lines(path, "a table", unreadable)] == ["a", "c"]
    assert [(line.file, line.line, line.why) for line in unreadable] == [
        (str(path), 2, "it is not UTF-8")
    ]


@pytest.mark.parametrize("content", [b"PAR1\x15\x04\x00\x00", b"\x1f\x8b\x08\x00", b"g\0\n"])
def test_a_file_that_is_not_text_is_refused_by_name(write: Write, content: bytes) -> None:
    with pytest.raises(InputError, match=r"t\.bin: is not a text file; expected a table"):
        list(read_lines(write("t.bin", content), "a table", []))


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.txt: No such file or directory; expected a table"):
        list(read_lines(tmp_path / "gone.txt", "a table", []))


def test_a_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory; expected a table"):
        list(read_lines(tmp_path, "a table", []))


@pytest.mark.parametrize(
    "line",
    [
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
    ],
)
def test_what_jvms_loggers_and_shells_write_is_noise(line: str) -> None:
    assert is_noise(line)


@pytest.mark.parametrize(
    "line",
    [
        "g               orders          0",
        "Topic: orders\tPartition: 0",
        "kafka-0:9092 (id: 1 rack: a) -> (",
        "What a fine day",
    ],
)
def test_other_lines_are_not(line: str) -> None:
    assert not is_noise(line)
