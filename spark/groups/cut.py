"""A table of rows becomes groups: array code over all groups of a table at once.

Names are numbered once a table, in the order of their bytes: two that are spelled alike stay two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray, ranges
from spark.fleet import GROUP_KEYS, spelled
from spark.groups.columns import row_type
from spark.groups.encoded_row import Trouble
from spark.groups.rows import ABSENT, BASE, GROUP, SLOTS, SPAN, Part
from spark.store import coded, is_there, numbers_in
from spark.text import shortened

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


class Column(NamedTuple):
    """Values of all groups; those of group g are from `starts[g]` to `ends[g]`."""

    values: Any
    starts: IntArray
    ends: IntArray

    @staticmethod
    def of(values: Any, counts: IntArray) -> Column:
        ends = counts.cumsum()
        return Column(values, ends - counts, ends)

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


def groups_of(table: pa.Table, parts: Sequence[Part]) -> list[Any]:
    """An `EncodedRow` for each group of a table of `spark.groups.rows`, which has all its rows.

    They are sorted by the spelling of cluster and group.
    """
    return _Cut(table, parts).groups() if table.num_rows else []


class _Cut:
    """A table whose rows are sorted by group, part, topic and member; `of` has the order."""

    def __init__(self, table: pa.Table, parts: Sequence[Part]) -> None:
        self.table, self.parts = table, parts
        self.in_time = SPAN in [part.name for part in parts]
        self.keys, self.sound, key = _keys(table, self.in_time)
        self.member, self.members = _coded(table["member_id"])
        self.topic, self.topics = _coded(table["topic"])
        place = key * len(parts) + numbers_in(_whole(table["part"]))
        self.of = np.lexsort(((self.topic + 1) * (len(self.members) + 1) + self.member, place))
        counts = np.bincount(place, minlength=len(self.keys) * len(parts))
        self.ends, self.counts = counts.cumsum(), counts.reshape(-1, len(parts))

    def groups(self) -> list[Any]:
        columns: dict[str, Column] = {}
        for number, part in enumerate(self.parts):
            columns |= self._columns(number, part)
        numbered = ("members", "member_id", self.members), ("topics", "topic", self.topics)
        for kind, key, names in numbered:
            of_parts = [f"{part.name}_{kind}" for part in self.parts if key in part.keys]
            of_kind = {name: columns.pop(name) for name in of_parts}
            columns |= _numbered(of_kind, kind, names)
        columns["member_ids"] = columns.pop("own_members")
        columns["topics"] = columns.pop("own_topics")
        topics, subscribed = columns["topics"], columns["subscription_topics"]
        at = topics.starts.repeat(subscribed.counts) + subscribed.values
        counts = np.bincount(at, minlength=len(topics.values))
        columns["subscriber_counts"] = topics._replace(values=counts)
        by_group = self._wholes(columns)
        by_group |= {name: column.by_group() for name, column in columns.items()}
        rows = list(map(row_type(tuple(by_group)), *by_group.values()))
        return rows if self._is_valid() else list(map(_with_trouble, rows, self.sound))

    def _is_valid(self) -> bool:
        """Whether all texts are valid UTF-8."""
        texts = chain(self._texts, map(_name, self.members), map(_name, self.topics))
        return all(self.sound) and not any(isinstance(text, Misspelled) for text in texts)

    def _columns(self, number: int, part: Part) -> dict[str, Column]:
        """What one part has of all groups; members and topics as numbers of the table."""
        counts = self.counts[:, number]
        rows = self.of[ranges(self.ends[number :: len(self.parts)] - counts, counts)]
        values: dict[str, Any] = {}
        if "member_id" in part.keys:
            values[f"{part.name}_members"] = self.member[rows]
        if "topic" in part.keys:
            values[f"{part.name}_topics"] = self.topic[rows]
        if "partition" in part.keys:
            values[f"{part.name}_partitions"] = numbers_in(_whole(self.table["partition"]))[rows]
        if part.single:
            values[part.single] = numbers_in(_whole(self.table["number"]))[rows]
        columns = {name: Column.of(items, counts) for name, items in values.items()}
        for slot in SLOTS:
            if names := getattr(part, slot):
                columns |= self._listed(part, slot, names, Column.of(rows, counts))
        return columns

    def _listed(
        self, part: Part, slot: str, names: Sequence[str], rows: Column
    ) -> dict[str, Column]:
        """The values that stand in a column of lists."""
        offsets, values = self._slot(slot)
        starts = offsets[rows.values]
        counts = (offsets[rows.values + 1] - starts) // len(names)
        ends = np.append(0, counts.cumsum())
        columns = {
            name: Column(
                values[ranges(starts + at * counts, counts)], *(ends[of] for of in rows[1:])
            )
            for at, name in enumerate(names)
        }
        of_rows = {f"{part.name}_{slot}_counts": rows._replace(values=counts)}
        return columns | (of_rows if slot in part.lists else {})

    def _slot(self, slot: str) -> tuple[IntArray, Any]:
        lists = _whole(self.table[slot])
        values = self._texts if slot == "texts" else numbers_in(lists.values)
        if slot == "reals":  # pandas makes nulls of what is no number
            values = np.where(is_there(lists.values), values.view(np.float64), np.nan)
        return numbers_in(lists.offsets).astype(np.int64), values

    @cached_property
    def _texts(self) -> Any:
        codes, names = _coded(_whole(self.table["texts"]).values)
        return _spelled([*names, None])[codes]

    def _wholes(self, columns: dict[str, Column]) -> dict[str, Any]:
        """Values of groups as a whole; of several rows the least."""
        base = [part.name in _BASE_NAMES for part in self.parts]
        present: Any = self.counts[:, base].any(axis=1)
        names = zip(("cluster", "group", "snapshot"), zip(*self.keys, strict=True), strict=True)
        values: dict[str, Any] = dict(names)
        if self.in_time:
            present &= columns["start"].counts > 0
            for name in ("start", "end"):
                of_groups = columns.pop(name).by_group()
                values[name] = [int(items[0]) if len(items) else ABSENT for items in of_groups]
        values |= {"is_there": present.tolist(), "trouble": [None] * len(present)}
        if GROUP.name not in [part.name for part in self.parts]:
            return values | {name: [item] * len(self.keys) for name, item in UNLISTED.items()}
        taken = ("group_texts_counts", "group_texts")
        rows = [
            _of_group(*of_group) if len(of_group[0]) else tuple(UNLISTED.values())
            for of_group in zip(*(columns.pop(name).by_group() for name in taken), strict=True)
        ]
        return values | dict(zip(UNLISTED, zip(*rows, strict=True), strict=True))


def _numbered(
    columns: Mapping[str, Column], kind: str, names: Sequence[bytes]
) -> dict[str, Column]:
    """Each group's names of a kind, and in place of numbers of the table places among these.

    The names of the part that is of the kind come first, then all others; both are sorted.
    """
    count = max(len(names), 1)
    first = columns[f"{kind[:-1]}_{kind}"]
    keys = {name: column.keys(count) for name, column in columns.items()}
    own_keys = first.keys(count)
    positions = {name: _positions(own_keys, key) for name, key in keys.items()}
    others = np.unique(np.concatenate([key[positions[name] < 0] for name, key in keys.items()]))
    other = Column.of(others % count, np.bincount(others // count, minlength=len(first.ends)))
    order = np.argsort(np.concatenate((own_keys, others)) // count, kind="stable")
    texts = _spelled(names)[np.concatenate((first.values, other.values))[order]]
    every = Column.of(texts, first.counts + other.counts)
    result = {f"all_{kind}": every, f"own_{kind}": every._replace(ends=every.starts + first.counts)}
    for name, key in keys.items():
        group, at = key // count, positions[name]
        behind = _positions(others, key) - other.starts[group] + first.counts[group]
        local = np.where(at < 0, behind, at - first.starts[group])
        result[name] = columns[name]._replace(values=local)
    return result


def _positions(keys: IntArray, wanted: IntArray) -> IntArray:
    """Where each of `wanted` is among sorted keys, the first of several; -1: it is none."""
    if not len(keys):
        return np.full(len(wanted), -1)
    at = keys.searchsorted(wanted)
    at[at == len(keys)] = 0
    return np.where(keys[at] == wanted, at, -1)


_BASE_NAMES = frozenset(part.name for part in BASE)

UNLISTED = {
    **{"listed": 1, "state": None, "group_strategy": None, "type": None, "inferred": False},
    **{"cluster_has_claims": False, "coordinator": None, "hidden": None},
}
"""Values of a group as a whole when no table has them."""


def _of_group(counts: Any, texts: Any) -> tuple[Any, ...]:
    """The values of `UNLISTED` of a group's rows in the table of groups."""
    ends = zip(counts.tolist(), counts.cumsum().tolist(), strict=True)
    rows = [texts[end - count : end].tolist() for count, end in ends]
    columns = [[row[at] for row in rows if row[at] is not None] for at in range(7)]
    state, strategy, kind = (min(texts, default=None) for texts in columns[:3])
    inferred, claims, hides = ("true" in texts for texts in columns[3:6])
    brokers = [int(broker) for broker in columns[6] if int(broker) >= 0]
    hidden = min(row[7:] for row in rows if row[5] == "true") if hides else None
    kind = kind if isinstance(kind, Misspelled | None) else kind.translate(_LOWER)
    return (
        *(len(rows), state, strategy, kind, inferred, claims),
        *(min(brokers, default=None), None if hidden is None else objects(hidden)),
    )


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
        f"{what} {item}" for what, of in texts for item in of if isinstance(item, Misspelled)
    ]
    shown = ", ".join(map(shortened, [*dict.fromkeys(reports)][:NAMES_SHOWN]))
    invalid = Trouble("invalid", f"not valid UTF-8: {shown}")
    if not reports:
        return row
    return row._replace(trouble=invalid, type=None)


def _keys(table: pa.Table, in_time: bool) -> tuple[list[Key], list[bool], IntArray]:
    """The groups, whether all spellings of each are valid, and the number of each row's."""
    (of_cluster, clusters), (of_group, groups) = (_coded(table[name]) for name in GROUP_KEYS)
    pairs, pair = np.unique(of_cluster * len(groups) + of_group, return_inverse=True)
    texts = [
        (_name(clusters[at // len(groups)]), _name(groups[at % len(groups)]))
        for at in pairs.tolist()
    ]
    names = [_key(*text, in_time) for text in texts]
    keys = sorted({*names})
    number = {name: at for at, name in enumerate(keys)}
    sound = [True] * len(keys)
    for name, text in zip(names, texts, strict=True):
        sound[number[name]] &= not any(isinstance(item, Misspelled) for item in text)
    return keys, sound, np.array([number[name] for name in names])[pair]


def _key(cluster: str, group: str, in_time: bool) -> Key:
    instant, _, name = cluster.partition(SEPARATOR) if in_time else ("", "", cluster)
    return name, group, instant


def start_of_last(table: pa.Table) -> int:
    """Where the rows of the last key of a sorted table begin."""
    keys = numbers_in(_whole(table["key"]))
    return int((keys == keys[-1]).argmax())


def _coded(column: Any) -> tuple[IntArray, list[bytes]]:
    """The number of each name, -1 for a null, and the names in order."""
    codes, names = coded(_whole(column))
    order = sorted((at for at, name in enumerate(names) if name is not None), key=names.__getitem__)
    rank = np.full(len(names), -1)
    rank[order] = np.arange(len(order))
    return rank[codes], [names[at] for at in order]


def _whole(column: Any) -> Any:
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _name(raw: bytes) -> str:
    text = spelled(raw)
    return text if text.encode("utf-8") == raw else Misspelled(text)


def _spelled(names: Iterable[bytes | None]) -> Any:
    return objects(None if name is None else _name(name) for name in names)


def objects(values: Iterable[Any]) -> Any:
    """An array of objects, texts for example."""
    listed = list(values)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array
