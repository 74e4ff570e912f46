"""A comparison of strategies as a notebook shows it, and the best of them in a sentence."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import DataFrame

from optimizer.figures import figure, plural
from optimizer.strategies import OPTIMAL
from spark.charts import CHARTS
from spark.compare.compare import fleet_of
from spark.fleet import CONNECT
from spark.notebook import shown_in_notebook
from spark.settings import CURRENT
from spark.trial import Row, kafkas_own, of_racks, verdicts

NO_CHANGE = "Nothing to change"


def best_of(fleet: Sequence[Row]) -> str:
    """The verdict on rows of `spark.compare.compare.fleet_of`, the best of which comes first.

    By balance, then by moves; groups that a strategy failed for are never left out. Each
    kind of groups has a verdict of its own.
    """
    verdict = verdicts(fleet, _verdict)
    return verdict or "Nothing to compare: no group that these strategies are for."


def _verdict(fleet: Sequence[Row]) -> str:
    evaluated = [row for row in fleet if row["groups"]]
    if not evaluated:
        groups = fleet[0]["not_evaluated"]
        return f"Nothing to compare: 0 of {groups} groups could be measured ({fleet[0]['why']})."
    best = _best(evaluated)
    if best.startswith(NO_CHANGE) and fleet[0].get("kind") == CONNECT:
        return ""
    return ". ".join([best, *_of_racks(evaluated), *_not_evaluated(fleet)]) + "."


def _best(fleet: Sequence[Row]) -> str:
    """The best strategy; where that is `optimal`, after the best of Kafka's own."""
    best = fleet[0]
    equals = [row["strategy"] for row in fleet[1:] if _worth(row) == _worth(best)]
    tied = f", tied with {', '.join(equals)}" if equals else ""
    own = kafkas_own(fleet)
    if CURRENT in (best["strategy"], *equals):
        return f"{NO_CHANGE} ({_figures(best)})"
    if best["strategy"] != OPTIMAL or not own or _worth(own[0]) == _worth(best):
        return f"Best: {best['strategy']}{tied} ({_figures(best)})"
    kafka = f"Kafka's best: {own[0]['strategy']} ({_figures(own[0])}"
    if _worth(own[0])[:-1] == _worth(best)[:-1]:
        return f"{kafka}; optimum {best['moves']:,})"
    return f"{kafka}); optimum: {_figures(best)}"


def _worth(row: Row) -> tuple[Any, ...]:
    return row["unbalanced"], row["not_evaluated"], _load(row), row["moves"]


def _figures(row: Row) -> str:
    balanced = row["groups"] - row["unbalanced"]
    figures = [f"{balanced:,} of {plural(row['groups'], 'group')} balanced", *_load(row)]
    return ", ".join([*figures, plural(row["moves"] or 0, "move")])


def _load(row: Row) -> tuple[str, ...]:
    """How far loads are above the least, by weight where groups are balanced by it."""
    over = row.get("mean_over_bound")
    if over is not None:
        return (f"worst members {figure(over)} × the bound",)
    excess = row["excess"] or 0
    return (f"{plural(excess, 'partition')} above the optimum",) if excess else ()


def _of_racks(fleet: Sequence[Row]) -> Iterator[str]:
    """A sentence on the reads across racks that the optimum saves."""
    if reads := of_racks(fleet, "remote_reads"):
        now, then = reads
        yield f"optimal saves {now - then:,} of {now:,} reads across racks"


def _not_evaluated(fleet: Sequence[Row]) -> Iterator[str]:
    """Groups that no strategy was evaluated for, and strategies that lack more than those."""
    common = min(row["not_evaluated"] for row in fleet)
    if common:
        least = next(row for row in fleet if row["not_evaluated"] == common)
        yield f"Not evaluated: {common:,} ({least['why']})"
    by_reason: dict[str, list[str]] = {}
    for row in fleet:
        if row["not_evaluated"] > common:
            more = row["not_evaluated"] - common
            statuses, *_ = row["why"].split(";")
            why = f"{more:,} more, see `why`" if common else f"{more:,} ({statuses})"
            by_reason.setdefault(why, []).append(row["strategy"])
    for why, names in by_reason.items():
        yield f"Not evaluated by {', '.join(names)}: {why}"


@dataclass(frozen=True)
class FleetComparison:
    """The table that `compare_fleet` has made, with what it comes to for the whole fleet.

    The few rows of the fleet are worked out once; the table itself is not kept.
    """

    groups: DataFrame

    @property
    def fleet(self) -> DataFrame:
        """One row a kind of groups and strategy: see `fleet_of`."""
        return fleet_of(self.groups)

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        return [row.asDict() for row in self.fleet.collect()]

    def best(self) -> str:
        """The strategy that is best for the fleet."""
        return best_of(self._rows)

    def chart(self) -> Any:
        """All strategies of consumers, or of Connect's workers where there are no others.

        InputError where Altair isn't installed.
        """
        kind = self._rows[0]["kind"] if self._rows else None
        return CHARTS["league"].chart([row for row in self._rows if row["kind"] == kind])

    def _repr_html_(self) -> str:
        columns = "strategy", "groups", "not_evaluated", "uneven", "unbalanced", "excess", "moves"
        return shown_in_notebook([self.best()], (*columns, "stopped_eager"), self._rows)
