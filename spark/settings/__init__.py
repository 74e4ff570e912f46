"""Settings of users: goals, strategies, and the files that say so."""

from spark.patterns import matches
from spark.settings.config import (
    Settings,
    example_file,
    goal_rows,
    goal_rows_of,
    read_settings,
    setting_rows,
)
from spark.settings.consumers import (
    NO_CONSUMERS,
    ConsumerSettings,
    FleetConsumers,
    GroupConsumers,
)
from spark.settings.goals import (
    DEFAULT_FLEET_GOALS,
    Copartitioned,
    FleetGoals,
    GroupGoals,
    as_fleet_goals,
    goal_of,
    goals_from_text,
    goals_to_text,
    weight_of,
)
from spark.settings.move_price import MOVE_COSTS, costs_of, move_price
from spark.settings.strategies import (
    CURRENT,
    STRATEGY_SECONDS,
    USUAL_STRATEGIES,
    check_strategies,
    check_strategy,
    for_kind,
    kind_of,
)
from spark.toml.toml_file import duration, in_words, read_toml, window_length
