"""Plain English in what people read (docs/house.md, "Words")."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

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


@pytest.mark.parametrize("page", PAGES, ids=lambda one: one.name)
def test_no_sentence_is_long(page: Path) -> None:
    """Also a list of columns is easier to read as a table."""
    text = page.read_text("utf-8")
    assert [one for one in sentences(text) if len(one.split()) > MOST_WORDS] == []
    assert median(lengths(text)) < USUAL_WORDS


@pytest.mark.parametrize("page", PAGES, ids=lambda one: one.name)
def test_no_turn_has_to_be_read_twice(page: Path) -> None:
    """Each line that has one is named, with what to write instead; code is left out."""
    text = page.read_text("utf-8")
    for code in (BLOCK, CODE):
        text = code.sub(lambda found: "\n" * found[0].count("\n"), text)
    faults = [
        f"{page.name}:{number}: {turn[0]!r}: {instead}"
        for number, line in enumerate(text.splitlines(), 1)
        for banned, instead in BANNED.items()
        for turn in re.finditer(rf"\b{banned}\b", line, re.IGNORECASE)
    ]
    assert faults == []
