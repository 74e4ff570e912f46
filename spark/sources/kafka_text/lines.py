"""The lines of a captured text, also if shells, editors or terminals changed it on the way."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError

QUOTED = 200
"""Letters of a line, and of why it can't be read, that are printed: some are megabytes long."""


class UnreadableLine(NamedTuple):
    """A line that was left out: `line` counts from 1, `text` and `why` are shortened."""

    file: str
    line: int
    text: str
    why: str

    @property
    def sentence(self) -> str:
        return f"{self.file}:{self.line}: {self.why}: {self.text}"


class Line(NamedTuple):
    """A line without its end, its terminal codes and its trailing spaces."""

    file: str
    number: int
    text: str

    def fault(self, why: str) -> UnreadableLine:
        return UnreadableLine(self.file, self.number, shortened(self.text.strip()), shortened(why))


# Colours and cursor moves (CSI), and titles (OSC, ended by BEL or ST)
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
# Hard spaces of a page that was copied from; byte order marks where files were joined
_FROM_EDITORS = {0xA0: " ", 0xFEFF: None}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")

_TOOL = r"kafka-(?:consumer-groups|topics|broker-api-versions)"
_NOISE = re.compile(
    rf"""
      SLF4J | log4j:
    | \[?\d{{4}}-\d\d-\d\d[T\ ]\d\d:\d\d:\d\d                           # a logged line
    | (?:main\ |\[main\]\ )?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b
    | (?:WARNING|Warning|Note|NOTE):\s
    | (?:OpenJDK|Java\ HotSpot).*\bwarning: | Picked\ up\ \w*OPTIONS
    | \s+at\ [\w.$/]+ | \s*Caused\ by:\ | \s*\.\.\.\ \d+\ (?:more|common) | \s*Suppressed:
    | (?:[a-z]\w*\.)+[\w$]+(?:Exception|Error)\b                        # java.util.…Exception: …
    | Exception\ in\ thread\b
    | ==>\ .*\ <==$                                                     # head and tail
    | Defaulted\ container | command\ terminated\ with\ exit\ code      # kubectl
    | .*\b{_TOOL}(?:\.sh|\.bat)?\b.*\s--\w                              # the command itself
    """,
    re.VERBOSE,
)


def shortened(text: str) -> str:
    """The beginning of a text, and how long it is, if it is too long to be told."""
    return text if len(text) <= QUOTED else f"{text[:QUOTED]} … ({len(text)} letters)"


def is_noise(text: str) -> bool:
    """Whether a JVM, a logger or a shell wrote the line, rather than Kafka's tool."""
    return _NOISE.match(text) is not None


def read_lines(path: Path, expected: str, unreadable_lines: list[UnreadableLine]) -> Iterator[Line]:
    """The lines of a text file that hold something, in their order, read as they are needed.

    The file is UTF-8, or UTF-16 with a byte order mark (what PowerShell's `>` writes). A line
    that is not UTF-8 goes to `unreadable` instead.

    Raises InputError if the file can't be opened or is not text. `expected` says what should be in
    it.
    """
    try:
        with path.open("rb") as stream:
            yield from _lines(path, stream, expected, unreadable_lines)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"{path}: {reason}; expected {expected}") from error


def _lines(
    path: Path, stream: io.BufferedReader, expected: str, unreadable_lines: list[UnreadableLine]
) -> Iterator[Line]:
    # peek, not seek: the file may be a pipe
    utf16 = stream.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
    encoding, errors = ("utf-16", "replace") if utf16 else ("utf-8-sig", "surrogateescape")
    # Only \n ends a line: Unicode's other line ends may stand inside a client id
    text_stream = io.TextIOWrapper(stream, encoding=encoding, errors=errors, newline="\n")
    for number, raw in enumerate(text_stream, start=1):
        if "\0" in raw:
            raise InputError(f"{path}: is not a text file; expected {expected}")
        if not raw.isascii() and _NOT_UTF8.search(raw):
            shown = raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            unreadable_lines.append(Line(str(path), number, shown).fault("it is not UTF-8"))
            continue
        text = _TERMINAL_CODE.sub("", raw) if "\x1b" in raw else raw
        text = (text if text.isascii() else text.translate(_FROM_EDITORS)).rstrip()
        if text:
            yield Line(str(path), number, text)
