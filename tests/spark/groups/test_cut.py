"""Rows of many groups, however they come in batches, become groups with all that is theirs."""

import pyarrow as pa
import pytest

from spark.groups.cut import groups_of
from spark.groups.rows import BASE, CLAIM, MEMBER, SUBSCRIPTION, TOPIC, table_of
from spark.groups.workers import _in_tables

PARTS = list(BASE)


def rows(group: bytes, key: int) -> pa.Table:
    """Members b and a, who read t; a claims of it, and z, who left, of u."""
    of_parts = {
        MEMBER: {"member_id": [b"b", b"a"], "texts": [(None,) * 5] * 2},
        TOPIC: {"topic": [b"t"], "number": [2], "texts": [(None,)]},
        SUBSCRIPTION: {"member_id": [b"b", b"a"], "topic": b"t"},
        CLAIM: {"member_id": [b"a", b"z"], "topic": [b"t", b"u"], "partition": [1, 0]},
    }
    tables = []
    for part, columns in of_parts.items():
        count = 1 if part is TOPIC else 2
        of_group = {"cluster": b"c", "group": group, "key": [key] * count}
        tables.append(table_of(PARTS.index(part), count, of_group | columns))
    return pa.concat_tables(tables)


def test_names_are_the_groups_own_first_and_then_all_others() -> None:
    for row in groups_of(pa.concat_tables([rows(b"h", 1), rows(b"g", 2)]), PARTS):
        assert (row.member_ids.tolist(), row.all_members.tolist()) == (["a", "b"], ["a", "b", "z"])
        assert (row.topics.tolist(), row.all_topics.tolist()) == (["t"], ["t", "u"])
        assert (row.claim_members.tolist(), row.claim_topics.tolist()) == ([0, 2], [0, 1])
        assert row.subscriber_counts.tolist() == [2] and row.topic_sizes.tolist() == [2]


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_group_is_whole_wherever_a_batch_ends(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.groups.workers.TABLE_ROWS", 8)
    table = pa.concat_tables([rows(name, at) for at, name in enumerate((b"g", b"i", b"h"))])
    batches = table.combine_chunks().to_batches(max_chunksize=size)
    groups = [row for some in _in_tables(PARTS, batches) for row in some]
    assert sorted(row.group for row in groups) == ["g", "h", "i"]
    assert all(len(row.member_ids) == len(row.claim_members) == 2 for row in groups)
