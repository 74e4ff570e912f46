"""What a finding is, and how what it finds is graded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pyspark.sql import DataFrame

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.facts import GroupFacts
from spark.audit.text import sentence
from spark.fleet import escaped_rows

SEVERITIES = ("info", "warning", "critical")
"""From what is good to know to what loses records or stops a group."""

WORST_FIRST = tuple(reversed(SEVERITIES))

COLUMNS = (
    *("cluster", "group", "subject", "finding", "severity"),
    *("measure", "threshold", "sentence", "advice"),
)
"""Of every finding. `group` is null where a whole cluster is meant; `measure` has passed
`threshold`, that of the severity. The others are texts and never null."""

ALL_GROUPS = "all groups"
"""What findings need that are about a cluster as a whole: they aren't looked for among some."""

NO_GROUP = "cast(null as string)"
"""SQL text: the group of a finding about a whole cluster."""

Facts = Mapping[str, Any]
"""What a sentence about the past needs, by name: `cluster`, `group` and further columns."""

Settings = Mapping[str, Any]
"""A finding's levels and settings by name: numbers, and None for a level that is never reached."""


@dataclass(frozen=True)
class Finding:
    """What is the same of every kind of finding.

    `needs` are the tables and columns without which it can't run. The levels are those from which
    on (or, with `below`, under which) a measure has that severity; None is never. No level may be
    less than `lowest`, where `find` can't see smaller measures. Of Connect's workers, connectors
    and tasks `advice_to_connect` is told instead of `advice`, where it is stated, and of groups
    that follow a plan `advice_to_planned`.
    """

    name: str
    tells: str
    measure: str
    advice: str
    needs: tuple[str, ...] = ()
    info: float | None = None
    warning: float | None = None
    critical: float | None = None
    settings: Mapping[str, float] = field(default_factory=dict)
    below: bool = False
    lowest: float = 0.0
    advice_to_connect: str | None = None
    advice_to_planned: str | None = None

    @property
    def levels(self) -> dict[str, float | None]:
        return {"info": self.info, "warning": self.warning, "critical": self.critical}

    def graded(self, measure: float, settings: Settings) -> tuple[str, float] | None:
        """The worst severity whose level a measure passes, and that level; or None."""
        for severity in WORST_FIRST:
            level = settings[severity]
            if level is not None and (measure < level if self.below else measure >= level):
                return severity, level
        return None

    def cells(self, result: FindingRow, settings: Settings, advice: str) -> dict[str, Any] | None:
        """The result as a row of a column of findings; None where it passes no level."""
        grade = self.graded(result.measure, settings)
        if grade is None:
            return None
        severity, threshold = grade
        return {
            "subject": result.subject,
            "finding": self.name,
            "severity": severity,
            "measure": float(result.measure),
            "threshold": float(threshold),
            "sentence": result.describe(),
            "advice": advice,
        }


@dataclass(frozen=True, slots=True)
class FindingRow:
    """Something that was found: what it is about, how much it is, and the sentence.

    The sentence is put together by `describe` once it is known that the measure counts.
    """

    subject: str
    measure: float
    describe: Callable[[], str]


@dataclass(frozen=True, kw_only=True)
class GroupFinding(Finding):
    """A kind of finding that one group's facts tell, in a worker."""

    find: Callable[[GroupFacts, Settings], Iterator[FindingRow]]


@dataclass(frozen=True, kw_only=True)
class ClusterFinding(Finding):
    """A kind of finding that one cluster's facts tell, in a worker."""

    find: Callable[[ClusterFacts, Settings], Iterator[FindingRow]]


@dataclass(frozen=True, kw_only=True)
class PastFinding(Finding):
    """A kind of finding that needs many snapshots.

    `find` takes the frames of `spark.audit.past` that `reads` names, and the settings; it returns
    rows of `rows_found`. Group is null where no single one is meant, but a topic; the levels of a
    group may be its own, and the other settings are those of all. `describe` makes the sentence.
    """

    find: Callable[..., DataFrame]
    describe: Callable[[Facts, Settings], str]
    reads: tuple[str, ...]


def about(
    noun: str, measures: Mapping[Any, float], template: str, **blanks: Callable[[Any], object]
) -> Iterator[FindingRow]:
    """A finding about each broker, topic or rack that is measured.

    The template's blanks are `name`, what a finding is about, `measure`, and those of `blanks`,
    each a function of the name.
    """
    for name, measure in measures.items():
        yield FindingRow(
            f"{noun} {name}", measure, partial(_filled, template, name, measure, blanks)
        )


def _filled(
    template: str, name: Any, measure: float, blanks: Mapping[str, Callable[[Any], object]]
) -> str:
    words = {blank: word(name) for blank, word in blanks.items()}
    return sentence(template, **{"name": name, "measure": measure, **words})


def rows_found(rows: DataFrame, measure: str, *facts: str, group: str = "`group`") -> DataFrame:
    """What the `find` of a past finding returns; `measure` and `group` are SQL text.

    `facts` are the columns that its sentence needs.
    """
    options = "map('ignoreNullFields', 'false')"
    return escaped_rows(rows).selectExpr(
        "cluster",
        f"{group} as `group`",
        f"cast({measure} as double) as measure",
        f"to_json(struct({', '.join(f'`{fact}`' for fact in facts)}), {options}) as facts",
    )
