"""Names of a hundred thousand characters: short wherever they are shown, whole in all data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, Said
from tests.support.small import rows

LENGTH, ENOUGH = 100_000, 12_000


def long(kind: str, number: int = 0) -> str:
    """Names of one kind are alike at both ends."""
    half = "x" * (LENGTH // 2)
    return f"{kind}{half}{number}{half}"


CLUSTER, TOPIC, A, B = long("cluster"), long("topic"), long("a"), long("b")
GROUPS = [long("group", number) for number in range(3)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups of which one member has all, and one that is invalid for a name."""
    fleet = Fleet().topic(TOPIC, 4, CLUSTER)
    for name in GROUPS[:2]:
        fleet.group(name, {A: [TOPIC], B: [TOPIC]}, [(TOPIC, p, A) for p in range(4)], CLUSTER)
    fleet.group(GROUPS[2], {A: [TOPIC]}, cluster=CLUSTER)
    fleet.add("members", cluster=CLUSTER, group=GROUPS[2], member_id=A)
    folder = tmp_path_factory.mktemp("long") / "store"
    write_store(fleet.tables(), folder, SNAPSHOT)
    return folder


def short(said: Said, code: int = 0) -> Said:
    """Not a screen more than with names of usual length."""
    assert said.code == code, said.err
    assert len(said.out) < ENOUGH and len(said.err) < ENOUGH
    return said


def test_plan_verify_compare_and_snapshots(run: Run, store: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    short(run("plan", store, "--out", plan))
    result = {row["group"]: row for row in rows(plan / "groups")}
    assert [*result] == GROUPS
    assert len(result[GROUPS[2]]["reason"]) < 300
    assert {row["topic"] for row in rows(plan / "assignments")} == {TOPIC}
    short(run("verify", store, plan))
    short(run("compare", store, "--out", tmp_path, "--strategies", "current,optimal"))
    assert {row["group"] for row in rows(tmp_path / "comparison")} == {*GROUPS}
    short(run("snapshots", store))


def test_audit(run: Run, store: Path, tmp_path: Path) -> None:
    """A finding's keys are data; its sentence needn't say them once more."""
    metrics = tmp_path / "evenfleet.prom"
    short(run("audit", store, "--out", tmp_path, "--prometheus", metrics))
    findings = rows(tmp_path / "findings")
    assert {row["cluster"] for row in findings} == {CLUSTER}
    assert {row["group"] for row in findings} == {*GROUPS}
    assert f"group {GROUPS[0]}" in {row["subject"] for row in findings}
    assert max(len(row["sentence"]) for row in findings) < 1_000
    text = metrics.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) < 1_000
    labels = [
        (sample.labels["group"], sample.name, sample.labels.get("severity"))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if "group" in sample.labels
    ]
    assert len({group for group, *_ in labels}) == len(GROUPS)
    assert len(labels) == len({*labels})
    output = run("audit", store, "--format", "json")
    assert {row["group"] for row in json.loads(output.out)["worst"]} == {*GROUPS}


def test_explain_and_what_is_wrong_with_an_option(run: Run, store: Path) -> None:
    short(run("explain", store, "--group", GROUPS[0]))
    output = run("explain", store, "--group", GROUPS[0], "--format", "json")
    assert set(json.loads(output.out)["explanation"][0]["loads"]) == {A, B}
    output = short(run("explain", store, "--group", "y" * LENGTH), 2)
    assert "has no group 'yyy" in output.err
