"""How notes name many things shortly, and things of long names."""

import re
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from optimizer.figures import figure, nearest_name, plural

LONGEST = 250
"""Characters of a name shown in full: of a topic's there are 249 at most (Kafka's Topic)."""

HEAD, TAIL, DIGITS = 160, 60, 8

LONGEST_SENTENCE = 2_000
"""Characters of a sentence that is shown in full; the data has the rest."""

_LONG_WORD = re.compile(rf"\S{{{LONGEST + 1},}}")


def list_of(noun: str, names: Iterable[str]) -> str:
    """`3 groups (a, b, c)`, `1 group (a)`, `9 groups (a, b, c, d, e, …)`, in sorted order."""
    ordered = sorted(set(names))
    shown = ", ".join(ordered[:5]) + (", …" if len(ordered) > 5 else "")
    return f"{plural(len(ordered), noun)} ({shown})"


def near_path(path: str | Path) -> str:
    """`; did you mean …` for a path that isn't there, by the names beside it; or nothing."""
    missing = next(
        part for part in (*reversed(Path(path).parents), Path(path)) if not part.exists()
    )
    with suppress(OSError):
        near = nearest_name(missing.name, [beside.name for beside in missing.parent.iterdir()])
        return f"; did you mean {missing.with_name(near)}?" if near else ""
    return ""


def as_sentence(text: str) -> str:
    """A note as a sentence: its first letter up, and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def shorten(name: str, longest: int = LONGEST) -> str:
    """A name as it is shown: of a long one the two ends, and a hash by which it isn't another's.

    For what people read, and for labels; data has names in full.
    """
    if len(name) <= longest:
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
    return f"{name[:HEAD]}…{name[-TAIL:]} #{digest}"


def shortened_in(sentence: str) -> str:
    """A sentence with its long words, which are names, shortened; a long one loses its middle."""
    if len(sentence) <= LONGEST:
        return sentence
    words = _LONG_WORD.sub(lambda word: shorten(word[0]), sentence)
    return shorten(words, LONGEST_SENTENCE)


def plain(text: str) -> str:
    """Text without control characters: a name must not move the cursor or start a new line."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def readable(text: object) -> str:
    """A cell or sentence for people: nobody reads a name of a hundred thousand letters."""
    return plain(shortened_in(str(text)))


def cell_text(value: object) -> str:
    """A cell as people read it: `yes`, a figure, or text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return figure(value) if value is None or isinstance(value, int | float) else readable(value)
