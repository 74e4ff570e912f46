"""Outcome of a replay, in words."""

from collections.abc import Iterator, Sequence
from typing import Any

from optimizer.figures import figure, plural
from optimizer.strategies import OPTIMAL
from spark.settings import CURRENT
from spark.text import shorten
from spark.trial import Row, kafkas_own, of_racks, row_of, verdicts

SMALLEST_SHOWN = 0.05
"""Partition-hours from which on a figure isn't rounded to 0."""


def sentence_of(row: Any) -> str | None:
    """The savings of a group's best strategy over the current one.

    `row` is one of the table of groups, with the figures of `current` beside; `equals` are the
    strategies that are as good as the best. Figures that are equal are left out. None where
    the row isn't that of the best.
    """
    if not row.is_best:
        return None
    name = f"{shorten(row.group)} of {shorten(row.cluster)}"
    if row.strategy == CURRENT:
        return f"{name}: no change does better."
    others = [strategy for strategy in row.equals if strategy != row.strategy]
    as_good = f" (as good: {', '.join(others)})" if others else ""
    saved = "" if row.current_moves is None else ", ".join(_instead(row))
    return f"{name}: best with {row.strategy}{as_good}{': ' * bool(saved)}{saved}."


def _instead(row: Any) -> Iterator[str]:
    for column, digits, what in (
        ("mean_over_bound", 2, "its worst member by weight at {} times the bound instead of {}"),
        ("excess_hours", 1, "{} partition-hours of overload instead of {}"),
    ):
        now, before = row[column], row[f"current_{column}"]
        if now is not None and before is not None:
            now, before = f"{now:,.{digits}f}", f"{before:,.{digits}f}"
            if now != before:
                yield what.format(now, before)
    for column, noun in (("moves", "move"), ("stopped", "interruption")):
        now, before = row[column], row[f"current_{column}"]
        if now is not None and now != before:
            instead = "" if before is None else f" instead of {before:,}"
            yield f"{plural(now, noun)}{instead}"


def best_replayed(league: Sequence[Row]) -> str:
    """With which strategy the fleet would have fared best, by rows of `FleetReplay.league`.

    Each kind of groups has a verdict of its own, unless nothing happened to any of that kind.
    """
    changed = [row for row in league if row["groups"] > row["unchanged"]]
    verdict = verdicts(changed or league, _verdict)
    return verdict or "Nothing to replay: no group that these strategies are for."


def _verdict(league: Sequence[Row]) -> str:
    evaluated = [row for row in league if row["groups"]]
    if not evaluated:
        return "Nothing to replay: no group could be judged in any snapshot."
    best, actual = evaluated[0], row_of(evaluated, CURRENT)
    equals = [row for row in evaluated if _worth(row) == _worth(best)]
    changed = best["groups"] - best["unchanged"]
    parts = [f"{changed:,} of {plural(best['groups'], 'group')} changed"]
    if best["strategy"] == CURRENT:
        parts.append(f"no strategy does better than the actual assignments: {_figures(best)}")
        return f"{'; '.join(parts)}."
    names = [row["strategy"] for row in equals if row["strategy"] != CURRENT]
    in_all = " in all" if all(row["best_or_equal"] == changed for row in equals) else ""
    did = f"did equally well{in_all}" if len(names) > 1 else f"did best{in_all}"
    all_of_them = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    parts.append(f"{all_of_them} {did}: {_figures(best, actual)}")
    if reads := of_racks(evaluated, "remote_read_hours"):
        now, then = map(figure, reads)
        parts.append(f"optimal reads across racks {then} partition-hours instead of {now}")
    answer = f"{'; '.join(parts)}. {_change_to(equals)}"
    own = kafkas_own(evaluated)
    if best["strategy"] == OPTIMAL and own and own[0] not in equals:
        answer += f" Kafka's best: {own[0]['strategy']}, {_figures(own[0])}."
    return answer


def _change_to(rows: Sequence[Row]) -> str:
    """Moves that it takes once to change to one of these strategies."""
    moves = [(row["first_moves"] or 0, row["strategy"]) for row in rows]
    if len(moves) == 1:
        return f"Switching to it moves {plural(moves[0][0], 'partition')}."
    each = ", ".join(f"{count:,} ({name})" for count, name in moves if name != CURRENT)
    return f"Switching moves partitions: {each}."


def _worth(row: Row) -> tuple[Any, ...]:
    """As `spark.replay.fleet_replay.WORTH`."""
    over, excess, stopped = row["mean_over_bound"], row["excess_hours"], row["stopped"]
    return (
        row["not_evaluated"],
        over and round(over, 3),
        excess and round(excess, 4),
        row["moves"] if stopped is None else stopped,
        row["moves"],
    )


def _figures(row: Row, actual: Row | None = None) -> str:
    """A strategy's figures, each beside the actual one where that is known."""
    figures = [_load(row) + (f" (actual: {_load(actual)})" if actual else "")]
    figures.append(_sum_of(row, actual, "moves", "move"))
    if row["stopped"] is not None:
        figures.append(_sum_of(row, actual, "stopped", "interruption"))
    if row["not_evaluated"]:
        figures.append(f"not evaluated at {plural(row['not_evaluated'], 'change')}")
    return ", ".join(figures)


def _sum_of(row: Row, actual: Row | None, column: str, noun: str) -> str:
    """A sum, with the groups that it is of if it isn't known of all, and the actual one."""

    def of_groups(row: Row) -> str:
        if column != "stopped" or row["stopped_groups"] == row["groups"]:
            return ""
        return f" in {row['stopped_groups']:,} of {plural(row['groups'], 'group')}"

    total = f"{plural(row[column] or 0, noun)}{of_groups(row)}"
    if actual is None or actual[column] is None:
        return total
    return f"{total} (actual: {actual[column]:,}{of_groups(actual)})"


def _load(row: Row) -> str:
    over, excess = row["mean_over_bound"], row["excess_hours"] or 0
    if over is not None:
        return f"worst members {figure(over)} times the bound"
    if excess < SMALLEST_SHOWN:
        return "no overload"
    return f"{figure(excess)} partition-hours of overload"
