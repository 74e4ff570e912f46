"""Facts that a snapshot has at all, and the few that all groups need: one look at its tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, functions as F

from spark.audit.finding import ALL_GROUPS
from spark.audit.thresholds import AuditSettings
from spark.fleet import LAG, FleetSnapshot, escape
from spark.groups import OFFSETS_TOPIC, OffsetsTopic
from spark.history import FleetHistory
from spark.settings import ConsumerSettings

SHOWN_BY = {
    "groups.strategy": ("groups", "strategy is not null"),
    "members.generation": ("members", "generation is not null"),
    "assignments.generation": ("assignments", "generation is not null"),
    "members.host": ("members", "host is not null and host != ''"),
    "members.rack": ("members", "rack is not null and rack != ''"),
    "partitions.leader": ("partitions", "leader >= 0"),
    "partitions.leader_rack": ("partitions", "leader_rack is not null"),
    "partitions.replicas": ("partitions", "replicas is not null"),
    "partitions.weight": ("partitions", "weight > 0"),
    "partitions.isr": ("partitions", "isr is not null"),
    "partitions.min_insync_replicas": ("partitions", "min_insync_replicas is not null"),
    "brokers": ("brokers", "broker >= 0"),
    "groups.coordinator": ("groups", "coordinator >= 0"),
    OFFSETS_TOPIC: ("partitions", f"topic = '{OFFSETS_TOPIC}' and leader >= 0"),
    "lag": ("offsets", f"{LAG} is not null"),
    "start": ("offsets", "start_offset is not null"),
}
"""Optional facts, and the rows of a table that show that a snapshot has them."""


@dataclass(frozen=True)
class AvailableFacts:
    """`names` are the optional facts that a snapshot has; a column that is null throughout isn't.

    `several_brokers` are the clusters of which more than one broker is listed, leads a partition
    or has a replica of one; `offsets` tell of `OFFSETS_TOPIC` by cluster, `listed` are the brokers
    that the table of brokers names. `sessions` are the least and the most session.timeout.ms that
    all brokers of a cluster allow, where the table of settings has them.
    """

    names: frozenset[str]
    several_brokers: frozenset[str] = frozenset()
    offsets: Mapping[str, OffsetsTopic] = field(default_factory=dict)
    listed: Mapping[str, frozenset[int]] = field(default_factory=dict)
    sessions: Mapping[str, ConsumerSettings] = field(default_factory=dict)


def probe(
    snapshot: FleetSnapshot,
    previous: FleetSnapshot | None,
    audit_settings: AuditSettings,
    history: FleetHistory | None = None,
) -> AvailableFacts:
    """All of that, by one job."""
    tables = snapshot.tables
    looks = [
        _look(tables[name], name)
        for name in ("groups", "members", "assignments", "offsets")
        if name in tables
    ]
    looks += [_look(tables["partitions"], "partitions", _OF_PARTITIONS)]
    if "brokers" in tables:
        looks += [_look(tables["brokers"].where("broker >= 0"), "brokers", _OF_BROKERS)]
    if "configs" in tables:
        looks += [_look(tables["configs"].where("scope = 'broker'"), "configs", _OF_CONFIGS)]
    rows = reduce(DataFrame.unionAll, looks).collect()
    shown = {need for row in rows for need in row.shown}
    if shown & {"members.generation", "assignments.generation"}:
        shown.add("generation")
    if shown & {"groups.coordinator", OFFSETS_TOPIC}:
        shown.add("coordinators")
    spec = {
        ALL_GROUPS: snapshot.part.group is None and not snapshot.part.teams,
        "configs": "configs" in tables,
        "previous": previous is not None,
        "previous.offsets": previous is not None and "offsets" in previous.tables,
        "history": history is not None,
        "history.offsets": history is not None and "offsets" in history.tables,
        "timeouts": bool(audit_settings.timeouts),
        "client_version": audit_settings.consumers.states("client_version"),
        "copartitioned": bool(audit_settings.copartitioned),
    }
    shown |= {need for need, is_there in spec.items() if is_there}
    listed = {row.cluster: frozenset(row.listed) for row in rows if row.listed}
    sessions = {row.cluster: row.sessions.asDict() for row in rows if row.sessions}
    return AvailableFacts(
        frozenset(shown), _several_brokers(rows), _offsets(rows), listed, sessions
    )


_OF_PARTITIONS = {
    "cluster": escape("cluster"),
    "lowest": "min(least(if(leader >= 0, leader, null), "
    "if(array_min(replicas) < 0, array_min(filter(replicas, one -> one >= 0)), "
    "array_min(replicas))))",
    "highest": "max(greatest(leader, array_max(replicas)))",
    "kept": f"collect_list(struct(partition, leader)) filter (where topic = '{OFFSETS_TOPIC}')",
}
_OF_BROKERS = {
    "cluster": escape("cluster"),
    "lowest": "min(broker)",
    "highest": "max(broker)",
    "listed": "collect_set(broker)",
}
_MIN_SESSION, _MAX_SESSION = (
    f"{least}(try_cast(if(key = 'group.{bound}.session.timeout.ms', value, null) as int)) as "
    f"group_{bound}_session_timeout_ms"
    for bound, least in (("min", "max"), ("max", "min"))
)
_OF_CONFIGS = {
    "cluster": escape("cluster"),
    "sessions": f"struct({_MIN_SESSION}, {_MAX_SESSION})",
}
_NOTHING = {
    **{"cluster": "cast(null as string)", "lowest": "cast(null as int)"},
    **{
        "highest": "cast(null as int)",
        "kept": "cast(null as array<struct<partition: int, leader: int>>)",
        "listed": "cast(null as array<int>)",
        "sessions": "cast(null as struct<group_min_session_timeout_ms: int, "
        "group_max_session_timeout_ms: int>)",
    },
}


def _look(table: DataFrame, name: str, of_cluster: Mapping[str, str] | None = None) -> DataFrame:
    """A row of the table, or each of its clusters: what facts it shows, and `of_cluster`."""
    shown = [
        f"if(bool_or({shows}), '{need}', null)"
        for need, (of, shows) in SHOWN_BY.items()
        if of == name
    ]
    columns = {"shown": f"array_compact(array({', '.join(shown) or 'cast(null as string)'}))"}
    columns |= _NOTHING | dict(of_cluster or {})
    grouped = table.groupBy("cluster") if of_cluster else table.groupBy()
    key = columns.pop("cluster")
    aggregates = [F.expr(text).alias(column) for column, text in columns.items()]
    return grouped.agg(*aggregates).selectExpr(*columns, f"{key} as cluster")


def _several_brokers(rows: list[Any]) -> frozenset[str]:
    bounds: dict[str, list[int]] = {}
    for row in rows:
        if row.lowest is not None:
            bounds.setdefault(row.cluster, []).extend((row.lowest, row.highest))
    return frozenset(cluster for cluster, bound in bounds.items() if min(bound) < max(bound))


def _offsets(rows: list[Any]) -> dict[str, OffsetsTopic]:
    return {row.cluster: OffsetsTopic.of(row.kept) for row in rows if row.kept}
