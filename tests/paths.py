"""Where the checkout and the tests' data are."""

import ast
from functools import cache
from pathlib import Path

PACKAGES = ("optimizer", "spark", "evenfleet")
ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
CODE_FILES = [path for room in PACKAGES for path in sorted((ROOT / room).rglob("*.py"))]


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed code of a file, which many rules look at."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All of its nodes: to walk over them takes as long as to parse it."""
    return [*ast.walk(tree_of(path))]
