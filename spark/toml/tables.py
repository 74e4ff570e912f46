"""Tables of files of settings, as pydantic's models, and all that is wrong with a file.

pydantic takes a tenth of a second to load: only what reads a file, or shows one, imports this.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from optimizer.figures import nearest_name
from spark.errors import InputError
from spark.toml.toml_file import duration, read_toml

MAX_NUMBER = 1e100
"""The largest number that settings state, as of weights and capacities."""

MAX_COUNT = 2**63 - 1
"""The largest whole number of TOML."""


class TomlTable(BaseModel):
    """A table of a file: each field is a key, and the text below it says what it is for.

    A field without a default has to be stated, unless its default is None. Defaults are as the
    file has them, for examples and pages: commands take what is stated.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True
    )

    def entries(self, of: "type[TomlTable] | None" = None) -> dict[str, Any]:
        """The fields that the file states, those of this table or of a part of it."""
        names = (of or type(self)).model_fields.keys() & self.model_fields_set
        return {name: getattr(self, name) for name in names}

    @classmethod
    def read(cls, path: Path, what: str) -> Self:
        """The table that a file states; InputError tells all faults, and `what` the file is for."""
        table, faults = cls.check(read_toml(path, what))
        if table is None:
            raise InputError(f"{what} {path}: {'; '.join(faults)}")
        return table

    @classmethod
    def check(cls, document: Any) -> tuple[Self | None, list[str]]:
        """The table that these values state; None, and what is wrong with them."""
        try:
            return cls.model_validate(document), []
        except ValidationError as error:
            return None, list(_faults(error, document, cls.schema_of_file()))

    @classmethod
    @cache
    def schema_of_file(cls) -> dict[str, Any]:
        """The JSON schema of a file that is this table."""
        return cls.model_json_schema(schema_generator=_Schema)


class OneOf:
    """One of these names, or of `others`."""

    def __init__(self, names: Sequence[str], others: Callable[[str], bool] | None = None) -> None:
        self.names, self.others = names, others

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return AfterValidator(self._check).__get_pydantic_core_schema__(source, handler)

    def _check(self, name: str) -> str:
        if name not in self.names and not (self.others and self.others(name)):
            raise ValueError(name)
        return name

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        names = {"enum": list(self.names)}
        text = handler(core_schema)
        return {"anyOf": [names, text]} if self.others else names


Above0 = Annotated[float, Field(gt=0, le=MAX_NUMBER)]
NotNegative = Annotated[float, Field(ge=0, le=MAX_NUMBER)]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT)]
Milliseconds = Annotated[
    int, Field(ge=1, le=MAX_COUNT, title="a whole number of milliseconds above 0")
]
Pattern = Annotated[str, Field(min_length=1, title="a pattern such as 'payments-*'")]
Duration = Annotated[
    str,
    AfterValidator(duration),
    Field(title="a whole number and s, m, h or d, such as '24h'", validate_default=True),
]
Seconds = Annotated[Duration, AfterValidator(timedelta.total_seconds)]
"""Types of values in files; of a `Duration`, which is a text there, a timedelta."""


class ForGroupsTable(TomlTable):
    """Rule for some groups."""

    match: Pattern = Field(examples=["*"])
    """Names of the groups."""
    cluster: Pattern = "*"
    """Names of their clusters."""

    def settings(self) -> dict[str, Any]:
        """Settings that the file states for these groups."""
        return {k: v for k, v in self.entries().items() if k not in ("match", "cluster")}


def example(value: Any = None, **more: Any) -> Any:
    """The field of a key that has no default: an example of it is shown."""
    examples = None if value is None else [value]
    return Field(None, examples=examples, validate_default=False, **more)


class SessionsTable(TomlTable):
    """Time-outs of consumers, and what brokers allow, by Kafka's own names with _ for . ."""

    session_timeout_ms: Milliseconds = example(45000)
    """How long a consumer may send no heartbeat."""
    heartbeat_interval_ms: Milliseconds = example(3000)
    """How often a consumer sends heartbeats."""
    max_poll_interval_ms: Milliseconds = example(300000)
    """How long a consumer may take between two calls of poll()."""
    group_min_session_timeout_ms: Milliseconds = example(6000)
    """The least session time-out that brokers allow. Audits know it where collect read their
    settings, and hold groups against what is stated here."""
    group_max_session_timeout_ms: Milliseconds = example(1800000)
    """The largest, in the same way."""


class _Schema(GenerateJsonSchema):
    """In the order of fields, without titles that repeat names, and without TOML's missing null."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        return value

    def default_schema(self, schema: Any) -> Any:
        if isinstance(schema.get("default"), TomlTable | None):
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def definition_of(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of a schema, or what it refers to with what it says beside that."""
    if "$ref" not in schema:
        return schema
    return {**root["$defs"][schema["$ref"].rpartition("/")[2]], **schema}


def _faults(error: ValidationError, document: Any, root: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each value that is wrong, and each key that is unknown or missing."""
    passed = set()
    for each in error.errors(include_url=False):
        schema, path, value = root, [], document
        *_, last = each["loc"]
        for part in each["loc"]:
            inner = _part_of(schema, part)
            if inner is None:
                break  # an unknown key, or a kind of value of several
            path.append(part)
            schema = definition_of(inner, root)
            value = None if each["type"] == "missing" else value[part]
        if each["type"] == "extra_forbidden":
            near = _names_near(str(last), schema["properties"])
            yield f"{_where(path)}unknown key {last!r} ({near})"
        elif tuple(path) not in passed:
            passed.add(tuple(path))
            yield _fault(path, value, schema, root, missing=each["type"] == "missing")


def _part_of(schema: Mapping[str, Any], part: str | int) -> Any:
    if isinstance(part, int):
        return schema.get("items")
    return schema.get("properties", {}).get(part) or schema.get("additionalProperties") or None


def _fault(
    path: Sequence[Any], value: Any, schema: Mapping[str, Any], root: Any, *, missing: bool
) -> str:
    in_list = isinstance(path[-1], int)
    *before, key = path[:-1] if in_list else path
    where = _where(before)
    if missing:
        return f"{where}{key} is missing: give {in_words(schema)}"
    of_items = schema if in_list else definition_of(schema.get("items", {}), root)
    if "properties" in of_items and (in_list or "items" in schema):
        return f"{where}{key} must be tables, each headed [[{key}]]"
    if "properties" in schema or isinstance(schema.get("additionalProperties"), dict):
        return f"{where}{key} must be a table"
    verb, then = ("has", ", which") if in_list else ("is", " and")
    if near := nearest_name(value, _enum(schema)):
        return f"{where}{key} {verb} {value!r}: did you mean {near!r}?"
    return f"{where}{key} {verb} {value!r}{then} must be {in_words(schema)}"


def _where(path: Sequence[Any]) -> str:
    """Where a key stands: `goals: `, `[[group]] number 2: `, or nothing for the file's own."""
    return "".join(
        f"[[{part}]] number {after + 1}: " if isinstance(after, int) else f"{part}: "
        for part, after in pairwise([*path, ""])
        if not isinstance(part, int)
    )


def _names_near(name: str, names: Mapping[str, Any]) -> str:
    if near := nearest_name(name, names):
        return f"did you mean {near}?"
    return f"known {'are' if len(names) > 1 else 'is'} {', '.join(names)}"


def _enum(schema: Mapping[str, Any]) -> list[str]:
    """The names that a schema lists."""
    every = schema.get("enum", [])
    return [*every, *(name for kind in schema.get("anyOf", ()) for name in _enum(kind))]


def in_words(schema: Mapping[str, Any]) -> str:
    """Values that are allowed, in words: `a number above 0`, `one of a, b`."""
    match schema:
        case {"title": str(words)} | {"type": [*_], "description": str(words)}:
            pass
        case {"anyOf": kinds}:
            words = ", or ".join(map(in_words, kinds if not _enum(schema) else kinds[:1]))
        case {"enum": names}:
            words = f"one of {', '.join(names)}"
        case {"const": value}:
            words = repr(value)
        case {"type": "array", "items": items}:
            words = f"a list, each {in_words(items)}"
        case {"type": "number" | "integer" as kind}:
            words = f"{'a number' if kind == 'number' else 'a whole number'}{_range(schema)}"
        case _:
            words = {"boolean": "true or false", "string": "a text"}[schema["type"]]
    return words


def _range(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum", MAX_NUMBER)
    if "exclusiveMinimum" in schema:
        most = "" if high >= MAX_COUNT else f" and at most {high:,g}"
        return f" above {schema['exclusiveMinimum']:,g}{most}"
    if low is None:
        return ""
    return f" of {low:,g} or more" if high >= MAX_COUNT else f" from {low:,g} to {high:,g}"


WIDTH = 100
"""Characters of a comment's line."""

Schema = Mapping[str, Any]


def example_of(file: Schema) -> str:
    """The text of a file with this JSON schema: defaults are stated, other keys are comments."""
    lines = [*_comment(file["description"]), ""]
    for key, schema in file["properties"].items():
        field = definition_of(schema, file)
        lines += [*_comment(field["description"]), *_lines(key, field, file), ""]
    return "\n".join(lines[:-1]) + "\n"


def _lines(key: str, field: Schema, file: Schema) -> Iterator[str]:
    """A key, or a table with all of its keys."""
    of_list = definition_of(field.get("items", {}), file)
    by_name = definition_of(field.get("additionalProperties") or {}, file)
    if "properties" in field:
        yield f"[{key}]"
        yield from _keys(field, file)
    elif "properties" in by_name:
        yield from _comment(by_name["description"])
        yield f"[{key}.prod]"
        yield from _keys(by_name, file)
    elif "properties" in of_list:
        yield f"# [[{key}]]"
        keys = of_list["properties"].items()
        every = field["examples"][0] if "examples" in field else [{k: _value(of) for k, of in keys}]
        yield from (f"# {line}" for table in every for line in _entries(table))
    elif field.get("type") == "object":
        yield f"[{key}]"
        yield from (f"# {line}" for line in _entries(field["examples"][0]))
    else:
        yield _entry(key, field)


def _keys(table: Schema, file: Schema) -> Iterator[str]:
    for key, schema in table["properties"].items():
        field = definition_of(schema, file)
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
