"""The group of a made-up fleet that needs a plan most, and settings that drain a host of its."""

from math import ceil

import pyarrow as pa
import pyarrow.compute as pc

GROUP = ["cluster", "group"]

Tables = dict[str, pa.Table]


def most_uneven(tables: Tables) -> tuple[str, str]:
    """Cluster and name of the group whose largest load is farthest above the best possible.

    It is one of Range: there members read the same topics, so that a plan evens it out.
    """
    of_range = tables["groups"].filter(pc.equal(tables["groups"]["strategy"], "range"))
    owned = tables["assignments"].group_by([*GROUP, "member_id"]).aggregate([([], "count_all")])
    loads = owned.group_by(GROUP).aggregate([("count_all", "max"), ("count_all", "sum")])
    members = tables["members"].group_by(GROUP).aggregate([([], "count_all")])
    rows = loads.join(members, GROUP).join(of_range.select(GROUP), GROUP, join_type="inner")

    def over(row: dict[str, int]) -> tuple[float, int]:
        """The largest load ÷ the best possible one, and how many partitions there are."""
        partitions = row["count_all_sum"]
        return row["count_all_max"] / ceil(partitions / row["count_all"]), partitions

    worst = max(rows.to_pylist(), key=lambda row: (*over(row), row["cluster"], row["group"]))
    return worst["cluster"], worst["group"]


def drain_settings(tables: Tables, cluster: str, group: str) -> str:
    """Settings (TOML) that take all partitions from the members on one host of this group."""
    members = tables["members"]
    is_own = pc.and_(pc.equal(members["cluster"], cluster), pc.equal(members["group"], group))
    host = min(filter(None, members.filter(is_own)["host"].to_pylist())).lstrip("/")
    return (
        f"# Host {host} goes into maintenance: its members get nothing.\n"
        f'[goals]\nexclude = [{{ hosts = "{host}" }}]\n'
    )
