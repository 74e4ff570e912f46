"""The rows of a group under strategies; a failure becomes a row, and doesn't stop others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pyspark.sql import DataFrame

from optimizer.coordinator import EventsTimeline, Parameters, simulate_events
from optimizer.model import Goals, Group, Problem, fitting, on_hosts
from optimizer.scenarios import Event
from optimizer.strategies import strategy_named
from spark.fleet import FleetSnapshot
from spark.groups import (
    EncodedRow,
    Flag,
    FleetGroup,
    Int,
    Long,
    Outcome,
    Real,
    Row,
    Texts,
    encode,
    failed,
    in_workers,
    read_or_failed,
)
from spark.history import FleetHistory, encode_changes
from spark.settings import CURRENT, FleetGoals, for_kind, kind_of
from spark.solve import TimeLimit, idle_limits_of

R = TypeVar("R")

OutcomeOf = Callable[[str], dict[str, Any]]
"""The columns that a strategy's answer comes to; raises where it has none."""


@dataclass(slots=True, kw_only=True)
class CostRow(Outcome):
    """What events cost a group in time, simulated (`optimizer.coordinator`); see `figures_of`.

    What isn't known is null.
    """

    moves: Long = None
    """How often a partition changed hands whose owner was still there."""
    takeovers: Long = None
    """How often one did whose owner was gone."""
    rebalances: Int = None
    """Generations, or targets of KIP-848."""
    unread_seconds: Real = None
    """Partition-seconds in which nobody read a partition."""
    longest_pause: Real = None
    """Seconds in which one partition was not read."""
    stopped_needlessly: Long = None
    """How often a partition stopped for a rebalance and kept its member."""
    read_twice_seconds: Real = None
    """Partition-seconds that are read again since they weren't committed."""
    records_read_twice: Real = None
    """The same in records, where rates are known."""
    records_waited: Real = None
    """Records that came in while their partition was not read, where rates are known."""
    max_lag_records: Real = None
    """The most that the group was behind; null where rates or a `peak_rate` aren't known."""
    max_lag_seconds: Real = None
    """The most that one partition was behind, in what comes in."""
    catch_up_seconds: Real = None
    """The longest that a partition took to catch up once it was read again; null where
    `never_caught_up` partitions get more than their members can read."""
    never_caught_up: Int = None
    """Partitions that get more than their members can read."""
    fatal: Int = None
    """Members that ended by a fatal error: refused, or replaced by another of their instance id."""
    at_rest: Flag = None
    """Whether the group was at rest again at the end."""


def need_racks(strategies: Sequence[str], goals: FleetGoals) -> bool:
    """Whether racks make a difference to any of these strategies."""
    aware = (strategy_named(name).rack_aware for name in strategies if name != CURRENT)
    return goals.need_racks or any(aware)


def tried(
    encoded: DataFrame,
    row: type[Row],
    rows_of_group: Callable[[Any, TimeLimit], Iterable[Row]],
    strategy_seconds: float,
) -> DataFrame:
    """The rows that are made of each encoded group, with so much time for each strategy."""

    def rows_of(groups: Iterable[Any]) -> list[Row]:
        with TimeLimit(strategy_seconds) as limit:
            return [item for group in groups for item in rows_of_group(group, limit)]

    return in_workers(encoded, row, rows_of)


def rows_by_strategy(
    row: EncodedRow,
    strategies: Sequence[str],
    goals: Goals,
    outcomes: Callable[[Problem], OutcomeOf],
    row_of: Callable[..., R],
    on_error: Callable[[Exception], FleetGroup] = failed,
    read: FleetGroup | None = None,
) -> Iterator[R]:
    """A row for each of the strategies that are for the group's kind.

    `row_of` makes it of the group, the strategy and its outcome. A group that can't be read, and a
    strategy that has no answer, have rows that say why. `read` is what was read of the row, if any.
    """
    group = read or read_or_failed(row, goals.weight_source)
    names = for_kind(strategies, kind_of(row.type))
    if group.problem is None:
        yield from (row_of(group, name) for name in names)
        return
    outcome = outcomes(group.problem)
    for name in names:
        try:
            yield row_of(group, name, **outcome(name))
        except Exception as error:
            yield row_of(on_error(error), name)


def simulated(
    row: EncodedRow,
    group: Group,
    events: Sequence[Event],
    parameters: Parameters,
    limit: TimeLimit,
    **options: Any,
) -> EventsTimeline:
    """`simulate_events` with these `options`; random choices depend on the group's name."""
    name = f"{row.cluster}/{row.group}"
    return limit.spend(lambda: simulate_events(group, events, parameters, name, **options))


@dataclass(slots=True, kw_only=True)
class _Limits(Row):
    """Limits that a group's members and partitions fit, in words."""

    limits: Texts


def idle_limits(fleet: FleetSnapshot | FleetHistory, goals: FleetGoals) -> list[str]:
    """Limits, in words, that no member or partition of any group fits, at any time of a history.

    Without limits no job is run.
    """
    if not goals.limits_in_words():
        return []
    if isinstance(fleet, FleetHistory):
        encoded = encode_changes(fleet.tables, fleet.group_spans())
    else:
        encoded = encode(fleet.validate())

    def rows_of(groups: Iterable[EncodedRow]) -> list[_Limits]:
        return [_Limits(limits=_fit(row, goals)) for row in groups]

    return idle_limits_of(in_workers(encoded, _Limits, rows_of), goals)


def _fit(row: EncodedRow, goals: FleetGoals) -> list[str]:
    wanted, problem = goals.of(row.cluster, row.group), read_or_failed(row).problem
    return fitting(on_hosts(problem, wanted.host), wanted.limits) if problem else []
