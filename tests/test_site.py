"""The site over docs/: no dead link, no page outside of the navigation."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        not (find_spec("material") and find_spec("mkdocstrings")),
        reason="MkDocs isn't installed here: pip install 'evenfleet[docs]'",
    ),
]


def test_it_builds_strictly_and_has_every_public_name(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "api/index.html").read_text(encoding="utf-8")
    for name in ("optimizer.assign.assign", "optimizer.Group", "spark.plan_fleet"):
        assert f'id="{name}"' in page
