"""Defects of Kafka's sticky assignors: which versions have which, and the page's table of them."""

import pytest

from optimizer.strategies import DEFECTS, DIFFERENT, EQUAL, LARGE, TOPICS, Defect, defects_of
from tests.paths import ROOT

PAGE = (ROOT / "docs/strategies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("strategy", "version", "traits", "issues"),
    [
        ("sticky", "2.2.2", {EQUAL}, ["KAFKA-7026"]),
        ("sticky", "2.3", {EQUAL}, []),
        ("sticky", "2.3.1", {DIFFERENT}, ["KAFKA-8767", "KAFKA-15106"]),
        ("cooperative-sticky", "2.5.0", {EQUAL, LARGE}, ["KAFKA-9987", "KAFKA-13081"]),
        ("cooperative-sticky", "2.8.1", {DIFFERENT}, ["KAFKA-13406", "KAFKA-15106"]),
        ("cooperative-sticky", "3.0.0", {DIFFERENT}, ["KAFKA-13406", "KAFKA-15106"]),
        ("cooperative-sticky", "3.0.1", {DIFFERENT}, ["KAFKA-15106"]),
        ("cooperative-sticky", "3.7.0", {EQUAL, TOPICS}, ["KAFKA-16277"]),
        ("cooperative-sticky", "3.10.0", {EQUAL, TOPICS}, []),
        ("range", "2.2.2", {EQUAL, TOPICS, LARGE}, []),
        (None, "2.2.2", {EQUAL}, []),
    ],
)
def test_which_defects_hit_a_group(
    strategy: str | None, version: str, traits: set[str], issues: list[str]
) -> None:
    assert [defect.issue for defect in defects_of(strategy, version, traits)] == issues


def test_the_page_has_each_defect_as_it_is() -> None:
    assert [line for line in PAGE.splitlines() if line.startswith("| [KAFKA-")] == [
        _line(defect) for defect in DEFECTS
    ]


def _line(defect: Defect) -> str:
    versions = "; ".join(f"{since} ≤ v < {fixed}" for since, fixed in defect.versions)
    cells = (
        *(f"[{defect.issue}]({defect.source})", ", ".join(defect.strategies), versions),
        *(" and ".join(sorted(defect.hits)) or "several members", defect.what),
    )
    return f"| {' | '.join(cells)} |"
