"""The TOML file of `--policy`: policies, prices, and what members can do."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optimizer.scaling import OFFERED, STEP_SECONDS, Policy, PolicyError, Prices, policy_of
from spark.errors import InputError


@dataclass(frozen=True)
class ScaleSettings:
    """Policies that are replayed, and their prices.

    `peak_rate` is what one member reads a second at most; None: the highest observed rate of the
    group's members. `start_seconds` is how long a new member takes to read.
    """

    policies: tuple[Policy, ...] = OFFERED
    prices: Prices = field(default_factory=Prices)
    peak_rate: float | None = None
    start_seconds: float = 30.0
    step_seconds: float = STEP_SECONDS


def read_scale_settings(path: Path | None) -> ScaleSettings:
    """The settings of a file, or the defaults; InputError says what is wrong with it."""
    if path is None:
        return ScaleSettings()
    from spark.scale.scale_file import ScaleFile  # noqa: PLC0415 - loads pydantic

    file = ScaleFile.read(path, "policies")
    policies, prices = _policies(path, file.policy or []), Prices(**file.prices.entries())
    return ScaleSettings(policies, prices, **file.process.entries())


def _policies(path: Path, tables: list[dict[str, Any]]) -> tuple[Policy, ...]:
    """The policies of a file; those that are offered where it has none."""
    policies, faults = [], []
    for number, table in enumerate(tables, start=1):
        try:
            policies.append(policy_of(table))
        except PolicyError as error:
            faults.append(f"[[policy]] number {number}: {error}")
    names = [policy.name for policy in policies]
    if twice := {name for name in names if names.count(name) > 1}:
        faults.append(f"two are called {min(twice)!r}: give each its `name`")
    if faults:
        raise InputError(f"policies {path}: {'; '.join(faults)}")
    return tuple(policies) or OFFERED
