"""What users set: goals, strategies, and the files that say so."""

from spark.settings.config import Settings, read_settings
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    NO_RACK,
    FleetGoals,
    GroupGoals,
    goals_from_text,
    goals_to_text,
    of_fleet,
)
from spark.settings.patterns import matches, sql_like
from spark.settings.strategies import CURRENT, STRATEGY_SECONDS, check_strategies
from spark.settings.toml_file import read_toml

__all__ = [
    "CURRENT",
    "DEFAULT_FLEET_GOALS",
    "NO_RACK",
    "STRATEGY_SECONDS",
    "FleetGoals",
    "GroupGoals",
    "Settings",
    "check_strategies",
    "goals_from_text",
    "goals_to_text",
    "matches",
    "of_fleet",
    "read_settings",
    "read_toml",
    "sql_like",
]
