"""Parts of rows become groups: array code over all groups of a table at once.

Names are numbered once a table, in the order of their bytes: two that are spelled alike stay two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray, ranges
from spark.fleet import GROUP_KEYS, spell
from spark.groups.columns import row_type
from spark.groups.rows import ABSENT, BASE, GROUP, SPAN, Lists, Parts, Trouble
from spark.store import codes_of
from spark.text import shorten

NAMES_SHOWN = 3
"""Names listed for each group, at most."""

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
"""Kafka's types are of these letters."""

SEPARATOR = " "
"""Between the id of a snapshot, which has none, and the name of a cluster in rows of a history."""

Key = tuple[str, str, str]
"""Cluster, group, and the snapshot in rows of a history."""


class Misspelled(str):
    """How bytes that aren't valid UTF-8 are spelled."""


class Grouped(NamedTuple):
    """Values of all groups; those of group g are from `starts[g]` to `ends[g]`."""

    values: Any
    starts: IntArray
    ends: IntArray

    @staticmethod
    def of(cells: Any, counts: IntArray) -> Grouped:
        ends = counts.cumsum()
        return Grouped(cells, ends - counts, ends)

    @property
    def counts(self) -> IntArray:
        return self.ends - self.starts

    def keys(self, names: int) -> IntArray:
        """A number for the group and the name of each value."""
        keys: IntArray = np.arange(len(self.ends)).repeat(self.counts) * names + self.values
        return keys

    def by_group(self) -> list[Any]:
        slices = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [self.values[start:end] for start, end in slices]


def groups_of(parts: Parts) -> list[Any]:
    """An `EncodedRow` for each group that these parts have all rows of.

    They are sorted by the spelling of cluster and group.
    """
    return _Cut(parts).groups() if any(len(rows["cluster"]) for rows in parts.values()) else []


class _Cut:
    """Parts whose rows are sorted by group, topic and member."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.keys, self.sound, of_group = self._groups()
        self.is_valid = all(self.sound)
        self.numbers = {name: self._number_names(name) for name in ("member_id", "topic")}
        members = len(self.numbers["member_id"][1]) + 1
        self.counts, self.order = {}, {}
        for part, group in of_group.items():
            member, topic = (codes.get(part, 0) for codes, _ in self.numbers.values())
            self.order[part] = np.lexsort((np.zeros_like(group) + topic * members + member, group))
            self.counts[part] = np.bincount(group, minlength=len(self.keys))

    def groups(self) -> list[Any]:
        columns: dict[str, Grouped] = {}
        for part in self.parts:
            columns |= self._columns(part)
        for kind, key in (("members", "member_id"), ("topics", "topic")):
            names = self._spell(self.numbers[key][1])
            of_parts = [f"{part}_{kind}" for part, rows in self.parts.items() if key in rows]
            columns |= _local({name: columns.pop(name) for name in of_parts}, kind, names)
        columns["member_ids"] = columns.pop("own_members")
        columns["topics"] = columns.pop("own_topics")
        topics, subscribed = columns["topics"], columns["subscription_topics"]
        at = topics.starts.repeat(subscribed.counts) + subscribed.values
        counts = np.bincount(at, minlength=len(topics.values))
        columns["subscriber_counts"] = topics._replace(values=counts)
        by_group = self._wholes(columns)
        by_group |= {name: column.by_group() for name, column in columns.items()}
        rows = list(map(row_type(tuple(by_group)), *by_group.values()))
        return rows if self.is_valid else list(map(_with_trouble, rows, self.sound))

    def _groups(self) -> tuple[list[Key], list[bool], dict[str, IntArray]]:
        """The groups, whether all spellings of each are valid, and the number of each row's."""
        (of_cluster, clusters), (of_group, groups) = map(self._number_names, GROUP_KEYS)
        pairs = {part: of_cluster[part] * len(groups) + of_group[part] for part in self.parts}
        every = np.unique(np.concatenate([*pairs.values()]))
        positions = (divmod(at, len(groups)) for at in every.tolist())
        texts = [(_name(clusters[at]), _name(groups[of])) for at, of in positions]
        names = [_key(*text, SPAN in self.parts) for text in texts]
        keys = sorted({*names})
        number = {name: at for at, name in enumerate(keys)}
        sound = [True] * len(keys)
        for name, text in zip(names, texts, strict=True):
            sound[number[name]] &= not any(isinstance(spelling, Misspelled) for spelling in text)
        numbers = np.array([number[name] for name in names])
        return keys, sound, {part: numbers[every.searchsorted(of)] for part, of in pairs.items()}

    def _number_names(self, key: str) -> tuple[dict[str, IntArray], list[bytes]]:
        """By part the number of each row's name, -1 for a null, and all names in order."""
        of_part = {part: _codes(rows[key]) for part, rows in self.parts.items() if key in rows}
        names = sorted({name for of, _ in of_part.values() for name in of if name is not None})
        number: dict[bytes | None, int] = {name: at for at, name in enumerate(names)} | {None: -1}
        return {
            part: np.array([number[name] for name in of], np.int64)[codes]
            for part, (of, codes) in of_part.items()
        }, names

    def _columns(self, part: str) -> dict[str, Grouped]:
        """The columns of one part, of all groups; members and topics as numbers of the table."""
        rows, counts = self.order[part], self.counts[part]
        columns = {}
        for name, cells in self.parts[part].items():
            if name in self.numbers:
                kind = f"{part}_{name.removesuffix('_id')}s"
                columns[kind] = Grouped.of(self.numbers[name][0][part][rows], counts)
            elif isinstance(cells, Lists):
                starts, sizes = (cells.counts.cumsum() - cells.counts)[rows], cells.counts[rows]
                of_rows = Grouped.of(sizes, counts)
                ends = np.append(0, sizes.cumsum())
                listed = self._read(cells.values)[ranges(starts, sizes)]
                columns[name] = Grouped(listed, ends[of_rows.starts], ends[of_rows.ends])
                columns[f"{name}_counts"] = of_rows
            elif name not in GROUP_KEYS:
                key = f"{part}_partitions" if name == "partition" else name
                columns[key] = Grouped.of(self._read(cells)[rows], counts)
        return columns

    def _read(self, cells: Any) -> Any:
        """Texts as they are spelled, numbers as they are."""
        if isinstance(cells, np.ndarray):
            return cells
        names, codes = _codes(cells)
        return self._spell(names)[codes]

    def _spell(self, names: Iterable[bytes | None]) -> Any:
        texts = [None if name is None else _name(name) for name in names]
        self.is_valid &= not any(isinstance(text, Misspelled) for text in texts)
        return objects(texts)

    def _wholes(self, columns: dict[str, Grouped]) -> dict[str, Any]:
        """Values of groups as a whole; of several rows the least."""
        present: Any = sum(self.counts[part] for part in BASE if part in self.parts) > 0
        names = zip(("cluster", "group", "snapshot"), zip(*self.keys, strict=True), strict=True)
        wholes: dict[str, Any] = dict(names)
        if SPAN in self.parts:
            present &= columns["start"].counts > 0
            for name in ("start", "end"):
                of_groups = columns.pop(name).by_group()
                wholes[name] = [int(cells[0]) if len(cells) else ABSENT for cells in of_groups]
        wholes |= {"is_there": present.tolist(), "trouble": [None] * len(present)}
        counts = self.counts.get(GROUP, np.zeros(len(present), np.int64))
        wholes["listed"] = np.maximum(counts, 1).tolist()
        for name, least in OF_GROUP.items():
            column = columns.pop(name, Grouped.of([], np.zeros_like(counts)))
            wholes[name] = [least(cells) for cells in column.by_group()]
        hidden = [columns.pop(name) for name in ("hidden", "hidden_counts") if name in columns]
        lists = zip(wholes.pop("hides"), *(of.by_group() for of in hidden), strict=True)
        wholes["hidden"] = [_least_hidden(*of) for of in lists]
        return wholes


def _local(columns: Mapping[str, Grouped], kind: str, names: Any) -> dict[str, Grouped]:
    """Each group's names of a kind, and in place of numbers of the table places among these.

    The names of the part that is of the kind come first, then all others; both are sorted.
    """
    count = max(len(names), 1)
    first = columns[f"{kind[:-1]}_{kind}"]
    keys = {name: column.keys(count) for name, column in columns.items()}
    own_keys = first.keys(count)
    positions = {name: _positions(own_keys, key) for name, key in keys.items()}
    others = np.unique(np.concatenate([key[positions[name] < 0] for name, key in keys.items()]))
    other = Grouped.of(others % count, np.bincount(others // count, minlength=len(first.ends)))
    order = np.argsort(np.concatenate((own_keys, others)) // count, kind="stable")
    texts = names[np.concatenate((first.values, other.values))[order]]
    every = Grouped.of(texts, first.counts + other.counts)
    new = {f"all_{kind}": every, f"own_{kind}": every._replace(ends=every.starts + first.counts)}
    for name, key in keys.items():
        group, at = key // count, positions[name]
        behind = _positions(others, key) - other.starts[group] + first.counts[group]
        local = np.where(at < 0, behind, at - first.starts[group])
        new[name] = columns[name]._replace(values=local)
    return new


def _positions(keys: IntArray, wanted: IntArray) -> IntArray:
    """Where each of `wanted` is among sorted keys, the first of several; -1: it is none."""
    if not len(keys):
        return np.full(len(wanted), -1)
    at = keys.searchsorted(wanted)
    at[at == len(keys)] = 0
    return np.where(keys[at] == wanted, at, -1)


def _least(texts: Iterable[str | None]) -> str | None:
    return min((text for text in texts if text is not None), default=None)


def _type(texts: Iterable[str | None]) -> str | None:
    kind = _least(texts)
    return kind if isinstance(kind, Misspelled | None) else kind.translate(_LOWER)


def _broker(numbers: Iterable[int]) -> int | None:
    return min((int(number) for number in numbers if number >= 0), default=None)


def _flags(flags: Any) -> Any:
    return flags if len(flags) and any(flags) else None


OF_GROUP: Mapping[str, Callable[[Any], Any]] = {
    **{"state": _least, "group_strategy": _least, "type": _type},
    **{"inferred": any, "cluster_has_claims": any, "coordinator": _broker, "hides": _flags},
}
"""The columns of the part of groups, and what they say where a group has several rows."""


def _least_hidden(hides: Any, names: Any = (), counts: Any = ()) -> Any:
    """The least of the lists of topics that are hidden, of those that are known."""
    if hides is None:
        return None
    lists = np.split(names, counts.cumsum()[:-1])
    return objects(min(of.tolist() for of, is_known in zip(lists, hides, strict=True) if is_known))


def _with_trouble(row: Any, is_sound: bool) -> Any:
    """The row, and which of the names and texts that matter for a plan aren't valid UTF-8.

    Of what type such a group is isn't known.
    """
    claimed = [np.unique(of) for of in (row.claim_topics, row.claim_members)]
    texts: list[tuple[str, Iterable[Any]]] = [
        *(("member id", row.member_ids), ("instance id", row.instance_ids), ("rack", row.racks)),
        *(("topic", row.topics), ("topic", row.all_topics[claimed[0]])),
        *(("member id", row.all_members[claimed[1]]), ("state", [row.state])),
        *(("strategy", [row.group_strategy]), ("type", [row.type])),
    ]
    reports = [] if is_sound else ["the name of the group or of its cluster"]
    reports += [
        f"{what} {text}" for what, of in texts for text in of if isinstance(text, Misspelled)
    ]
    shown = ", ".join(map(shorten, [*dict.fromkeys(reports)][:NAMES_SHOWN]))
    invalid = Trouble("invalid", f"not valid UTF-8: {shown}")
    if not reports:
        return row
    return row._replace(trouble=invalid, type=None)


def _key(cluster: str, group: str, in_time: bool) -> Key:
    instant, _, name = cluster.partition(SEPARATOR) if in_time else ("", "", cluster)
    return name, group, instant


def _codes(texts: pa.Array | Sequence[bytes | None]) -> tuple[list[bytes | None], IntArray]:
    """Different texts, a null among them, and which of them each is."""
    if isinstance(texts, pa.Array):
        codes, names = codes_of(texts)
        return names, codes
    number = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    return [*number], np.array([number[text] for text in texts], np.int64)


def _name(raw: bytes) -> str:
    text = spell(raw)
    return text if text.encode("utf-8") == raw else Misspelled(text)


def objects(elements: Iterable[Any]) -> Any:
    """An array of objects, texts for example."""
    listed = list(elements)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array
