"""Plain English in what people read (docs/house.md, "Words")."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from spark.glossary import GLOSSARY
from tests.paths import ROOT
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

NAMES = {"made anew"}
"""Values of columns, which other programs read."""

CODE_FILES = [
    path for room in ("optimizer", "spark", "evenfleet") for path in (ROOT / room).rglob("*.py")
]


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
    lines = enumerate(text.splitlines(), 1)
    assert [
        f"{page.name}:{number}: {fault}" for number, line in lines for fault in _turns(line)
    ] == []


def test_no_message_has_to_be_read_twice() -> None:
    """Texts of the code but for docstrings: help, sentences, errors, titles."""
    faults = [
        f"{path.relative_to(ROOT)}:{number}: {fault}"
        for path in CODE_FILES
        for number, text in _texts(ast.parse(path.read_text("utf-8")))
        for fault in _turns(text)
    ]
    assert faults == []


def test_the_glossary_is_the_one_that_tables_have() -> None:
    page = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert dict(re.findall(r"^\| ([a-z ]+) \| (.*) \|$", page, re.MULTILINE)) == {
        "term": "means",
        **GLOSSARY,
    }


def _turns(text: str) -> Iterator[str]:
    for banned, instead in BANNED.items():
        for turn in re.finditer(rf"\b{banned}\b", text, re.IGNORECASE):
            yield f"{turn[0]!r}: {instead}"


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The literal texts of a file with their lines."""
    docs = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docs or node.value in NAMES:
            continue
        if isinstance(node.value, str):
            yield node.lineno, node.value
