"""The order in which Java's HashMap and HashSet give back what was put into them (OpenJDK 17).

A crowded bucket is a red-black tree whose entries also stand in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from optimizer.model import IntArray

DEFAULT_CAPACITY = 16
TREEIFY_THRESHOLD = 8
"""The most entries that a bucket holds before it becomes a tree, or the table grows."""
_UNTREEIFY_THRESHOLD = 6
MIN_TREEIFY_CAPACITY = 64

_INT_SIGN = 0x8000_0000


class Entry:
    """A key of a map: its number, its spread hash, and what tells it from others of that hash."""

    def __init__(self, index: int, spread: int, compared: Callable[[int], Any]) -> None:
        self.index = index
        self.hash = spread
        self._compared = compared
        self.parent: Entry | None = None
        self.children: list[Entry | None] = [None, None]
        self.red = False

    def comes_after(self, other: Entry) -> bool:
        """By hash, which is a signed int in Java, then by compareTo."""
        if self.hash != other.hash:
            return self.hash ^ _INT_SIGN > other.hash ^ _INT_SIGN
        return bool(self._compared(self.index) > other._compared(other.index))

    @property
    def side(self) -> int:
        """The side of its parent that it is on."""
        assert self.parent is not None
        return int(self.parent.children[1] is self)


class HashTree:
    """Entries in the order in which the map iterates them (HashMap.TreeNode).

    The tree's root always stands first in the row, and a new entry comes right after its parent.
    """

    def __init__(self, crowd: Iterable[Entry]) -> None:
        """Make a tree of a list (TreeNode.treeify): only the root changes its place."""
        self._row = list(crowd)
        self._root = self._row[0]
        for entry in self._row:
            entry.parent, entry.children, entry.red = None, [None, None], False
        for entry in self._row[1:]:
            self._insert(entry)
        self._put_root_first()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._row)

    def __len__(self) -> int:
        return len(self._row)

    def append(self, entry: Entry) -> None:
        """Put in one more (TreeNode.putTreeVal)."""
        parent = self._insert(entry)
        self._row.insert(self._row.index(parent) + 1, entry)
        self._put_root_first()

    def _put_root_first(self) -> None:
        self._row.remove(self._root)
        self._row.insert(0, self._root)

    def _insert(self, entry: Entry) -> Entry:
        """Hang it under the entry that is returned, and balance the tree."""
        below: Entry | None = self._root
        while below is not None:
            parent, side = below, int(entry.comes_after(below))
            below = parent.children[side]
        parent.children[side] = entry
        entry.parent, entry.red = parent, True
        self._balance(entry)
        return parent

    def _balance(self, entry: Entry) -> None:
        """No red entry below a red one.

        The insertion of Cormen et al., Introduction to Algorithms, which HashMap follows.
        """
        while (parent := entry.parent) is not None and parent.red:
            above = parent.parent
            assert above is not None  # the root is black
            side = parent.side
            uncle = above.children[1 - side]
            if uncle is not None and uncle.red:
                parent.red = uncle.red = False
                above.red = True
                entry = above
                continue
            if entry.side != side:
                self._rotate(parent, side)
                parent = entry
            parent.red, above.red = False, True
            self._rotate(above, 1 - side)
            break
        self._root.red = False

    def _rotate(self, entry: Entry, side: int) -> None:
        """Let it sink to that side; its child of the other side takes its place."""
        child = entry.children[1 - side]
        assert child is not None
        inner = child.children[side]
        entry.children[1 - side] = inner
        if inner is not None:
            inner.parent = entry
        child.parent = entry.parent
        if entry.parent is None:
            self._root = child
        else:
            entry.parent.children[entry.side] = child
        child.children[side] = entry
        entry.parent = child


_Bucket = list[Entry] | HashTree
_Hashes = TypeVar("_Hashes", int, IntArray)


def in_hash_order(
    keys: Iterable[int],
    hash_code: Callable[[int], int],
    compared: Callable[[int], Any],
    capacity: int = DEFAULT_CAPACITY,
) -> list[int]:
    """Keys as a map that began with that capacity iterates them, put into it one by one.

    `compared` is what tells keys of one hash code apart (their compareTo).
    """
    keys = list(keys)
    hashes = np.fromiter(map(hash_code, keys), np.int64, len(keys))
    order = hash_order(hashes, lambda at: compared(keys[at]), capacity)
    return [keys[at] for at in order.tolist()]


def hash_order(
    hashes: IntArray, compared: Callable[[int], Any], capacity: int = DEFAULT_CAPACITY
) -> IntArray:
    """The order, as indexes, of keys with those (unsigned) hash codes."""
    if not _has_crowded_bucket(hashes, capacity):
        return np.argsort(bucket(hashes, bucket_count(len(hashes), capacity)), kind="stable")
    table = _Buckets(capacity)
    for index, hash_code in enumerate(_spread(hashes).tolist()):
        table.put(Entry(index, hash_code, compared))
    return np.array([entry.index for entry in table], np.int64)


def bucket_count(size: int, capacity: int = DEFAULT_CAPACITY) -> int:
    """Number of buckets of a map, from its number at first and its entries now."""
    while size > 0.75 * capacity:
        capacity *= 2
    return capacity


def capacity_of_copy(size: int) -> int:
    """Buckets that `new HashSet<>(collection)` of that size begins with.

    So up to Java 18; from Java 19 on it has half as many for 12, 24, 48, … elements.
    """
    wanted = max(int(size / 0.75) + 1, DEFAULT_CAPACITY)
    return 1 << (wanted - 1).bit_length()


def bucket(hash_code: _Hashes, capacity: int) -> _Hashes:
    """Where a key of that hash code goes, or keys of those."""
    return _spread(hash_code) & (capacity - 1)


def _spread(hash_code: _Hashes) -> _Hashes:
    return hash_code ^ hash_code >> 16


def _has_crowded_bucket(hashes: IntArray, capacity: int) -> bool:
    """Whether any bucket ever had more entries than a list holds, while the table grew."""
    while True:
        put = hashes[: int(0.75 * capacity) + 1]
        if len(put) <= TREEIFY_THRESHOLD:
            return False
        if np.bincount(bucket(put, capacity)).max() > TREEIFY_THRESHOLD:
            return True
        if len(put) == len(hashes):
            return False
        capacity *= 2


class _Buckets:
    """The buckets of a HashMap, to which entries are added."""

    def __init__(self, capacity: int) -> None:
        self._buckets: list[_Bucket] = [[] for _ in range(capacity)]
        self._size = 0

    def __iter__(self) -> Any:
        return chain.from_iterable(self._buckets)

    def put(self, entry: Entry) -> None:
        at = entry.hash & (len(self._buckets) - 1)
        self._buckets[at].append(entry)
        if len(self._buckets[at]) > TREEIFY_THRESHOLD:
            self._relieve(at)
        self._size += 1
        if self._size > 0.75 * len(self._buckets):
            self._double()

    def _relieve(self, at: int) -> None:
        """A long bucket becomes a tree; in a small table, the table grows instead."""
        if isinstance(self._buckets[at], HashTree):
            return
        if len(self._buckets) < MIN_TREEIFY_CAPACITY:
            self._double()
        else:
            self._buckets[at] = HashTree(self._buckets[at])

    def _double(self) -> None:
        bit = len(self._buckets)
        halves = [(self._half(b, bit, 0), self._half(b, bit, bit)) for b in self._buckets]
        self._buckets = [low for low, _ in halves] + [high for _, high in halves]

    @staticmethod
    def _half(whole: _Bucket, bit: int, wanted: int) -> _Bucket:
        """The entries of a bucket that go to one of the two that it becomes, in their order."""
        half = [entry for entry in whole if entry.hash & bit == wanted]
        if isinstance(whole, list) or len(half) <= _UNTREEIFY_THRESHOLD:
            return half
        return whole if len(half) == len(whole) else HashTree(half)
