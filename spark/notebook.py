"""How results show themselves in a notebook: a sentence, and a table of their first rows."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from spark.text import cell_text, readable

FIRST = 20
"""Rows that a notebook shows."""

IN_PARTITIONS = ("moves", "takeovers", "excess", "planned")
TITLES = {
    "advice": "what to do",
    "avoidable": "avoidable moves (partitions)",
    "cause": "most frequent cause",
    "current": "now (partitions)",
    "current_max_load": "largest load now (partitions)",
    "gain": "share of the gain",
    "generations": "rebalances (times)",
    "groups": "groups with an answer",
    "late_partition_hours": "late (partition-hours)",
    "max_load": "largest load planned (partitions)",
    "max_weight": "largest load reached (weight)",
    "member_hours": "member-hours",
    "not_evaluated": "groups without",
    "now_to_best": "largest load now ÷ best possible",
    "policy": "what to set",
    "rebalances": "rebalances (times)",
    "seconds": "time (seconds)",
    "sentence": "finding in words",
    "stopped_eager": "stopped if eager (partitions)",
    "unbalanced": "unbalanced groups",
    "uneven": "uneven groups",
    "weight_bound": "lower bound (weight)",
    "what": "what happens",
}
"""A notebook's title of a column where that isn't its name, with its unit."""


def shown_in_notebook(
    sentences: Sequence[str], columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> str:
    """HTML of sentences and of the first rows, with these columns.

    All text is escaped: a name breaks nothing.
    """
    text = "".join(f"<p>{escape(readable(sentence))}</p>" for sentence in sentences)
    if not rows:
        return text
    head = "".join(f"<th>{escape(title)}</th>" for title in map(_title, columns))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell_text(row[key]))}</td>' for key in columns)}</tr>"
        for row in rows[:FIRST]
    )
    more = f"<p>The first {FIRST} rows.</p>" if len(rows) > FIRST else ""
    return f"{text}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _title(column: str) -> str:
    unit = " (partitions)" * (column in IN_PARTITIONS)
    return TITLES.get(column, column.replace("_", " ") + unit)
