"""Files that users write, and others that ship: as examples, and as JSON schemas."""

import json
from importlib import import_module
from typing import Any

from spark.errors import InputError
from spark.settings import example_file

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
    from spark.toml.example import example_of  # noqa: PLC0415 - loads pydantic

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
