"""Commands side by side: each one's output in its turn."""

import threading
from collections.abc import Callable
from typing import Annotated, Any

import pytest
import typer
from pyspark.sql import SparkSession

from spark.errors import InputError
from spark.terminal import busy, option, print_list, say, show, side_by_side
from spark.terminal.progress import progress

PATIENCE = 60  # seconds, for a busy machine

Command = Callable[..., Any]


def command(name: str, body: Callable[[], Any]) -> Command:
    def run(where: Annotated[str, option("Folder.")] = "out") -> None:
        say(f"{name} begins")
        body()
        show({name: [{"where": where}]})
        print_list("sentences", [f"of {name}"], f"what to do about {name}")
        say(f"{name} is done")

    run.__name__ = name
    return run


@pytest.fixture(autouse=True)
def shown() -> Any:
    with progress(shown=True, logged=True):
        yield


def test_output_comes_in_the_order_of_commands_whichever_ends_first(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    second_is_done = threading.Event()

    def long() -> None:
        with busy("working"):
            assert second_is_done.wait(PATIENCE)

    with side_by_side(spark) as start:
        first = start(command("first", long), "--where", "here")
        second = start(command("second", second_is_done.set))
        assert (first(), second()) == (0, 0)
    printed = capsys.readouterr()
    lines = printed.err.split("\n")
    assert lines[:5] == ["", "$ evenfleet first --where here", "first begins", *lines[3:5]]
    assert lines[3].startswith("working: ")
    assert lines[4:] == [
        "first is done",
        *("", "$ evenfleet second", "second begins", "second is done", ""),
    ]
    told = ["first", "here", "of first", "about first", "second", "of second", "about second"]
    places = [printed.out.index(text) for text in told]
    assert places == sorted(places)


def test_an_error_is_raised_in_its_turn_after_what_was_printed_before_it(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise InputError("no such folder")

    def end() -> None:
        raise typer.Exit(1)

    with side_by_side(spark) as start:
        failing, other = start(command("failing", fail)), start(command("other", lambda: None))
        with pytest.raises(InputError, match="no such folder"):
            failing()
        assert capsys.readouterr().err.endswith("failing begins\n")
        assert (other(), start(command("check", end))()) == (0, 1)
    assert "other is done" in capsys.readouterr().err
