"""The cluster that most tests begin with."""

from pathlib import Path

import pytest

from tests.spark.reassign.captures import stored
from tests.support.said import Run


@pytest.fixture
def before(run: Run, tmp_path: Path) -> Path:
    return stored(run, tmp_path, "topics_before")
