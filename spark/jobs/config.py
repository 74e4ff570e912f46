"""`evenfleet config`: what is set, and which goals count for a group."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from typer import Argument

from optimizer import Goals
from spark.settings import (
    NO_RACK,
    FleetGoals,
    GroupGoals,
    Settings,
    example_file,
    in_words,
    read_settings,
)
from spark.terminal import Config, option, say, show


def config(
    name: Annotated[str, Argument(help="Example to print, with --example.")] = "evenfleet.toml",
    example: Annotated[
        bool, option("Print an example file with every setting and its default.")
    ] = False,
    group: Annotated[str | None, option("Show the goals of this group.")] = None,
    cluster: Annotated[str | None, option("Its cluster.", shown="each that may have it")] = None,
    config: Config = None,
) -> None:
    """Show the effective settings, and the goals of a group."""
    if example:
        print(example_file(name).read_text(encoding="utf-8"), end="")
        return
    settings = read_settings(config)
    tables = {"settings": _settings(settings), "goals": _goals(settings)}
    if group is not None:
        tables = {"goals": _goals_of(settings.goals, group, cluster)}
    show(tables)
    if group is not None and len(tables["goals"]) > 1:
        say(f"Which of these count for group {group} depends on its cluster: add --cluster.")


def _goals_of(goals: FleetGoals, group: str, cluster: str | None) -> list[dict[str, Any]]:
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


def _settings(settings: Settings) -> list[dict[str, Any]]:
    spec = {
        "strategy": settings.strategy,
        "strategies": ", ".join(settings.strategies) or "all",
        "max_age": in_words(settings.max_age),
        "traffic.price_per_gb": f"{settings.price_per_gb:g}",
        **{f"spark.{key!r}": value for key, value in settings.spark.items()},
    }
    return [{"setting": key, "value": value} for key, value in spec.items()]


def _goals(settings: Settings) -> list[dict[str, Any]]:
    rules = settings.goals.rules
    return [
        *(_row(f"groups {_name(rule.match, rule.cluster)}", rule.goals) for rule in rules),
        _row("all other groups" if rules else "all groups", settings.goals.default),
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
