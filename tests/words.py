"""How long the sentences of the docs are: `python -m tests.words` prints a line a page."""

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

BLOCK = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`]*`")


def prose(text: str) -> Iterator[str]:
    """The paragraphs, list items and cells of tables of a page, without its blocks of code."""
    text = CODE.sub("Code", LINK.sub(r"\1", BLOCK.sub("\n\n", text)))
    for part in re.split(r"\n\s*\n|\n(?=\s*(?:[*-]|\d+\.) )|\n(?=#)|\n(?=\|)", text):
        if part.lstrip().startswith("|"):
            yield from (cell.strip() for cell in part.strip().strip("|").split("|"))
        else:
            yield re.sub(r"^\s*(?:[*-]|\d+\.|#+|>)\s+", "", part.strip())


def sentences(text: str) -> list[str]:
    """The sentences of a page's prose; a colon or semicolon doesn't end one."""
    result = (
        sentence.strip()
        for part in prose(text)
        for sentence in re.split(r"(?<=[.!?])[)*_]*\s+(?=[^a-z])", " ".join(part.split()))
    )
    return [item for item in result if re.search(r"[a-z]{2}", item) and not item.startswith("--")]


def lengths(text: str) -> list[int]:
    """How many words each sentence has."""
    return [len(sentence.split()) for sentence in sentences(text)]


def _row(name: str, counts: list[int]) -> str:
    long = sum(count > 35 for count in counts)
    return f"{name:24} {len(counts):5} {median(counts):6.1f} {max(counts):5} {long:5}"


def main(pages: list[Path]) -> None:
    """Print sentences, median words, most words and sentences over 35 words of each page."""
    print(f"{'page':24} {'sent.':>5} {'median':>6} {'most':>5} {'>35':>5}")
    of_page = {page: lengths(page.read_text("utf-8")) for page in pages}
    for page, counts in of_page.items():
        print(_row(page.name, counts))
    print(_row("all", [count for counts in of_page.values() for count in counts]))


if __name__ == "__main__":
    main(PAGES)
