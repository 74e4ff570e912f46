"""How much memory this process may use: the machine's, or what its container leaves it.

https://docs.kernel.org/admin-guide/cgroup-v2.html; version 1 has a tree for memory alone.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path("/")


class MemoryLimit(NamedTuple):
    """A limit in bytes, and how much of it is left, where that is known."""

    most: int
    left: int | None


def usable_memory(root: Path = ROOT) -> int:
    """Bytes: the machine's memory, or the least limit of the control groups we are in."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *(limit.most for limit in memory_limits(root))])


def free_memory(root: Path = ROOT) -> int | None:
    """Bytes: the least of what is left to the machine and to the control groups, if it is known."""
    in_machine = _number_in(root / "proc/meminfo", "MemAvailable:", unit=1024)
    left = [in_machine, *(limit.left for limit in memory_limits(root))]
    return min((limit for limit in left if limit is not None), default=None)


def memory_limits(root: Path = ROOT) -> Iterator[MemoryLimit]:
    """Limits of our control group and of all above it, where there are any.

    Files that were read and can be read again count as used there, and don't as needed. In a
    container the group that /proc tells may be seen from outside: its files then stand right below
    /sys/fs/cgroup, which is examined as the group above.
    """
    for folder, limit, used in _control_groups(root):
        most, now = _number_in(folder / limit), _number_in(folder / used)
        if most is not None:  # v2 says "max" for none; v1 a number larger than any machine
            again = _number_in(folder / "memory.stat", "inactive_file") or 0
            yield MemoryLimit(most, None if now is None else max(most - now + again, 0))


def _control_groups(root: Path) -> Iterator[tuple[Path, str, str]]:
    """Folders, and their files for limit and use: from the process's own group up to the root."""
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            number, controllers, group = (*line.split(":", 2), "", "")[:3]
            if (number, controllers) == ("0", ""):
                tree, files = root / "sys/fs/cgroup", ("memory.max", "memory.current")
            elif "memory" in controllers.split(","):
                tree = root / "sys/fs/cgroup/memory"
                files = ("memory.limit_in_bytes", "memory.usage_in_bytes")
            else:
                continue
            inside = PurePosixPath(group.lstrip("/"))
            for folder in (inside, *inside.parents):
                yield tree / folder, *files


def _number_in(file: Path, name: str = "", unit: int = 1) -> int | None:
    """The number in a file, or in its line of that name; None if there is none: `max`, say."""
    with suppress(OSError, ValueError, IndexError):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith(name):
                return int(line.removeprefix(name).split()[0]) * unit
    return None
