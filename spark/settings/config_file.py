"""The file of `--config`: its keys, what each may be, and what each is for."""

from dataclasses import fields
from datetime import date
from typing import Annotated, Any, Self

from pydantic import Field, SkipValidation, WithJsonSchema

from optimizer import DEFAULT_GOALS, OPTIMAL, STRATEGY_NAMES, is_strategy
from optimizer.model import BALANCES, EFFORTS, LEVELS, MOST_SHARE, WEIGHTS, Limit
from optimizer.strategies import CLASSIC_ASSIGNORS, by_kafka_name
from spark.fleet import MAX_AGE
from spark.settings.consumers import POLL
from spark.settings.goals import DEFAULT_RATE_WEIGHTS, NO_RACK, OF, OF_IN_WORDS, goals_faults
from spark.settings.strategies import COMPARED, STRATEGY_SECONDS
from spark.toml.tables import (
    Above0,
    Count,
    Duration,
    ForGroupsTable,
    Milliseconds,
    NotNegative,
    OneOf,
    Pattern,
    SessionsTable,
    TomlTable,
    example,
)
from spark.toml.toml_file import in_words

Share = Annotated[float, Field(ge=0, le=MOST_SHARE)]
Day = Annotated[date, Field(strict=False, title="a day such as 2027-03-31")]
Version = Annotated[str, Field(pattern=r"^\d+(\.\d+)+$", title="a version such as '3.9'")]
SparkValue = Annotated[
    bool | int | float | str,
    WithJsonSchema(
        {
            "description": "a text, a number or true or false (write keys with dots in quotes)",
            "type": ["string", "number", "boolean"],
        }
    ),
]
_LIMIT = {"type": "object", "properties": {item.name: {} for item in fields(Limit)}}
_KINDS: Any = [{"type": "array", "items": _LIMIT}, _LIMIT, {"type": ["number", "string"]}]
Limits = Annotated[Any, WithJsonSchema({"title": "a list of limits", "anyOf": _KINDS})]
"""Goals are checked as `Goals` of the optimizer, which tells all faults: here are their types."""


class GoalsTable(TomlTable):
    """Goals of `optimal`."""

    rack: SkipValidation[Annotated[str, OneOf((NO_RACK, "leader", "any"))]] = NO_RACK
    """Reads within the member's own rack: "none" (racks don't matter), "leader" (consumers read
    from the leader) or "any" (they read from the nearest replica, KIP-392)."""
    levels: SkipValidation[list[Annotated[str, OneOf(tuple(LEVELS))]]] = Field(
        default=[*DEFAULT_GOALS.levels]
    )
    """Priorities: "racks", reads across racks; "moves"; "hosts", partitions spread evenly over the
    hosts of members; "spread", each topic spread evenly over its readers. What isn't named
    comes last, so hosts and spread cost no moves unless they stand before them. Spread is exact in
    groups of up to 400 subscriptions of a member to a topic, or up to 20,000 where it is named here
    (two seconds with half a million partitions). In larger groups it is a good guess, unproven."""
    host: SkipValidation[str] = example("{host}-thread-*")
    """Members that share a host: those whose members.host is the same, or by a pattern of client
    ids."""
    min_gain: SkipValidation[Share] = DEFAULT_GOALS.min_gain
    """Minimum improvement (partitions) per move; groups below it stay as they are. 0: any
    improvement is enough."""
    max_moves: SkipValidation[int | float] = example(
        20, title="a whole number of 0 or more, or a share from 0.0 to 1.0"
    )
    """Partitions that may move at most: a whole number, or a share of the group's (0.1). Without it
    as many as the best plan takes."""
    pin: SkipValidation[Limits] = example([{"topics": "payments-eu*", "racks": "eu-west-1*"}])
    """Partitions that may go to some members only. This and the limits below are better stated for
    some groups (docs/limits.md); patterns have * and ?."""
    exclude: SkipValidation[Limits] = example([{"hosts": "10.0.0.7"}])
    """Members that get nothing, or nothing of some partitions."""
    max_partitions: SkipValidation[Limits] = example(50)
    """How many partitions a member may have."""
    max_per_topic: SkipValidation[Limits] = example(2)
    """How many partitions of a topic a member may have."""
    max_per_host: SkipValidation[Limits] = example([{"hosts": "10.0.1.*", "most": 40}])
    """How many partitions the members of a host may have together."""
    max_weight: SkipValidation[Limits] = example([{"members": "small-*", "most": 12.5}])
    """Highest weight of all partitions of a member, with balance = "weight"."""
    copartition: SkipValidation[Limits] = example([{"topics": "orders, payments"}])
    """Topics whose partitions of equal numbers go to the same member."""
    balance: SkipValidation[Annotated[str, OneOf(BALANCES)]] = DEFAULT_GOALS.balance
    """Load to balance: "count", partitions; or "weight", what they weigh for a unit of the member's
    capacity (members.capacity, 1 where there is none). docs/weights.md says what is shown then."""
    weight: SkipValidation[Annotated[str, OneOf(WEIGHTS)]] = DEFAULT_GOALS.weight
    """Where weights come from: "column" (partitions.weight), "rate" (of the store's offsets; see
    [weights]) or "lag". One that isn't known is its topic's mean, or its group's."""
    tolerance: SkipValidation[Share] = DEFAULT_GOALS.tolerance
    """How far above the best the largest load by weight may be where that saves moves, as a share
    of it."""
    effort: SkipValidation[Annotated[str, OneOf(EFFORTS)]] = DEFAULT_GOALS.effort
    """How far plans by weight are searched for."""


class ConsumersTable(SessionsTable):
    """Settings of consumers and brokers, by Kafka's own names with _ for ., and our own."""

    enable_auto_commit: bool = example(True)
    """Whether the consumer commits by itself."""
    auto_commit_interval_ms: Count = example(5000)
    """How often it does."""
    commit: Annotated[str, OneOf(("interval", POLL))] = example("interval")
    """With "poll" the application commits after each poll() by commitSync, and the two above don't
    count."""
    metadata_max_age_ms: Milliseconds = example(300000)
    """How soon a consumer sees new topics and partitions."""
    group_protocol: Annotated[str, OneOf(("classic", "consumer"))] = example("classic")
    """The protocol by which a consumer joins."""
    partition_assignment_strategy: Annotated[
        list[Annotated[str, OneOf(CLASSIC_ASSIGNORS)]], Field(min_length=1)
    ] = example(["range", "cooperative-sticky"])
    """Assignors of the classic protocol, the preferred one first."""
    group_remote_assignor: Annotated[str, OneOf(tuple(by_kafka_name("consumer")))] = example(
        "uniform"
    )
    """The assignor of the consumer protocol."""
    group_initial_rebalance_delay_ms: Count = example(3000)
    """How long a broker waits for more members of a new group."""
    group_consumer_session_timeout_ms: Milliseconds = example(45000)
    """The session time-out of the consumer protocol."""
    group_consumer_heartbeat_interval_ms: Milliseconds = example(5000)
    """The interval of heartbeats of the consumer protocol."""
    group_consumer_assignment_interval_ms: Count = example(1000)
    """The least time between two assignments of the consumer protocol."""
    restart_seconds: Count = example(30, title="a whole number of seconds")
    """For how long a restart keeps a member away (no setting of Kafka's): held against sessions of
    static members."""
    peak_rate: Above0 = example(2000, title="a number of records a second above 0")
    """How many records a second a member can read of all its partitions: with it, `simulate` and
    `whatif` show lag. By default it is the most that a member was seen to read."""
    broker_version: Version = example("4.3")
    """Version of brokers: before 4.0 no group can use the new protocol."""
    client_version: Version = example("3.9.1")
    """Version of consumers: finding client-defect holds it against known defects of Kafka's
    assignors."""


class GroupTable(ConsumersTable, GoalsTable, ForGroupsTable):
    """Goals and consumers of some groups."""


class WeightsTable(TomlTable):
    """Rates that weigh partitions."""

    of: Annotated[str, Field(pattern=OF, title=OF_IN_WORDS)] = DEFAULT_RATE_WEIGHTS.of
    """The mean, the highest, or a quantile."""
    window: Duration = in_words(DEFAULT_RATE_WEIGHTS.window)
    """The time before the newest snapshot that counts."""


class TrafficTable(TomlTable):
    """Cost of reads."""

    price_per_gb: NotNegative = 0.0
    """Price of 1 GB (10⁹ bytes) read across racks; a partition's weight is taken for its bytes a
    second. 0: money isn't shown."""


class TeamTable(TomlTable):
    """A team and its groups."""

    name: Annotated[str, Field(min_length=1)] = Field(examples=["orders"])
    """The team's name, as --team takes it."""
    groups: Annotated[list[Pattern], Field(min_length=1)] = Field(examples=[["orders-*"]])
    """Names of its groups (* and ? stand for any letters)."""


class MuteTable(TomlTable):
    """A finding that is known."""

    finding: Annotated[str, Field(min_length=1)] = Field(examples=["idle-members"])
    """The finding's kind, as `evenfleet findings` lists them."""
    cluster: Pattern = "*"
    """Names of clusters in which it is muted."""
    group: Pattern = "*"
    """Names of groups of which it is; "*" also where it is about a cluster."""
    until: Day = Field(examples=["2027-03-31"])
    """The day of the snapshots in which it counts again."""
    why: Annotated[str, Field(min_length=1)] = Field(examples=["spare members for the sale"])
    """Why, as audits show it."""


class ConfigFile(TomlTable):
    """Every setting with its default. Use it with --config; options of a command override it."""

    strategy: Annotated[str, OneOf(STRATEGY_NAMES, is_strategy)] = OPTIMAL
    """Strategy of `plan`; its help lists all strategies."""
    strategies: list[Annotated[str, OneOf(COMPARED, is_strategy)]] = Field([])
    """Strategies of `compare`; an empty list means the current assignment and every strategy.
    Groups of Connect workers are compared under those of Connect among them, all others under the
    rest."""
    strategy_seconds: Above0 = STRATEGY_SECONDS
    """Seconds of processor time that a strategy has for one group, in `plan` and in `compare`.
    Where it needs more, or waits for ten times as long, that group's row is `failed` and says so.
    The others go on."""
    max_age: Duration = in_words(MAX_AGE)
    """The fleet is the newest snapshot of each cluster: how much older than the newest of all that
    may be, by the times that their ids are. "0h": the newest snapshot alone, whichever clusters it
    has. Each snapshot within reach is searched for its clusters: of hundreds that takes seconds."""
    goals: GoalsTable = GoalsTable()
    """Goals of `optimal`, after every partition is read and loads are balanced."""
    consumers: ConsumersTable = ConsumersTable()
    """How consumers and their brokers are configured, by Kafka's own names with _ for .: `whatif`,
    `rollout` and findings go by it. What isn't stated is as Kafka 4.3.1 has it by default."""
    group: list[GroupTable] = Field(
        [],
        examples=[
            [
                {
                    "match": "payments-*",
                    "cluster": "*",
                    "rack": "leader",
                    "min_gain": 0.5,
                    "session_timeout_ms": 10000,
                    "max_partitions": [{"members": "small-*", "most": 5}],
                }
            ]
        ],
    )
    """Other goals and consumers for groups whose names match; the first that fits counts, and what
    it doesn't state is as in [goals] and [consumers]."""
    weights: WeightsTable = WeightsTable()
    """Rates that weigh partitions: of the last "window", the "mean", the "maximum" or a
    quantile."""
    traffic: TrafficTable = TrafficTable()
    """Cost of reads across racks."""
    team: list[TeamTable] = Field([])
    """Teams and their groups: a column and a label of findings, and --team. A group that fits two
    teams is of the first."""
    mute: list[MuteTable] = Field([])
    """Findings that are known: an audit counts and shows them as muted, and they don't count for
    its verdict or --fail-on."""
    spark: dict[str, SparkValue] = Field({}, examples=[{"spark.driver.memory": "8g"}])
    """Settings of the Spark session, as --conf gives them."""

    @classmethod
    def check(cls, document: Any) -> tuple[Self | None, list[str]]:
        """The table that a document states, or None; and all faults, those of goals too."""
        table, faults = super().check(document)
        faults += goals_faults(document)
        return None if faults else table, faults
