"""What Connect's workers and their leaders send, byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

Tasks = Mapping[str, Sequence[int]]
"""Numbers of tasks by connector; -1 is the connector itself."""


def worker(runs: Tasks | None = None, version: int = 2) -> bytes:
    """A worker's metadata; `runs` is what it runs already, which version 0 doesn't tell."""
    data = struct.pack(">h", version) + _text("http://worker:8083/") + struct.pack(">q", 7)
    if version == 0:
        return data
    if runs is None:
        return data + struct.pack(">i", -1)
    allocation = orders(runs, version=1)
    return data + struct.pack(">i", len(allocation)) + allocation


def orders(run: Tasks, stop: Tasks | None = None, version: int = 1) -> bytes:
    """What a leader tells a worker to run and, from version 1 on, to stop."""
    data = struct.pack(">hh", version, 0) + _text("leader-1") + _text("http://leader:8083/")
    data += struct.pack(">q", 7) + _tasks(run)
    return data if version == 0 else data + _tasks(stop or {}) + struct.pack(">i", 0)


def _tasks(tasks: Tasks) -> bytes:
    data = struct.pack(">i", len(tasks))
    for connector, numbers in tasks.items():
        data += _text(connector) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return data


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value.encode())) + value.encode()
