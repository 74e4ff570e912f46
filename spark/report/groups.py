"""The details of single groups in a report: of few, which are read once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.figures import plural
from optimizer.scenarios import Crash, Scenario
from spark.errors import InputError
from spark.explain import GroupExplanation, explain_rows, rows_of_groups
from spark.fleet import RECORDS_BEHIND, FleetSnapshot, as_rows, is_one_of
from spark.frontier import frontier_of_row
from spark.groups import EncodedRow
from spark.report.material import Key, Rows
from spark.settings import Settings
from spark.simulate import sentences_of, simulate_row
from spark.solve import LevelsOf
from spark.store import SNAPSHOT
from spark.text import shorten

LARGEST = 5_000
"""Partitions of a group, and LARGEST / 25 members, up to which that is worked out for a page."""


WORST = 10
"""Groups that a page says more about."""


def detailed_groups(
    fleet: FleetSnapshot,
    groups: Rows,
    settings: Settings,
    levels: LevelsOf,
    changes: DataFrame | None,
) -> list[dict[str, Any]]:
    """More about the worst groups that have a plan; `groups` are the page's, in order."""
    planned = [row for row in groups if row["max_load"] is not None]
    wanted = [(row["cluster"], row["group"]) for row in planned[:WORST]]
    if not wanted:
        return []
    of_wanted = is_one_of(wanted)
    part = fleet.with_groups(of_wanted)
    changed = as_rows(changes.where(of_wanted).orderBy(SNAPSHOT)) if changes else []
    encoded = rows_of_groups(fleet, wanted, settings.goals)
    lags, explained = _lags(part, encoded), explain_rows(encoded, settings.goals, levels)
    details = []
    for row, explanation in zip(encoded, explained, strict=True):
        key = row.cluster, row.group
        changes_of_group = [of for of in changed if (of["cluster"], of["group"]) == key]
        apart = {"changes": changes_of_group, "lag": lags.get(key, "")}
        details.append(_details_of(row, explanation, settings) | apart)
    return details


def _is_small(explanation: GroupExplanation) -> bool:
    planned = sum(after for _, after in explanation.loads.values())
    return 0 < len(explanation.loads) <= LARGEST // 25 and planned <= LARGEST


def _lags(fleet: FleetSnapshot, encoded: Sequence[EncodedRow]) -> dict[Key, str]:
    """How late each group is, in a sentence: on the topics that it reads."""
    if "offsets" not in fleet.tables:
        return {}
    reads = {(row.cluster, row.group): {*row.topics} for row in encoded}
    by_topic = fleet.tables["offsets"].groupBy("cluster", "group", "topic")
    lags = by_topic.agg(F.expr(f"try_sum({RECORDS_BEHIND})").alias("lag"))
    sums: dict[Key, list[tuple[int, str]]] = {}
    for cluster, group, topic, lag in lags.where("lag is not null").collect():
        if topic in reads.get((cluster, group), ()):
            sums.setdefault((cluster, group), []).append((lag, topic))
    return {key: _lag_of(lags) for key, lags in sums.items()}


def _lag_of(lags: list[tuple[int, str]]) -> str:
    total, (most, topic) = sum(lag for lag, _ in lags), max(lags)
    where = f", {most:,} of them of {shorten(topic)}" if total and len(lags) > 1 else ""
    return f"Its lag is {plural(total, 'record')}{where}."


def hosts_sentence(hosts: Mapping[str, tuple[int, int]]) -> str:
    """Partitions of the fullest host, now and planned; nothing without hosts."""
    if not hosts:
        return ""
    name = max(hosts, key=lambda host: hosts[host][0])
    now, planned = hosts[name][0], max(after for _, after in hosts.values())
    return (
        f"The fullest of its {len(hosts)} hosts, {shorten(name)}, has {plural(now, 'partition')}"
        f"; with the plan the fullest has {planned}."
    )


def _details_of(
    row: EncodedRow, explanation: GroupExplanation, settings: Settings
) -> dict[str, Any]:
    """Why each partition moves, and what moves and a crash do; what isn't known is empty.

    `cells` has a row a member and topic with the partitions `current` and `planned`, `crash`
    sentences about the crash of the most loaded member, `frontier_points` the fewest `moves` for
    each `max_load`, `hosts` a sentence on the fullest host, `advice` what to do.
    """
    is_small = _is_small(explanation)
    frontier = frontier_of_row(row, settings.goals) if is_small else None
    of_group = "cluster", "group", "status", "reason", "cells", "moves", "bounds"
    return {
        **{name: getattr(explanation, name) for name in of_group},
        "advice": explanation.advised.advice or "",
        "hosts": hosts_sentence(explanation.hosts),
        "crash": [*_crash_of(row, explanation, settings)] if is_small else [],
        "frontier": (frontier and frontier.sentence) or "",
        "frontier_points": frontier.rows if frontier else [],
    }


def _crash_of(row: EncodedRow, explanation: GroupExplanation, settings: Settings) -> Iterator[str]:
    """Sentences about the crash of the most loaded member; none where it can't be simulated."""
    loads = explanation.loads
    member = max(loads, key=lambda member: (loads[member][0], member))
    with suppress(InputError):
        crash = simulate_row(row, Scenario.of(Crash(member)), settings.consumers)
        yield from (f"{member} crashes.", *sentences_of(crash.timeline, row.group))
