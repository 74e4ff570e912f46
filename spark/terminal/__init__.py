"""Parts that commands share: the screen, options, sessions and live clusters."""

from spark.terminal.common import Ended, for_typer, side_by_side
from spark.terminal.console import OUT, Rows, say, say_all, tell_step
from spark.terminal.ends import SIGNALS, interrupts, mark_explained, sentence_of
from spark.terminal.examples import EXAMPLES
from spark.terminal.fleets import (
    FleetOptions,
    FleetsOptions,
    GroupOptions,
    HistoryOptions,
    PartOptions,
    PlannedOptions,
    SnapshotOptions,
    Until,
    part_of,
    since_in,
)
from spark.terminal.live import (
    Bootstrap,
    ChosenPlans,
    LiveOptions,
    all_in_force,
    clusters_named,
    live,
    say_continue,
    show_differences,
    show_outcomes,
)
from spark.terminal.next_step import (
    EXPORT,
    MEMBERS,
    NEXT,
    PLAN,
    REASSIGN,
    follow_with,
    lead_to,
    program,
    with_next_step,
)
from spark.terminal.options import (
    CHECK_FAILED,
    Conf,
    Config,
    GoalOptions,
    Master,
    MoveCost,
    OutOptions,
    Thresholds,
    TrialOptions,
    Window,
    option,
    snapshot_option,
)
from spark.terminal.printing import (
    ROWS_SHOWN,
    Table,
    at_most,
    by_kind,
    clusters_read,
    is_for_people,
    print_list,
    print_lists,
    programs_only,
    say_answer,
    say_clusters,
    say_details,
    say_next,
    say_snapshots,
    say_written,
    show,
)
from spark.terminal.progress import busy
from spark.terminal.session import notebook_session
from spark.terminal.stores import StoreOptions, read_with_notes
