"""What the library doesn't do, so that it works in any session, Spark Connect's too."""

import re
from pathlib import Path

import pytest

from tests.paths import ROOT

PACKAGE = ROOT / "spark"
# what commands share makes their session, and names their jobs in its UI
COMMANDS = ("startup", "terminal", "jobs", "cli.py")
# each gives its caller an object with `release`
KEEPERS = {
    *("plan/fleet_plan.py", "audit/fleet_audit.py", "graph/fleet_graph.py"),
    *(
        "history/fleet_history.py",
        "history/rates.py",
        "history/rates_series.py",
    ),
    *("replay/fleet_replay.py", "report/gather.py", "scale/scale.py"),
}
# each frees itself what it keeps while it writes
KEPT_MEANWHILE = {"compare/compare.py", "plan/traffic.py", "whatif/what_if.py"}
LIBRARY = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] not in COMMANDS
]


FORBIDDEN = (
    r"sparkContext|SparkContext|_jvm|_jdf|_jsparkSession|py4j|\.rdd\b|\.toJavaRDD"
    r"|SparkSession\.builder|\.getOrCreate|\.getActiveSession|\.newSession|\.stop\(\)"
    r"|\.conf\.set|\.conf\.unset"
)
"""No JVM, no RDDs, no context; no session made, configured or stopped."""


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_below_dataframes_and_what_is_kept_is_given_a_handle(path: Path) -> None:
    """What keeps rows is known, and has `release` or frees them whatever happens."""
    text, name = path.read_text(encoding="utf-8"), str(path.relative_to(PACKAGE))
    assert not re.findall(FORBIDDEN, text)
    kept = re.findall(r"\.persist\(|\.cache\(", text)
    assert bool(kept) == (name in KEEPERS | KEPT_MEANWHILE)
    if name in KEPT_MEANWHILE:
        assert len(re.findall(r"finally:\n +\w+\.unpersist\(\)", text)) == len(kept)


def test_the_library_is_there() -> None:
    """Or the rules above hold of nothing."""
    there = {str(path.relative_to(PACKAGE)) for path in LIBRARY}
    assert (
        KEEPERS | KEPT_MEANWHILE | {"groups/encode.py", "verify/verify.py", "fleet/snapshot.py"}
        <= there
    )
