"""How much memory this process may use: the machine's, or what its container leaves it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path("/")


def usable_memory(root: Path = ROOT) -> int:
    """Bytes: the machine's memory, or the least limit of the control groups we are in."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_limits(root)])


def _limits(root: Path) -> Iterator[int]:
    """The limits of our control group and of all above it (cgroup v2's memory.max, v1's too).

    In a container the group that /proc tells may be seen from outside: its files then stand right
    below /sys/fs/cgroup, which is looked at as the group above.
    """
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, controllers, group = (*line.split(":", 2), "", "")[:3]
        if (number, controllers) == ("0", ""):
            mounted, file = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in controllers.split(","):
            mounted, file = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        inside = PurePosixPath(group.lstrip("/"))
        for folder in (inside, *inside.parents):
            limit = _text(mounted / folder / file).strip()
            if limit.isdecimal():  # v2 says "max" for none; v1 a number larger than any machine
                yield int(limit)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""
