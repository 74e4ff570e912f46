"""Which strategy a fleet would be best off with, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from optimizer.strategies import OPTIMAL
from spark.fleet import CONNECT, CONSUMER
from spark.settings import CURRENT

Row = Mapping[str, Any]

SAID_OF = {CONSUMER: "", CONNECT: "Groups of Connect workers: "}


def best_of(fleet: Sequence[Row]) -> str:
    """The verdict on rows of `spark.compare.compare.fleet_of`, the best of which comes first.

    By balance, then by moves; groups that a strategy has no answer for are never left out. Each
    kind of groups has a verdict of its own.
    """
    verdicts = []
    for kind, said in SAID_OF.items():
        of_kind = [row for row in fleet if row.get("kind", CONSUMER) == kind]
        if of_kind:
            verdicts.append(said + _verdict(of_kind))
    return " ".join(verdicts) or "Nothing to compare: no group that these strategies are for."


def _verdict(fleet: Sequence[Row]) -> str:
    answered = [row for row in fleet if row["groups"]]
    if not answered:
        groups = fleet[0]["without_answer"]
        return f"Nothing to compare: 0 of {groups} groups could be measured ({fleet[0]['why']})."
    best = [_best(answered), *_of_kafka(answered), *_of_racks(answered)]
    return "; ".join([*best, *_without_answer(fleet)]) + "."


def _best(fleet: Sequence[Row]) -> str:
    best = fleet[0]
    equals = [row["strategy"] for row in fleet[1:] if _worth(row) == _worth(best)]
    as_well = f" ({' and '.join(equals)} would do as well)" if equals else ""
    if best["strategy"] == CURRENT:
        return f"Best left as it is{as_well}: {_said_of(best)}"
    return f"Best off with {best['strategy']}{as_well}: {_said_of(best)}"


def _worth(row: Row) -> tuple[Any, ...]:
    return row["unbalanced"], row["without_answer"], _load(row), row["moves"]


def _said_of(row: Row) -> str:
    return (
        f"{row['unbalanced']} of {row['groups']} groups unbalanced, {_load(row)}, "
        f"{row['moves'] or 0} moves"
    )


def _load(row: Row) -> str:
    """How far loads are above the least, by weight where groups are balanced by it."""
    over = row.get("mean_over_bound")
    if over is None:
        return f"{row['excess'] or 0} partitions in excess"
    return f"worst members by weight at {over:.2f} times the bound"


def _of_kafka(fleet: Sequence[Row]) -> Iterator[str]:
    """Kafka's own best, where the best is none that comes with Kafka."""
    if fleet[0]["strategy"] == OPTIMAL:
        own = [row for row in fleet if row["strategy"] not in (OPTIMAL, CURRENT)]
        if own and _worth(own[0]) != _worth(fleet[0]):
            yield f"of Kafka's own {own[0]['strategy']}: {_said_of(own[0])}"


def _of_racks(fleet: Sequence[Row]) -> Iterator[str]:
    """What the optimum saves of the reads across racks."""
    reads = {row["strategy"]: row["remote_reads"] for row in fleet}
    now, then = reads.get(CURRENT), reads.get(OPTIMAL)
    if now is not None and then is not None and then < now:
        yield f"optimal saves {now - then} of {now} reads across racks"


def _without_answer(fleet: Sequence[Row]) -> Iterator[str]:
    """Groups that none can help, and who fails at more than those."""
    common = min(row["without_answer"] for row in fleet)
    if common:
        least = next(row for row in fleet if row["without_answer"] == common)
        yield f"no answer for {common} groups ({least['why']})"
    for row in fleet:
        if row["without_answer"] > common:
            yield f"{row['strategy']} has none for {row['without_answer']} ({row['why']})"
