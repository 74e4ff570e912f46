"""Cut the rows of the tables that kafka-consumer-groups prints, of 2.4 or later.

A table's columns are as wide as its own values, so that each group's table has other positions;
a field can be blank (GROUP-INSTANCE-ID of a dynamic member): rows are cut at the positions of the
header's words. Some versions give a column a fixed width, and a longer value pushes the rest of its
row to the right: such a row is recognised (a letter stands where a gap has to be) and cut by the
form of its values instead.
"""

import re
from functools import cache
from itertools import pairwise
from typing import NamedTuple

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
