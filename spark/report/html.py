"""A report as one page that fetches nothing."""

import base64
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from optimizer.figures import figure
from spark.errors import InputError
from spark.report.material import Material
from spark.report.sections import sections_of
from spark.report.sections.first import cards_of
from spark.report.sections.fleet import strategies
from spark.report.sections.groups import loads_of
from spark.report.sections.trend import strip
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


_MEANING = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")
"""What Markdown, or what it is put into, may take for more than a letter."""


def markdown_of(material: Material) -> str:
    """The short form."""
    return "\n".join([f"# {escaped(material.title)}", "", *_first(material), *_league(material)])


def escaped(text: Any) -> str:
    """Text of which Markdown makes nothing."""
    return _MEANING.sub(r"\\\1", readable(text))


def _first(material: Material) -> Iterator[str]:
    yield from ("## Do first", "", escaped(material.verdict), "")
    for number, card in enumerate(cards_of(material), 1):
        yield f"{number}. {escaped(card['what'])} {escaped(card['cure'])}"
    yield ""


def _league(material: Material) -> Iterator[str]:
    view = strategies(material)
    if view is None:
        return
    titles = ["strategy", "groups", "not evaluated", *view["columns"].values()]
    titles += view["by_weight"].values()
    yield from ("## Strategies", "", escaped(view["best"]), "")
    yield "| " + " | ".join(map(escaped, titles)) + " |"
    yield "|" + " --- |" * len(titles)
    for row in view["rows"]:
        cells = [row["groups"], row["not_evaluated"], *(value for value, _ in row["cells"])]
        yield "| " + " | ".join([escaped(row["strategy"]), *map(figure, cells)]) + " |"
    yield ""
    yield from (f"Made by {_code(material.made_by['strategies'])}", "")


def _code(text: str) -> str:
    """Between as many backticks as it takes."""
    most = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (most + 1)
    return f"{fence} {readable(text)} {fence}"
