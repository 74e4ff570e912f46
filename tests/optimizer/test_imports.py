"""What importing the package brings along, and what the checker may not know."""

import ast
import subprocess
import sys
from pathlib import Path

import optimizer

PACKAGE = Path(optimizer.__file__).parent
SOLVER = {
    *("balance", "components", "flow", "gain", "hand_out", "near", "one_class", "shares"),
    *("solve", "sorts"),
}
CHECKER = {
    *("alike", "books", "certificate", "proof", "rack_facts", "readers", "residual", "steps"),
    *("verify", "wording"),
}


def test_importing_optimizer_imports_neither_pyspark_nor_pandas() -> None:
    code = "import sys, optimizer; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "optimizer" in loaded
    assert not {"pyspark", "pandas", "spark"} & set(loaded)


def imported_by(module: str) -> set[str]:
    """All that a module of the package imports, itself or through modules of the package."""
    found: set[str] = set()
    pending = [module]
    while pending:
        path = PACKAGE.joinpath(*pending.pop().split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        own = {name.removeprefix("optimizer.") for name in names if name.startswith("optimizer.")}
        pending += own - found
        found |= own | names
    return found


def test_verify_shares_nothing_with_the_solver() -> None:
    imported = imported_by("verify")
    assert not SOLVER & imported
    assert not any(name.startswith("ortools") for name in imported)
    assert imported >= CHECKER - {"verify"}
    assert imported_by("solve") >= SOLVER - {"solve"}
    assert not CHECKER & imported_by("solve")
    uses = {
        node.attr
        for module in CHECKER
        for node in ast.walk(ast.parse((PACKAGE / f"{module}.py").read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name | ast.Attribute)
        and ast.unparse(node.value).endswith("problem")
    }
    assert not uses & {"classes", "class_of", "keepable", "owner_pair"}
