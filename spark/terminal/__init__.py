"""What commands share: the screen, options, sessions and live clusters."""

from __future__ import annotations

from spark.terminal.bundles import (
    FleetOptions as FleetOptions,
    FleetsOptions as FleetsOptions,
    GoalOptions as GoalOptions,
    GroupOptions as GroupOptions,
    HistoryOptions as HistoryOptions,
    OutOptions as OutOptions,
    PartOptions as PartOptions,
    SnapshotOptions as SnapshotOptions,
    StoreOptions as StoreOptions,
    TrialOptions as TrialOptions,
)
from spark.terminal.common import for_typer as for_typer, run_typed as run_typed
from spark.terminal.console import OUT as OUT, Rows as Rows, say as say
from spark.terminal.examples import EXAMPLES as EXAMPLES
from spark.terminal.failures import sentence_of as sentence_of
from spark.terminal.histories import (
    Until as Until,
    read_history as read_history,
    say_snapshots as say_snapshots,
    since_in as since_in,
    snapshots_read as snapshots_read,
)
from spark.terminal.interrupts import (
    SIGNALS as SIGNALS,
    explained as explained,
    interrupts as interrupts,
)
from spark.terminal.live import (
    Bootstrap as Bootstrap,
    ChosenPlans as ChosenPlans,
    LiveOptions as LiveOptions,
    clusters_named as clusters_named,
    live as live,
)
from spark.terminal.next_step import (
    NEXT as NEXT,
    program as program,
    with_next_step as with_next_step,
)
from spark.terminal.openers import ALL as ALL, files_of as files_of, opened as opened
from spark.terminal.options import (
    CHECK_FAILED as CHECK_FAILED,
    Conf as Conf,
    Config as Config,
    Master as Master,
    PlanFolder as PlanFolder,
    PlanTables as PlanTables,
    Window as Window,
    clusters_read as clusters_read,
    option as option,
    part_of as part_of,
    read_and_report as read_and_report,
    read_snapshot as read_snapshot,
    say_clusters as say_clusters,
    store_and_plan as store_and_plan,
)
from spark.terminal.outcomes import all_in_force as all_in_force, show_outcomes as show_outcomes
from spark.terminal.printing import (
    Table as Table,
    as_rows as as_rows,
    at_most as at_most,
    by_kind as by_kind,
    is_for_people as is_for_people,
    print_list as print_list,
    programs_only as programs_only,
    show as show,
)
from spark.terminal.progress import busy as busy
from spark.terminal.submission import sentences_apart as sentences_apart
from spark.terminal.weights import (
    optional_rates as optional_rates,
    rates_for as rates_for,
    with_weight as with_weight,
)
