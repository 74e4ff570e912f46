"""What a finding is, and how the rows that it finds are graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

SEVERITIES = ("info", "warning", "critical")
"""From what is good to know to what loses records or stops a group."""

COLUMNS = (
    *("cluster", "group", "subject", "finding", "severity"),
    *("measure", "threshold", "sentence", "advice"),
)
"""Of every finding. `group` is null where a whole cluster is meant; `measure` has passed
`threshold`, that of the severity. The others are texts and never null."""

Setting = Callable[[str], Column]
"""A finding's setting by name, as it is for the group of each row."""


@dataclass(frozen=True)
class Finding:
    """One kind of finding.

    `find` takes the frames of `spark.findings.frames` that `reads` names, and its settings if it
    has any; it returns rows of cluster, group, subject, measure and sentence. `needs` are the
    tables and columns without which it can't run. The levels are those from which on (or, with
    `below`, under which) a measure has that severity; None is never. No level may be less than
    `lowest`, where `find` can't see smaller measures.
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

    @property
    def levels(self) -> dict[str, float | None]:
        return {"info": self.info, "warning": self.warning, "critical": self.critical}


def graded(rows: DataFrame, finding: Finding, setting: Setting) -> DataFrame:
    """The rows whose measure passes a level, as findings."""
    measure = F.col("measure").cast("double")

    def of_worst_level(of_level: Callable[[str], Column]) -> Column:
        severity = F.lit(None)
        for level in SEVERITIES:
            passed = measure < setting(level) if finding.below else measure >= setting(level)
            severity = F.when(passed, of_level(level)).otherwise(severity)
        return severity

    cells = {
        "cluster": F.col("cluster"),
        "group": F.col("group").cast("string"),
        "subject": F.col("subject"),
        "finding": F.lit(finding.name),
        "severity": of_worst_level(F.lit),
        "measure": measure,
        "threshold": of_worst_level(setting),
        "sentence": F.col("sentence"),
        "advice": F.lit(finding.advice),
    }
    found = rows.select(*(cells[name].alias(name) for name in COLUMNS))
    return found.where("severity is not null")
