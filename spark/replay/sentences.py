"""What a replay comes to, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from optimizer.strategies import OPTIMAL
from spark.fleet import CONNECT, CONSUMER
from spark.settings import CURRENT
from spark.wording import shortened_in_sql

Row = Mapping[str, Any]

SAID_OF = {CONSUMER: "", CONNECT: "Groups of Connect workers: "}

_NAME = f"concat({shortened_in_sql('`group`')}, ' of ', {shortened_in_sql('cluster')})"

_INSTEAD = """
concat_ws(', ',
    if(round(mean_over_bound, 2) = round(current_mean_over_bound, 2), null,
        concat('its worst member by weight at ', format_number(mean_over_bound, 2),
            ' times the bound instead of ', format_number(current_mean_over_bound, 2))),
    if(excess_hours = current_excess_hours, null,
        concat(format_number(excess_hours, 1), ' partition-hours of excess instead of ',
            format_number(current_excess_hours, 1))),
    if(moves = current_moves, null, concat(moves, ' moves instead of ', current_moves)),
    if(stopped = current_stopped, null,
        concat(stopped, ' partitions stopped',
            coalesce(concat(' instead of ', current_stopped), ''))))
"""
"""What is the same isn't told."""

_OFF = """
concat(': best off with ', strategy,
    if(alone, '', concat(' (as good: ', array_join(array_remove(equals, strategy), ', '), ')')))
"""

SENTENCE = f"""
concat({_NAME},
    case when strategy = '{CURRENT}' then ': best left as it is'
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
    verdicts = []
    for kind, said in SAID_OF.items():
        of_kind = [row for row in league if row["kind"] == kind]
        if of_kind:
            verdicts.append(said + _verdict(of_kind))
    return " ".join(verdicts) or "Nothing to replay: no group that these strategies are for."


def _verdict(league: Sequence[Row]) -> str:
    answered = [row for row in league if row["groups"]]
    if not answered:
        return "Nothing to replay: no group could be judged in any snapshot."
    told = [_best(answered), *_equals(answered), *_of_kafka(answered), *_of_racks(answered)]
    return f"{'; '.join(told)}. {_counted(answered[0])}"


def _best(league: Sequence[Row]) -> str:
    best = league[0]
    found = next((row for row in league if row["strategy"] == CURRENT), None)
    if best["strategy"] == CURRENT:
        return f"Best left as it was: {_said_of(best)}"
    said = f"Best off with {best['strategy']}: {_said_of(best)}"
    return f"{said}; as it was: {_said_of(found)}" if found else said


def _equals(league: Sequence[Row]) -> Iterator[str]:
    """The others that are as good as the best."""
    equals = [
        f"{row['strategy']} ({_first_moves(row)})"
        for row in league[1:]
        if _worth(row) == _worth(league[0])
    ]
    if equals:
        yield f"equally good: {', '.join(equals)}"


def _worth(row: Row) -> tuple[Any, ...]:
    """As `spark.replay.tables.WORTH`."""
    over, excess, stopped = row["mean_over_bound"], row["excess_hours"], row["stopped"]
    return (
        row["without_answer"],
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
    said = f"Nothing happened in {best['unchanged']:,} of {best['groups']:,} groups"
    if not changed:
        return f"{said}."
    return (
        f"{said}; {best['strategy']} is the best, or as good, in {best['best_or_equal']:,} of the "
        f"other {changed:,}, and alone in {best['alone']:,}."
    )


def _said_of(row: Row) -> str:
    over = row["mean_over_bound"]
    said = "" if over is None else f"worst members by weight at {over:.2f} times the bound, "
    said += (
        f"{row['excess_hours'] or 0:,.1f} partition-hours of excess load, "
        f"{row['moves'] or 0:,} moves"
    )
    if row["stopped"] is not None:
        said += f", {row['stopped']:,} partitions stopped"
        if row["stopped_groups"] < row["groups"]:
            said += f" in {row['stopped_groups']:,} of {row['groups']:,} groups"
    if row["strategy"] != CURRENT:
        said += f", {_first_moves(row)}"
    if row["without_answer"]:
        said += f", no answer to {row['without_answer']:,} changes"
    return said


def _of_kafka(league: Sequence[Row]) -> Iterator[str]:
    """Kafka's own best, where the best is none that comes with Kafka."""
    if league[0]["strategy"] == OPTIMAL:
        own = [row for row in league if row["strategy"] not in (OPTIMAL, CURRENT)]
        if own and _worth(own[0]) != _worth(league[0]):
            yield f"of Kafka's own {own[0]['strategy']}: {_said_of(own[0])}"


def _of_racks(league: Sequence[Row]) -> Iterator[str]:
    """What the optimum saves of the reads across racks."""
    reads = {row["strategy"]: row["remote_read_hours"] for row in league}
    now, then = reads.get(CURRENT), reads.get(OPTIMAL)
    if now is not None and then is not None and then < now:
        yield (f"optimal reads across racks {then:,.1f} partition-hours instead of {now:,.1f}")
