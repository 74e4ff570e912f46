"""What a replay comes to, in words."""

from collections.abc import Iterator, Sequence
from typing import Any

from optimizer.figures import counted, figure
from optimizer.strategies import OPTIMAL
from spark.settings import CURRENT
from spark.text import shortened
from spark.trial import Row, kafkas_own, of_racks, row_of, verdicts

SMALLEST_SHOWN = 0.05
"""Partition-hours from which on a figure isn't rounded to 0."""


def sentence_of(row: Any) -> str | None:
    """What the best strategy of a group would have saved over the current one.

    `row` is one of the table of groups, with `current_excess_hours` and the like beside; `equals`
    are the strategies that are as good as the best. Figures that are equal are left out. None where
    the row isn't that of the best.
    """
    if not row.is_best:
        return None
    name = f"{shortened(row.group)} of {shortened(row.cluster)}"
    if row.strategy == CURRENT:
        return f"{name}: no change does better."
    others = [item for item in row.equals if item != row.strategy]
    as_good = f" (as good: {', '.join(others)})" if others else ""
    best = f"{name}: best with {row.strategy}{as_good}"
    saved = "" if row.current_moves is None else ", ".join(_instead(row))
    return f"{best}: {saved}." if saved else f"{best}."


def _instead(row: Any) -> Iterator[str]:
    over, before = _figures_of(row, "mean_over_bound", 2)
    if over != before:
        yield f"its worst member by weight at {over} times the bound instead of {before}"
    hours, before = _figures_of(row, "excess_hours", 1)
    if hours != before:
        yield f"{hours} partition-hours of overload instead of {before}"
    if row.moves != row.current_moves:
        yield f"{counted(row.moves, 'move')} instead of {row.current_moves:,}"
    if row.stopped is not None and row.stopped != row.current_stopped:
        before = "" if row.current_stopped is None else f" instead of {row.current_stopped:,}"
        yield f"{counted(row.stopped, 'interruption')}{before}"


def _figures_of(row: Any, column: str, digits: int) -> tuple[str, str]:
    """What the strategy and the current one have there; alike where one isn't known."""
    now, before = row[column], row[f"current_{column}"]
    if now is None or before is None:
        return "", ""
    return f"{now:,.{digits}f}", f"{before:,.{digits}f}"


def title_of(strategies: Sequence[str]) -> str:
    """What the sentences on groups are about: nothing is better where the current isn't known."""
    if CURRENT in strategies:
        return "groups that another strategy would have served better"
    return "the best of these strategies for each group (current isn't among them)"


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
    return f"{counted(row['first_moves'] or 0, 'move')} to change to it"


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
    figures.append(_beside(row, actual, "moves", "move"))
    if row["stopped"] is not None:
        figures.append(_beside(row, actual, "stopped", "interruption"))
    if row["strategy"] != CURRENT:
        figures.append(_first_moves(row))
    if row["not_evaluated"]:
        figures.append(f"not evaluated at {counted(row['not_evaluated'], 'change')}")
    return ", ".join(figures)


def _beside(row: Row, actual: Row | None, column: str, noun: str) -> str:
    """A sum, and the actual one where that is known."""
    figure = f"{counted(row[column] or 0, noun)}{_of_groups(row, column)}"
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
    return f"worst members {figure(over)} × the bound, by count {by_count}"


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
