"""Of two runs that write the same tables the second to finish is told so."""

from __future__ import annotations

from spark.errors import RunError
from spark.files.place import Place


def too_late(place: Place, snapshot: str) -> RunError:
    """What a run says that finds another's tables in the place of those it began with."""
    return RunError(
        f"another run wrote snapshot {snapshot} of {place.root} in the meantime: that one is whole "
        "and stays, what this one made isn't kept"
    )
