"""What the pages show can be typed: commands, options and files that are there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from spark.cli import COMMANDS, app_for
from tests.paths import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands_of(page: Path) -> Iterator[list[str]]:
    """The words of each command of ours in blocks of code, and between backticks of tables."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```(?:sh|bash)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    cells = re.findall(r"^\|.*?`((?:bin/)?evenfleet [^`]+)`", text, re.MULTILINE)
    for line in [*lines, *cells]:
        if found_text := re.match(r"\s*(?:bin/)?evenfleet ([a-z].*)", line):
            yield shlex.split(found_text[1].partition(" > ")[0], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda item: item.name)
def test_commands_are_understood(page: Path) -> None:
    """Nothing runs: the words are read as the command would read them."""
    for words in commands_of(page):
        if words[0] not in COMMANDS:
            pytest.fail(f"{page.name}: there is no command {words[0]}")
        command = typer.main.get_command(app_for(words[:1]))
        context = typer.Context(command)
        item = command.get_command(context, words[0])  # type: ignore[attr-defined]
        try:
            item.make_context(words[0], words[1:])
        except Exception as error:
            pytest.fail(f"{page.name}: {shlex.join(words)}: {error!r}")


@pytest.mark.parametrize("page", PAGES, ids=lambda item: item.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_index_has_every_page() -> None:
    index = (ROOT / "docs/README.md").read_text("utf-8")
    pages = [item for item in (ROOT / "docs").rglob("*") if item.suffix in (".md", ".ipynb")]
    names = [
        page.relative_to(ROOT / "docs").as_posix() for page in pages if page.name != "README.md"
    ]
    assert [name for name in names if f"({name})" not in index] == []


@pytest.mark.parametrize("page", ["tour.md", "in_python.md"])
def test_python_prints_what_the_page_says(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each block that has its output below it, one after the other."""
    monkeypatch.chdir(tmp_path)
    text, names = (ROOT / "docs" / page).read_text("utf-8"), {"__name__": page}
    shown = re.findall(r"^```python\n([^`]*)```\n\n```(?:text)?\n([^`]*)```", text, re.MULTILINE)
    assert shown
    for code, output in shown:
        exec(code, names)
        assert capsys.readouterr().out == output
