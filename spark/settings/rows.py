"""Settings as rows of tables that people read."""

from dataclasses import asdict
from typing import Any

from optimizer import Goals
from spark.settings.config import Settings
from spark.settings.goals import NO_RACK, FleetGoals, GroupGoals
from spark.toml.toml_file import in_words


def goal_rows_of(goals: FleetGoals, group: str, cluster: str | None) -> list[dict[str, Any]]:
    """Of a group of this cluster; or, if the cluster isn't known, a row for each that may count."""
    if cluster is None:
        rules: list[GroupGoals | None] = list(goals.rules_of(group))
        if not rules or (rules[-1] and rules[-1].cluster != "*"):
            rules.append(None)
    else:
        rules = [goals.rule_of(cluster, group)]
    return [
        _row(
            f"group {group}, by {_name(rule.match, rule.cluster) if rule else 'default'}",
            rule.goals if rule else goals.default,
        )
        for rule in rules
    ]


def setting_rows(settings: Settings) -> list[dict[str, Any]]:
    """A row for each setting that isn't a goal."""
    spec = {
        "strategy": settings.strategy,
        "strategies": ", ".join(settings.strategies) or "all",
        "max_age": in_words(settings.max_age),
        "traffic.price_per_gb": f"{settings.price_per_gb:g}",
        **{f"spark.{key!r}": value for key, value in settings.spark.items()},
    }
    return [{"setting": key, "value": value} for key, value in spec.items()]


def goal_rows(goals: FleetGoals) -> list[dict[str, Any]]:
    """A row for each rule, and one for all other groups."""
    rules = goals.rules
    return [
        *(_row(f"groups {_name(rule.match, rule.cluster)}", rule.goals) for rule in rules),
        _row("all other groups" if rules else "all groups", goals.default),
    ]


def _name(match: str, cluster: str) -> str:
    return match if cluster == "*" else f"{match} of clusters {cluster}"


def _row(of: str, goals: Goals) -> dict[str, Any]:
    values = asdict(goals)
    return {
        "goals of": of,
        "rack": values["rack"] or NO_RACK,
        "levels": ", ".join(goals.ranking),
        "min_gain": float(values["min_gain"]),
        "max_moves": "any" if goals.max_moves is None else goals.max_moves,
        "limits": "; ".join(goals.limits.in_words()) or "none",
    }
