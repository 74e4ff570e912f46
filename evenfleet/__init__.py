"""Evenfleet under its own name: the public names of `optimizer`, one group, and `spark`, a fleet.

    from evenfleet import FleetSnapshot, plan_fleet, Group, assign

A name is loaded when it is first used: one group needs no Spark, and nothing but `PlanAssignor` and
`rejoin`, for the consumers that follow a plan, needs kafka-python.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimizer import *  # noqa: F403 - all of its public names
    from optimizer.assignor.plan_assignor import PlanAssignor, rejoin
    from spark import *  # noqa: F403

IN_CONSUMERS = ("PlanAssignor", "rejoin")


def __getattr__(name: str) -> Any:
    if name in IN_CONSUMERS:
        return getattr(importlib.import_module("optimizer.assignor.plan_assignor"), name)
    for package in map(importlib.import_module, ("optimizer", "spark")):
        if name in package.__all__:
            return getattr(package, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    packages = map(importlib.import_module, ("optimizer", "spark"))
    return sorted([*IN_CONSUMERS, *(name for package in packages for name in package.__all__)])
