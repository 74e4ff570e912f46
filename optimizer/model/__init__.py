"""One group: as its owner states it, and as arrays; only numpy is needed."""

from __future__ import annotations

from optimizer.model.answer import (
    Answer as Answer,
    CostOverflowError as CostOverflowError,
    LimitsError as LimitsError,
    StrategyError as StrategyError,
    settled as settled,
)
from optimizer.model.arrays import (
    NOTHING as NOTHING,
    IntArray as IntArray,
    distinct as distinct,
    occurs as occurs,
    ranges as ranges,
    sorted_places as sorted_places,
    stable_order as stable_order,
)
from optimizer.model.claims import Ownership as Ownership, resolve as resolve
from optimizer.model.classes import Classes as Classes, classes_of as classes_of
from optimizer.model.goals import (
    DEFAULT_GOALS as DEFAULT_GOALS,
    WEIGHTS as WEIGHTS,
    Goals as Goals,
    GoalsError as GoalsError,
)
from optimizer.model.group import (
    LEAST_CAPACITY as LEAST_CAPACITY,
    MOST_WEIGHT as MOST_WEIGHT,
    Group as Group,
    InvalidGroupError as InvalidGroupError,
    Member as Member,
    capacity_fault as capacity_fault,
    check_group as check_group,
)
from optimizer.model.homogeneous import HomogeneousGroups as HomogeneousGroups
from optimizer.model.hosts import (
    Hosts as Hosts,
    every_host_of as every_host_of,
    host_names as host_names,
    hosts_of as hosts_of,
    max_host_load as max_host_load,
    members_per_host as members_per_host,
    on_hosts as on_hosts,
)
from optimizer.model.levels import BALANCE as BALANCE, LEVELS as LEVELS, PROVEN as PROVEN
from optimizer.model.limits import (
    Limit as Limit,
    Limits as Limits,
    LimitSet as LimitSet,
    limits_of as limits_of,
)
from optimizer.model.measures import (
    Measures as Measures,
    Reads as Reads,
    changes_of as changes_of,
    measure as measure,
    member_loads as member_loads,
)
from optimizer.model.naming import group_of as group_of
from optimizer.model.numbering import (
    problem_of as problem_of,
    rack_notes as rack_notes,
    settlement_notes as settlement_notes,
)
from optimizer.model.patterns import matches as matches
from optimizer.model.problem import (
    GONE as GONE,
    NOBODY as NOBODY,
    KafkaFacts as KafkaFacts,
    Problem as Problem,
    once_a_problem as once_a_problem,
)
from optimizer.model.racks import RackTable as RackTable, rack_table_of as rack_table_of
from optimizer.model.spread import (
    NEEDS as NEEDS,
    least_spread as least_spread,
    levels_of as levels_of,
    readers_of as readers_of,
    spread_is_looked_at as spread_is_looked_at,
    spread_of as spread_of,
    worst_topic_share as worst_topic_share,
)
from optimizer.model.units import Units as Units, units_of as units_of
from optimizer.model.weighed_groups import (
    BY_ALL as BY_ALL,
    BY_NUMBERS as BY_NUMBERS,
    BY_ONE as BY_ONE,
    WeighedGroups as WeighedGroups,
    weighed as weighed,
)
from optimizer.model.weights import Weights as Weights, weights_of as weights_of
