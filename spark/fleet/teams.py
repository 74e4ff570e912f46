"""Teams and their groups, and findings about them that are known until a day."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import reduce
from operator import or_
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, functions as F

from spark.fleet.store import time_of
from spark.fleet.utf8 import is_like
from spark.patterns import matches


class Team(NamedTuple):
    """A team, and the patterns of its groups' names (see `spark.patterns`)."""

    name: str
    groups: Sequence[str]


def team_of(teams: Sequence[Team], group: str) -> str | None:
    """The first team that a group fits."""
    of_group = (team.name for team in teams if any(matches(p, group) for p in team.groups))
    return next(of_group, None)


def team_column(teams: Sequence[Team]) -> Column:
    """The team of each row by its column `group`, which is null in some."""
    column = F.lit(None).cast("string")
    for team in reversed(teams):
        fits = reduce(or_, (is_like("group", pattern) for pattern in team.groups))
        column = F.when(fits, team.name).otherwise(column)
    return column


class Mute(NamedTuple):
    """A kind of finding that is known until a day, and why; `cluster`, `group` are patterns."""

    finding: str
    until: date
    why: str
    cluster: str = "*"
    group: str = "*"

    def __str__(self) -> str:
        return f"{self.finding} of group {self.group}, cluster {self.cluster}"

    @property
    def label(self) -> str:
        return f"until {self.until}: {self.why}"

    def fits(self) -> Column:
        """Whether a row is such a finding."""
        of_group = F.lit(True) if self.group == "*" else is_like("group", self.group)
        return (F.col("finding") == self.finding) & is_like("cluster", self.cluster) & of_group


def label(
    findings: DataFrame, teams: Sequence[Team], mutes: Sequence[Mute], snapshot: str
) -> DataFrame:
    """Rows of findings with `team`, and `muted`: until when and why; null where it isn't."""
    muted = F.lit(None).cast("string")
    for mute in reversed(_standing(mutes, snapshot)):
        muted = F.when(mute.fits(), mute.label).otherwise(muted)
    return findings.select("*", team_column(teams).alias("team"), muted.alias("muted"))


def muted_in(mutes: Sequence[Mute], cluster: str, group: str, snapshot: str) -> dict[str, str]:
    """The kinds of findings about a group that are muted: until when and why."""
    return {
        mute.finding: mute.label
        for mute in reversed(_standing(mutes, snapshot))
        if matches(mute.cluster, cluster) and matches(mute.group, group)
    }


def _standing(mutes: Sequence[Mute], snapshot: str) -> list[Mute]:
    """Mutes whose day hasn't come at the time of the snapshot."""
    today = (time_of(snapshot) or datetime.now(UTC)).date()
    return [mute for mute in mutes if today < mute.until]
