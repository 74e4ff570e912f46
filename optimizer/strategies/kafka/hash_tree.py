"""A crowded bucket of Java's HashMap: a red-black tree whose entries also stand in a row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

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
        """Which child of its parent it is."""
        assert self.parent is not None
        return int(self.parent.children[1] is self)


class HashTree:
    """Entries in the order in which the map iterates them (HashMap.TreeNode).

    The tree's root always stands first in the row, and a new entry comes right after its parent.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Make a tree of a list (TreeNode.treeify): only the root changes its place."""
        self._row = list(entries)
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
