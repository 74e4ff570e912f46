"""`evenfleet config`: what is set, files that ship, and which goals count for a group."""

import json
from importlib import import_module
from typing import Annotated, Any

from typer import Argument

from spark.errors import InputError
from spark.settings import example_file, goal_rows, goal_rows_of, read_settings, setting_rows
from spark.terminal import Config, option, say, say_all, show

FILES = {
    "evenfleet": ("spark.settings.config_file", "ConfigFile"),
    "audit": ("spark.audit.thresholds_file", "ThresholdsFile"),
    "clusters": ("spark.sources.live.clusters_file", "ClustersFile"),
    "policies": ("spark.scale.scale_file", "ScaleFile"),
}
"""Where the model of each file is: it is loaded for its file alone, and pydantic with it."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def example_text(name: str) -> str:
    """An example: of a file of settings with every key, else the file that ships."""
    from spark.toml.tables import example_of  # noqa: PLC0415 - loads pydantic

    path = example_file(name)
    if path.suffix == ".toml" and path.stem in FILES:
        return example_of(_schema(path.stem))
    return path.read_text(encoding="utf-8")


def schema_text(name: str) -> str:
    """The JSON schema of a file of settings; InputError for another file."""
    stem = name.removesuffix(".toml")
    if stem not in FILES:
        raise InputError(f"no schema of {name!r}: choose one of {', '.join(FILES)}")
    schema = {"$schema": DIALECT, **_schema(stem)}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _schema(name: str) -> Any:
    module, model = FILES[name]
    return getattr(import_module(module), model).schema_of_file()


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
