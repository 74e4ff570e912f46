"""The file of `--thresholds`: its keys, what each may be, and what each is for."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, create_model

from spark.audit.finding import NEVER, WORST_GROUPS, Finding
from spark.audit.registry import FINDINGS
from spark.history import WINDOW
from spark.settings import in_words
from spark.toml.tables import (
    MAX_NUMBER,
    Count,
    Duration,
    ForGroupsTable,
    Milliseconds,
    NotNegative,
    Pattern,
    SessionsTable,
    TomlTable,
    example,
)


class TimeoutsTable(SessionsTable, ForGroupsTable):
    """Time-outs of the consumers of some groups."""

    processing_time_ms: Milliseconds = example(20000)
    """How long the records of one poll take at worst."""
    restart_ms: Milliseconds = example(30000)
    """For how long a restart keeps a member away."""


class CopartitionedTable(ForGroupsTable):
    """Topics that groups join by partition number."""

    topics: Annotated[
        list[Annotated[str, Field(min_length=1)]],
        Field(min_length=2, title="a list of two topics or more"),
        AfterValidator(tuple),
    ] = Field(examples=[["orders", "payments"]])
    """The topics."""
    match: Pattern = "*"
    """Names of the groups."""


class HistoryTable(TomlTable):
    """How far back findings look."""

    window: Duration = in_words(WINDOW)
    """How far back from the newest snapshot findings about the past look, if the store has three or
    more snapshots of that time."""


class PrometheusTable(TomlTable):
    """Groups that metrics show."""

    worst_groups: Count = WORST_GROUPS
    """In metrics (--prometheus) this many groups, the worst, have series of their own; the others
    are sums."""


class _LevelsTable(TomlTable):
    """Levels and settings of a finding: built of data, without docstrings to search for."""

    model_config = ConfigDict(use_attribute_docstrings=False)


def _finding_table(finding: Finding) -> Any:
    """The field of a finding: its levels and settings, with their defaults."""
    number = Annotated[float, Field(ge=finding.lowest, le=MAX_NUMBER)]
    level = number | Annotated[Literal["never"], AfterValidator(lambda never: None)]
    fields: dict[str, Any] = {
        severity: (level, NEVER if value is None else float(value))
        for severity, value in finding.levels.items()
    }
    fields |= {
        name: (NotNegative, Field(float(value), description=meaning))
        for name, (value, meaning) in finding.settings.items()
    }
    model = create_model(finding.name, __base__=_LevelsTable, **fields)
    below = " (reached by less than that)" if finding.below else ""
    text = f"{finding.tells}: {finding.measure}{below}"
    return model, Field(model(), description=text)


_FINDINGS = {name: _finding_table(finding) for name, finding in FINDINGS.items()}

GroupTable = create_model("GroupTable", __base__=ForGroupsTable, **_FINDINGS)


class _Rules(TomlTable):
    """Levels that `evenfleet audit --thresholds FILE` reads, with every default."""

    history: HistoryTable = HistoryTable()
    """How far back findings look."""
    prometheus: PrometheusTable = PrometheusTable()
    """Groups that metrics show."""
    timeouts: list[TimeoutsTable] = example()
    """Consumers' time-outs, which no snapshot tells: the first that fits a group counts. Findings
    session-timeout, session-timeout-outside, poll-interval and restart-outlasts-session need them.
    Of groups that none fits, [consumers] and [[group]] of the configuration (--config) count."""
    copartitioned: list[CopartitionedTable] = example(
        [{"topics": ["orders", "payments"], "match": "joins-*", "cluster": "*"}]
    )
    """Topics that groups join by partition number: findings unequal-topics and joined-apart need
    them. Without match and cluster every group is meant that reads several of the topics."""


_GROUPS = """Other levels and settings for groups whose names match (* and ? stand for any letters);
the first that fits counts, and what it leaves out is as above. Findings about brokers and topics of
a whole cluster have no group and are as above for all."""
_EXAMPLE = {
    "match": "batch-*",
    "cluster": "*",
    "idle-members": {"warning": NEVER},
    "unbalanced": {"warning": 2.0, "critical": NEVER, "least_warning": 10},
}

ThresholdsFile = create_model(
    "ThresholdsFile",
    __base__=_Rules,
    __doc__=_Rules.__doc__,
    **_FINDINGS,
    group=(list[GroupTable], example([_EXAMPLE], description=_GROUPS)),  # type: ignore[valid-type]
)
