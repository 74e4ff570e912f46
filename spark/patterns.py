"""Patterns of names, of one meaning wherever one can be given: `*` is any text, `?` one character.

Everything else stands for itself.
"""

from __future__ import annotations

import re


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits, from its first character to its last; capitals count."""
    spelled = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(spelled, name, re.DOTALL) is not None


def like(pattern: str) -> str:
    """The same for SQL's LIKE, with `!` as its escape; as text, not yet quoted."""
    return re.sub(r"([!%_])", r"!\1", pattern).replace("*", "%").replace("?", "_")


def beginning(pattern: str) -> str:
    """What every name begins with that fits; all of the pattern if only that name does."""
    return re.split(r"[*?]", pattern, maxsplit=1)[0]
