"""Names that would break a page, a table, a terminal or a file, in what every command prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pyspark.sql import SparkSession

from spark import FleetAudit
from spark.explain import GroupExplanation, explain_group
from spark.fleet.local_store import write_store
from spark.terminal.console import OUT, plain
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, Said, is_one_line

HOSTILE = (
    '"><script>alert(1)</script>\nx|=,{}%`\'"\\ [red]\r\t\x1b[2J\x1b]0;x\x07'
    "\x7f\x85\u2028\u202e\u2066\u200f\ufffe\U000e0041e\u0301"
)


def named(kind: str) -> str:
    return f"{kind}{HOSTILE}"


GROUP, TOPIC, CLUSTER, IDLE, BUSY = map(named, ("group", "topic", "cluster", "idle", "busy"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One group, all of whose names are hostile, with troubles of several kinds."""
    fleet = Fleet().topic(TOPIC, 4, CLUSTER)
    claims = [(TOPIC, 0, BUSY), (TOPIC, 1, BUSY), (TOPIC, 2, BUSY), (TOPIC, 2, named("gone"))]
    fleet.group(GROUP, {IDLE: [TOPIC], BUSY: [TOPIC]}, claims, CLUSTER, strategy=named("range"))
    for row in fleet.rows["members"]:
        row |= {name: named(name) for name in ("client_id", "host", "instance_id", "rack")}
        row["instance_id"] += row["member_id"]
    folder = tmp_path_factory.mktemp("hostile") / "store"
    write_store(fleet.tables(), folder, SNAPSHOT)
    return folder


def check_harmless(said: Said, codes: tuple[int, ...] = (0,)) -> Said:
    """Nothing reaches the terminal that isn't printed there, lines' ends aside."""
    assert said.code in codes, said.err
    odd = {c for c in said.out + said.err if not c.isprintable() and c != "\n"}
    assert odd == set()
    return said


def shown(said: Said, name: str) -> bool:
    """Whether a table or sentence has the name, spelled harmlessly, wherever it folds it."""
    return "".join(plain(name).split()) in "".join((said.out + said.err).split())


def texts(printed: Any) -> Iterator[str]:
    """All texts in JSON."""
    if isinstance(printed, dict):
        printed = [*printed, *printed.values()]
    if isinstance(printed, list):
        for item in printed:
            yield from texts(item)
    elif isinstance(printed, str):
        yield printed


def has(said: Said, *names: str) -> bool:
    """Whether JSON has texts with these names exactly."""
    every = "\0".join(texts(json.loads(said.out)))
    return all(name in every for name in names)


def test_an_audit(
    run: Run, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    """Its JSON, findings, metrics, and the table that it prints of the same findings."""
    out, metrics = tmp_path / "out", tmp_path / "evenfleet.prom"
    words = ("audit", store, "--out", out, "--prometheus", metrics)
    output = check_harmless(run(*words, "--format", "json"))
    assert has(output, GROUP, TOPIC, CLUSTER)
    worst = json.loads(output.out)["worst"]
    assert {(row["cluster"], row["group"]) for row in worst} == {(CLUSTER, GROUP)}
    assert f"topic {TOPIC}" in {row["subject"] for row in worst}

    (part,) = out.glob("findings/*/*.parquet")
    findings = pq.ParquetFile(part).read()
    assert set(findings["group"].to_pylist()) == {GROUP}
    series = [
        sample
        for family in text_string_to_metric_families(metrics.read_bytes().decode())
        for sample in family.samples
        if "group" in sample.labels
    ]
    assert {(item.labels["cluster"], item.labels["group"]) for item in series} == {(CLUSTER, GROUP)}
    assert sum(item.value for item in series) == len(findings)

    judged = spark.range(1).selectExpr(
        "'ok' as status", "cast(null as string) as kind", "2L as current_max_load", "1L as max_load"
    )
    again = FleetAudit(SNAPSHOT, spark.createDataFrame(findings), {"x": "y"}, [], judged)
    monkeypatch.setattr("spark.audit.of_store.audit_fleet", lambda *_: again)
    for width in (60, 200):
        monkeypatch.setattr(OUT, "width", width)
        output = check_harmless(run("audit", store))
        assert shown(output, f"{CLUSTER}: ")
        assert shown(output, GROUP)
        assert shown(output, TOPIC)
        reports = [line for line in output.out.splitlines() if line.startswith("  →")]
        assert len(reports) == len({row["finding"] for row in worst})


def test_a_plan_its_check_and_its_reasons(
    run: Run, monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path
) -> None:
    """Each row of a table is one line where the terminal is wide enough."""
    plan = tmp_path / "plan"
    check_harmless(run("plan", store, "--out", plan))
    (part,) = plan.glob("assignments/*/*.parquet")
    table = pq.ParquetFile(part).read()
    assert {row["topic"] for row in table.to_pylist()} == {TOPIC}
    assert {row["member_id"] for row in table.to_pylist()} == {IDLE, BUSY}
    pq.write_table(table.slice(1), part)
    part.with_name(f".{part.name}.crc").unlink()
    assert has(check_harmless(run("verify", store, plan, "--format", "json"), (1,)), GROUP, CLUSTER)
    monkeypatch.setattr(OUT, "width", 2000)
    output = check_harmless(run("verify", store, plan), (1,))
    rows = [line for line in output.out.splitlines() if plain(GROUP) in line]
    assert f"{len(rows)} faults" in output.err

    result: list[GroupExplanation] = []

    def explain_once(*arguments: Any) -> GroupExplanation:
        result[:] = result or [explain_group(*arguments)]
        return result[0]

    monkeypatch.setattr("spark.jobs.explain.explain_group", explain_once)
    words = ("explain", store, "--group", GROUP)
    assert has(check_harmless(run(*words, "--format", "json")), GROUP, IDLE, BUSY)
    output = check_harmless(run(*words))
    assert shown(output, GROUP)
    assert shown(output, BUSY)
    result.clear()
    assert is_one_line(check_harmless(run("explain", store, "--group", HOSTILE), (2,)))


def test_a_comparison_and_a_list_of_snapshots(run: Run, store: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    check_harmless(run("compare", store, "--out", out, "--strategies", "current,optimal"))
    (part,) = out.glob("comparison/*/*.parquet")
    assert {row["group"] for row in pq.ParquetFile(part).read().to_pylist()} == {GROUP}
    assert "whole" in check_harmless(run("snapshots", store)).out
