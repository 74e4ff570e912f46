"""conf/ and docs/settings.md against the models; `python -m` this file writes both again."""

import json
import re
import tomllib
from typing import Any

import jsonschema
import pytest

from spark.jobs.config import FILES, example_text, schema_text
from spark.toml.tables import definition_of, in_words
from tests.paths import ROOT
from tests.support.said import Run

PAGE = ROOT / "docs" / "settings.md"
HEAD = "| key | default | value | what it is for |\n|---|---|---|---|\n"


def table_of(name: str) -> str:
    """The table of a file's keys: of findings one row stands for all."""
    schema = json.loads(schema_text(name))
    rows = []
    for key, value in schema["properties"].items():
        field = definition_of(value, schema)
        items = definition_of(field.get("items", field.get("additionalProperties") or {}), schema)
        heading = f"[[{key}]]" if "items" in field else f"[{key}]"
        if "info" in field.get("properties", {}):
            continue  # docs/findings.md has these
        if "properties" in field or "properties" in items:
            inner = field if "properties" in field else items
            rows.append(row(f"`{heading}`", {"title": "a table", **field}))
            if "GroupTable" not in str(value) and key != "policy":
                rows += [row(f"`{heading} {k}`", v) for k, v in inner["properties"].items()]
        else:
            rows.append(row(f"`{key}`", field))
    return HEAD + "\n".join(rows) + "\n"


def row(key: str, field: dict[str, Any]) -> str:
    """A line of the page: a table's own words are its description."""
    default = json.dumps(field["default"]) if field.get("default") not in (None, {}, []) else "–"
    is_table = field.get("title") == "a table" or field.get("type") == "object"
    value = "a table" if is_table else in_words(field)
    text = " ".join(field["description"].split())
    cells = (key, f"`{default}`" if default != "–" else default, value, text)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def written(page: str) -> str:
    """The page with each file's table as its model has it."""
    for name in FILES:
        page = re.sub(
            rf"(<!-- {name} -->\n\n)(?:\|.*\n)*",
            lambda place, name=name: place[1] + table_of(name),
            page,
        )
    return page


@pytest.mark.parametrize("name", FILES)
def test_a_file_in_conf_is_what_its_model_writes(name: str) -> None:
    assert (ROOT / "conf" / f"{name}.toml").read_text("utf-8") == example_text(f"{name}.toml")


def test_the_page_has_every_key_as_it_is() -> None:
    page = PAGE.read_text("utf-8")
    assert page == written(page)
    assert all(f"<!-- {name} -->\n\n| key" in page for name in FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_schema_takes_the_example_and_refuses_an_unknown_key(run: Run, name: str) -> None:
    schema = json.loads(run("config", "--schema", name).out)
    jsonschema.Draft202012Validator.check_schema(schema)
    text = example_text(f"{name}.toml")
    with_comments = re.sub(r'^# (?=\[\[\w+\]\]$|[\w".-]+ = )', "", text, flags=re.MULTILINE)
    example = tomllib.loads(with_comments)
    assert len(str(example)) > len(str(tomllib.loads(text)))
    jsonschema.validate(example, schema)
    with pytest.raises(jsonschema.ValidationError, match="'spede' was unexpected"):
        jsonschema.validate(example | {"spede": 1}, schema)


def test_there_is_a_schema_of_files_of_settings_alone(run: Run) -> None:
    assert (
        "no schema of 'alerts': choose one of evenfleet, audit"
        in run("config", "--schema", "alerts").err
    )


if __name__ == "__main__":
    for name in FILES:
        (ROOT / "conf" / f"{name}.toml").write_text(example_text(f"{name}.toml"), "utf-8")
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
