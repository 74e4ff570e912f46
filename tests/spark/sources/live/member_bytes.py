"""What members of classic groups and Connect's workers send, and their leaders, byte by byte."""

import struct
from collections.abc import Mapping, Sequence

Numbers = Mapping[str, Sequence[int]]
"""Partitions by topic, or tasks by connector, of which -1 is the connector itself."""


def subscription(
    topics: Sequence[str], generation: int = -1, rack: str | None = None, version: int = 3
) -> bytes:
    """Metadata as Java's consumer sends it, with nothing owned."""
    data = struct.pack(">hi", version, len(topics)) + b"".join(map(_text, topics))
    return data + struct.pack(">iii", -1, 0, generation) + _text(rack)


def assignment(owned: Numbers) -> bytes:
    """What the leader's assignor hands to a member."""
    return struct.pack(">h", 1) + _numbers(owned) + struct.pack(">i", -1)


def worker(runs: Numbers | None = None, version: int = 2) -> bytes:
    """A worker's metadata; `runs` is what it runs already, which version 0 doesn't tell."""
    data = struct.pack(">h", version) + _text("http://worker:8083/") + struct.pack(">q", 7)
    if version == 0:
        return data
    if runs is None:
        return data + struct.pack(">i", -1)
    allocation = orders(runs, version=1)
    return data + struct.pack(">i", len(allocation)) + allocation


def orders(run: Numbers, stop: Numbers | None = None, version: int = 1) -> bytes:
    """What a leader tells a worker to run and, from version 1 on, to stop."""
    data = struct.pack(">hh", version, 0) + _text("leader-1") + _text("http://leader:8083/")
    data += struct.pack(">q", 7) + _numbers(run)
    return data if version == 0 else data + _numbers(stop or {}) + struct.pack(">i", 0)


def _numbers(by_name: Numbers) -> bytes:
    data = struct.pack(">i", len(by_name))
    for name, numbers in by_name.items():
        data += _text(name) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return data


def _text(value: str | None) -> bytes:
    if value is None:
        return struct.pack(">h", -1)
    return struct.pack(">h", len(value.encode())) + value.encode()
