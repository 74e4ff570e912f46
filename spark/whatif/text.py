"""What events come to, in words."""

from collections.abc import Iterable, Iterator, Sequence

from optimizer.figures import counted, figure
from optimizer.scenarios import Crash, Event
from spark.fleet import CONSUMER
from spark.settings import CURRENT
from spark.trial import Row, row_of, verdicts

HELPS = 0.05
"""A strategy helps that leaves so much less unread; with less, the other figures decide."""


def whatif_advice(fleet: Sequence[Row], events: Sequence[Event] = ()) -> str:
    """What to change and what that saves, by rows of `spark.whatif.fleet_of_whatif`."""
    judged = [row for row in fleet if row["groups"]]
    verdict = verdicts(judged, lambda rows: _verdict(rows, events))
    return verdict or "No group has these events and could be judged."


def unaffected_report(fleet: Sequence[Row]) -> Iterator[str]:
    """To how many groups the events don't apply, and how many they leave without members."""
    if unaffected := max((row["unaffected"] for row in fleet), default=0):
        yield f"The events don't apply to {counted(unaffected, 'group')}."
    if empty := max((row["left_empty"] for row in fleet), default=0):
        yield f"{counted(empty, 'group')} {'has' if empty == 1 else 'have'} no members left."


def _verdict(fleet: Sequence[Row], events: Sequence[Event]) -> str:
    rows = row_of(fleet, CURRENT)
    others = [row for row in fleet if row["strategy"] != CURRENT]
    if rows is None or not others:
        return f"With {fleet[0]['strategy']}: {_summary_of(fleet[0], FIGURES)}."
    best = min(others, key=_worth)
    different = _different(best, rows)
    if _is_better(best, rows):
        saved = f"{_summary_of(best, different)} instead of {_summary_of(rows, different)}"
        verdict = f"Change to {best['strategy']}: {saved}."
    else:
        verdict = f"No other strategy would help: {_summary_of(rows, FIGURES)}."
    if any(isinstance(event, Crash) for event in events) and rows["unread_seconds"]:
        verdict += (
            " A crashed member is noticed when its session ends: a shorter session.timeout.ms "
            "leaves less unread under every strategy."
        )
    return verdict


def static_advice(dynamic: Sequence[Row], static: Sequence[Row]) -> str:
    """What instance ids save and what they cost, by the rows of `current` without and with them."""
    pairs = [
        (before, after)
        for before in dynamic
        for after in static
        if before["strategy"] == after["strategy"] == CURRENT and before["kind"] == after["kind"]
    ]
    reports = []
    for before, after in pairs:
        different = _different(before, after)
        if different and before["kind"] == CONSUMER:
            reports.append(
                f"With static members {_summary_of(after, different)}, and without "
                f"{_summary_of(before, different)}, as groups are."
            )
    return " ".join(reports) or "Static members would make no difference."


def weight_advice(fleet: Sequence[Row]) -> str:
    """How high worst members of consumers are by weight then, as groups are and at best."""
    consumers = [row for row in fleet if row["kind"] == CONSUMER]
    entries = [row for row in consumers if row["mean_over_bound_after"] is not None]
    best = min(entries, key=lambda row: row["mean_over_bound_after"], default=None)
    if best is None:
        return ""
    reports = [row for row in entries if row["strategy"] == CURRENT and row is not best]
    at = ", and ".join(
        f"{figure(row['mean_over_bound_after'])} times the bound under {row['strategy']}"
        for row in [*reports[:1], best]
    )
    return f"On average worst members by weight are then at {at}."


def lag_advice(fleet: Sequence[Row]) -> str:
    """How far groups of consumers fall behind as they are, and under the best strategy for that."""
    with_lag = [
        row for row in fleet if row["kind"] == CONSUMER and row["max_lag_seconds"] is not None
    ]
    if not with_lag:
        return (
            "Lag isn't known: it takes two snapshots with offsets, and peak_rate (the records a "
            "second that a member can read) in [consumers] or seen in the store."
        )
    best = min(with_lag, key=_lateness)
    now = [row for row in with_lag if row["strategy"] == CURRENT and row is not best]
    return " ".join(_lag_of(row) for row in [*now, best])


def _lateness(row: Row) -> tuple[float, ...]:
    return row["never_caught_up"], row["max_lag_seconds"], row["catch_up_seconds"] or 0


def _lag_of(row: Row) -> str:
    behind = f"Under {row['strategy']} a partition falls up to {figure(row['max_lag_seconds'])} s"
    if never := row["never_caught_up"]:
        catch = "catches" if never == 1 else "catch"
        return f"{behind} behind, and {counted(never, 'partition')} never {catch} up."
    caught_up = figure(row["catch_up_seconds"] or 0)
    return f"{behind} behind, and catches up at most {caught_up} s after it is read again."


FIGURES = {
    "unread_seconds": "unread partition-seconds",
    "rebalances": "rebalances",
    "moves": "moves",
    "excess_after": "partitions of excess load",
}
"""What counts, the most important first."""


def _different(row: Row, other: Row) -> list[str]:
    """What differs by more than a little."""
    pairs = {name: (_number(row, name), _number(other, name)) for name in FIGURES}
    return [name for name, (a, b) in pairs.items() if abs(a - b) > HELPS * max(a, b)]


def _number(row: Row, name: str) -> int:
    return round(row[name] or 0)


def _worth(row: Row) -> tuple[int, ...]:
    return row["not_evaluated"], *(_number(row, figure) for figure in FIGURES)


def _is_better(row: Row, current: Row) -> bool:
    """Less unread by more than a little, or else less of what comes then."""
    if row["not_evaluated"] > current["not_evaluated"]:
        return False
    now, then = _number(current, "unread_seconds"), _number(row, "unread_seconds")
    if abs(now - then) > HELPS * now:
        return then < now
    return bool(_different(row, current)) and _worth(row)[2:] < _worth(current)[2:]


def _summary_of(row: Row, figures: Iterable[str]) -> str:
    return ", ".join(f"{_number(row, figure):,} {FIGURES[figure]}" for figure in figures)
