"""Rows of many groups, however they come in batches, become groups with all that is theirs."""

import pyarrow as pa
import pytest

from spark.groups.cut import groups_of
from spark.groups.rows import Parts, parts_in
from spark.groups.workers import _in_tables

COLUMNS = {
    "member": ["cluster", "group", "member_id"],
    "topic": ["cluster", "group", "topic", "topic_sizes"],
    "subscription": ["cluster", "group", "member_id", "topic"],
    "claim": ["cluster", "group", "member_id", "topic", "partition"],
}
"""Of each part; what a group has beside them is in other tests."""

SLOTS = {part: dict(zip(names, names, strict=True)) for part, names in COLUMNS.items()}

ROWS = [
    *((0, member, None, -1, -1) for member in (b"b", b"a")),
    (1, None, b"t", -1, 2),
    *((2, member, b"t", -1, -1) for member in (b"b", b"a")),
    *((3, b"a", b"t", 1, -1), (3, b"z", b"u", 0, -1)),
]
"""Members b and a, who read t; a claims of it, and z, who left, of u."""


def rows(group: bytes, key: int) -> pa.Table:
    part, member, topic, partition, size = zip(*ROWS, strict=True)
    return pa.table(
        {
            "part": pa.array(part, pa.int8()),
            **{"cluster": [b"c"] * len(ROWS), "group": [group] * len(ROWS)},
            **{"member_id": member, "topic": topic},
            **{"partition": partition, "topic_sizes": size, "key": [key] * len(ROWS)},
        }
    )


def parts(*tables: pa.Table) -> Parts:
    return parts_in(pa.concat_tables(tables), SLOTS)


def test_names_are_the_groups_own_first_and_then_all_others() -> None:
    for row in groups_of(parts(rows(b"h", 1), rows(b"g", 2))):
        assert (row.member_ids.tolist(), row.all_members.tolist()) == (["a", "b"], ["a", "b", "z"])
        assert (row.topics.tolist(), row.all_topics.tolist()) == (["t"], ["t", "u"])
        assert (row.claim_members.tolist(), row.claim_topics.tolist()) == ([0, 2], [0, 1])
        assert row.subscriber_counts.tolist() == [2] and row.topic_sizes.tolist() == [2]


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_group_is_whole_wherever_a_batch_ends(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.groups.workers.TABLE_ROWS", 8)
    table = pa.concat_tables([rows(name, at) for at, name in enumerate((b"g", b"i", b"h"))])
    batches = table.combine_chunks().to_batches(max_chunksize=size)
    groups = [row for some in _in_tables(SLOTS, batches) for row in some]
    assert sorted(row.group for row in groups) == ["g", "h", "i"]
    assert all(len(row.member_ids) == len(row.claim_members) == 2 for row in groups)
