"""What commands share: the screen, options, sessions and live clusters."""

from __future__ import annotations

from spark.terminal.console import OUT, Format, Rows, as_rows, busy, say, show, tell
from spark.terminal.live import (
    Bootstrap,
    Clusters,
    PlanFile,
    cluster_of,
    clusters_named,
    live,
    plan_in,
)
from spark.terminal.options import (
    CHECK_FAILED,
    Conf,
    Config,
    Form,
    GoalTexts,
    Levels,
    Master,
    MinGain,
    Out,
    Rack,
    Snapshot,
    Store,
    opened,
    read_snapshot,
    with_goals,
)

__all__ = [
    "CHECK_FAILED",
    "OUT",
    "Bootstrap",
    "Clusters",
    "Conf",
    "Config",
    "Form",
    "Format",
    "GoalTexts",
    "Levels",
    "Master",
    "MinGain",
    "Out",
    "PlanFile",
    "Rack",
    "Rows",
    "Snapshot",
    "Store",
    "as_rows",
    "busy",
    "cluster_of",
    "clusters_named",
    "live",
    "opened",
    "plan_in",
    "read_snapshot",
    "say",
    "show",
    "tell",
    "with_goals",
]
