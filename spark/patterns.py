"""Patterns of names, of one meaning wherever one can be given: `*` is any text, `?` one character.

Everything else stands for itself.
"""

from __future__ import annotations

import re

from optimizer.model import matches

__all__ = ["beginning", "like", "matches"]


def like(pattern: str) -> str:
    """The same for SQL's LIKE, with `!` as its escape; as text, not yet quoted."""
    return re.sub(r"([!%_])", r"!\1", pattern).replace("*", "%").replace("?", "_")


def beginning(pattern: str) -> str:
    """What every name begins with that fits; all of the pattern if only that name does."""
    return re.split(r"[*?]", pattern, maxsplit=1)[0]
