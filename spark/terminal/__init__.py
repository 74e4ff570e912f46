"""What commands share: the screen, options, sessions and live clusters."""

from spark.terminal.bundles import (
    FleetOptions,
    FleetsOptions,
    GoalOptions,
    GroupOptions,
    HistoryOptions,
    OutOptions,
    PartOptions,
    SnapshotOptions,
    StoreOptions,
    TrialOptions,
)
from spark.terminal.common import for_typer
from spark.terminal.console import OUT, Rows, say, say_all, say_answer, tell_step
from spark.terminal.examples import EXAMPLES
from spark.terminal.failures import sentence_of
from spark.terminal.histories import Until, read_history, say_snapshots, snapshots_read
from spark.terminal.interrupts import SIGNALS, explained, interrupts
from spark.terminal.live import Bootstrap, ChosenPlans, LiveOptions, clusters_named, live
from spark.terminal.next_step import (
    EXPORT,
    NEXT,
    PLAN,
    lead_to,
    program,
    with_next_step,
)
from spark.terminal.openers import ALL, files_of, opened
from spark.terminal.options import (
    CHECK_FAILED,
    Conf,
    Config,
    Master,
    MoveCost,
    PlanFolder,
    PlanTables,
    Thresholds,
    Window,
    clusters_read,
    option,
    part_of,
    read_and_report,
    say_clusters,
    snapshot_option,
    store_and_plan,
)
from spark.terminal.outcomes import all_in_force, say_continue, show_differences, show_outcomes
from spark.terminal.printing import (
    ROWS_SHOWN,
    Table,
    at_most,
    by_kind,
    is_for_people,
    print_list,
    programs_only,
    show,
)
from spark.terminal.progress import busy
from spark.terminal.side_by_side import Ended, side_by_side
from spark.terminal.weights import optional_rates, rates_for, rates_since
