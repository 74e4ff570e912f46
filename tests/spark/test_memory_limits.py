"""How much memory a command counts on."""

import os
from pathlib import Path

import pytest

from spark.memory_limits import free_memory, usable_memory

MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
MIB = 2**20


@pytest.mark.parametrize(
    ("group", "limits", "usable"),
    [
        ("", {}, MACHINE),
        ("0::/\n", {"memory.max": 300 * MIB}, 300 * MIB),
        ("0::/\n", {"memory.max": "max"}, MACHINE),
        ("0::/\n", {"memory.max": 2**60}, MACHINE),
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": 200 * MIB}, 200 * MIB),
        ("0::/a/b\n", {"a/b/memory.max": 100 * MIB, "a/memory.max": 200 * MIB}, 100 * MIB),
        # as Docker shows it: the group's name is the host's, its files are at the top
        ("0::/docker/1f\n", {"memory.max": 300 * MIB}, 300 * MIB),
        (
            "7:cpu,cpuacct:/a\n4:memory:/a\n0::/\n",
            {"memory/a/memory.limit_in_bytes": 400 * MIB},
            400 * MIB,
        ),
        (
            "4:memory:/docker/1f\n",
            {"memory/memory.limit_in_bytes": 400 * MIB, "memory.max": 1},
            400 * MIB,
        ),
        ("4:memory:/a\n", {"memory/a/memory.limit_in_bytes": 9223372036854771712}, MACHINE),
        ("3:cpu:/a\n", {"memory.max": 300 * MIB}, MACHINE),
        ("odd\n", {"memory.max": 300 * MIB}, MACHINE),
    ],
)
def test_the_least_limit_counts(
    tmp_path: Path, group: str, limits: dict[str, object], usable: int
) -> None:
    proc = tmp_path / "proc/self"
    proc.mkdir(parents=True)
    (proc / "cgroup").write_text(group)
    for name, limit in limits.items():
        file = tmp_path / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{limit}\n")
    assert usable_memory(tmp_path) == usable


def test_without_proc_it_is_the_machines(tmp_path: Path) -> None:
    assert usable_memory(tmp_path) == MACHINE


def test_what_is_left(tmp_path: Path) -> None:
    """The least of all groups above; files that can be read again aren't in use."""
    assert free_memory(tmp_path) is None
    proc, inner = tmp_path / "proc/self", tmp_path / "sys/fs/cgroup/outer/inner"
    proc.mkdir(parents=True)
    inner.mkdir(parents=True)
    (proc.parent / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   2 kB\n")
    assert free_memory(tmp_path) == 2048
    (proc / "cgroup").write_text("0::/outer/inner\n")
    (inner / "memory.max").write_text("max\n")
    (inner / "memory.current").write_text("600\n")
    assert free_memory(tmp_path) == 2048
    (inner.parent / "memory.max").write_text("1000\n")
    (inner.parent / "memory.current").write_text("700\n")
    (inner.parent / "memory.stat").write_text("anon 500\ninactive_file 50\n")
    assert free_memory(tmp_path) == 350
    (inner / "memory.max").write_text("800\n")
    assert free_memory(tmp_path) == 200
