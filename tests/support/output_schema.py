"""The JSON that commands print, held against docs/output.schema.json.

`EVENFLEET_SCHEMA=add python -m pytest …` adds what commands print and the schema doesn't know yet.
"""

import json
import os
from fcntl import LOCK_EX, flock
from functools import cache
from typing import Any

import jsonschema  # type: ignore[import-untyped]

from tests.paths import ROOT

FILE = ROOT / "docs" / "output.schema.json"
ADDS = os.environ.get("EVENFLEET_SCHEMA") == "add"

TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}


def check_output(text: str) -> None:
    """ValidationError if what a command printed isn't as the schema says."""
    printed = json.loads(text)
    if ADDS:
        with FILE.open("r+", encoding="utf-8") as file:
            flock(file, LOCK_EX)
            text = json.dumps(_with(json.load(file), printed), indent=1)
            file.truncate(file.seek(0))
            file.write(text + "\n")
    else:
        _validator().validate(printed)


@cache
def _validator() -> Any:
    return jsonschema.Draft202012Validator(json.loads(FILE.read_text("utf-8")))


def _with(schema: dict[str, Any], printed: dict[str, Any]) -> dict[str, Any]:
    """The schema with the tables and columns of what a command printed."""
    name = printed["command"]
    tables = schema["$defs"].setdefault(name, _object())
    branch = {
        "if": {"properties": {"command": {"const": name}}},
        "then": {"properties": {"tables": {"$ref": f"#/$defs/{name}"}}},
    }
    if branch not in schema["allOf"]:
        schema["allOf"] = sorted([*schema["allOf"], branch], key=json.dumps)
    for title, rows in printed["tables"].items():
        table = tables["properties"].setdefault(title, {"type": "array", "items": _object()})
        for row in rows:
            if isinstance(row, str):
                table["items"] = {"type": "string"}
                continue
            for column, value in row.items():
                of = table["items"]["properties"].setdefault(column, {"type": []})
                of["type"] = sorted({*of["type"], TYPES[type(value)], "null"})
    return schema


def _object() -> dict[str, Any]:
    names = {"pattern": "^[a-z][a-z0-9_]*$"}
    return {
        "type": "object",
        "propertyNames": names,
        "additionalProperties": False,
        "properties": {},
    }
