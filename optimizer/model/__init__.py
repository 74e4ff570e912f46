"""One group: as its owner states it, and as arrays; only numpy is needed."""

from optimizer.model.answer import (
    Answer,
    CostOverflowError,
    LimitsError,
    StrategyError,
    TimeLimitError,
    at_once,
    group_of,
)
from optimizer.model.arrays import (
    NOTHING,
    Flags,
    IntArray,
    Reals,
    distinct,
    occurs,
    ranges,
    run_starts,
    sorted_positions,
    stable_order,
)
from optimizer.model.classes import Classes, classes_of
from optimizer.model.goals import (
    BALANCES,
    BY_COUNT,
    DEFAULT_GOALS,
    EFFORTS,
    MOST_SHARE,
    WEIGHTS,
    Goals,
    GoalsError,
    levels_of,
    resolve_balance,
)
from optimizer.model.group import (
    LEAST_CAPACITY,
    MOST_WEIGHT,
    Group,
    InvalidGroupError,
    Member,
    capacity_fault,
    check_group,
)
from optimizer.model.hosts import (
    HostNumbers,
    every_host_of,
    host_names,
    hosts_of,
    max_host_load,
    members_per_host,
    on_hosts,
)
from optimizer.model.levels import (
    BALANCE,
    LEVELS,
    PROVEN,
    TwoPlans,
    cell_level,
    host_level,
    put_right,
)
from optimizer.model.limits import Limit, Limits, LimitSet, fitting, idle_limits, limits_of, matches
from optimizer.model.measures import (
    HomogeneousGroups,
    Measures,
    RackTable,
    Reads,
    changes_of,
    least_spread,
    measure,
    member_loads,
    rack_table_of,
    readers_of,
    spread_is_looked_at,
    spread_of,
    worst_topic_share,
)
from optimizer.model.numbering import Ownership, problem_of, rack_notes, resolve, settlement_notes
from optimizer.model.problem import GONE, NOBODY, KafkaFacts, Problem, once_a_problem
from optimizer.model.units import Units, units_of
from optimizer.model.weights import Weights, weights_of
