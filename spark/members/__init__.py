"""How many members each group of a fleet needs."""

from __future__ import annotations

from spark.members.members import HEADROOM, members_fleet
from spark.members.members_row import MembersRow

__all__ = ["HEADROOM", "MembersRow", "members_fleet"]
