"""What a replay comes to, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from optimizer.figures import counted, figure
from optimizer.strategies import OPTIMAL
from spark.settings import CURRENT
from spark.text import shortened_in_sql
from spark.trial import Row, kafkas_own, of_racks, row_of, verdicts

SMALLEST_SHOWN = 0.05
"""Partition-hours from which on a figure isn't rounded to 0."""

_NAME = f"concat({shortened_in_sql('`group`')}, ' of ', {shortened_in_sql('cluster')})"

_INSTEAD = """
concat_ws(', ',
    if(round(mean_over_bound, 2) = round(current_mean_over_bound, 2), null,
        concat('its worst member by weight at ', format_number(mean_over_bound, 2),
            ' times the bound instead of ', format_number(current_mean_over_bound, 2))),
    if(excess_hours = current_excess_hours, null,
        concat(format_number(excess_hours, 1), ' partition-hours of overload instead of ',
            format_number(current_excess_hours, 1))),
    if(moves = current_moves, null, concat(moves, ' moves instead of ', current_moves)),
    if(stopped = current_stopped, null,
        concat(stopped, ' interruptions',
            coalesce(concat(' instead of ', current_stopped), ''))))
"""
"""Figures that are equal are left out."""

_OFF = """
concat(': best with ', strategy,
    if(alone, '', concat(' (as good: ', array_join(array_remove(equals, strategy), ', '), ')')))
"""

SENTENCE = f"""
concat({_NAME},
    case when strategy = '{CURRENT}' then ': no change does better'
    when current_moves is null then {_OFF}
    else concat_ws(': ', {_OFF}, nullif({_INSTEAD}, '')) end, '.')
"""
"""SQL text over a row of the table of groups, with `current_excess_hours` and the like beside.

`equals` are the strategies that are as good as the best.
"""


def best_replayed(league: Sequence[Row]) -> str:
    """With which strategy the fleet would have fared best, by rows of `FleetReplay.league`.

    Each kind of groups has a verdict of its own.
    """
    verdict = verdicts(league, _verdict)
    return verdict or "Nothing to replay: no group that these strategies are for."


def _verdict(league: Sequence[Row]) -> str:
    evaluated = [row for row in league if row["groups"]]
    if not evaluated:
        return "Nothing to replay: no group could be judged in any snapshot."
    parts = [_best(evaluated), *_equals(evaluated), *_of_kafka(evaluated), *_of_racks(evaluated)]
    return f"{'; '.join(parts)}. {_counted(evaluated[0])}"


def _best(league: Sequence[Row]) -> str:
    best = league[0]
    actual = row_of(league, CURRENT)
    if best["strategy"] == CURRENT:
        return f"No strategy does better than the actual assignments: {_figures(best)}"
    return f"{best['strategy']}: {_figures(best, actual)}"


def _equals(league: Sequence[Row]) -> Iterator[str]:
    """The others that are as good as the best."""
    equals = [
        f"{row['strategy']} ({_first_moves(row)})"
        for row in league[1:]
        if _worth(row) == _worth(league[0])
    ]
    if equals:
        yield f"as good: {', '.join(equals)}"


def _worth(row: Row) -> tuple[Any, ...]:
    """As `spark.replay.tables.WORTH`."""
    over, excess, stopped = row["mean_over_bound"], row["excess_hours"], row["stopped"]
    return (
        row["not_evaluated"],
        over and round(over, 3),
        excess and round(excess, 4),
        row["moves"] if stopped is None else stopped,
        row["moves"],
    )


def _first_moves(row: Row) -> str:
    return f"{row['first_moves'] or 0:,} moves to change to it"


def _counted(best: Row) -> str:
    """In how many groups the best is that, and in how many nothing tells strategies apart."""
    changed = best["groups"] - best["unchanged"]
    unchanged = f"{best['unchanged']:,} of {counted(best['groups'], 'group')} did not change"
    if not changed:
        return f"{unchanged}."
    return (
        f"{unchanged}; {best['strategy']} is the best or as good in {best['best_or_equal']:,} of "
        f"the other {changed:,}, alone in {best['alone']:,}."
    )


def _figures(row: Row, actual: Row | None = None) -> str:
    """A strategy's figures, each beside the actual one where that is known."""
    figures = [_load(row) + (f" (actual: {_load(actual)})" if actual else "")]
    figures.append(_beside(row, actual, "moves", "moves"))
    if row["stopped"] is not None:
        figures.append(_beside(row, actual, "stopped", "interruptions"))
    if row["strategy"] != CURRENT:
        figures.append(_first_moves(row))
    if row["not_evaluated"]:
        figures.append(f"not evaluated at {counted(row['not_evaluated'], 'change')}")
    return ", ".join(figures)


def _beside(row: Row, actual: Row | None, column: str, noun: str) -> str:
    """A sum, and the actual one where that is known."""
    figure = f"{row[column] or 0:,} {noun}{_of_groups(row, column)}"
    if actual is None or actual[column] is None:
        return figure
    return f"{figure} (actual: {actual[column]:,}{_of_groups(actual, column)})"


def _of_groups(row: Row, column: str) -> str:
    """Which groups a sum is of, if it isn't known of all."""
    if column != "stopped" or row["stopped_groups"] == row["groups"]:
        return ""
    return f" in {row['stopped_groups']:,} of {counted(row['groups'], 'group')}"


def _load(row: Row) -> str:
    over, excess = row["mean_over_bound"], row["excess_hours"] or 0
    by_count = (
        f"{figure(excess)} partition-hours of overload"
        if excess >= SMALLEST_SHOWN
        else "no overload"
    )
    if over is None:
        return by_count
    return f"worst members by weight at {figure(over)} times the bound, by count {by_count}"


def _of_kafka(league: Sequence[Row]) -> Iterator[str]:
    """Kafka's own best, where the best is none that comes with Kafka."""
    if league[0]["strategy"] == OPTIMAL:
        own = kafkas_own(league)
        if own and _worth(own[0]) != _worth(league[0]):
            yield f"the best of Kafka's own: {own[0]['strategy']}: {_figures(own[0])}"


def _of_racks(league: Sequence[Row]) -> Iterator[str]:
    """What the optimum saves of the reads across racks."""
    if reads := of_racks(league, "remote_read_hours"):
        now, then = map(figure, reads)
        yield f"optimal reads across racks {then} partition-hours instead of {now}"
