"""`evenfleet compare`: the table that it prints."""

from collections.abc import Mapping

from spark.settings import Settings
from spark.terminal import Rows, Table, by_kind, show

COLUMNS_SHOWN = (
    *("strategy", "uneven", "worst_max_to_mean", "mean_topic_share", "excess", "moves"),
    *("unread", "not_evaluated"),
)
"""What fits a terminal of 80 columns; JSON and the table that is written have all."""

SHOWN_BY_WEIGHT = (
    *("strategy", "mean_over_bound", "worst_over_bound", "unbalanced", "moves"),
    *("unread", "not_evaluated"),
)
"""The same where groups are balanced by weight."""


def show_strategies(rows: Rows, beside: Mapping[str, Table], settings: Settings) -> None:
    """Print the tables of all snapshots, one below the other, and those `beside` them."""
    shown = SHOWN_BY_WEIGHT if settings.goals.weights else COLUMNS_SHOWN
    selection = ["snapshot", *shown, *(["remote_reads"] if settings.goals.need_racks else [])]
    hidden = {column for row in rows for column in row if column not in selection}
    show({**by_kind("strategies", rows), **beside}, hidden)
