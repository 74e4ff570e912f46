"""`evenfleet explain`: why one group's partitions move, and why it can't be better."""

from typing import Any

from spark import terminal
from spark.audit import read_audit_settings
from spark.explain import explain_group, loads_of, share_topics, summary_of
from spark.fleet import SHARE
from spark.terminal import ROWS_SHOWN, Table, at_most, busy, say_all, show
from spark.text import as_sentence


def explain(
    source: terminal.GroupOptions,
    goals: terminal.GoalOptions,
    thresholds: terminal.Thresholds = None,
) -> bool:
    """Explain one group: why each partition moves, and why it can't be more even."""
    settings, group = goals.applied(source.settings), source.group
    levels = read_audit_settings(thresholds).levels
    few = source.weighed(f"explain group {group}", settings)
    with few as (fleet, rates), busy(f"planning group {group}"):
        explanation = explain_group(fleet, group, source.cluster, settings.goals, rates, levels)
        goals.check_limits(explanation.idle_limits)
        is_shared = explanation.type == SHARE
        topics = share_topics(fleet, explanation.cluster, group) if is_shared else []
    if explanation.advised.advice_kind in ("setting", "plan"):
        terminal.lead_to([explanation.as_json | {"can_follow": True}], terminal.PLAN)
    terminal.say_clusters(fleet)
    seat = [as_sentence(explanation.seat)] if explanation.seat else []
    say_all([*summary_of(explanation), *seat])
    owned = [{"member": m, "partitions now": count} for m, count in explanation.owned.items()]
    loads = loads_of(explanation, changing_first=at_most(ROWS_SHOWN) is not None)
    bounds = explanation.bounds
    shown: dict[str, Any] = {"is_shown": bool(loads), "most": ROWS_SHOWN, "as_json": None}
    listed = {
        "loads": Table(loads, **shown),
        "owners": Table(
            owned, is_shown=bool(owned) and not is_shared, most=ROWS_SHOWN, as_json=None
        ),
        "topics": Table(topics, is_shown=is_shared, most=ROWS_SHOWN),
        "moves": Table(explanation.changes or ["Nothing has to move."] if loads else [], **shown),
        "bounds": Table(
            bounds or ["Loads are as even as possible."] if loads else [],
            title="why it can't be more even",
            **shown,
        ),
        "explanation": Table([], is_shown=False, as_json=[explanation.as_json]),
    }
    show(listed | terminal.clusters_read(fleet))
    return bool(loads)  # without any there is no frontier
