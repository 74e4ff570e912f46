"""What users set: goals, strategies, and the files that say so."""

from __future__ import annotations

from spark.patterns import matches as matches
from spark.settings.config import (
    Settings as Settings,
    example_file as example_file,
    read_settings as read_settings,
)
from spark.settings.consumers import (
    NO_CONSUMERS as NO_CONSUMERS,
    ConsumerSettings as ConsumerSettings,
    FleetConsumers as FleetConsumers,
    GroupConsumers as GroupConsumers,
)
from spark.settings.duration import (
    DURATION as DURATION,
    duration as duration,
    in_words as in_words,
    window_length as window_length,
)
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS as DEFAULT_FLEET_GOALS,
    FleetGoals as FleetGoals,
    GroupGoals as GroupGoals,
    as_fleet_goals as as_fleet_goals,
    goal_of as goal_of,
    goals_from_text as goals_from_text,
    goals_to_text as goals_to_text,
)
from spark.settings.move_price import move_price as move_price, priced as priced
from spark.settings.rates import weight_of as weight_of
from spark.settings.rows import (
    goal_rows as goal_rows,
    goal_rows_of as goal_rows_of,
    setting_rows as setting_rows,
)
from spark.settings.strategies import (
    CURRENT as CURRENT,
    STRATEGY_SECONDS as STRATEGY_SECONDS,
    USUAL_STRATEGIES as USUAL_STRATEGIES,
    check_strategies as check_strategies,
    check_strategy as check_strategy,
    for_kind as for_kind,
    kind_of as kind_of,
)
from spark.settings.toml_file import (
    PATTERN as PATTERN,
    Rule as Rule,
    faults_of as faults_of,
    is_number as is_number,
    is_whole as is_whole,
    read_checked as read_checked,
    read_toml as read_toml,
    table as table,
    tables as tables,
    value as value,
)
