"""The ratchet: the house grows no further than tests/size.toml allows."""

import ast
import io
import tokenize
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.branch import base, git
from tests.paths import PACKAGES, ROOT

OTHER_KINDS = {".j2", ".html", ".js", ".css"}
LIMITS = "tests/size.toml"

NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.ENCODING, tokenize.ENDMARKER),
}


def files(folders: tuple[str, ...], kinds: set[str]) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in kinds and path.is_file()
    ]


def lines(paths: list[Path]) -> int:
    return sum(path.read_bytes().count(b"\n") for path in paths)


def docstring_lines(text: str) -> Iterator[int]:
    """Numbers of the lines that strings take which stand alone as a statement."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def code_lines(text: str) -> int:
    """Lines with code on them, without comments, docstrings and blanks."""
    numbers: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            numbers.update(range(token.start[0], token.end[0] + 1))
    return len(numbers.difference(docstring_lines(text)))


def sizes() -> dict[str, int]:
    product = files(PACKAGES, {".py"})
    return {
        "product_lines": lines(product),
        "product_code_lines": sum(code_lines(path.read_text("utf-8")) for path in product),
        "product_files": len(product),
        "product_page_lines": lines(files(PACKAGES, OTHER_KINDS)),
        "test_lines": lines(files(("tests",), {".py"})),
    }


def test_lines_of_code_are_those_that_do_something() -> None:
    text = (
        '"""Doc\n\nstring."""\n\n# why\nLIMIT = """a\nb"""\n"""What it is."""\ncall(\n    1,\n)\n'
    )
    assert code_lines(text) == 5


def test_nothing_has_grown() -> None:
    """Whoever takes lines out lowers the numbers in the same commit."""
    limits = tomllib.loads((ROOT / LIMITS).read_text("utf-8"))
    grown = [
        f"{name}: {size:,}, {size - limits[name]:,} above {LIMITS}. Take out as many lines."
        for name, size in sizes().items()
        if size > limits[name]
    ]
    assert grown == []


def test_a_number_is_raised_with_a_reason() -> None:
    """Each raise beyond main's numbers has a line of its own in `raised`."""
    now = tomllib.loads((ROOT / LIMITS).read_text("utf-8"))
    on_main = tomllib.loads(git("show", f"{base()}:{LIMITS}"))
    raised = [name for name, limit in on_main.items() if name != "raised" and now[name] > limit]
    reasons = set(now["raised"]) - set(on_main.get("raised", []))
    assert len(reasons) >= len(raised), f"say in `raised` of {LIMITS} why {raised} grew"


if __name__ == "__main__":
    for key, number in sizes().items():
        print(f"{key} = {number:_}")
