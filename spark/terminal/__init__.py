"""What commands share: the screen, options, sessions and live clusters."""

from __future__ import annotations

from spark.terminal.console import OUT, Format, Rows, as_rows, busy, say, show, tell
from spark.terminal.failures import sentence_of
from spark.terminal.interrupts import SIGNALS, interrupts
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
    clusters_in_json,
    opened,
    opened_store,
    read_few,
    read_snapshot,
    say_clusters,
    told,
    with_goals,
)
from spark.terminal.quick_start import is_small
from spark.terminal.submission import sentences_apart

__all__ = [
    "CHECK_FAILED",
    "OUT",
    "SIGNALS",
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
    "clusters_in_json",
    "clusters_named",
    "interrupts",
    "is_small",
    "live",
    "opened",
    "opened_store",
    "plan_in",
    "read_few",
    "read_snapshot",
    "say",
    "say_clusters",
    "sentence_of",
    "sentences_apart",
    "show",
    "tell",
    "told",
    "with_goals",
]
