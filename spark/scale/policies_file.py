"""The TOML file of `--policy`: policies, prices, and what members can do."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optimizer.scaling import OFFERED, STEP_SECONDS, Policy, PolicyError, Prices, policy_of
from spark.errors import InputError
from spark.settings import DURATION, duration, is_number, read_checked, table, value

START_SECONDS = 30.0
"""From the request for a member until it reads: the default."""


@dataclass(frozen=True)
class ScaleSettings:
    """What is replayed, and by which prices.

    `peak_rate` is what one member reads a second at most; None: the highest observed rate of the
    group's members. `start_seconds` is how long a new member takes to read.
    """

    policies: tuple[Policy, ...] = OFFERED
    prices: Prices = field(default_factory=Prices)
    peak_rate: float | None = None
    start_seconds: float = START_SECONDS
    step_seconds: float = STEP_SECONDS


_NOT_NEGATIVE = value(lambda item: is_number(item, 0), "a number of 0 or more")
_ABOVE_0 = value(lambda item: is_number(item) and item > 0, "a number above 0")
_SHARE = value(lambda item: is_number(item, 0) and item <= 1, "a number from 0 to 1")

RULES = {
    "process": table({"peak_rate": _ABOVE_0, "start": DURATION, "step": DURATION}),
    "prices": table(
        {
            "member_hour": _NOT_NEGATIVE,
            "late_partition_hour": _NOT_NEGATIVE,
            "rebalance": _NOT_NEGATIVE,
            "late_after": DURATION,
            "on_time": _SHARE,
        }
    ),
    "policy": lambda where, key, value: iter(
        [] if isinstance(value, list) else [f"{where}{key} must be tables, each headed [[{key}]]"]
    ),
}
"""The keys of the file; those of a policy are checked by its kind."""


def read_scale_settings(path: Path | None) -> ScaleSettings:
    """The settings of a file, or the defaults; InputError says what is wrong with it."""
    if path is None:
        return ScaleSettings()
    content = read_checked(path, "policies", RULES)
    process, prices = content.get("process", {}), dict(content.get("prices", {}))
    if "late_after" in prices:
        prices["late_after"] = _seconds(prices["late_after"])
    return ScaleSettings(
        policies=_policies(path, content.get("policy", [])),
        prices=Prices(**prices),
        peak_rate=process.get("peak_rate"),
        start_seconds=_seconds(process.get("start", f"{START_SECONDS:.0f}s")),
        step_seconds=max(1.0, _seconds(process.get("step", f"{STEP_SECONDS:.0f}s"))),
    )


def _seconds(text: str) -> float:
    return duration(text).total_seconds()


def _policies(path: Path, tables: list[dict[str, Any]]) -> tuple[Policy, ...]:
    """The policies of a file; those that are offered where it has none."""
    try:
        policies = tuple(policy_of(item) for item in tables)
    except PolicyError as error:
        raise InputError(f"policies {path}: {error}") from None
    policies = policies or OFFERED
    names = [policy.name for policy in policies]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"policies {path}: two are called {min(twice)!r}: give each its `name`")
    return policies
