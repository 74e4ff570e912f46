"""Stores and plans as earlier versions wrote them still read (docs/upgrade.md)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.paths import DATA
from tests.support.said import Run

WRITTEN = sorted((DATA / "formats").iterdir())
"""A folder a version: `store` with two snapshots, and `plan` of the newest; they never change."""


@pytest.mark.parametrize("version", WRITTEN, ids=lambda one: one.name)
def test_a_store_and_its_plan_read(run: Run, tmp_path: Path, version: Path) -> None:
    """Whole, with every row, and the plan is still proven optimal."""
    kept = shutil.copytree(version, tmp_path / "kept")  # who reads may leave a lock
    listed = json.loads(run("snapshots", kept / "store", "--format", "json").out)["snapshots"]
    assert [(row["snapshot"], row["state"], row["members"]) for row in listed] == [
        ("20261124T000000Z", "whole", 4),
        ("20261124T010000Z", "whole", 4),
    ]
    said = run("verify", kept / "store", kept / "plan", "--format", "json")
    assert said.code == 0, said.err
    assert "older version" not in said.err
    assert json.loads(said.out)["faults"] == []
