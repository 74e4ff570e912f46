"""What users set: goals, strategies, and the files that say so."""

from __future__ import annotations

from spark.patterns import matches
from spark.settings.config import Settings, read_settings
from spark.settings.consumers import (
    LIMITS,
    NO_CONSUMERS,
    FleetConsumers,
    GroupConsumers,
    Stated,
)
from spark.settings.duration import DURATION, duration, in_words, window_length
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    NO_RACK,
    FleetGoals,
    GroupGoals,
    goal_of,
    goals_from_text,
    goals_to_text,
    of_fleet,
)
from spark.settings.rates import RateWeights, weight_of
from spark.settings.strategies import (
    CURRENT,
    STRATEGY_SECONDS,
    USUAL_STRATEGIES,
    check_strategies,
    check_strategy,
    kind_of,
    of_kind,
)
from spark.settings.toml_file import (
    PATTERN,
    Rule,
    faults_of,
    is_number,
    is_whole,
    read_checked,
    read_toml,
    table,
    tables,
    value,
)

__all__ = [
    "CURRENT",
    "DEFAULT_FLEET_GOALS",
    "DURATION",
    "LIMITS",
    "NO_CONSUMERS",
    "NO_RACK",
    "PATTERN",
    "STRATEGY_SECONDS",
    "USUAL_STRATEGIES",
    "FleetConsumers",
    "FleetGoals",
    "GroupConsumers",
    "GroupGoals",
    "RateWeights",
    "Rule",
    "Settings",
    "Stated",
    "check_strategies",
    "check_strategy",
    "duration",
    "faults_of",
    "goal_of",
    "goals_from_text",
    "goals_to_text",
    "in_words",
    "is_number",
    "is_whole",
    "kind_of",
    "matches",
    "of_fleet",
    "of_kind",
    "read_checked",
    "read_settings",
    "read_toml",
    "table",
    "tables",
    "value",
    "weight_of",
    "window_length",
]
