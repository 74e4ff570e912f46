"""What findings about a fleet's past find, graded by the levels of each group."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, functions as F

from spark.audit.finding import COLUMNS, FindingRow, PastFinding
from spark.audit.past import Past
from spark.audit.thresholds import AuditSettings

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = ", ".join(
    f"`{name}` {'double' if name in ('measure', 'threshold') else 'string'}" for name in COLUMNS
)


def find_in_past(
    findings: Sequence[PastFinding], past: Past, settings: AuditSettings
) -> DataFrame | None:
    """Findings of `COLUMNS`; None if there is nothing to look for."""
    if not findings:
        return None
    rows = reduce(
        DataFrame.unionAll, (_rows(past_finding, past, settings) for past_finding in findings)
    )
    by_name = {past_finding.name: past_finding for past_finding in findings}

    def grade(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            result = [_graded(row, by_name[row.finding], settings) for row in batch.itertuples()]
            yield type(batch)([item for item in result if item], columns=COLUMNS)

    # few rows, and one task: each would be sent the plans of all these frames
    return rows.repartition(1).mapInPandas(grade, SCHEMA)


def _rows(finding: PastFinding, past: Past, settings: AuditSettings) -> DataFrame:
    values = settings.values[finding.name]
    rows = finding.find([past[frame] for frame in finding.reads], values)
    return rows.withColumn("finding", F.lit(finding.name))


def _graded(row: Any, finding: PastFinding, settings: AuditSettings) -> tuple[Any, ...] | None:
    """The cells of `COLUMNS`, or None where no level is passed."""
    values = settings.of(row.cluster, row.group) if row.group is not None else settings.values
    details = {"cluster": row.cluster, "group": row.group, **json.loads(row.details)}
    subject = f"topic {details['topic']}" if row.group is None else f"group {row.group}"
    more = finding.more(details, settings.values[finding.name]) if finding.more else {}
    result = FindingRow(subject, row.measure, finding.template, {**details, **more})
    cells = finding.cells(result, values[finding.name], finding.advice)
    if cells is None:
        return None
    return tuple((details | cells)[name] for name in COLUMNS)
