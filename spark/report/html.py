"""A report as one page that fetches nothing."""

import base64
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from importlib.resources import files
from operator import itemgetter
from typing import Any

from optimizer.figures import figure
from spark.errors import InputError
from spark.report.material import Material
from spark.report.sections import sections_of
from spark.report.sections.first import cards_of
from spark.report.sections.fleet import strategies
from spark.report.sections.groups import for_script
from spark.report.sections.trend import strip
from spark.text import readable

TEMPLATES = "templates"

FIGURES = ("uneven", "idle", "lag", "groups", "unplanned")
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
        finalize=lambda value: _text_shown(value, markup),
    )
    indexes = {cluster: at for at, cluster in enumerate(material.clusters)}
    environment.filters |= {
        "figure": figure,
        "ours": markup,
        "place": lambda cluster: indexes.get(cluster, -1),
        "percent": lambda share: f"{round(100 * share, 1) + 0.0:+.1f}".replace("-", "−"),
        "prose": lambda text: markup(_prose(text)),
    }
    sections = {section["name"]: section for section in sections_of(material)}
    payload = {} if static else _data(material, sections) | _details(environment, sections)
    style, script = _text("page.css"), _text("page.js")
    page: str = environment.get_template("page.html.j2").render(
        material=material,
        strip=strip(material),
        sections=[*sections.values()],
        static=static,
        style=style,
        script=script,
        script_hash=_hash(f"\n{script}\n"),
        data=_pack(payload),
    )
    return page


def check_drawing() -> None:
    """Raise InputError where what writes reports isn't installed."""
    _jinja()


def _text_shown(value: Any, markup: type) -> Any:
    """How a template shows a value."""
    if value is None:
        return "–"
    return readable(value) if isinstance(value, str) and not isinstance(value, markup) else value


def _prose(text: Any) -> str:
    """HTML of a sentence, in which `commands` are set as such."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(readable(text)))


def _data(material: Material, sections: Mapping[str, Any]) -> dict[str, Any]:
    """The data from which the script draws."""
    figures = {row["cluster"]: [row[key] for key in FIGURES] for row in material.clusters_beside}
    return {
        **for_script(sections["groups"]["rows"] if "groups" in sections else ()),
        "trend": sections["trend"]["data"] if "trend" in sections else None,
        "clusters": [figures.get(name) for name in material.clusters],
    }


def _details(environment: Any, sections: dict[str, Any]) -> dict[str, Any]:
    """Details of groups, which leave the sections: the script puts them into the rows."""
    draw = environment.get_template("details.html.j2").render
    blocks = sections.pop("details", {"blocks": ()})["blocks"]
    return {
        "details": {
            block["id"]: draw(section={"blocks": [block]}, static=False) for block in blocks
        }
    }


def _pack(payload: Mapping[str, Any]) -> str:
    """JSON in letters that can't end the element: a page of 300 groups is a fifth smaller so."""
    packed = zlib.compress(json.dumps(payload, separators=(",", ":")).encode(), 9)
    return base64.b64encode(packed).decode()


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
"""Letters that mean more to Markdown, or to what it is put into."""


def markdown_of(material: Material) -> str:
    """The short form."""
    parts = *_first(material), *_teams(material), *_league(material)
    return "\n".join([f"# {literal(material.title)}", "", *parts])


def literal(text: Any) -> str:
    """Text of which Markdown makes nothing."""
    return _MEANING.sub(r"\\\1", readable(text))


def _first(material: Material) -> Iterator[str]:
    yield from ("## Do first", "", literal(material.verdict), "")
    for number, card in enumerate(filter(itemgetter("shown"), cards_of(material)), 1):
        yield f"{number}. {literal(card['what'])} {literal(card['cure'])}"
    yield ""


def _teams(material: Material) -> Iterator[str]:
    """A section a team, for its channel: its findings with their cures, the worst first."""
    rows = [row for row in material.findings if row["severity"] != "info"]
    for team in sorted({row["team"] for row in material.findings if row["team"] is not None}):
        lines = [
            f"* **{row['severity']}** {literal(row['sentence'])} {literal(row['advice'])}"
            for row in rows
            if row["team"] == team
        ]
        lines = lines or ["Nothing critical, and no warning."]
        yield from (f"## Team {literal(team)}", "", *lines, "")


def _league(material: Material) -> Iterator[str]:
    view = strategies(material)
    if view is None:
        return
    titles = ["strategy", "groups", "not evaluated"]
    titles += [*view["by_weight"].values(), *view["columns"].values()]
    yield from ("## Strategies", "", literal(view["best"]), "")
    yield "| " + " | ".join(map(literal, titles)) + " |"
    yield "|" + " --- |" * len(titles)
    for row in view["rows"]:
        cells = [row["groups"], row["not_evaluated"], *(value for value, _ in row["cells"])]
        yield "| " + " | ".join([literal(row["strategy"]), *map(figure, cells)]) + " |"
    yield ""
    yield from (f"Made by {_code(material.made_by['strategies'])}", "")


def _code(text: str) -> str:
    """Between as many backticks as it takes."""
    most = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (most + 1)
    return f"{fence} {readable(text)} {fence}"
