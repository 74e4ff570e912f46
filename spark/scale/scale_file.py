"""The file of `--policy`: its keys, what each may be, and what each is for."""

from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from optimizer.scaling import POLICIES, STEP_SECONDS, Prices
from spark.toml.tables import Above0, NotNegative, Seconds, TomlTable, example

_POLICY = {"type": "object", "properties": {"kind": {"enum": [*POLICIES]}}, "required": ["kind"]}
PolicyTable = Annotated[dict[str, Any], WithJsonSchema(_POLICY)]
"""A policy's keys are those of its kind, which checks them."""


class ProcessTable(TomlTable):
    """Speed of members."""

    peak_rate: Above0 = example(5000)
    """Records a second that a member reads. By default the highest observed rate."""
    start_seconds: Seconds = example("45s", alias="start")
    """From the request for a member until it reads: 30 s by default."""
    step_seconds: Annotated[Seconds, AfterValidator(partial(max, 1.0))] = Field(
        default=f"{STEP_SECONDS:.0f}s", alias="step"
    )
    """The length of a step of the replay."""


class PricesTable(TomlTable):
    """Costs of courses, in any unit."""

    member_hour: NotNegative = Prices.member_hour
    """An hour of a member."""
    late_partition_hour: NotNegative = Prices.late_partition_hour
    """An hour in which a partition is late."""
    rebalance: NotNegative = Prices.rebalance
    """A rebalance."""
    late_after: Seconds = f"{Prices.late_after:.0f}s"
    """A partition is late when it is further behind."""
    on_time: Annotated[float, Field(ge=0, le=1)] = Prices.on_time
    """The SLO: the share of the time without a late partition; 0 for none."""


class ScaleFile(TomlTable):
    """Settings that `evenfleet scale --policy FILE` reads: policies, prices, speed of members."""

    process: ProcessTable = ProcessTable()
    """Speed of members."""
    prices: PricesTable = PricesTable()
    """Costs of courses, in any unit."""
    policy: list[PolicyTable] = example([{"kind": "keda", "lagThreshold": 5000}])
    """The policies to replay, with the keys of KEDA and Kubernetes, or ours (docs/scale.md)."""
