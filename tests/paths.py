"""Where the checkout and the tests' data are."""

import ast
from functools import cache
from pathlib import Path

PACKAGES = ("optimizer", "spark", "evenfleet")
ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed code of a file, which many rules look at."""
    return ast.parse(path.read_text(encoding="utf-8"))
