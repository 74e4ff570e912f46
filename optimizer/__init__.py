"""Plans one Kafka consumer group: Kafka's own strategies, and the optimum with its proof."""

from optimizer.assign import assign
from optimizer.model import (
    CostOverflowError,
    Goals,
    GoalsError,
    Group,
    InvalidGroupError,
    Member,
    StrategyError,
)
from optimizer.plan import Plan
from optimizer.strategies import STRATEGIES, Strategy

__all__ = [
    "STRATEGIES",
    "CostOverflowError",
    "Goals",
    "GoalsError",
    "Group",
    "InvalidGroupError",
    "Member",
    "Plan",
    "Strategy",
    "StrategyError",
    "assign",
]
