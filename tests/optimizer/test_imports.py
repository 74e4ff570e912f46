"""What importing the package brings along."""

from __future__ import annotations

import subprocess
import sys

from tests.paths import ROOT


def test_importing_optimizer_imports_neither_pyspark_nor_pandas_nor_ortools() -> None:
    code = "import sys, optimizer; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "optimizer" in loaded
    assert not {"pyspark", "pandas", "spark", "ortools"} & set(loaded)
