"""What a command prints: tables for people, JSON for programs."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, wraps
from textwrap import wrap
from typing import Any, ParamSpec

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from optimizer.figures import NO_FIGURE, figure
from spark.glossary import legend_of
from spark.text import shortened_in

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


WIDE = 10_000
"""Columns of a terminal on which any table fits."""

WIDE_OUT = Console(highlight=False, width=WIDE)

NARROWEST = 4
"""Characters of a column of text, at the least."""

P = ParamSpec("P")

ALIKE = 3
"""Rows from which on a column that says the same in each needs no room."""

FOLDED = ("cluster", "state", "kind", "judged_by", "severity", "not_evaluated", "unread")
"""Columns of which that is so: the others are what a table is about."""

Rows = Sequence[dict[str, Any]]


@dataclass
class Output:
    """Calls that print, in their order, and the sentence that is the command's answer."""

    printings: list[Callable[[], None]] = field(default_factory=list)
    answer: str = ""


_held: ContextVar[Output | None] = ContextVar("_held", default=None)


@contextmanager
def held_in(output: Output) -> Iterator[None]:
    """Let this thread print nothing for this time: what it would print is added to `output`."""
    token = _held.set(output)
    try:
        yield
    finally:
        _held.reset(token)


def is_held() -> bool:
    """Whether what this thread prints is held back."""
    return _held.get() is not None


def holdable(printing: Callable[P, None]) -> Callable[P, None]:
    """The same function, which waits for its turn where output is held back."""

    @wraps(printing)
    def hold(*args: P.args, **named: P.kwargs) -> None:
        output = _held.get()
        if output is None:
            printing(*args, **named)
        else:
            output.printings.append(partial(printing, *args, **named))

    return hold


def keep_answer(sentence: str) -> None:
    """Keep what a command answers for the one that has started it."""
    if output := _held.get():
        output.answer = sentence


def draw(tables: Mapping[str, Rows], hide: Collection[str], wide: bool = False) -> None:
    """Print tables by name for people, without the columns `hide`; below them a line on one word.

    Where they are `wide`, they have all columns, each as wide as it is.
    """
    titles: list[str] = []
    for name, rows in tables.items():
        if not rows:
            OUT.print(f"{name}: none")
            continue
        columns = [item for item in rows[0] if item not in hide or wide]
        titles += columns
        if wide or not OUT.is_terminal:
            WIDE_OUT.print(_laid_out(name, rows, columns))
        else:
            OUT.print(_fitting(name, rows, columns))
    if legend := legend_of(titles):
        OUT.print(Text(legend, style="dim"), soft_wrap=not OUT.is_terminal)


def _fitting(name: str, rows: Rows, columns: Sequence[str]) -> Grid:
    """A table that fits the terminal, if need be with headers as narrow as their cells, and closer.

    Names are never broken: what doesn't fit of them is left out in the middle. A cluster stands
    below its group, and what is the same in each row is a line below the table.
    """
    table = _laid_out(name, rows, columns)
    if _fits(table):
        return table
    if {"cluster", "group"} <= {*columns} and not _says_the_same(rows, "cluster"):
        rows = [row | {"group": (row["group"], row["cluster"])} for row in rows]
        columns = [column for column in columns if column != "cluster"]
    alike = [column for column in columns if _says_the_same(rows, column)]
    others = [column for column in columns if column not in alike]
    table = _laid_out(name, rows, others, is_narrow=True)
    if alike:
        caption = ", ".join(f'"{_header(column)}" is {_cell(rows[0][column])}' for column in alike)
        table.caption, table.caption_justify = f"In all rows {caption}.", "left"
    return table


def _fits(table: Grid) -> bool:
    unbounded = OUT.options.update(width=WIDE)
    return OUT.measure(table, options=unbounded).maximum <= OUT.width


def _says_the_same(rows: Rows, column: str) -> bool:
    folds = len(rows) >= ALIKE and column in FOLDED
    return folds and len({_cell(row[column]) for row in rows}) == 1


def _laid_out(name: str, rows: Rows, columns: Sequence[str], is_narrow: bool = False) -> Grid:
    table = Grid(
        title=name,
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=is_narrow,
    )
    drawn: list[Any] = []
    for column in columns:
        cells = [_cell(row[column]) for row in rows]
        header = _header(column)
        least = max(map(len, header.split()))
        widest = max(len(line) for cell in cells for line in cell.split("\n"))
        is_text = any(isinstance(row[column], str | tuple) for row in rows)
        table.add_column(
            "\n".join(wrap(header, max(least, widest))) if is_narrow else header,
            justify="left" if is_text else "right",
            min_width=None if is_text else least,
            no_wrap=not is_text,
        )
        drawn.append(map(_Words if is_text else Text, cells))
    for row in zip(*drawn, strict=True):
        table.add_row(*row)
    return table


@dataclass(frozen=True)
class _Words:
    """A cell that fits the width that Rich gives it: `orders-line…archiver`."""

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest = max(map(len, self.text.split("\n")))
        return Measurement(min(NARROWEST, widest), widest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        words = re.split(r"(\s)", self.text)
        yield Text("".join(_without_middle(word, options.max_width) for word in words))


def _header(column: str) -> str:
    return column.replace("_", " ")


def _without_middle(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[len(name) - end :]}"


def list_sentences(title: str, sentences: Sequence[str]) -> None:
    """Print sentences below a title, on a terminal wrapped beside their dashes."""
    OUT.print(Text(title, style="italic"))
    if not OUT.is_terminal:
        for sentence in sentences:
            OUT.print(Text(f"- {shown(sentence)}"), soft_wrap=True)
        return
    listed = Grid.grid(padding=(0, 1))
    for sentence in sentences:
        listed.add_row("-", Text(shown(sentence), overflow="fold"))
    OUT.print(listed)


def print_advice(advice: str) -> None:
    """Print what to do about the sentences above."""
    OUT.print(Padding(Text(f"→ {advice}"), (0, 0, 1, 2)))


@holdable
def say(sentence: str = "", to_paste: bool = False) -> None:
    """Tell a person what is going on, on standard error, unless nobody wants to know.

    A terminal breaks it between words, but for a command `to_paste`; a pipe has it in one line.
    """
    if not _silent:
        ERR.print(Text(shown(sentence)), soft_wrap=to_paste or not ERR.is_terminal)


def say_answer(answer: str, before: str = "") -> None:
    """Say what a command answers, after where that is from."""
    keep_answer(answer)
    say(before + answer)


def say_all(sentences: Iterable[str]) -> None:
    """The same of each of them, a line a sentence."""
    for sentence in sentences:
        say(sentence)


def tell_step(step: str, text: str, seconds: float | None = None) -> None:
    """Print a step of several commands: its name, its answer, how long it took; in 80 columns."""
    if not _silent:
        line = Grid.grid(padding=(0, 1, 0, 0))
        line.add_column(width=9)
        line.add_column(width=64, overflow="fold")
        line.add_column(justify="right")
        line.add_row(step, Text(shown(text)), "" if seconds is None else f"{seconds:.0f} s")
        OUT.print(line, width=80)


def text_of(printing: Callable[[], None]) -> str:
    """What a call prints, as plain text in place of the screen."""
    with OUT.capture() as out, WIDE_OUT.capture() as wide, ERR.capture() as err:
        printing()
    return Text.from_ansi("".join(captured.get() for captured in (out, wide, err))).plain


_silent = False


@contextmanager
def silence(wanted: bool) -> Iterator[None]:
    """Let `say` say nothing for this time, if that is wanted."""
    global _silent  # noqa: PLW0603 - the screen is the process's
    before, _silent = _silent, wanted
    try:
        yield
    finally:
        _silent = before


def plain(text: str) -> str:
    """Text without control characters: a name must not move the cursor or start a new line."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def shown(text: str) -> str:
    """A cell or sentence for people: nobody reads a name of a hundred thousand letters."""
    return plain(shortened_in(text))


def harmless(printed: str) -> str:
    """The same JSON, with what could move the cursor or turn the text around as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in printed)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return figure(value).replace(NO_FIGURE, "-")
    return "\n".join(map(_cell, value)) if isinstance(value, tuple) else shown(str(value))
