"""What an audit says below its tables."""

import pytest

from spark.audit.summary import AuditSummary


@pytest.mark.parametrize(
    ("count", "end"),
    [(15, "45 uneven. Finding `unbalanced` lists the 15 worst of them."), (0, "45 uneven.")],
)
def test_why_the_finding_has_fewer_groups_than_are_uneven(count: int, end: str) -> None:
    counts = [{"finding": "unbalanced", "critical": count, "warning": 0, "info": 0}]
    summary = AuditSummary("now", counts, {"ok": 50}, {}, [], {}, False, False, 45, "45 uneven.")
    assert [*summary.sentences(None, "hint")][-1].endswith(end)
