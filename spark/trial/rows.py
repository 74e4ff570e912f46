"""The rows of a group under strategies; a failure becomes a row, and doesn't stop others."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from pyspark.sql import DataFrame

from optimizer.coordinator import EventsTimeline, Parameters, simulate_events
from optimizer.model import Goals, Group, Problem
from optimizer.scenarios import Event
from optimizer.strategies import strategy_named
from spark.groups import EncodedRow, FleetGroup, Row, failed, in_workers, read_or_failed
from spark.settings import CURRENT, FleetGoals, for_kind, kind_of
from spark.solve import TimeLimit

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)

OutcomeOf = Callable[[str], dict[str, Any]]
"""The columns that a strategy's answer comes to; raises where it has none."""


class RowOf(Protocol[R_co]):
    """Makes a row of a group under a strategy, of the columns that it comes to."""

    def __call__(self, group: FleetGroup, strategy: str, **outcome: Any) -> R_co: ...


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
    row_of: RowOf[R],
    on_error: Callable[[Exception], FleetGroup] = failed,
) -> Iterator[R]:
    """A row for each of the strategies that are for the group's kind.

    A group that can't be read, and a strategy that has no answer, have rows that say why.
    """
    group = read_or_failed(row, goals.weight_source)
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
