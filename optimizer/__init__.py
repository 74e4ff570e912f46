"""Plans one Kafka consumer group: Kafka's own strategies, and the optimum with its proof."""

from optimizer.assign import assign
from optimizer.goals import Goals, GoalsError
from optimizer.group import Group, InvalidGroupError, Member
from optimizer.overflow import CostOverflowError
from optimizer.plan import Plan
from optimizer.strategies import STRATEGIES
from optimizer.strategies.answer import StrategyError

__all__ = [
    "STRATEGIES",
    "CostOverflowError",
    "Goals",
    "GoalsError",
    "Group",
    "InvalidGroupError",
    "Member",
    "Plan",
    "StrategyError",
    "assign",
]
