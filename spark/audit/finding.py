"""Kinds of findings, and how their rows are graded."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_UP, Decimal
from numbers import Integral
from typing import Any, Generic, NamedTuple, Self, TypeVar

from pyspark.sql import DataFrame

from optimizer.figures import plural
from spark.audit.cluster_facts import ClusterFacts
from spark.audit.facts import GroupFacts
from spark.fleet import escaped_rows
from spark.text import shorten

A_NEW_PLAN = (
    "The group follows a plan: make a new one with `evenfleet plan` and `evenfleet export-plan`, "
    "and apply it with `evenfleet enforce`."
)
"""Advice to a group that an assignor of Evenfleet's assigns."""


def sentence(template: str, blanks: Mapping[str, object]) -> str:
    """The template with its {blanks} filled: a name alone is shortened, and None is `?`.

    Whole numbers have commas for thousands, and those that are no amounts are `{n:whole}`.
    `{n:partition}` counts the noun; `{n:is|are}` is the first text for 1 or True, else the second;
    `{n:decimal}`, `{n:percent}`, `{n:integer}` (rounded down) and `{n:hours}` (of seconds) are
    amounts; `{text:whole}` isn't shortened.
    """
    return template.format_map({name: _Blank(value) for name, value in blanks.items()})


@dataclass(frozen=True, slots=True)
class _Blank:
    value: Any

    def __getattr__(self, name: str) -> _Blank:
        return _Blank(getattr(self.value, name))

    def __getitem__(self, at: Any) -> _Blank:
        return _Blank(self.value[at])

    def __format__(self, form: str) -> str:
        if not form and isinstance(self.value, Integral):
            return f"{self.value:,}"
        if not form:
            return shorten("?" if self.value is None else str(self.value))
        if "|" in form:
            one_form, many_form = form.split("|")
            return one_form if self.value == 1 else many_form
        return FORMS[form](self.value) if form in FORMS else plural(self.value, form)


def decimal(number: float) -> str:
    """`1,234.5`: with one digit after the point; a half is rounded up, as Java does."""
    return f"{Decimal(repr(float(number))).quantize(Decimal('0.1'), ROUND_HALF_UP):,}"


def percent(share: float) -> str:
    """A share between 0 and 1 in per cent, rounded down: what isn't all never reads 100 %."""
    return f"{math.floor(100 * share)} %"


FORMS: dict[str, Callable[[Any], str]] = {
    "decimal": decimal,
    "percent": percent,
    "hours": lambda seconds: decimal(seconds / 3600),
    "integer": lambda number: f"{int(number):,}",
    "whole": str,
}
"""Forms that a blank of a sentence may ask for beside nouns."""


SEVERITIES = ("info", "warning", "critical")
"""From what is good to know to what loses records or stops a group."""

NEVER = "never"
"""In a file of thresholds: a level that no measure reaches."""

WORST_GROUPS = 20
"""Groups that have series of their own in what Prometheus is given."""

WORST_FIRST = tuple(reversed(SEVERITIES))

OWN_COLUMNS = (
    *("cluster", "group", "subject", "finding", "severity"),
    *("measure", "threshold", "sentence", "advice"),
)
"""Of every finding. `group` is null where a whole cluster is meant; `measure` has passed
`threshold`, that of the severity. The others are texts and never null."""

COLUMNS = (*OWN_COLUMNS, "team", "muted")
"""A finding's columns with those by settings: its team, and until when and why it is muted."""

ALL_GROUPS = "all groups"
"""Need of findings that are about a cluster as a whole: they aren't looked for among some."""

Details = Mapping[str, Any]
"""Values that a sentence about the past needs, by name: `cluster`, `group` and further columns."""

Thresholds = Mapping[str, Any]
"""A finding's levels and settings by name: numbers, and None for a level that is never reached."""


class Measured(NamedTuple):
    """How much is measured of what, and blanks of the sentence; None is the group itself."""

    measure: float
    name: str | None
    blanks: Mapping[str, object]


def measured(measure: float, name: str | None = None, /, **blanks: object) -> Measured:
    """A measure of a group, or of what has that name in it, with blanks of its own."""
    return Measured(measure, name, blanks)


def measured_each(
    cluster: ClusterFacts, measures: Mapping[Any, float], **blanks: object
) -> Iterator[Measured]:
    """A measure of each name, with its counts; of `blanks` that are by name each has its own."""
    for name, measure in measures.items():
        counts = {count: of[name] for count, of in cluster.counts.items()}
        own = {
            blank: value.get(name) if isinstance(value, Mapping) else value
            for blank, value in blanks.items()
        }
        yield Measured(measure, str(name), counts | own)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Base of every kind of finding.

    `each` is what it is about, and `template` the sentence: its blanks are `name` and `measure` of
    what is measured, and those of the cluster or group that it is found in. `needs` are the tables
    and columns without which it can't run. `levels` are those from which on (or, with `below`,
    under which) a measure has a severity; None, or no level, is never. None may be less than
    `lowest`, where `find` can't see smaller measures. `settings` have a default and a meaning.

    Of Connect's workers, connectors and tasks `advice_to_connect` replaces `advice`, where it is
    stated, of the consumer protocol `advice_to_consumer`, of groups with plans `advice_to_planned`.
    """

    name: str = ""
    tells: str
    measure: str
    advice: str
    each: str = "group"
    template: str
    needs: tuple[str, ...] = ()
    levels: Mapping[str, float | None]
    settings: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    below: bool = False
    lowest: float = 0.0
    advice_to_connect: str | None = None
    advice_to_planned: str | None = None
    advice_to_consumer: str | None = None

    def __post_init__(self) -> None:
        """Name every severity in `levels`."""
        levels = {severity: self.levels.get(severity) for severity in SEVERITIES}
        object.__setattr__(self, "levels", levels)

    @property
    def defaults(self) -> dict[str, float]:
        """The settings where nothing else is stated."""
        return {name: default for name, (default, _) in self.settings.items()}

    def grade(self, measure: float, thresholds: Thresholds) -> tuple[str, float] | None:
        """The worst severity whose level a measure passes, and that level; or None."""
        for severity in WORST_FIRST:
            level = thresholds[severity]
            if level is not None and (measure < level if self.below else measure >= level):
                return severity, level
        return None

    def cells(
        self,
        row: Measured,
        blanks: Mapping[str, object],
        thresholds: Thresholds,
        advice: str | None = None,
        severity: str | None = None,
    ) -> dict[str, Any] | None:
        """The cells of a row in a column of findings; None where it passes no level.

        `blanks` are those of the cluster or group, `advice` and `severity` its own, if it has any.
        """
        grade = self.grade(row.measure, thresholds)
        if severity is not None:
            grade = severity, thresholds.get(severity) or row.measure
        if grade is None:
            return None
        severity, threshold = grade
        name = blanks[self.each] if row.name is None else row.name
        return {
            "subject": f"{self.each} {name}",
            "finding": self.name,
            "severity": severity,
            "measure": float(row.measure),
            "threshold": float(threshold),
            "sentence": sentence(
                self.template, {"name": name, "measure": row.measure, **blanks, **row.blanks}
            ),
            "advice": advice or self.advice,
        }


Facts = TypeVar("Facts", GroupFacts, ClusterFacts)

Find = Callable[[Facts, Thresholds], Iterator[Measured]]
"""A function that yields what is found in one group, or in one cluster."""


def _find_nothing(examined: object, thresholds: Thresholds) -> Iterator[Measured]:
    return iter(())


@dataclass(frozen=True, kw_only=True)
class PresentFinding(Finding, Generic[Facts]):
    """A kind of finding in one snapshot, looked for in a worker by the function it decorates."""

    find: Find[Facts] = _find_nothing

    def __call__(self, find: Find[Facts]) -> Self:
        """The finding, named as its function."""
        return replace(self, name=find.__name__.replace("_", "-"), find=find)

    def rows(
        self, examined: Facts, thresholds: Thresholds, *own: str | None
    ) -> Iterator[dict[str, Any]]:
        """The cells of all that is found past a level; `own` are an advice and a severity."""
        for row in self.find(examined, thresholds):
            if cells := self.cells(row, examined.blanks, thresholds, *own):
                yield cells


@dataclass(frozen=True, kw_only=True)
class GroupFinding(PresentFinding[GroupFacts]):
    """A kind of finding in one group, or in each member, topic or partition of it.

    `by_balance`: as bad as the group's balance, with the advice that all screens show.
    """

    by_balance: bool = False


@dataclass(frozen=True, kw_only=True)
class ClusterFinding(PresentFinding[ClusterFacts]):
    """A kind of finding in one cluster, about each broker, topic or rack that is measured."""

    def __post_init__(self) -> None:
        """None of these is looked for among some groups."""
        super().__post_init__()
        object.__setattr__(self, "needs", tuple(dict.fromkeys((*self.needs, ALL_GROUPS))))


@dataclass(frozen=True, kw_only=True)
class PastFinding(Finding):
    """A kind of finding that needs many snapshots, about each group or topic.

    It reads the frames of `spark.audit.past` that `reads` names: `rows` makes one of them, if they
    aren't all of it, and `where` and `value` (the measure) are SQL text, in which settings are
    blanks. The template's blanks are its columns, and what `more` makes of these. A group's levels
    may be its own.
    """

    needs: tuple[str, ...] = ("history",)
    reads: tuple[str, ...]
    value: str
    where: str = "true"
    rows: Callable[..., DataFrame] | None = None
    more: Callable[[Details, Thresholds], Details] | None = None

    def find(self, frames: Sequence[DataFrame], thresholds: Thresholds) -> DataFrame:
        """Rows of `cluster`, `group`, `measure`, and `details` as JSON."""
        numbers = {name: f"{value!r}D" for name, value in thresholds.items()}
        rows = self.rows(*frames) if self.rows else frames[0]
        cells = ", ".join(f"`{name}`" for name in rows.columns if name not in ("cluster", "group"))
        return escaped_rows(rows.where(self.where.format_map(numbers))).selectExpr(
            "cluster",
            f"{'`group`' if self.each == 'group' else 'cast(null as string)'} as `group`",
            f"cast({self.value.format_map(numbers)} as double) as measure",
            f"to_json(struct({cells}), map('ignoreNullFields', 'false')) as details",
        )
