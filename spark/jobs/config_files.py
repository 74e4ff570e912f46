"""Files that users write, and others that ship: as examples, and as JSON schemas."""

import json
from typing import Any

from spark.errors import InputError
from spark.settings import config_model, example_file


def example_text(name: str) -> str:
    """An example: of a file of settings with every key, else the file that ships."""
    from spark.toml.example import example_of  # noqa: PLC0415 - loads pydantic

    path = example_file(name)
    schema = _schemas(path.stem) if path.suffix == ".toml" else {}
    return example_of(schema) if schema else path.read_text(encoding="utf-8")


def schema_text(name: str) -> str:
    """The JSON schema of a file of settings; InputError for another file."""
    schema = _schemas(name.removesuffix(".toml"))
    if not schema:
        raise InputError(f"no schema of {name!r}: choose one of {', '.join(FILES)}")
    return json.dumps({"$schema": DIALECT, **schema}, indent=2, ensure_ascii=False) + "\n"


FILES = ("evenfleet", "audit", "clusters", "policies")
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _schemas(name: str) -> dict[str, Any]:
    """The schema of one of `FILES`; what each needs is loaded for it alone."""
    from spark.toml.tables import schema_of  # noqa: PLC0415 - as the models below

    if name == "evenfleet":
        return schema_of(config_model())
    if name == "audit":
        from spark.audit import thresholds_model  # noqa: PLC0415

        return schema_of(thresholds_model())
    if name == "clusters":
        from spark.sources.live.clusters_file import ClustersFile  # noqa: PLC0415

        return schema_of(ClustersFile)
    if name == "policies":
        from spark.scale import scale_model  # noqa: PLC0415

        return schema_of(scale_model())
    return {}
