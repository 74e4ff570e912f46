"""Plain English in what people read (docs/house.md, "Words")."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import typer

from spark.cli import COMMANDS, app_for
from spark.glossary import GLOSSARY
from tests.paths import CODE_FILES, ROOT, nodes_of
from tests.words import BLOCK, CODE, PAGES, lengths, sentences

MOST_WORDS = 35
"""Of a sentence in the docs."""

USUAL_WORDS = 18
"""The median of a page is below."""

BANNED = {
    r"so many": "say 'that many', 'at most N' or 'the number of'",
    r"as \w+ as can be": "say 'as … as possible'",
    r"whatever": "say 'any', 'also' or leave it out",
    r"nobody (?:states|says|tells)": "name what lacks it: 'without …'",
    r"what there is": "name the thing",
    r"at odds": "say 'contradict'",
    r"anew": "say 'again' or name the step: 'rejoin', 'rewrite', 'create again'",
    r"as found": "say 'now' or 'current'",
    r"goes by": "say 'follows' or 'uses'",
    r"the last word": "say 'overrides'",
    r"comes? into force": "say 'apply' or 'take effect'",
    r"gone on with": "say 'continue'",
    r"the matter": "say what is wrong",
}
"""Turns that a reader has to read twice, and what to write instead."""

ANY_TURN = re.compile(rf"\b(?:{'|'.join(BANNED)})\b", re.IGNORECASE)

BANNED_NAMES = {
    "told": "report, print or describe",
    "said": "report or summary",
    "modern": "consumer, as Kafka calls the protocol",
    "whatever": "the noun",
    "nobody": "none, or what lacks it",
    "lookout": "watcher",
    "judge": "evaluate",
    "afresh": "resets",
    "ability": "peak rate",
    "parcel": "bundle",
    "kick": "perturbation",
}
"""Parts of names in code, and what to write instead: a function is a verb or what it returns."""

BANNED_WHOLE = {
    "facts": "what they are: problem, group, columns",
    "there": "present, stored, existing",
    "stated": "settings, table, reported",
    "known": "has_…, is_known, known_share",
    "found": "current, result, best_plan",
    "places": "positions, slots, cells, racks",
    "unreadable": "unreadable_lines, read_errors",
    "one": "row, item, left and right",
    "some": "the noun",
    "chosen": "the noun",
    "together": "merged, or what they are",
    "within": "in_tolerance, caps",
    "later": "newer, followers",
    "shed": "released",
    "Happening": "event",
    "Place": "Partition, or what it is",
    "Seat": "CoordinatorLocation",
    "World": "Context",
    "MOST": "MAX_ and what is counted",
}
"""Whole names that hide what they stand for; as parts of longer names they are right."""

NAMES_THAT_STAY = {"NOBODY", "NOBODY_READS", "nobody", "_of_nobody"}
"""A member's index that stands for none, in hot loops of arrays and in columns."""

HELP_LENGTH, ERROR_LENGTH = 100, 160
"""Characters of a sentence in a command's help, and of an error: two lines of a terminal."""

LISTS = ("strategy", "strategies")
"""Options whose help lists the names of all strategies."""

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`-])|\n\n")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")

CONF_FILES = sorted(path for path in (ROOT / "conf").rglob("*") if path.is_file())


@pytest.mark.parametrize("page", PAGES, ids=lambda item: item.name)
def test_no_sentence_is_long(page: Path) -> None:
    """Also a list of columns is easier to read as a table."""
    text = page.read_text("utf-8")
    assert [sentence for sentence in sentences(text) if len(sentence.split()) > MOST_WORDS] == []
    assert median(lengths(text)) < USUAL_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda item: item.name)
def test_no_turn_has_to_be_read_twice(page: Path) -> None:
    """Each line that has one is named, with what to write instead; code is left out."""
    text = page.read_text("utf-8")
    for code in (BLOCK, CODE):
        text = code.sub(lambda result: "\n" * result[0].count("\n"), text)
    assert _faults(page, text) == []


@pytest.mark.parametrize("path", CONF_FILES, ids=lambda item: str(item.relative_to(ROOT)))
def test_comments_of_settings_and_examples_are_plain(path: Path) -> None:
    assert _faults(path, path.read_text("utf-8")) == []


def _faults(path: Path, text: str) -> list[str]:
    lines = enumerate(text.splitlines(), 1)
    return [f"{path.name}:{number}: {fault}" for number, line in lines for fault in _turns(line)]


def test_no_line_of_code_has_to_be_read_twice() -> None:
    """Comments and docstrings, and texts that stand on several lines: help, sentences, errors."""
    faults = [
        f"{path.relative_to(ROOT)}:{number}: {fault}"
        for path in CODE_FILES
        for number, text in _texts(path)
        for fault in _turns(text)
    ]
    assert faults == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_read_at_a_glance(name: str) -> None:
    """Short sentences without those turns, of a command and of each of its options."""
    command: Any = typer.main.get_command(app_for([name]))
    command = getattr(command, "commands", {name: command})[name]
    texts = [command.help, *(p.help or "" for p in command.params if p.name not in LISTS)]
    parts = [" ".join(part.split()) for text in texts for part in SENTENCE_END.split(text)]
    assert [part for part in parts if len(part) > HELP_LENGTH] == []
    assert [fault for part in parts for fault in _turns(part)] == []


def test_errors_fit_two_lines() -> None:
    """By their own words, with eight characters for each value in them."""
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {text}"
        for path in CODE_FILES
        for node in nodes_of(path)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        for text in map(_literal, node.exc.args)
        if len(text) > ERROR_LENGTH
    ]
    assert long == []


def test_names_in_code_keep_to_the_same_rules() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{line}: {name}: say {instead}"
        for path in CODE_FILES
        for line, name in _names(path)
        if name not in NAMES_THAT_STAY
        for instead in _better_names(name)
    ]
    assert faults == []


def test_the_glossary_is_the_one_that_tables_have() -> None:
    page = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert dict(re.findall(r"^\| ([a-z ]+) \| (.*) \|$", page, re.MULTILINE)) == {
        "term": "means",
        **GLOSSARY,
    }


def _turns(text: str) -> Iterator[str]:
    if not ANY_TURN.search(text):
        return
    for banned, instead in BANNED.items():
        for turn in re.finditer(rf"\b{banned}\b", text, re.IGNORECASE):
            yield f"{turn[0]!r}: {instead}"


def _better_names(name: str) -> Iterator[str]:
    """What to write instead of a name or of its parts."""
    if instead := BANNED_WHOLE.get(name.removeprefix("_")):
        yield instead
    for part in CAMEL.sub("_", name).lower().split("_"):
        if part in BANNED_NAMES:
            yield BANNED_NAMES[part]


def _names(path: Path) -> Iterator[tuple[int, str]]:
    """Functions, classes, parameters and variables of a file with their lines."""
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def _literal(node: ast.expr) -> str:
    """The text of an expression, its values left blank."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_literal, node.values))
    if isinstance(node, ast.BinOp):
        return _literal(node.left) + _literal(node.right)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return str(node.value) if is_text else 8 * " " * isinstance(node, ast.FormattedValue)


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file, and its literal texts, which may stand on several."""
    yield from enumerate(path.read_text("utf-8").splitlines(), 1)
    for node in nodes_of(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
