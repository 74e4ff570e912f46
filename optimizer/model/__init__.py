"""One group: as its owner states it, and as arrays; only numpy is needed."""

from __future__ import annotations

from optimizer.model.answer import Answer, CostOverflowError, LimitsError, StrategyError, settled
from optimizer.model.arrays import (
    NOTHING,
    IntArray,
    distinct,
    occurs,
    ranges,
    sorted_places,
    stable_order,
)
from optimizer.model.claims import Ownership, resolve
from optimizer.model.classes import Classes, classes_of
from optimizer.model.goals import DEFAULT_GOALS, WEIGHTS, Goals, GoalsError
from optimizer.model.group import (
    LEAST_CAPACITY,
    MOST_WEIGHT,
    Group,
    InvalidGroupError,
    Member,
    capacity_fault,
    check_group,
)
from optimizer.model.homogeneous import HomogeneousGroups
from optimizer.model.levels import levels_of, spread_is_looked_at
from optimizer.model.limits import KEYS as LIMIT_KEYS
from optimizer.model.limits import Limit, Limits, LimitSet, limits_of
from optimizer.model.measures import Measures, Reads, changes_of, measure, member_loads
from optimizer.model.naming import group_of
from optimizer.model.numbering import problem_of, rack_notes, settlement_notes
from optimizer.model.patterns import matches
from optimizer.model.problem import GONE, NOBODY, KafkaFacts, Problem, once_a_problem
from optimizer.model.racks import RackTable, rack_table_of
from optimizer.model.spread import least_spread, readers_of, spread_of, worst_topic_share
from optimizer.model.units import Units, units_of
from optimizer.model.weighed_groups import (
    BY_ALL,
    BY_NUMBERS,
    BY_ONE,
    WeighedGroups,
    weighed,
)
from optimizer.model.weights import Weights, weights_of

__all__ = [
    "BY_ALL",
    "BY_NUMBERS",
    "BY_ONE",
    "DEFAULT_GOALS",
    "GONE",
    "LEAST_CAPACITY",
    "LIMIT_KEYS",
    "MOST_WEIGHT",
    "NOBODY",
    "NOTHING",
    "WEIGHTS",
    "Answer",
    "Classes",
    "CostOverflowError",
    "Goals",
    "GoalsError",
    "Group",
    "HomogeneousGroups",
    "IntArray",
    "InvalidGroupError",
    "KafkaFacts",
    "Limit",
    "LimitSet",
    "Limits",
    "LimitsError",
    "Measures",
    "Member",
    "Ownership",
    "Problem",
    "RackTable",
    "Reads",
    "StrategyError",
    "Units",
    "WeighedGroups",
    "Weights",
    "capacity_fault",
    "changes_of",
    "check_group",
    "classes_of",
    "distinct",
    "group_of",
    "least_spread",
    "levels_of",
    "limits_of",
    "matches",
    "measure",
    "member_loads",
    "occurs",
    "once_a_problem",
    "problem_of",
    "rack_notes",
    "rack_table_of",
    "ranges",
    "readers_of",
    "resolve",
    "settled",
    "settlement_notes",
    "sorted_places",
    "spread_is_looked_at",
    "spread_of",
    "stable_order",
    "units_of",
    "weighed",
    "weights_of",
    "worst_topic_share",
]
