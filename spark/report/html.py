"""A report as one page that fetches nothing."""

import base64
import json
import re
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from optimizer.figures import figure
from spark.errors import InputError
from spark.report.material import Material
from spark.report.sections.groups import loads_of
from spark.report.sections.registry import sections_of
from spark.report.sections.strip import strip
from spark.text import shortened_in

TEMPLATES = "templates"

FIGURES = ("groups", "uneven", "idle", "lag")
"""Of each cluster, from which the script sums those of the chosen ones."""


def html_of(material: Material, static: bool = False) -> str:
    """The page; a `static` one has no script: tables can't be sorted or filtered.

    Every value is escaped, and the page's policy forbids every request and every script but its
    own. InputError where Jinja isn't installed.
    """
    jinja2 = _jinja()
    markup = jinja2.utils.markupsafe.Markup
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(_text),
        finalize=lambda value: _shown(value, markup),
    )
    indexes = {cluster: at for at, cluster in enumerate(material.clusters)}
    environment.filters |= {
        "figure": figure,
        "ours": markup,
        "place": lambda cluster: indexes.get(cluster, -1),
        "prose": lambda text: markup(_prose(text)),
    }
    sections = sections_of(material)
    style, script = _text("page.css"), _text("page.js")
    page: str = environment.get_template("page.html.j2").render(
        material=material,
        strip=strip(material),
        sections=sections,
        static=static,
        style=style,
        script=script,
        script_hash=_hash(f"\n{script}\n"),
        data=_data(material, sections),
    )
    return page


def check_drawing() -> None:
    """Raise InputError where what writes reports isn't installed."""
    _jinja()


def readable(text: Any) -> str:
    """Text in which no name breaks a page: shortened, and without what turns text around."""
    return "".join(
        item if item.isprintable() else f"\\x{ord(item):02x}" for item in shortened_in(str(text))
    )


def _shown(value: Any, markup: type) -> Any:
    """How a template shows a value."""
    if value is None:
        return "–"
    return readable(value) if isinstance(value, str) and not isinstance(value, markup) else value


def _prose(text: Any) -> str:
    """HTML of a sentence, in which `commands` are set as such."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(readable(text)))


def _data(material: Material, sections: Any) -> str:
    """What the script draws from, as JSON in which no text can end the element."""
    views = {section["name"]: section for section in sections}
    rows = views["groups"]["rows"] if "groups" in views else ()
    loads = {row["id"]: loads_of(row) for row in rows if row["loads"]}
    for item in loads.values():
        item["p"] = readable(item["p"])
        item["m"] = [[readable(name), *counts] for name, *counts in item["m"]]
    figures = {row["cluster"]: [row[key] for key in FIGURES] for row in material.clusters_beside}
    clusters = [figures.get(name) for name in material.clusters]
    data = {"loads": loads, "trend": views["trend"].get("data"), "clusters": clusters}
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _text(name: str) -> str:
    return (files("spark.report") / TEMPLATES / name).read_text("utf-8")


def _hash(script: str) -> str:
    """How a policy names the one script that may run."""
    return f"sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}"


def _jinja() -> Any:
    try:
        import jinja2  # noqa: PLC0415 - not everybody has it
    except ImportError:
        raise InputError(
            "a report needs jinja2, which isn't installed: pip install 'evenfleet[charts]'"
        ) from None
    return jinja2
