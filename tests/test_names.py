"""Names say what they hold: in scope where a docstring has them, and no word for just anything."""

import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.paths import CODE_FILES, ROOT, nodes_of, tree_of

CATCH_ALLS = {"result", "item", "items", "values", "entries", "settings", "selection", "report"}
"""What any variable could be called; it may be, where its type or its source says so too."""

EXTERNAL = {"enforceRebalance", "DescribeConfigs", "lagThreshold", "urlsplit", "diff"}
"""Names of Kafka, KEDA, Python and Git, which no code of ours has."""

OPTIONS = {"config"}
"""A command and its option may have one name."""

Defined = ast.FunctionDef | ast.ClassDef


def test_names_in_docstrings_are_in_scope() -> None:
    """In the file, or defined anywhere: columns, functions, modules and commands."""
    anywhere = {*dir(builtins), *EXTERNAL}.union(*map(_defined, CODE_FILES))
    assert [
        f"{_place(path, text)}: {name}"
        for path in CODE_FILES
        for text in _docstrings(path)
        for name in re.findall(r"`([A-Za-z_]\w*)`", str(text.value))
        if name not in anywhere and name not in _used(path)
    ] == []


def test_no_local_hides_an_import_a_definition_or_a_builtin() -> None:
    assert [
        f"{place}: {name}"
        for path, place, name, _ in _all_locals()
        if (name in _of_module(path) or name in dir(builtins)) and name not in OPTIONS
    ] == []


def test_no_local_could_be_just_anything() -> None:
    assert [
        f"{place}: {name}"
        for _, place, name, origin in _all_locals()
        if name in CATCH_ALLS and name not in origin.lower()
    ] == []


def _all_locals() -> Iterator[tuple[Path, str, str, str]]:
    """The file and place of each function, with the names and origins of its locals."""
    for path in CODE_FILES:
        for function in nodes_of(path):
            if isinstance(function, ast.FunctionDef):
                for name, origin in sorted({*_locals(function)}):
                    yield path, _place(path, function), name, origin


def _place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def _docstrings(path: Path) -> list[ast.Constant]:
    """Texts that stand alone: of modules, classes, functions, and below constants."""
    alone = (node.value for node in nodes_of(path) if isinstance(node, ast.Expr))
    return [node for node in alone if isinstance(node, ast.Constant) and type(node.value) is str]


@cache
def _defined(path: Path) -> frozenset[str]:
    """A file's own name, its room's, and all that it defines at any depth."""
    names = {path.stem, path.parent.name}
    for node in nodes_of(path):
        if isinstance(node, Defined):
            names.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(names)


@cache
def _used(path: Path) -> frozenset[str]:
    """Names and words of texts in a file, but for those of its docstrings."""
    words: set[str] = set()
    docstrings = {id(text) for text in _docstrings(path)}
    for node in nodes_of(path):
        for field in ("id", "attr", "arg", "name", "module", "asname"):
            words |= {*re.findall(r"\w+", getattr(node, field, None) or "")}
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            words |= {*re.findall(r"\w+", str(node.value))}
    return frozenset(words)


@cache
def _of_module(path: Path) -> frozenset[str]:
    """Names that a file imports and defines at its top."""
    body = tree_of(path).body
    defined = {node.name for node in body if isinstance(node, Defined)}
    imported = (node.names for node in body if isinstance(node, ast.Import | ast.ImportFrom))
    return frozenset(defined | {a.asname or a.name.split(".")[0] for of in imported for a in of})


def _locals(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Parameters, but for `**rest`, and variables of a function, each with its type or source."""
    nodes = [*ast.walk(function)]
    rest = (of.args.kwarg for of in nodes if isinstance(of, ast.FunctionDef))
    keywords = {argument.arg for argument in rest if argument}
    set_to = {
        getattr(name, "id", ""): ast.unparse(node.value)
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        for name in ast.walk(target)
    }
    for node in nodes:
        if isinstance(node, ast.arg) and node.arg not in keywords:
            yield node.arg, ast.unparse(node.annotation) if node.annotation else ""
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, set_to.get(node.id, "")
