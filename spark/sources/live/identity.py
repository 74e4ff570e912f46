"""Whether names of clusters and the ids that clusters have themselves go together."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from spark.text import named

ID = "cluster.id"
"""The key under which the table `configs` has a cluster's own id."""


def mixed_up(ids: Mapping[str, str], before: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each id with several names, and each name that had another id before.

    `ids` are those of now by name, `before` those of the snapshot before.
    """
    names: defaultdict[str, set[str]] = defaultdict(set)
    for name, own in {**before, **ids}.items():
        names[own].add(name)
    for own in sorted({*ids.values()}):
        if len(names[own]) > 1:
            yield (
                f"{named('cluster', names[own])} are one cluster: its id is {own}. Keep one "
                "name, or its groups count twice"
            )
    for name, own in sorted(ids.items()):
        if name in before and before[name] != own:
            yield (
                f"cluster {name} has the id {own} and had {before[name]} before: one name for two "
                "clusters mixes up their history"
            )


def ids_in(configs: Iterable[pa.Table]) -> dict[str, str]:
    """The clusters' own ids by their names."""
    return {
        row["cluster"]: row["value"]
        for table in configs
        for row in table.filter(pc.equal(table["key"], ID)).to_pylist()
    }


def ids_in_store(store: Path) -> dict[str, str]:
    """Those of the newest snapshot of a store that has any; none without a store."""
    newest = sorted(store.glob("configs/snapshot=*"))[-1:]
    return ids_in(pq.read_table(folder, partitioning=None) for folder in newest)
