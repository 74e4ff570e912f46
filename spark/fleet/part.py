"""Which part of a fleet is meant, where it isn't all of it."""

from typing import NamedTuple


class Part(NamedTuple):
    """The groups of a cluster that a pattern of names fits (see `spark.patterns`); None is any."""

    cluster: str | None = None
    group: str | None = None

    def __bool__(self) -> bool:
        return self != (None, None)

    def __str__(self) -> str:
        """In words, as in `it has no …`: groups matching 'pay*' of cluster west."""
        fit = "groups" if self.group is None else f"groups matching {self.group!r}"
        return fit if self.cluster is None else f"{fit} of cluster {self.cluster}"


WHOLE = Part()
"""All of a fleet."""
