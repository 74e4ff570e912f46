"""Stores with strings that aren't valid UTF-8, as a careless writer leaves them."""

from pathlib import Path

from tests.support import fleets
from tests.support.fleets import SNAPSHOT, Fleet, write_files

odd = fleets.odd


def write_odd_store(fleet: Fleet, store: Path, snapshot: str = SNAPSHOT) -> Path:
    return write_files(fleet.tables(), store, snapshot)
