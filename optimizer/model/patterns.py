"""Patterns of names, of one meaning wherever one can be given: `*` is any text, `?` one character.

Everything else stands for itself.
"""

import re


def matches(pattern: str, name: str) -> bool:
    """Whether a name fits, from its first character to its last; capitals count."""
    spelled = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(spelled, name, re.DOTALL) is not None
