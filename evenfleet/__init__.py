"""Evenfleet under its own name: the public names of `optimizer`, one group, and `spark`, a fleet.

    from evenfleet import FleetSnapshot, plan_fleet, Group, assign

A name is loaded when it is first used: one group needs no Spark, and nothing but `PlanAssignor` and
`rejoin`, for the consumers that follow a plan, needs kafka-python. `evenfleet.session()` is Spark
for a notebook.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from optimizer import *  # noqa: F403 - all of its public names
    from optimizer.assignor.plan_assignor import PlanAssignor, rejoin
    from spark import *  # noqa: F403
    from spark.terminal import notebook_session as session

OWN = {
    "PlanAssignor": ("optimizer.assignor.plan_assignor", "PlanAssignor"),
    "rejoin": ("optimizer.assignor.plan_assignor", "rejoin"),
    "session": ("spark.terminal", "notebook_session"),
}
"""Names beside the public ones of both packages: the module and the name there."""


def __getattr__(name: str) -> Any:
    if name in OWN:
        module, attribute = OWN[name]
        return getattr(importlib.import_module(module), attribute)
    for package in map(importlib.import_module, ("optimizer", "spark")):
        if name in package.__all__:
            return getattr(package, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    packages = map(importlib.import_module, ("optimizer", "spark"))
    return sorted([*OWN, *(name for package in packages for name in package.__all__)])
