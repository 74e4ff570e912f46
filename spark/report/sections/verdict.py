"""The verdict in a sentence, and what to do first."""

from __future__ import annotations

from spark.report.blocks import Points, Section, Words
from spark.report.material import Material

FIRST = 3


def verdict(material: Material) -> Section:
    """For the reader with a minute."""
    blocks = [Words(material.verdict, "verdict")]
    if first := things_to_do(material):
        blocks.append(Points(first, in_order=True))  # type: ignore[arg-type]
    return Section("verdict", "What to do first", blocks, brief=True)


def things_to_do(material: Material) -> list[str]:
    """The worst findings of different kinds: what is wrong, and what helps."""
    found: dict[str, str] = {}
    for row in material.findings:
        kind = str(row["finding"])
        if kind not in found:
            found[kind] = f"{row['sentence']} {row['advice']}"
    return [*found.values()][:FIRST]
