"""Plans one Kafka consumer group: Kafka's own strategies, and the optimum with its proof."""

from optimizer.assign import assign
from optimizer.model import (
    DEFAULT_GOALS,
    CostOverflowError,
    Goals,
    GoalsError,
    Group,
    InvalidGroupError,
    Limit,
    LimitsError,
    Member,
    StrategyError,
)
from optimizer.plan import Assignment, Plan
from optimizer.strategies import (
    CONNECT_STRATEGIES,
    OPTIMAL,
    STRATEGIES,
    STRATEGY_NAMES,
    Strategy,
    is_strategy,
    strategy_named,
)

__all__ = [
    "CONNECT_STRATEGIES",
    "DEFAULT_GOALS",
    "OPTIMAL",
    "STRATEGIES",
    "STRATEGY_NAMES",
    "Assignment",
    "CostOverflowError",
    "Goals",
    "GoalsError",
    "Group",
    "InvalidGroupError",
    "Limit",
    "LimitsError",
    "Member",
    "Plan",
    "Strategy",
    "StrategyError",
    "assign",
    "is_strategy",
    "strategy_named",
]
