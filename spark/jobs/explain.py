"""`evenfleet explain`: why one group's partitions move, and why it can't be better."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from spark.explain import GroupExplanation, explain_group
from spark.settings import read_settings
from spark.terminal import (
    Conf,
    Config,
    Form,
    Format,
    GoalTexts,
    Levels,
    Master,
    MinGain,
    Rack,
    Snapshot,
    Store,
    StoreTables,
    WeightSource,
    at_most,
    busy,
    clusters_in_json,
    few_weighed,
    say,
    say_clusters,
    show,
    store_in,
    tell,
    with_goals,
    with_weight,
)
from spark.wording import count_of, figure

FIRST = 10
"""So many members, moves and bounds are shown unless all are asked for."""


def explain(
    *,
    store: Store = None,
    group: Annotated[str, typer.Option(help="Name of the group.", show_default=False)],
    cluster: Annotated[
        str | None,
        typer.Option(help="Its cluster.", show_default="the only one with such a group"),
    ] = None,
    tables: StoreTables = None,
    snapshot: Snapshot = None,
    goal: GoalTexts = None,
    rack: Rack = None,
    levels: Levels = None,
    min_gain: MinGain = None,
    weight: WeightSource = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All members, moves and bounds, not the first.")
    ] = False,
    form: Form = Format.TABLE,
) -> None:
    """Say of one group why each partition moves, and why loads can't be more even."""
    source = store_in(store, tables)
    settings = with_goals(read_settings(config), goal, rack, levels, min_gain)
    settings, doing = with_weight(settings, weight), f"explain group {group}"
    few = few_weighed(source, snapshot, doing, settings, master, conf)
    with few as (fleet, rates), busy(f"planning group {group}"):
        found = explain_group(fleet, group, cluster, settings.goals, rates)
    say_clusters(fleet)
    if form is Format.JSON:
        show({"explanation": [asdict(found)]} | clusters_in_json(form, fleet), form)
    else:
        _print(found, None if everything else at_most(FIRST))


def _print(found: GroupExplanation, most: int | None) -> None:
    """The summary, then so many of the members, moves and bounds; None: all."""
    for sentence in _summary(found):
        say(sentence)
    if found.seat:
        say(f"{found.seat[0].upper()}{found.seat[1:]}.")
    if found.owned:
        owned = [{"member": m, "partitions now": count} for m, count in found.owned.items()]
        show({"owners": owned[:most]}, Format.TABLE)
    if not found.loads:
        return
    loads = _loads(found, changing_first=most is not None)
    moves = found.moves or ["Nothing has to move."]
    bounds = found.bounds or ["Loads are as even as can be."]
    show({"loads": loads[:most]}, Format.TABLE)
    tell("moves", moves[:most])
    tell("why it can't be more even", bounds[:most])
    left = {
        noun: len(rows[most:]) if most else 0
        for noun, rows in (("member", loads), ("move", moves), ("bound", bounds))
    }
    if any(left.values()):
        more = ", ".join(count_of(count, noun) for noun, count in left.items() if count)
        say(f"There are more ({more}): --all shows them.")


def _loads(found: GroupExplanation, changing_first: bool) -> list[dict[str, Any]]:
    """A row a member: what it has now and planned, by weight if that is what counts."""
    counts = found.weights or found.loads
    ordered = sorted(counts, key=lambda one: -abs(counts[one][0] - counts[one][1]))
    rows = []
    for member in ordered if changing_first else found.loads:
        row: dict[str, Any] = {"member": member}
        if found.weights:
            before, after = map(figure, found.weights[member])
            row |= {"weight now": before, "weight planned": after}
        now, planned = found.loads[member]
        rows.append(row | {"partitions now": now, "planned": planned})
    return rows


def _summary(found: GroupExplanation) -> Iterator[str]:
    """How the group is, and what its plan makes of it."""
    group, reason = f"Group {found.group} of cluster {found.cluster}", found.reason or ""
    if not found.loads:
        yield f"{group} is {found.status}{reason and ': '}{reason}."
        return
    if found.weights:
        yield from _summary_by_weight(found, f"(status {found.status}{reason and ', '}{reason})")
        return
    before, after = ([pair[at] for pair in found.loads.values()] for at in (0, 1))
    unowned = sum(after) - sum(before)
    is_better = unowned > 0 or sum(load**2 for load in after) < sum(load**2 for load in before)
    how = "could be more even" if is_better else "is as even as can be"
    nobodys = f", and {count_of(unowned, 'partition')} no owner" if unowned > 0 else ""
    have = count_of(len(before), "member") + (" has" if len(before) == 1 else " have")
    yield (
        f"{group} {how} (status {found.status}{reason and ', '}{reason}): {have} "
        f"{_range(before)}{nobodys}."
    )
    if is_better or found.moves:
        yield f"The plan gives them {_range(after)}, by {count_of(len(found.moves), 'move')}."


def _summary_by_weight(found: GroupExplanation, how: str) -> Iterator[str]:
    before, after = (max(pair[at] for pair in found.weights.values()) for at in (0, 1))
    bound = f", and no plan's is below {figure(found.weight_bound)}" if found.weight_bound else ""
    yield (
        f"Group {found.group} of cluster {found.cluster} {how}: the largest load by weight of "
        f"{count_of(len(found.weights), 'member')} is {figure(before)}{bound}."
    )
    if found.moves or after != before:
        yield f"The plan makes it {figure(after)}, by {count_of(len(found.moves), 'move')}."


def _range(loads: list[int]) -> str:
    """`3 partitions each`, `from 0 to 6 partitions each`."""
    least, most = min(loads), max(loads)
    each = " each" if len(loads) > 1 else ""
    return f"{f'from {least:,} to ' * (least < most)}{count_of(most, 'partition')}{each}"
