"""Patterns of names, of one meaning wherever one can be given: `*` is any text, `?` one character.

Everything else stands for itself.
"""

import re
from dataclasses import dataclass, field

from optimizer.model import matches

__all__ = ["ForGroups", "beginning", "like", "matches"]


@dataclass(frozen=True)
class ForGroups:
    """Something that is stated for groups whose name matches, in clusters whose name does."""

    match: str
    cluster: str = field(default="*", kw_only=True)

    def fits(self, cluster: str, group: str) -> bool:
        return matches(self.cluster, cluster) and matches(self.match, group)


def like(pattern: str) -> str:
    """A pattern for SQL's LIKE, with `!` as its escape; as text, not yet quoted."""
    return re.sub(r"([!%_])", r"!\1", pattern).replace("*", "%").replace("?", "_")


def beginning(pattern: str) -> str:
    """Beginning of every name that fits; all of the pattern if only that name does."""
    return re.split(r"[*?]", pattern, maxsplit=1)[0]
