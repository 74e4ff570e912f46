"""The lines of a captured text, and their cells where kafka-consumer-groups (2.4 on) prints tables.

Shells, editors and terminals may have changed the text on the way.

A table's columns are as wide as its own values, so that each group's table has other positions;
a field can be blank (GROUP-INSTANCE-ID of a dynamic member): rows are cut at the positions of the
header's words. Some versions give a column a fixed width, and a longer value pushes the rest of its
row to the right: such a row is recognised (a letter stands where a gap has to be) and cut by the
form of its values instead.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

from optimizer.figures import plural
from spark.errors import InputError

QUOTED = 200
"""Letters of a line, and of why it can't be read, that are printed: some are megabytes long."""

LONGEST_LINE = 2**24
"""Letters of a line that are read; the members view has all partitions of a member in one."""


class UnreadableLine(NamedTuple):
    """A line that was left out: `line` counts from 1, `text` and `why` are shortened."""

    file: str
    line: int
    text: str
    why: str

    @property
    def sentence(self) -> str:
        return f"{self.file}:{self.line}: {self.why}: {self.text}"


class UnreadableLines(list[UnreadableLine]):
    """Of each file and reason the first line that was left out; `alike` counts all of them."""

    def __init__(self) -> None:
        super().__init__()
        self.alike: Counter[tuple[str, str]] = Counter()

    def append(self, line: UnreadableLine) -> None:
        key = _kind_of(line)
        self.alike[key] += 1
        if self.alike[key] == 1:
            super().append(line)

    def sentences(self) -> Iterator[str]:
        """One for each file and reason, with the number of further lines."""
        for line in self:
            more = self.alike[_kind_of(line)] - 1
            yield line.sentence + (f" (and {plural(more, 'line')} more for that)" if more else "")


def _kind_of(line: UnreadableLine) -> tuple[str, str]:
    """The file, and the reason without what it quotes of the line."""
    return line.file, re.sub(r"'.*'|'.*$|\d+", "", line.why)


class Line(NamedTuple):
    """A line without its end, its terminal codes and its trailing spaces."""

    file: str
    number: int
    text: str

    def fault(self, why: str) -> UnreadableLine:
        return UnreadableLine(self.file, self.number, shorten(self.text.strip()), shorten(why))


# Colours and cursor moves (CSI), and titles (OSC, ended by BEL or ST)
_TERMINAL_CODE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
# Hard spaces of a page that was copied from; byte order marks where files were joined
_FROM_EDITORS = {0xA0: " ", 0xFEFF: None}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
# What docker compose, and kubectl with --prefix, write before a line, and what both and docker do
# with --timestamps
_SOURCE = re.compile(r"[\w.-]+ +\|(?: |$)|\[pod/[^\]\s]+\](?: |$)")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)(?: |$)")

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


def shorten(text: str) -> str:
    """The beginning of a text, and how long it is, if it is too long to be told."""
    return text if len(text) <= QUOTED else f"{text[:QUOTED]} … ({len(text)} letters)"


def is_noise(text: str) -> bool:
    """Whether a JVM, a logger or a shell wrote the line, rather than Kafka's tool."""
    return _NOISE.match(text) is not None


def read_lines(path: Path, expected: str, unreadable_lines: list[UnreadableLine]) -> Iterator[Line]:
    """The lines of a text file that hold something, in their order, read as they are needed.

    What tells in each line where it comes from, or when, is cut off.

    The file is UTF-8, or UTF-16 with a byte order mark (what PowerShell's `>` writes). A line
    that is not UTF-8 goes to `unreadable_lines` instead.

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
    all_timed = True
    for number, raw in enumerate(_split(text_stream), start=1):
        if "\0" in raw:
            raise InputError(f"{path}: is not a text file; expected {expected}")
        if len(raw) > LONGEST_LINE:
            why = f"it is longer than {LONGEST_LINE:,} letters"
            unreadable_lines.append(Line(str(path), number, raw).fault(why))
            continue
        if not raw.isascii() and _NOT_UTF8.search(raw):
            shown = raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            unreadable_lines.append(Line(str(path), number, shown).fault("it is not UTF-8"))
            continue
        text = _TERMINAL_CODE.sub("", raw) if "\x1b" in raw else raw
        text = (text if text.isascii() else text.translate(_FROM_EDITORS)).rstrip()
        if source := _SOURCE.match(text):
            text = text[source.end() :]
        # a group may be called by a time: where it stands before all lines, none is
        time = _TIME.match(text) if all_timed or source else None
        all_timed &= not text or time is not None
        if text := text[time.end() :] if time else text:
            yield Line(str(path), number, text)


def _split(stream: io.TextIOWrapper) -> Iterator[str]:
    """The lines, of a longer one than `LONGEST_LINE` no more than shows that."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith("\n"):
            line = stream.readline(LONGEST_LINE + 1)


class TextReader:
    """Reads files of what one tool prints, line by line, and holds what they tell.

    Of the kinds of lines in `unread` there were some, and none could be read.
    """

    expected = ""
    """What should be in a file."""
    nothing = ""
    """What to say of a file in which nothing of that is."""

    def __init__(self) -> None:
        self.files = ""
        self.unreadable_lines = UnreadableLines()
        self.has_content = False
        self.error: str | None = None
        self._read, self._lost = Counter[str](), Counter[str]()

    def read(self, paths: Sequence[Path]) -> Self:
        """Read files of one cluster; of what is there twice the later counts.

        Raises InputError if a file is missing, is not text, or holds nothing of what it should.
        """
        self.files = ", ".join(map(str, paths))
        for path in paths:
            self.has_content, self.error = False, None
            for line in read_lines(path, self.expected, self.unreadable_lines):
                self.take(line)
            self.finish(path)
        return self

    def take(self, line: Line) -> None:
        """Read a line, or report it."""
        raise NotImplementedError

    def finish(self, path: Path) -> None:
        """A file is over."""
        if not self.has_content:
            text = f". It says: {self.error}" if self.error else ""
            raise InputError(f"{path}: {self.nothing}; expected {self.expected}{text}")

    def report(self, line: Line, why: str) -> None:
        """Leave a line out."""
        self.unreadable_lines.append(line.fault(why))

    @property
    def notes(self) -> list[str]:
        """Sentences for the files' owner."""
        return []

    @property
    def unread(self) -> list[str]:
        return [kind for kind in self._lost if not self._read[kind]]


TOPIC_NAME = r"[A-Za-z0-9._-]+"
# GroupState and the older ConsumerGroupState of Kafka's clients
_STATES = (
    "Stable|Empty|Dead|PreparingRebalance|CompletingRebalance|Assigning|Reconciling|NotReady"
    "|Unknown"
)
# Digits as the tables' columns can hold: int for counts and epochs, long for offsets
_COUNT = r"\d{1,9}"
_EPOCH = r"-?\d{1,9}|-"
_OFFSET = r"-?\d{1,18}|-|unknown"

# What a broker ends the id of a member of a classic group with
_UUID = "-".join(f"[0-9a-f]{{{digits}}}" for digits in (8, 4, 4, 4, 12))

# What a cell has to look like, wherever the row was cut; other columns can hold anything
_FORMS = {
    "GROUP": r"\S.*",
    "TOPIC": TOPIC_NAME,
    "PARTITION": rf"{_COUNT}|-",
    "LEADER-EPOCH": _EPOCH,
    "CURRENT-OFFSET": _OFFSET,
    "LOG-END-OFFSET": _OFFSET,
    "START-OFFSET": _OFFSET,
    "LAG": _OFFSET,
    "CONSUMER-ID": r"\S.*",
    "HOST": rf"(?!\S*-{_UUID}/)\S+",
    "#PARTITIONS": _COUNT,
    "CURRENT-EPOCH": _EPOCH,
    "TARGET-EPOCH": _EPOCH,
    "COORDINATOR (ID)": r"\S*:-?\d+\s+\(\S*\)",
    "STATE": _STATES,
    "TYPE": r"\w+",
    "GROUP-EPOCH": _EPOCH,
    "TARGET-ASSIGNMENT-EPOCH": _EPOCH,
    "ASSIGNMENT-EPOCH": _EPOCH,
    "#MEMBERS": _COUNT,
}
# What more is asked where positions don't help: spaces only where they can't be mistaken for the
# gap between two columns, so that a row has one reading
_FREE = r"\S.*?"
_FORMS_IN_ROW = _FORMS | {
    "GROUP": r"\S+",
    "CONSUMER-ID": rf"{_FREE}-{_UUID}(?=[\s/]|$)|\S+",
    "HOST": r"[\w.-]*/[0-9A-Fa-f:][\w.:%]*",
    "CLIENT-ID": _FREE,
    "GROUP-INSTANCE-ID": r"[^/\s]\S*",
    "ASSIGNMENT-STRATEGY": r"\S+",
    "PROTOCOL": r"[\w-]*",
    "ASSIGNMENT": r".*",
}
# Once found, not looked for again further right: what follows can't make a line expensive
_ANCHORS = {"HOST", "COORDINATOR (ID)"}
_MAY_BE_BLANK = {
    *("GROUP-INSTANCE-ID", "ASSIGNMENT-STRATEGY", "CLIENT-ID", "ASSIGNMENT", "PROTOCOL")
}

_HEADER_STARTS = ("GROUP", "TOPIC", "CONSUMER-ID", "COORDINATOR (ID)")
_COLUMN = re.compile(r"#?[A-Z][A-Z-]*(?: \(ID\))?")
_COLUMNS = re.compile(rf"\s*(?:{_COLUMN.pattern})(?:\s+{_COLUMN.pattern})+")
# Kafka 0.9 parts by commas; kafka.tools.ConsumerOffsetChecker has words of its own
_ENDED = re.compile(r"\s*(?:GROUP, TOPIC, PARTITION, |Group\s+Topic\s+Pid\s+Offset\s)")


class Header(NamedTuple):
    """The columns of one printed table, and where they start."""

    columns: tuple[str, ...]
    starts: tuple[int, ...]

    @property
    def is_old(self) -> bool:
        """Whether a tool before 2.4 printed it: it names no group."""
        return "GROUP" not in self.columns

    def cells(self, row: str) -> dict[str, str] | None:
        """The row's fields by column, stripped, blank ones as ""; None if it does not fit."""
        cut = self._cut_at_positions(row)
        if cut is None:
            match = _row_form(self.columns).fullmatch(row)
            cut = match and [match[f"c{i}"] or "" for i in range(len(self.columns))]
        return None if cut is None else dict(zip(self.columns, cut, strict=True))

    def _cut_at_positions(self, row: str) -> list[str] | None:
        if any(
            not row[start - 1 : start].isspace() for start in self.starts[1:] if start <= len(row)
        ):
            return None
        ends = (*self.starts[1:], len(row))
        cells = [row[a:b].strip() for a, b in pairwise((0, *ends))]
        fits = all(form.fullmatch(cells[i]) for i, form in _cell_forms(self.columns))
        return cells if fits else None


def parse_header(line: str) -> Header | None:
    """The header that the line is, or None; whether its columns mean anything is not asked here."""
    if _ENDED.match(line):
        return Header((), ())
    if not line.lstrip().startswith(_HEADER_STARTS):
        return None
    if not _COLUMNS.fullmatch(line):
        return None
    names = list(_COLUMN.finditer(line))
    return Header(tuple(name[0] for name in names), tuple(name.start() for name in names))


@cache
def _cell_forms(columns: tuple[str, ...]) -> tuple[tuple[int, re.Pattern[str]], ...]:
    """Index and form of the columns whose cells are checked."""
    return tuple(
        (i, re.compile(_FORMS[name], re.ASCII)) for i, name in enumerate(columns) if name in _FORMS
    )


@cache
def _row_form(columns: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for a whole row: groups c0, c1, … for the columns."""
    forms = dict(_FORMS_IN_ROW)
    if "CONSUMER-ID" not in columns:
        forms["GROUP"] = _FREE
    if "HOST" in columns and "CONSUMER-ID" in columns[: columns.index("HOST")]:
        # only a partition that nobody owns has no host: elsewhere a dash is part of a name
        forms["CONSUMER-ID"] = rf"(?P<nobody>-(?=\s+-(?:\s|$)))|{forms['CONSUMER-ID']}"
        forms["HOST"] = f"(?(nobody)-|{forms['HOST']})"
    pattern = r"\s*"
    for i, name in enumerate(columns):
        form = forms.get(name, r"\S+")
        field = rf"\s+(?P<c{i}>{form})" if i else f"(?P<c0>{form})"
        pattern += f"(?:{field})?" if name in _MAY_BE_BLANK else field
        if name in _ANCHORS:
            pattern = f"(?>{pattern})"
    return re.compile(pattern + r"\s*", re.ASCII)
