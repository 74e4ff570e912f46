"""How results show themselves in a notebook: a sentence, and a table of their first rows."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from optimizer.figures import figure
from spark.text import shortened_in

FIRST = 20
"""Rows that a notebook shows."""


def shown_in_notebook(
    sentences: Sequence[str], columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> str:
    """HTML of sentences and of the first rows; `columns` has the heading, with its unit, of each.

    All text is escaped: a name breaks nothing.
    """
    text = "".join(f"<p>{_text(sentence)}</p>" for sentence in sentences)
    if not rows:
        return text
    head = "".join(f"<th>{_text(title)}</th>" for title in columns.values())
    body = "".join(
        f"<tr>{''.join(f'<td>{_text(row[key])}</td>' for key in columns)}</tr>"
        for row in rows[:FIRST]
    )
    more = f"<p>The first {FIRST} rows.</p>" if len(rows) > FIRST else ""
    return f"{text}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return figure(value)
    plain = "".join(item if item.isprintable() else f"\\x{ord(item):02x}" for item in str(value))
    return escape(shortened_in(plain))
