"""The assignor that runs inside consumers and follows a plan, light to import.

kafka-python is needed by `plan_assignor` and `fallback` alone. The same files are
the package evenfleet_assignor of the distribution for consumers (pyproject.toml beside this), so
that they import each other by relative names, and nothing else but kafka-python.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .plan_assignor import PlanAssignor, rejoin
    from .plan_file import GroupPlan, PlanFileError


def __getattr__(name: str) -> Any:
    """A name is loaded when it is first used: plan files need no kafka-python."""
    if name in ("PlanAssignor", "rejoin"):
        from . import plan_assignor as module  # noqa: PLC0415
    elif name in ("GroupPlan", "PlanFileError"):
        from . import plan_file as module  # type: ignore[no-redef]  # noqa: PLC0415
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)
