"""What commands share: the screen, options, sessions and live clusters."""

from __future__ import annotations

from spark.terminal.common import with_common_options as with_common_options
from spark.terminal.console import (
    OUT as OUT,
    Format as Format,
    Rows as Rows,
    as_rows as as_rows,
    at_most as at_most,
    say as say,
    show as show,
    tell as tell,
)
from spark.terminal.each_snapshot import (
    ALL as ALL,
    SnapshotOrAll as SnapshotOrAll,
    each_snapshot as each_snapshot,
    one_of as one_of,
)
from spark.terminal.failures import sentence_of as sentence_of
from spark.terminal.histories import (
    Since as Since,
    Until as Until,
    read_history as read_history,
    say_snapshots as say_snapshots,
    since_in as since_in,
    snapshots_in_json as snapshots_in_json,
)
from spark.terminal.interrupts import (
    SIGNALS as SIGNALS,
    explained as explained,
    interrupts as interrupts,
)
from spark.terminal.live import (
    Bootstrap as Bootstrap,
    ChosenPlans as ChosenPlans,
    Clusters as Clusters,
    OfGroups as OfGroups,
    Plans as Plans,
    clusters_named as clusters_named,
    command as command,
    is_folder as is_folder,
    live as live,
    plans_in as plans_in,
)
from spark.terminal.openers import (
    opened as opened,
    opened_store as opened_store,
    read_few as read_few,
)
from spark.terminal.options import (
    CHECK_FAILED as CHECK_FAILED,
    ClusterName as ClusterName,
    Conf as Conf,
    Config as Config,
    Form as Form,
    GoalTexts as GoalTexts,
    GroupPattern as GroupPattern,
    Levels as Levels,
    Master as Master,
    MinGain as MinGain,
    NoSuchPartError as NoSuchPartError,
    Out as Out,
    OutTables as OutTables,
    PlanFolder as PlanFolder,
    PlanTables as PlanTables,
    Rack as Rack,
    Snapshot as Snapshot,
    Store as Store,
    StoreTables as StoreTables,
    clusters_in_json as clusters_in_json,
    out_if_any as out_if_any,
    out_in as out_in,
    part_of as part_of,
    read_snapshot as read_snapshot,
    say_clusters as say_clusters,
    store_and_plan as store_and_plan,
    store_in as store_in,
    told as told,
    with_goals as with_goals,
)
from spark.terminal.outcomes import all_in_force as all_in_force, show_outcomes as show_outcomes
from spark.terminal.progress import busy as busy
from spark.terminal.rates import rates_if_any as rates_if_any
from spark.terminal.submission import sentences_apart as sentences_apart
from spark.terminal.weights import (
    WeightSource as WeightSource,
    few_weighed as few_weighed,
    rates_for as rates_for,
    with_weight as with_weight,
)
