"""An example of a file of settings, written from its model: every key, and what it is for."""

import json
import re
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from spark.toml.tables import resolved

WIDTH = 100
"""Characters of a comment's line."""

Schema = Mapping[str, Any]


def example_of(file: Schema) -> str:
    """The text of a file with this JSON schema: defaults are stated, other keys are comments."""
    lines = [*_comment(file["description"]), ""]
    for key, values in file["properties"].items():
        field = resolved(values, file)
        lines += [*_comment(field["description"]), *_lines(key, field, file), ""]
    return "\n".join(lines[:-1]) + "\n"


def _lines(key: str, field: Schema, file: Schema) -> Iterator[str]:
    """A key, or a table with all of its keys."""
    items = resolved(field.get("items", {}), file)
    by_name = resolved(field.get("additionalProperties") or {}, file)
    if "properties" in field:
        yield f"[{key}]"
        yield from _keys(field, file)
    elif "properties" in by_name:
        yield from _comment(by_name["description"])
        yield f"[{key}.prod]"
        yield from _keys(by_name, file)
    elif "properties" in items:
        yield f"# [[{key}]]"
        keys = items["properties"].items()
        every = field["examples"][0] if "examples" in field else [{k: _value(of) for k, of in keys}]
        yield from (f"# {line}" for table in every for line in _entries(table))
    elif field.get("type") == "object":
        yield f"[{key}]"
        yield from (f"# {line}" for line in _entries(field["examples"][0]))
    else:
        yield _entry(key, field)


def _keys(table: Schema, file: Schema) -> Iterator[str]:
    for key, values in table["properties"].items():
        field = resolved(values, file)
        yield from _comment(field.get("description", ""))
        yield _entry(key, field, needed=key in table.get("required", ()))


def _entry(key: str, field: Schema, *, needed: bool = False) -> str:
    mark = "" if needed or "default" in field else "# "
    return f"{mark}{key} = {toml_text(_value(field))}"


def _value(field: Schema) -> Any:
    """A key's default, or an example."""
    return field["default"] if "default" in field else field["examples"][0]


def _entries(table: Schema) -> Iterator[str]:
    return (f"{_key(key)} = {toml_text(value)}" for key, value in table.items())


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in wrap(" ".join(text.split()), WIDTH - 2, break_on_hyphens=False)]


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name) else toml_text(name)


def toml_text(value: Any) -> str:
    """A value as TOML has it; a whole number without a point."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(_entries(value))} }}"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
