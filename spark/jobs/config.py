"""`evenfleet config`: what is set, and which goals count for a group."""

from typing import Annotated

from typer import Argument

from spark.jobs.config_files import example_text, schema_text
from spark.settings import goal_rows, goal_rows_of, read_settings, setting_rows
from spark.terminal import Config, option, say, say_all, show


def config(
    name: Annotated[
        str, Argument(help="File to print, with --example or --schema.")
    ] = "evenfleet.toml",
    example: Annotated[
        bool, option("Print an example file with every setting and its default.")
    ] = False,
    schema: Annotated[
        bool, option("Print the JSON schema of a file, with which editors complete it.")
    ] = False,
    group: Annotated[str | None, option("Show the goals of this group.")] = None,
    cluster: Annotated[str | None, option("Its cluster.", shown="each that may have it")] = None,
    config: Config = None,
) -> None:
    """Show the effective settings, and the goals of a group."""
    if example:
        print(example_text(name), end="")
        return
    if schema:
        print(schema_text(name), end="")
        return
    settings = read_settings(config)
    say_all(settings.notes)
    tables = {"settings": setting_rows(settings), "goals": goal_rows(settings.goals)}
    if group is not None:
        tables = {"goals": goal_rows_of(settings.goals, group, cluster)}
    show(tables)
    if group is not None and len(tables["goals"]) > 1:
        say(f"Which of these count for group {group} depends on its cluster: add --cluster.")
