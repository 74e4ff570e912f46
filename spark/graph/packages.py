"""Maven coordinates of what Spark can bring, from the one file that has them."""

import tomllib
from pathlib import Path

PACKAGES = Path(__file__).with_name("packages.toml")
"""In a checkout a link to conf/packages.toml, in a wheel a copy of it."""


def coordinate(package: str) -> str:
    """What `--packages` takes, of a package named in conf/packages.toml."""
    coordinates: dict[str, str] = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))["packages"]
    return coordinates[package]
