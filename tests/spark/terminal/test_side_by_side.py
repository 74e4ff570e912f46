"""Commands side by side: each one's output in its turn."""

import threading
from collections.abc import Callable
from io import StringIO
from time import monotonic
from typing import Annotated, Any

import pytest
import typer
from pyspark.sql import SparkSession

from spark.errors import InputError
from spark.terminal import busy, option, print_list, say, say_answer, show, side_by_side
from spark.terminal.progress import progress

PATIENCE = 60  # seconds, for a busy machine


def command(name: str, body: Callable[[], Any]) -> Callable[..., Any]:
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
    second_is_done, log, waited = threading.Event(), StringIO(), list[float]()

    def long() -> None:
        begun = monotonic()
        with busy("working"):
            assert second_is_done.wait(PATIENCE)
        waited.append(monotonic() - begun)
        say_answer("7 of 9 groups are even.")

    with side_by_side(spark, log) as start:
        first = start(command("first", long), "--where", "here")
        second = start(command("second", second_is_done.set))
        ended = (first(), second())
    assert [(one.code, one.answer) for one in ended] == [(0, "7 of 9 groups are even."), (0, "")]
    assert ended[0].seconds >= waited[0] > 0 < ended[1].seconds
    assert capsys.readouterr() == ("", "")
    printed = log.getvalue()
    lines = ["$ evenfleet first --where here", "first begins", "working: ", "7 of 9 groups"]
    lines += ["- of first", "→ what to do about first", "first is done"]
    lines += ["$ evenfleet second", "second begins", "- of second", "about second"]
    places = [printed.index(text) for text in [*lines, "second is done"]]
    assert places == sorted(places)
    assert "\x1b" not in printed


def test_an_error_is_raised_in_its_turn_after_what_was_printed(spark: SparkSession) -> None:
    log = StringIO()

    def fail() -> None:
        raise InputError("no such folder")

    def end() -> None:
        raise typer.Exit(1)

    with side_by_side(spark, log) as start:
        failing, other = start(command("failing", fail)), start(command("other", lambda: None))
        with pytest.raises(InputError, match="no such folder"):
            failing()
        assert log.getvalue().endswith("failing begins\n")
        assert (other().code, start(command("check", end))().code) == (0, 1)
    assert "other is done" in log.getvalue()
