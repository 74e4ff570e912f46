"""Hooks of the site (mkdocs.yml): links that leave docs/ lead to the repository, if it is known."""

from __future__ import annotations

import re
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./([^)]+)\)")


def on_page_markdown(markdown: str, *, config: Any, **_: Any) -> str:
    """Links to files of the checkout; without `repo_url` only their text stays."""
    root = config["repo_url"]
    return OUTSIDE.sub(rf"[\1]({root}/blob/main/\2)" if root else r"\1", markdown)
