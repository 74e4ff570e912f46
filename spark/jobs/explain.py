"""`evenfleet explain`: why one group's partitions move, and why it can't be better."""

from dataclasses import replace
from functools import partial
from typing import Any

from optimizer.figures import plural
from spark import terminal
from spark.audit import FINDINGS, findings_of, levels_and_goals
from spark.explain import (
    explain_group,
    lags_of,
    loads_of,
    problems_of,
    share_topics,
    stalled_in,
    summary_of,
)
from spark.fleet import SHARE, muted_in, team_of
from spark.terminal import ROWS_SHOWN, Table, at_most, busy, say, say_answer, show
from spark.text import as_sentence

STALLED = "stalled-partitions"


def explain(
    source: terminal.GroupOptions,
    goals: terminal.GoalOptions,
    thresholds: terminal.Thresholds = None,
) -> bool:
    """Explain one group: why each partition moves, and why it can't be more even."""
    levels, settings = levels_and_goals(thresholds, goals.apply_to(source.settings))
    group = source.group
    few = source.open_with_rates(settings)
    with few as (fleet, rates), busy(f"planning group {group}"):
        options = source.cluster, settings.goals, rates, levels.levels
        find = partial(findings_of, audit_settings=levels)
        explanation = explain_group(fleet, group, *options, find)
        goals.check_limits(explanation.idle_limits)
        is_shared = explanation.type == SHARE
        cluster = explanation.cluster
        topics = share_topics(fleet, cluster, group) if is_shared else []
        lags = [] if is_shared else lags_of(fleet, fleet.before(), cluster, group)
        stalled = stalled_in(lags)
    if explanation.advised.advice_kind in ("setting", "plan"):
        terminal.lead_to([explanation.as_json | {"can_follow": True}], terminal.PLAN)
    seat = [as_sentence(explanation.seat)] if explanation.seat else []
    muted = muted_in(settings.mutes, explanation.cluster, group, fleet.id)
    labelled = [row | {"muted": muted.get(row["finding"])} for row in explanation.findings]
    explanation = replace(explanation, findings=labelled)
    problems = dict(problems_of(explanation))
    if stalled:
        standing = plural(len(stalled), "partition")
        why = f"no commits on {standing} since the last snapshot, while records keep arriving"
        stall = f"Stalled: {why}. {FINDINGS[STALLED].advice}"
        if label := muted.get(STALLED):
            problems |= {STALLED: f"Muted {label}. {stall}"}
        else:
            problems = {STALLED: stall} | problems
    is_whole = at_most(ROWS_SHOWN) is None
    first = [*problems.values()][: None if is_whole else 1]
    for sentence in (*first, *summary_of(explanation)):
        say_answer(sentence)
    if left := [*problems][len(first) :]:
        say(f"Also: {', '.join(left)} (--all says what they are).")
    owned = [{"member": m, "partitions_now": count} for m, count in explanation.owned.items()]
    of_team = {"team": team_of(settings.teams, group)}
    loads = loads_of(explanation, changing_first=not is_whole)
    shown: dict[str, Any] = {"is_shown": bool(loads), "most": ROWS_SHOWN, "as_json": None}
    lag = {"lag": Table(lags, stalled, is_shown=bool(stalled), most=ROWS_SHOWN)}
    listed = (lag if terminal.is_for_people() else {}) | {
        "loads": Table(loads, **shown, is_detail=bool(explanation.changes)),
        "owners": Table(
            owned, is_shown=bool(owned) and not is_shared, most=ROWS_SHOWN, as_json=None
        ),
        "topics": Table(topics, is_shown=is_shared, most=ROWS_SHOWN),
        "moves": Table(explanation.changes or ["Nothing has to move."] if loads else [], **shown),
        "bounds": Table(
            explanation.bounds,
            title="why it can't be more even",
            **shown,
        ),
        "explanation": Table([], is_shown=False, as_json=[explanation.as_json | of_team]),
    }
    show(listed | lag | terminal.clusters_read(fleet))
    terminal.say_details(seat)
    terminal.say_clusters(fleet)
    return bool(loads)  # without any there is no frontier
