"""A report as one page that fetches nothing."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import Any

from spark.charts import check_charts
from spark.errors import InputError
from spark.report.material import Material
from spark.report.sections.registry import sections_of
from spark.wording import shortened_in

TEMPLATES = "templates"

HIDDEN = '<svg aria-hidden="true" focusable="false" '
"""How a drawing begins: what it shows is told beside it to those who don't see."""


def html_of(material: Material, static: bool = False) -> str:
    """The page; a `static` one has no script, and tables can't be sorted or filtered.

    All that isn't ours is escaped, and the page's policy forbids every request and every script but
    its own. InputError where Jinja or Altair isn't installed.
    """
    jinja2 = _jinja()
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=False
    )
    environment.filters |= {
        "drawing": lambda text: jinja2.utils.markupsafe.Markup(text.replace("<svg ", HIDDEN, 1)),
        "figure": figure,
        "short": readable,
        "prose": lambda text: jinja2.utils.markupsafe.Markup(_prose(text)),
    }
    style, script = _text("page.css"), _text("page.js")
    page: str = environment.from_string(_text("page.html.j2")).render(
        material=material,
        sections=sections_of(material),
        static=static,
        style=style,
        script=script,
        script_hash=_hash(f"\n{script}\n"),
    )
    return page


def check_drawing() -> None:
    """Raise InputError where what draws reports isn't installed."""
    _jinja()
    check_charts()


def figure(number: float) -> str:
    """A number as people read it."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.2f}"


def readable(text: Any) -> str:
    """Text of which no name breaks a page: shortened, and without what turns text around."""
    return "".join(
        one if one.isprintable() else f"\\x{ord(one):02x}" for one in shortened_in(str(text))
    )


def _prose(text: Any) -> str:
    """HTML of a sentence, in which `commands` are set as such."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(readable(text)))


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
