"""The layout of a vertex's id: one long that nothing but names and numbers decide.

    bit 63      0
    bits 61-62  kind: its index in VERTEX_KINDS
    bits 31-60  rank of the name that the vertex belongs to, 0, 1, … in the order of the names
    bits  0-30  number within that name

The name is the (cluster, group) of a member, the (cluster, topic) of a partition or topic, and the
cluster of a broker. The number is the member's rank among the ids of its group, the partition's
own number, 0 for a topic, and the broker's id. Names are ranked by their UTF-8 bytes. Neither rows'
order nor how the tables are partitioned shows in an id, no two vertices share one, and a fleet with
more names than 30 bits can count ends with an error instead of a wrong id.
"""

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, Window, functions as F

MEMBER, PARTITION, TOPIC, BROKER = VERTEX_KINDS = ("member", "partition", "topic", "broker")

NUMBER_BITS = 31
RANK_BITS = 30


def packed(kind: str, rank: str, number: str | Column) -> Column:
    """The id of a vertex; `rank` and `number` are not negative, `number` is an int."""
    high = VERTEX_KINDS.index(kind) << RANK_BITS
    too_many = F.raise_error(F.lit(f"a graph has room for {1 << RANK_BITS} names of one kind"))
    checked = F.when(F.col(rank) < 1 << RANK_BITS, F.col(rank)).otherwise(too_many.cast("long"))
    number = F.col(number) if isinstance(number, str) else number
    return F.shiftleft(checked + F.lit(high).cast("long"), NUMBER_BITS) + number


def id_of(kind: str, rank: NDArray[np.int64], number: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """The same in arrays."""
    return ((rank + (VERTEX_KINDS.index(kind) << RANK_BITS)) << NUMBER_BITS) + number


def vertex_kinds(ids: NDArray[np.int64]) -> NDArray[np.str_]:
    """The kind of each id."""
    kinds: NDArray[np.str_] = np.array(VERTEX_KINDS)[ids >> (NUMBER_BITS + RANK_BITS)]
    return kinds


def ranked(rows: DataFrame, name: str) -> DataFrame:
    """The distinct (cluster, `name`) of `rows` with their `rank`; one task sorts these names."""
    in_order = F.row_number().over(Window.orderBy("cluster", name)).cast("long")
    names = rows.select("cluster", name).distinct()
    return names.withColumn("rank", in_order - 1)


def name_of(vertex: str) -> Column:
    """Kind and rank without the number.

    It is what the members of a group, or the partitions of a topic, have in common.
    """
    return F.shiftright(vertex, NUMBER_BITS)
