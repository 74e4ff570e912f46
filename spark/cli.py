"""The command line: options, and what an error becomes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from optimizer import STRATEGIES
from spark import InputError, check_strategies
from spark.config import Settings, read_settings
from spark.console import Format, say
from spark.errors import first_line, unreadable_file
from spark.jobs.compare import compare as compare_job
from spark.jobs.demo import demo as demo_job
from spark.jobs.import_cli import Inference
from spark.jobs.import_cli import import_cli as import_cli_job
from spark.jobs.plan import plan as plan_job
from spark.jobs.verify import verify as verify_job
from spark.session import session

CHECK_FAILED, BAD_INPUT, RUN_FAILED, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="Plans Kafka consumer groups for a whole fleet: optimal sticky assignments, with proof.",
)

Store = Annotated[str, typer.Argument(help="Folder of snapshots.", show_default=False)]
Out = Annotated[str, typer.Option(help="Folder for the result.", show_default=False)]
Snapshot = Annotated[
    str | None, typer.Option(help="Id like 20261121T060000Z.", show_default="the newest")
]
Master = Annotated[
    str | None, typer.Option(help="Spark master.", show_default="all cores of this machine")
]
Conf = Annotated[
    list[str] | None, typer.Option(help="KEY=VALUE for Spark; repeatable.", show_default=False)
]
Config = Annotated[
    Path | None, typer.Option(help="Settings as in conf/evenfleet.toml.", show_default=False)
]
Form = Annotated[Format, typer.Option("--format", help="How tables are printed.")]


@app.command(epilog="Example: `evenfleet plan store --out plan`")
def plan(
    store: Store,
    out: Out,
    snapshot: Annotated[
        str | None, typer.Option(help="Id, or `all`.", show_default="the newest")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option(help=f"{', '.join(STRATEGIES)}.", show_default="optimal")
    ] = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Plan every group of a snapshot: who gets which partition, and what has to move for it."""
    settings = read_settings(config)
    chosen = strategy or settings.strategy
    if chosen not in STRATEGIES:
        raise InputError(f"unknown strategy {chosen!r}: choose one of {', '.join(STRATEGIES)}")
    with session(master, _spark_conf(settings, conf)) as spark:
        plan_job(spark, store, out, snapshot, chosen, form)


@app.command(epilog="Example: `evenfleet compare store --out out --strategies current,optimal`")
def compare(
    store: Store,
    out: Out,
    snapshot: Snapshot = None,
    strategies: Annotated[
        str | None,
        typer.Option(
            help=f"Names, separated by commas: current, {', '.join(STRATEGIES)}.",
            show_default="all",
        ),
    ] = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Measure every group as it is and under each strategy."""
    settings = read_settings(config)
    chosen = check_strategies(strategies.split(",") if strategies else settings.strategies)
    with session(master, _spark_conf(settings, conf)) as spark:
        compare_job(spark, store, out, snapshot, chosen, form)


@app.command(epilog="Example: `evenfleet verify store plan`")
def verify(
    store: Store,
    plan: Annotated[str, typer.Argument(help="Folder that `plan` wrote.", show_default=False)],
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Check a plan against its snapshot without the solver; exit code 1 if anything is wrong."""
    with session(master, _spark_conf(read_settings(config), conf)) as spark:
        if not verify_job(spark, store, plan, form):
            raise typer.Exit(CHECK_FAILED)


@app.command(
    epilog="Example: `evenfleet import-cli --cluster prod --groups members.txt "
    "--groups offsets.txt --topics topics.txt --out store`"
)
def import_cli(
    cluster: Annotated[str, typer.Option(help="Name of the cluster.", show_default=False)],
    groups: Annotated[
        list[Path],
        typer.Option(help="Text of kafka-consumer-groups; repeatable.", show_default=False),
    ],
    topics: Annotated[
        Path, typer.Option(help="Text of kafka-topics --describe.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="The store, a local folder.", show_default=False)],
    snapshot: Annotated[
        str | None, typer.Option(help="Id like 20261121T060000Z.", show_default="now, in UTC")
    ] = None,
    brokers: Annotated[
        Path | None,
        typer.Option(help="Text of kafka-broker-api-versions, for racks.", show_default=False),
    ] = None,
    infer: Annotated[
        Inference,
        typer.Option(help="A member reads all topics of its group, or only what it owns."),
    ] = Inference.UNION,
    subscriptions: Annotated[
        Path | None,
        typer.Option(
            help="CSV with the columns group, member_id or client_id, topic.", show_default=False
        ),
    ] = None,
    form: Form = Format.TABLE,
) -> None:
    """Read the text that Kafka's own tools print into a store."""
    import_cli_job(cluster, groups, topics, out, snapshot, brokers, infer, subscriptions, form)


@app.command(epilog="Example: `evenfleet demo --groups 300 --out demo`")
def demo(
    groups: Annotated[int, typer.Option(help="Groups of the fleet.", min=1)] = 300,
    out: Annotated[str, typer.Option(help="Folder for the fleet and its plan.")] = "demo",
    master: Master = None,
    conf: Conf = None,
    form: Form = Format.TABLE,
) -> None:
    """Make a fleet, plan it, compare strategies on it, and verify the plan."""
    with session(master, _spark_conf(Settings(), conf)) as spark:
        if not demo_job(spark, groups, out, form):
            raise typer.Exit(CHECK_FAILED)


def _spark_conf(settings: Settings, options: list[str] | None) -> dict[str, str]:
    """Settings of the session; options come last and win."""
    wrong = [option for option in options or [] if option.find("=") < 1]
    if wrong:
        raise InputError(f"--conf {wrong[0]!r} is not of the form KEY=VALUE")
    return settings.spark | dict(option.split("=", 1) for option in options or [])


def main() -> None:
    """Run a command; an error is one readable line and an exit code."""
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name="evenfleet", standalone_mode=False)
    except InputError as error:
        _end(str(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        _end("interrupted", INTERRUPTED)
    except Exception as error:
        _end(*_said(error))
    sys.exit(code or 0)


def _said(error: Exception) -> tuple[str, int]:
    """What to say about an error that isn't bad input by its class, and the exit code."""
    about_options = getattr(error, "format_message", None)  # typer has no name for such errors
    if about_options:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "evenfleet"
        return f"{about_options().rstrip('.')}: see {command} --help", BAD_INPUT
    if unreadable_file(error):
        return first_line(error), BAD_INPUT
    return f"{type(error).__name__}: {first_line(error)}", RUN_FAILED


def _end(sentence: str, code: int) -> None:
    say(f"evenfleet: {sentence}")
    sys.exit(code)
