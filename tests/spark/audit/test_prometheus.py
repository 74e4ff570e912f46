"""Metrics of an audit, read back by the parser of Prometheus's own client."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pyspark.sql import SparkSession

from spark import FleetAudit, InputError
from spark.audit.prometheus import metrics_of
from spark.audit.registry import FINDINGS
from spark.audit.verdict import State
from spark.fleet import STATUSES
from spark.metrics_text import check_metrics

COLUMNS = (
    "cluster string, `group` string, subject string, finding string, severity string, "
    "measure double, threshold double, sentence string, advice string, "
    "team string, muted string"
)
NOT_RUN = {"poll-interval": "no time-outs are configured"}
HOSTILE = "\"><script>\n|=\\'{},#\r\x1b[2J\u202e"

FindingRow = tuple[str, str | None, str, str]


def audit_of(spark: SparkSession, found: Iterable[FindingRow], groups: int) -> FleetAudit:
    """An audit that found this: cluster, group, finding and severity."""
    rows = [
        (cluster, group, "s", finding, severity, 1.0, 1.0, "s", "a", None, None)
        for cluster, group, finding, severity in found
    ]
    findings = spark.createDataFrame(rows, COLUMNS)
    judged = spark.range(groups).selectExpr(
        "'c' as cluster",
        "format_string('g%04d', id) as `group`",
        "if(id = 0, 'empty', 'ok') as status",
        "cast(null as string) as kind",
        "id + 3 as current_max_load",
        "if(id = 0, null, 2) as max_load",
        "id > 0 as uneven",
        *("cast(null as string) as advice_kind", "cast(null as string) as severity"),
        *("false as follows", "false as can_follow"),
        "if(id = 0, null, (id + 3) / 2) as now_to_best",
        "id as partitions",
    )
    return FleetAudit("20261121T060000Z", findings, NOT_RUN, [], judged)


def fleet(groups: int) -> list[FindingRow]:
    """Each group has a warning, the last two something critical as well, one cluster a broker."""
    result: list[FindingRow] = [
        ("c", f"g{at:04}", "idle-members", "warning") for at in range(groups)
    ]
    result += [("c", f"g{at:04}", "claimed-twice", "critical") for at in (groups - 1, groups - 2)]
    return [*result, ("c", None, "leaderless", "critical"), ("c", "g0000", "unbalanced", "info")]


Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def parsed(text: str) -> Samples:
    samples = [
        (sample.name, tuple(sorted(sample.labels.items())), sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    ]
    result = {(name, labels): value for name, labels, value in samples}
    assert len(result) == len(samples)  # no series twice
    return result


def total(samples: Samples, name: str, **labels: Any) -> float:
    return sum(
        value
        for (metric, values), value in samples.items()
        if metric == f"evenfleet_audit_{name}" and labels.items() <= dict(values).items()
    )


def test_series_are_as_many_in_any_fleet_and_their_sums_add_up(spark: SparkSession) -> None:
    """Three of each group's severities; all else depends on findings and statuses alone."""
    worst = 5
    bound = 3 * (len(FINDINGS) - len(NOT_RUN)) + len(FINDINGS) + len(STATUSES) + 3 * worst + 3 + 1
    bound += len(State) + 1 + 2 * (worst - 1)  # the time, and how uneven the worst groups are
    for groups in (8, 80):
        samples = parsed(metrics_of(audit_of(spark, fleet(groups), groups), worst))
        assert len(samples) == bound
        for severity, count in (("critical", 3), ("warning", groups), ("info", 1)):
            item = {"severity": severity}
            assert total(samples, "findings", **item) == count
            own = total(samples, "group_findings", **item)
            assert own + total(samples, "other_findings", **item) == count
        worst_group = {"cluster": "c", "group": f"g{groups - 1:04}"}
        for name, value, labels in (
            ("findings", groups, {"finding": "idle-members"}),
            ("finding_not_run", len(NOT_RUN), {}),
            ("finding_not_run", 1, {"finding": "poll-interval"}),
            ("groups", groups - 1, {"status": "ok"}),
            ("groups", groups, {}),
            ("state", 1, {"state": "in trouble"}),
            ("state", 1, {}),
            ("snapshot_info", 1, {"snapshot": "20261121T060000Z"}),
            ("snapshot_timestamp_seconds", 1_795_240_800, {}),
            ("group_excess_partitions", groups, worst_group),
            ("group_gap_ratio", groups / 2, worst_group),
        ):
            assert total(samples, name, **labels) == value, name
        own = {dict(of)["group"] for name, of in samples if name.endswith("_group_findings")}
        assert own == {"g0000", "g0001", "g0002", f"g{groups - 1:04}", f"g{groups - 2:04}"}


def test_names_come_back_as_they_are(spark: SparkSession) -> None:
    """Without groups of their own all is in the sums."""
    audit = audit_of(spark, [(HOSTILE, HOSTILE, "leaderless", "critical")], 1)
    labels = {"cluster": HOSTILE, "group": HOSTILE, "severity": "critical"}
    assert total(parsed(metrics_of(audit, 1)), "group_findings", **labels) == 1
    samples = parsed(metrics_of(audit, 0))
    assert (total(samples, "findings"), total(samples, "other_findings")) == (1, 1)
    assert not [name for name, _ in samples if name == "evenfleet_audit_group_findings"]


def test_a_place_where_metrics_can_not_be_is_told_beforehand(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, why in (
        (tmp_path / "no" / "x.prom", f"{tmp_path}/no is not a folder"),
        (tmp_path / "file" / "x.prom", f"{tmp_path}/file is not a folder"),
        (tmp_path, "it is a folder"),
    ):
        with pytest.raises(InputError) as raised:
            check_metrics(path)
        assert str(raised.value) == f"metrics {path} can't be written: {why}"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
