"""The output of a command: tables for people, JSON for programs."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial, wraps
from textwrap import wrap
from typing import Any, NamedTuple, ParamSpec

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from optimizer.figures import NO_FIGURE
from spark.text import cell_text, readable

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


WIDE = 10_000
"""Columns of a terminal on which any table fits, and lines of one that has no end."""

WIDE_OUT = Console(highlight=False, width=WIDE)

NARROWEST = 12
"""Characters of a column of text, at the least."""

BELOW = 9
"""Lines of a screen for what stands below tables: notes, and what to do next."""

SEVERITIES = {"critical": "bold red", "warning": "yellow"}

_UUID = re.compile(r"\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
"""The end that Kafka's clients give a member's id."""

_PIECES = re.compile(r"\s+|[^\s._-]+[._-]*|[._-]+")
"""Where a name may go on in the next line."""

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
    """The function, which waits for its turn where output is held back."""

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


def colour_in(text: str, style: str = "") -> Text:
    """A sentence or cell for people, with severities in their colours."""
    whole = Text(readable(text), style=style)
    for severity, colour in SEVERITIES.items():
        whole.highlight_regex(rf"(?<![\w.-]){severity}(?![\w.-])", colour)
    return whole


def room_on_screen() -> int:
    """Lines that tables and lists of a command may have, so that all of it is seen at once."""
    return OUT.height - BELOW if OUT.is_terminal else WIDE


def lines_of(sentence: str) -> int:
    """Lines of the screen that a sentence takes."""
    return len(OUT.render_lines(colour_in(sentence)))


class Drawn(NamedTuple):
    """How much of a table or list was printed."""

    rows: int
    lines: int


def draw(name: str, rows: Rows, hide: Collection[str], room: int, wide: bool = False) -> Drawn:
    """Print as many rows of a table for people as have room.

    The columns `hide`, and those without any value, are left out; a `wide` table has all, each as
    wide as it is. Names may wrap, and are never cut, but for what makes members' ids unique. A
    cluster stands above its group where both don't fit side by side.
    """
    if not rows:
        OUT.print(f"{name}: none")
        return Drawn(0, 1)
    columns = [column for column in rows[0] if column not in hide or wide]
    if not wide:
        filled = [column for column in columns if any(row[column] is not None for row in rows)]
        columns = filled or columns
    if wide or not OUT.is_terminal:
        WIDE_OUT.print(_laid_out(name, rows, columns))
        return Drawn(len(rows), 0)
    return _print_first(lambda first: _fitting(name, first, columns), rows, room)


def list_sentences(title: str, sentences: Sequence[str], room: int, advice: str = "") -> Drawn:
    """Print the sentences below a title that have room, as `draw`.

    On a terminal they wrap beside their dashes; below them stands what to do about it.
    """
    OUT.print(colour_in(title, "italic"))
    if not OUT.is_terminal:
        for sentence in sentences:
            OUT.print(colour_in(f"- {sentence}"), soft_wrap=True)
        drawn = Drawn(len(sentences), 0)
    else:
        drawn = _print_first(_list_grid, sentences, room)
    if advice:
        OUT.print(Padding(Text(f"→ {advice}"), (0, 0, 0, 2)))
    return drawn


def _print_first(lay_out: Callable[[Any], RenderableType], rows: Sequence[Any], room: int) -> Drawn:
    """Print as many as have room, at least one; all where it has no end. Each takes a line."""
    most = len(rows) if room == WIDE else min(len(rows), room)
    for count in range(most, 0, -1):
        drawn = lay_out(rows[:count])
        lines = len(OUT.render_lines(drawn))
        if count == 1 or room == WIDE or lines <= room:
            OUT.print(drawn)
            return Drawn(count, lines)
    return Drawn(0, 0)


def _list_grid(sentences: Sequence[str]) -> Grid:
    listed = Grid.grid(padding=(0, 1))
    for sentence in sentences:
        listed.add_row("-", _Words(_UUID.sub(r"\1…", sentence)))
    return listed


def _fitting(name: str, rows: Rows, columns: Sequence[str]) -> Grid:
    """A table that fits the terminal, if need be with headers as narrow as their cells, and closer.

    What is the same in each row is a line below the table.
    """
    rows = [{column: _short(row[column]) for column in row} for row in rows]
    table = _laid_out(name, rows, columns)
    if _fits(table):
        return table
    if {"cluster", "group"} <= {*columns} and not _says_the_same(rows, "cluster"):
        rows = [row | {"group": (row["cluster"], row["group"])} for row in rows]
        columns = [column for column in columns if column != "cluster"]
    alike = [column for column in columns if _says_the_same(rows, column)]
    others = [column for column in columns if column not in alike]
    table = _laid_out(name, rows, others, is_narrow=True)
    if alike:
        caption = ", ".join(f'"{_header(column)}" is {_cell(rows[0][column])}' for column in alike)
        table.caption, table.caption_justify = f"In all rows {caption}.", "left"
    return table


def _short(cell: Any) -> Any:
    return _UUID.sub(r"\1…", cell) if isinstance(cell, str) else cell


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
        show_edge=not is_narrow,
        pad_edge=False,
        collapse_padding=is_narrow,
    )
    drawn: list[Any] = []
    for column in columns:
        cells = [_cell(row[column]) for row in rows]
        header = _header(column)
        least, two_lines = max(map(len, header.split())), len(header) // 2 + 2
        widest = max(len(line) for cell in cells for line in cell.split("\n"))
        is_text = any(isinstance(row[column], str | tuple) for row in rows)
        table.add_column(
            "\n".join(wrap(header, max(least, widest, two_lines))) if is_narrow else header,
            justify="left" if is_text else "right",
            min_width=None if is_text else least,
            no_wrap=not is_text,
            vertical="bottom",
        )
        drawn.append(map(_Words if is_text else Text, cells))
    for row in zip(*drawn, strict=True):
        table.add_row(*row)
    return table


@dataclass(frozen=True)
class _Words:
    """A cell or sentence that fits the width that Rich gives it, whole: names go on below."""

    text: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest = max(map(len, self.text.split("\n")))
        return Measurement(min(NARROWEST, widest), widest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.text.split("\n"):
            yield from map(colour_in, _lines(line, options.max_width))


def _lines(text: str, width: int) -> Iterator[str]:
    """The text in lines, between words or else within a name: behind its dots and dashes."""
    line = ""
    for word in re.findall(r"\S+\s*", text):
        pieces = [word] if len(word.rstrip()) <= width else _PIECES.findall(word)
        for piece in pieces:
            if line and len(line) + len(piece.rstrip()) > width:
                yield line.rstrip()
                line = ""
            line += piece
            while len(line.rstrip()) > width:
                yield line[:width]
                line = line[width:]
    yield line.rstrip()


def _header(column: str) -> str:
    return column.replace("_", " ")


@holdable
def say(sentence: str = "", to_paste: bool = False) -> None:
    """Tell a person what is going on, on standard error, unless nobody wants to know.

    A terminal breaks it between words, but for a command `to_paste`; a pipe has it in one line.
    """
    ERR.print(colour_in(sentence), soft_wrap=to_paste or not ERR.is_terminal)


def say_all(sentences: Iterable[str]) -> None:
    """Say each of them, a line a sentence."""
    for sentence in sentences:
        say(sentence)


def tell_step(step: str, text: str, seconds: float | None = None) -> None:
    """Print a step of several commands: its name, its answer, how long it took; in 80 columns."""
    line = Grid.grid(padding=(0, 1, 0, 0))
    line.add_column(width=9)
    line.add_column(width=64, overflow="fold")
    line.add_column(justify="right")
    line.add_row(step, Text(readable(text)), "" if seconds is None else f"{seconds:.0f} s")
    OUT.print(line, width=80)


def text_of(printing: Callable[[], None]) -> str:
    """The text that a call prints, plain in place of the screen."""
    with OUT.capture() as out, WIDE_OUT.capture() as wide, ERR.capture() as err:
        printing()
    return Text.from_ansi("".join(captured.get() for captured in (out, wide, err))).plain


@contextmanager
def silence(wanted: bool) -> Iterator[None]:
    """Let people see nothing for this time, if that is wanted."""
    consoles = OUT, WIDE_OUT, ERR
    for console in consoles:
        console.quiet = wanted
    try:
        yield
    finally:
        for console in consoles:
            console.quiet = False


def harmless(printed: str) -> str:
    """JSON with what could move the cursor or turn the text around as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in printed)


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return "\n".join(map(_cell, value))
    return cell_text(value) if isinstance(value, str) else cell_text(value).replace(NO_FIGURE, "-")
