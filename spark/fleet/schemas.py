"""The tables of a snapshot: their columns, keys and types."""

from collections.abc import Mapping
from typing import NamedTuple

from pyspark.sql import types as t

from spark.errors import InputError
from spark.store import CatalogSchema, Opener, Where, source_of


class Column(NamedTuple):
    """A column of a table; a key is never null, a required column has to be there."""

    name: str
    type: t.DataType
    key: bool = False
    required: bool = False


class TableSchema(NamedTuple):
    """A table of the store.

    A snapshot without a `required` table isn't whole. `by_group`: its rows tell of one group each.
    `counted_columns`: manifests say how often each combination of their values occurs, so that
    lists needn't open files.
    """

    columns: tuple[Column, ...]
    required: bool = False
    by_group: bool = False
    counted_columns: tuple[tuple[str, ...], ...] = ()

    @property
    def keys(self) -> list[str]:
        return [column.name for column in self.columns if column.key]


def _key(name: str, data_type: t.DataType) -> Column:
    return Column(name, data_type, key=True, required=True)


_TEXT, _INT, _LONG, _REAL = t.StringType(), t.IntegerType(), t.LongType(), t.DoubleType()
_CLUSTER, _GROUP = _key("cluster", _TEXT), _key("group", _TEXT)
_TOPIC, _PARTITION = _key("topic", _TEXT), _key("partition", _INT)
_MEMBER = _key("member_id", _TEXT)

KIND = ("type", "strategy", "state")
"""Columns of the table of groups that tell of what kind one is."""

_BY_CLUSTER = (("cluster",),)

OFFSETS_TOPIC = "__consumer_offsets"
"""Leaders of its partitions coordinate the groups whose offsets are kept there."""

GROUP_KEYS = ("cluster", "group")
MEMBER_KEYS = (*GROUP_KEYS, "member_id")
TOPIC_KEYS = ("cluster", "topic")
PARTITION_KEYS = (*TOPIC_KEYS, "partition")
"""Columns by which every table tells groups, members, topics and partitions apart."""

TABLES: dict[str, TableSchema] = {
    "groups": TableSchema(
        (
            _CLUSTER,
            _GROUP,
            Column("state", _TEXT),
            Column("strategy", _TEXT),
            Column("generation", _INT),
            Column("subscriptions_inferred", t.BooleanType()),
            Column("type", _TEXT),
            Column("coordinator", _INT),
            Column("hidden_topics", t.ArrayType(_TEXT)),
        ),
        by_group=True,
        counted_columns=(*_BY_CLUSTER, KIND),
    ),
    "members": TableSchema(
        (
            _CLUSTER,
            _GROUP,
            _MEMBER,
            Column("instance_id", _TEXT),
            Column("client_id", _TEXT),
            Column("host", _TEXT),
            Column("rack", _TEXT),
            Column("generation", _INT),
            Column("capacity", _REAL),
        ),
        required=True,
        by_group=True,
        counted_columns=_BY_CLUSTER,
    ),
    "subscriptions": TableSchema((_CLUSTER, _GROUP, _MEMBER, _TOPIC), required=True, by_group=True),
    "partitions": TableSchema(
        (
            _CLUSTER,
            _TOPIC,
            _PARTITION,
            Column("topic_id", _TEXT),
            Column("leader", _INT),
            Column("replicas", t.ArrayType(_INT)),
            Column("isr", t.ArrayType(_INT)),
            Column("leader_rack", _TEXT),
            Column("replica_racks", t.ArrayType(_TEXT)),
            Column("weight", _REAL),
            Column("adding_replicas", t.ArrayType(_INT)),
            Column("removing_replicas", t.ArrayType(_INT)),
            Column("min_insync_replicas", _INT),
        ),
        required=True,
        counted_columns=_BY_CLUSTER,
    ),
    "assignments": TableSchema(
        (
            _CLUSTER,
            _GROUP,
            _TOPIC,
            _PARTITION,
            Column("member_id", _TEXT, required=True),
            Column("generation", _INT),
        ),
        required=True,
        by_group=True,
    ),
    "offsets": TableSchema(
        (
            _CLUSTER,
            _GROUP,
            _TOPIC,
            _PARTITION,
            Column("committed_offset", _LONG),
            Column("end_offset", _LONG),
            Column("lag", _LONG),
            Column("start_offset", _LONG),
        ),
        by_group=True,
    ),
    "brokers": TableSchema(
        (
            _CLUSTER,
            _key("broker", _INT),
            Column("host", _TEXT),
            Column("port", _INT),
            Column("rack", _TEXT),
        ),
        counted_columns=_BY_CLUSTER,
    ),
    "configs": TableSchema(
        (
            _CLUSTER,
            _key("scope", _TEXT),
            _key("name", _TEXT),
            _key("key", _TEXT),
            Column("value", _TEXT),
        ),
        counted_columns=_BY_CLUSTER,
    ),
}

COUNTED_COLUMNS = {name: table.counted_columns for name, table in TABLES.items()}
"""By table the columns of which manifests tell how often each combination of values occurs."""


LAG = (
    "coalesce(lag, if(end_offset >= 0 and committed_offset >= 0, "
    "try_subtract(end_offset, committed_offset), null))"
)
"""SQL text: the lag of a row of offsets, null where it isn't known.

Kafka answers -1 for a partition of which nothing was committed: that is no offset.
"""

RECORDS_BEHIND = f"if({LAG} < 0, 0, {LAG})"
"""SQL text: that lag, 0 where an offset is beyond the end, null where it isn't known."""


def misfit(actual: t.DataType, wanted: t.DataType) -> bool:
    """Whether a column of type `actual` can't stand for `wanted`.

    Any width of whole number or of floating point number will do, and a whole number for a real.
    """
    if isinstance(actual, t.NullType):
        return False
    if isinstance(wanted, t.ArrayType):
        return not isinstance(actual, t.ArrayType) or misfit(actual.elementType, wanted.elementType)
    if isinstance(wanted, t.IntegralType):
        return not isinstance(actual, t.IntegralType)
    if isinstance(wanted, t.DoubleType):
        return not isinstance(actual, t.NumericType)
    if isinstance(wanted, t.StringType):
        return not isinstance(actual, t.StringType)
    return type(actual) is not type(wanted)


def faults_of(name: str, schema: t.StructType) -> list[str]:
    """A sentence for each column of a table that is missing, mistyped or there twice."""
    types = {field.name: field.dataType for field in schema}
    columns = schema.fieldNames()
    spelt = [column.lower() for column in columns]
    missing = [c.name for c in TABLES[name].columns if c.required and c.name not in types]
    otherwise = [c for c in columns if c not in missing and c.lower() in missing]
    absent = [column for column in missing if column not in spelt]
    faults = [f"table {name} lacks the column {', '.join(absent)}"] if absent else []
    faults += [
        f"table {name} has the column {column}, which has to be called {column.lower()}"
        for column in otherwise
    ]
    doubled = [c.name for c in TABLES[name].columns if spelt.count(c.name) > 1]
    faults += [f"table {name} has the column {column} more than once" for column in doubled]
    for column in TABLES[name].columns:
        if column.name in types and misfit(types[column.name], column.type):
            wanted = column.type.simpleString()
            whole = isinstance(column.type, t.IntegralType)
            castable = whole and isinstance(types[column.name], t.NumericType)
            cast = f": write it as cast({column.name} as {wanted})" if castable else ""
            faults.append(
                f"column {name}.{column.name} is {types[column.name].simpleString()} and must be "
                f"{wanted}{cast}"
            )
    return faults


def unknown_columns(name: str, schema: t.StructType) -> list[str]:
    """A sentence on the columns of a table that aren't ours, if there are any."""
    own = {column.name for column in TABLES[name].columns}
    unknown = [column for column in schema.fieldNames() if column not in own]
    return [f"table {name}: left out unknown columns {', '.join(unknown)}"] if unknown else []


def describe_null_keys(snapshot: str, counts: Mapping[str, int]) -> str:
    """The sentence on keys that are null: `counts` has the rows by table and column."""
    faults = "; ".join(f"{column}: {rows} rows" for column, rows in sorted(counts.items()))
    return (
        f"snapshot {snapshot} has keys that are null or beyond an int ({faults}): remove those "
        "rows or fill them in"
    )


STORE = "a store"
PLAN = "a plan"
COMPARISON = "a comparison"
AUDIT = "an audit"
HISTORY = "a history"
REPLAY = "a replay"
RATES = "rates"
WHATIF = "a what-if"
SCALE = "a scaling replay"

RESULTS = {
    STORE: ("subscriptions", *TABLES),
    PLAN: ("assignments", "groups", "clusters", "part", "traffic", "weights"),
    COMPARISON: ("comparison", "fleet", "comparison_groups"),
    AUDIT: ("findings", "coordinators", "failures", "groups", "tracked"),
    HISTORY: ("states", "changes", "rebalances"),
    REPLAY: ("replay", "league"),
    RATES: ("rates", "consumption", "members"),
    WHATIF: ("whatif",),
    SCALE: ("scale", "courses"),
}
"""The tables of each kind; the first is one that each of its folders has."""


def check_kind(opener: Opener, out: Where, kind: str) -> None:
    """Raise InputError where `out` holds another kind of result, or a store.

    Some of their tables have the same names: one would replace the other's. A schema of a catalog
    may hold several kinds that have no name in common.
    """
    source = source_of(opener, out)
    own = RESULTS[kind]
    if kind == STORE and source.ids_of(own[:1]):
        return
    for other, (first, *others) in RESULTS.items():
        if other == kind or not source.ids_of([first]):
            continue
        if isinstance(out, CatalogSchema) and not {first, *others}.intersection(own):
            continue
        folder = "schema" if isinstance(out, CatalogSchema) else "folder"
        raise InputError(f"output {out} holds {other} already: choose another {folder} for {kind}")


MIN_INSYNC = "min.insync.replicas"

TOPIC_CONFIGS = (
    *(MIN_INSYNC, "cleanup.policy", "retention.bytes", "retention.ms"),
    "unclean.leader.election.enable",
)
BROKER_CONFIGS = (
    *(MIN_INSYNC, "default.replication.factor", "group.consumer.heartbeat.interval.ms"),
    *("group.consumer.max.session.timeout.ms", "group.consumer.min.session.timeout.ms"),
    *("group.consumer.session.timeout.ms", "group.max.session.timeout.ms", "group.max.size"),
    *("group.min.session.timeout.ms", "log.retention.hours", "offsets.retention.minutes"),
    *("offsets.topic.num.partitions", "offsets.topic.replication.factor"),
    "unclean.leader.election.enable",
)
"""Settings of topics and brokers that snapshots hold: those that findings go by, and no secret."""
