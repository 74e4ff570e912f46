"""What a finding is, and how the rows that it finds are graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from spark.audit.sql_text import quoted

SEVERITIES = ("info", "warning", "critical")
"""From what is good to know to what loses records or stops a group."""

COLUMNS = (
    *("cluster", "group", "subject", "finding", "severity"),
    *("measure", "threshold", "sentence", "advice"),
)
"""Of every finding. `group` is null where a whole cluster is meant; `measure` has passed
`threshold`, that of the severity. The others are texts and never null."""

ALL_GROUPS = "all groups"
"""What findings need that are about a cluster as a whole: they aren't looked for among some."""

Setting = Callable[[str], str]
"""A finding's setting by name: SQL text of its value for the cluster and group of a row."""


@dataclass(frozen=True)
class Finding:
    """One kind of finding.

    `find` takes the frames of `spark.audit.frames` that `reads` names, and its settings if it
    has any; it returns rows of cluster, group, subject, measure and sentence. `needs` are the
    tables and columns without which it can't run. The levels are those from which on (or, with
    `below`, under which) a measure has that severity; None is never. No level may be less than
    `lowest`, where `find` can't see smaller measures. Of Connect's workers, connectors and tasks
    `advice_to_connect` is told instead of `advice`, where it is stated.
    """

    name: str
    tells: str
    measure: str
    advice: str
    find: Callable[..., DataFrame]
    reads: tuple[str, ...]
    needs: tuple[str, ...] = ()
    info: float | None = None
    warning: float | None = None
    critical: float | None = None
    settings: Mapping[str, float] = field(default_factory=dict)
    below: bool = False
    lowest: float = 0.0
    advice_to_connect: str | None = None

    @property
    def levels(self) -> dict[str, float | None]:
        return {"info": self.info, "warning": self.warning, "critical": self.critical}


def rows_found(rows: DataFrame, subject: str, measure: str, sentence: str) -> DataFrame:
    """What `find` returns, of rows that have cluster and group; the others are SQL text."""
    return rows.selectExpr(
        "cluster",
        "`group`",
        f"{subject} as subject",
        f"cast({measure} as double) as measure",
        f"{sentence} as sentence",
    )


def graded(rows: DataFrame, finding: Finding, setting: Setting) -> DataFrame:
    """The rows whose measure passes a level, as findings."""
    passes = "<" if finding.below else ">="
    cases = {level: f"measure {passes} {setting(level)}" for level in reversed(SEVERITIES)}
    severity = " ".join(f"when {case} then '{level}'" for level, case in cases.items())
    threshold = " ".join(f"when {case} then {setting(level)}" for level, case in cases.items())
    found = rows.selectExpr(
        "cluster",
        "cast(`group` as string) as `group`",
        "subject",
        f"{quoted(finding.name)} as finding",
        f"case {severity} end as severity",
        "measure",
        f"cast(case {threshold} end as double) as threshold",
        "sentence",
        f"{quoted(finding.advice)} as advice",
    )
    return found.where("severity is not null")
