"""What a command prints: tables for people, JSON for programs."""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table as Grid
from rich.text import Text

from optimizer.figures import NO_FIGURE, figure
from spark.glossary import legend_of
from spark.terminal.held_output import holdable, keep_answer
from spark.text import shortened_in

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


WIDE = 10_000
"""Columns of a terminal on which any table fits."""

WIDE_OUT = Console(highlight=False, width=WIDE)

NARROWEST = 4
"""Characters of a column of text, at the least."""

SHORT = 14
"""Characters to which the names that differ most are shortened before any others are."""

GAP = 2
"""Columns between two columns of a narrow table, and at its sides together."""

NAMES = (72, 56, 40, 32, 24)
"""Characters of a name where a table has to be narrow: the first that fits."""

ALIKE = 3
"""Rows from which on a column that says the same in each needs no room."""

Rows = Sequence[dict[str, Any]]


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
            WIDE_OUT.print(_laid_out(name, rows, columns, None))
        else:
            OUT.print(_fitting(name, rows, columns))
    if legend := legend_of(titles):
        OUT.print(Text(legend, style="dim"), soft_wrap=not OUT.is_terminal)


def _fitting(name: str, rows: Rows, columns: Sequence[str]) -> Grid:
    """A table that fits the terminal, if need be with headers as narrow as their cells, and closer.

    Names are never broken: what doesn't fit of them is left out in the middle. A column that says
    the same in each row is a line below the table instead.
    """
    table = _laid_out(name, rows, columns, None)
    if _fits(table):
        return table
    alike = [column for column in columns if _says_the_same(rows, column)]
    others = [column for column in columns if column not in alike]
    if not others:
        alike, others = [], [*columns]
    caption = ", ".join(f'"{_header(column)}" is {_cell(rows[0][column])}' for column in alike)
    for longest in NAMES:
        table = _laid_out(name, rows, others, longest)
        if alike:
            table.caption, table.caption_justify = f"In all rows {caption}.", "left"
        if _fits(table):
            return table
    _squeeze(table)
    return table


def _fits(table: Grid) -> bool:
    unbounded = OUT.options.update(width=WIDE)
    return OUT.measure(table, options=unbounded).maximum <= OUT.width


def _says_the_same(rows: Rows, column: str) -> bool:
    return len(rows) >= ALIKE and len({_cell(row[column]) for row in rows}) == 1


def _squeeze(table: Grid) -> None:
    """Fit a table into the terminal by shorter names than the shortest that are tried.

    Those that differ most between rows give way first: others are few, and often short by a letter.
    """
    widths = [_widest(column) for column in table.columns]
    texts = [at for at, column in enumerate(table.columns) if column.justify == "left"]
    cells = [[*map(str, column.cells)] for column in table.columns]
    names = [at for at in texts if not any(" " in cell for cell in cells[at])]
    varied = max(names, key=lambda at: len({*cells[at]}), default=0)
    while sum(widths) + GAP * len(widths) > OUT.width:
        most = max(texts or range(len(widths)), key=widths.__getitem__)
        if most in names and widths[varied] > SHORT:
            most = varied
        widths[most] -= 1
        if widths[most] <= NARROWEST:
            return  # Rich does what can be done
    for at, (column, width) in enumerate(zip(table.columns, widths, strict=True)):
        column.width = column.min_width = width
        if at in texts:
            column._cells = [Text(_shortened(str(cell), width)) for cell in column._cells]


def _widest(column: Column) -> int:
    lines = [line for cell in (column.header, *column.cells) for line in str(cell).split("\n")]
    return max(map(len, lines))


def _laid_out(name: str, rows: Rows, columns: Sequence[str], longest: int | None) -> Grid:
    """The table, narrow if names have a line of at most `longest` characters."""
    narrow = longest is not None
    table = Grid(
        title=name, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=narrow
    )
    shown = {column: [_cell(row[column]) for row in rows] for column in columns}
    for column, cells in shown.items():
        header = _header(column)
        texts = any(isinstance(row[column], str) for row in rows)
        if longest and texts:
            cells[:] = [_shortened(cell, longest) for cell in cells]
        words = [len(word) for cell in [header, *cells] for word in cell.split()]
        widest = max((len(line) for cell in cells for line in cell.split("\n")), default=0)
        least = max(words) if texts and narrow else max(map(len, header.split()))
        table.add_column(
            "\n".join(wrap(header, max(least, widest))) if narrow else header,
            justify="left" if texts else "right",
            min_width=least,
            overflow="fold",
        )
    for row in zip(*shown.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


def _header(column: str) -> str:
    return column.replace("_", " ")


def _shortened(cell: str, longest: int) -> str:
    """A cell without the middle of its long names: `orders-line…archiver`."""
    return " ".join(_without_middle(word, longest) for word in cell.split(" "))


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
    return shown(str(value))
