"""What a run is called."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

_TIME = "%Y%m%dT%H%M%SZ"


def new_run() -> str:
    """The name of a run: when it began, in UTC, and something that no other has."""
    return f"{datetime.now(UTC):{_TIME}}-{secrets.token_hex(4)}"


def began(run: str) -> datetime:
    """When a run of that name began; ValueError for a name that no run has."""
    return datetime.strptime(run.partition("-")[0], _TIME).replace(tzinfo=UTC)
