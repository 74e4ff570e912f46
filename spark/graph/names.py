"""The names of a fleet's vertices on the driver, and their ids, found by hashes of their bytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from spark.errors import InputError
from spark.fleet import MEMBER_KEYS, PARTITION_KEYS, TOPIC_KEYS, escaped
from spark.graph.spreading import Ids
from spark.graph.vertex_ids import MEMBER, id_of
from spark.graph.vertices import Tables
from spark.groups import HashCollisionError, Lookup

MEMBER_HASH = "xxhash64(cluster, `group`, member_id)"
TOPIC_HASH = "xxhash64(cluster, topic)"
"""SQL text. Hashes are of the bytes that a table has: of a name that is no valid UTF-8 as well."""


@dataclass(frozen=True)
class Names:
    """Vertices of a kind: their names as `escaped` spells them, and the ids that these have.

    `rows` has the names, `ids` are aligned with it, and `lookup` finds the place of a hash there.
    Names that are spelled alike have one id.
    """

    rows: pa.Table
    ids: Ids
    lookup: Lookup

    def of(self, hashes: Ids) -> Ids:
        """The id of each hash; all of them are known."""
        return self.ids[self.lookup.find(hashes)]

    def among(self, ids: Ids) -> pa.Table:
        """The names that have one of these ids, with their `id` and their `hash`."""
        mask = np.isin(self.ids, ids)
        return self.rows.append_column("id", pa.array(self.ids)).filter(pa.array(mask))


def member_names(tables: Tables) -> Names:
    """Whoever is listed, subscribes or owns something."""
    named = [
        tables[name].where("member_id is not null").select(*MEMBER_KEYS)
        for name in ("members", "subscriptions", "assignments")
    ]
    rows = _sorted(named, MEMBER_KEYS, MEMBER_HASH)
    is_new_group, is_new = _begins(rows, MEMBER_KEYS[:-1]), _begins(rows, MEMBER_KEYS)
    at = is_new.cumsum() - 1
    rank = is_new_group.cumsum() - 1
    return _names(rows, id_of(MEMBER, rank, at - at[is_new_group][rank]), MEMBER_KEYS)


def topic_names(tables: Tables, grain: str) -> Names:
    """Every topic that has a partition which is listed or owned; a negative number is nobody's.

    Where the grain is partitions, its id is that of partition 0, whether that is there or not.
    """
    owned = tables["assignments"].where("member_id is not null")
    named = [
        rows.select(*PARTITION_KEYS).where("partition >= 0").select(*TOPIC_KEYS)
        for rows in (tables["partitions"], owned)
    ]
    rows = _sorted(named, TOPIC_KEYS, TOPIC_HASH)
    return _names(rows, id_of(grain, _begins(rows, TOPIC_KEYS).cumsum() - 1, 0), TOPIC_KEYS)


def _sorted(named: Sequence[DataFrame], keys: Sequence[str], hashed: str) -> pa.Table:
    """The distinct names with their `hash`, in the order of their UTF-8 bytes."""
    distinct = reduce(DataFrame.unionAll, named).distinct()
    spelled = (f"{escaped(f'`{key}`')} as `{key}`" for key in keys)
    rows = distinct.selectExpr(f"{hashed} as hash", *spelled).toArrow().combine_chunks()
    return rows.sort_by([(key, "ascending") for key in keys]).combine_chunks()


def _begins(rows: pa.Table, keys: Sequence[str]) -> NDArray[np.bool_]:
    """Where sorted rows have another name than the one before."""
    begins = np.zeros(len(rows), np.bool_)
    begins[:1] = True
    for key in keys:
        names = rows[key]
        begins[1:] |= pc.not_equal(names[1:], names[:-1]).to_numpy(zero_copy_only=False)
    return begins


def _names(rows: pa.Table, ids: Ids, keys: Sequence[str]) -> Names:
    """Raises InputError where two names have one hash."""
    lookup = Lookup.of(rows["hash"].to_numpy())
    if not lookup.is_unambiguous:
        try:
            lookup.check_unambiguous(rows[keys[-1]].to_pylist())
        except HashCollisionError as error:
            raise InputError(str(error)) from None
    return Names(rows, ids, lookup)
