"""Of two runs that write the same tables the second to finish is told so."""

from __future__ import annotations

from spark.errors import RunError
from spark.files.place import Place


class TooLateError(RunError):
    """A run finds another's tables in the place of those that it began with."""

    def __init__(self, place: Place, snapshot: str) -> None:
        super().__init__(
            f"another run wrote snapshot {snapshot} of {place.root} in the meantime: that one is "
            "whole and stays, what this one made isn't kept"
        )
