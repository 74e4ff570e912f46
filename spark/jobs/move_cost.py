"""The option for what a partition that moves costs."""

from __future__ import annotations

from typing import Annotated

from spark.terminal import option

MoveCost = Annotated[
    str | None,
    option("Price of a partition that moves: time to rebuild its state (30s), or bytes (2GB)."),
]
