"""The made-up fleet by the hour: what was planted is there, and nothing else happens."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import pandas as pd
import pyarrow as pa
import pytest

from spark.demo import demo_fleet, make_history

GROUPS, SEED, HOURS = 250, 1, 48
NEWEST = "20261121T060000Z"
GROUP, PARTITION = ["cluster", "group"], ["cluster", "topic", "partition"]
OFFSET = [*GROUP, "topic", "partition"]

Tables = Mapping[str, pd.DataFrame]
Key = tuple[str, str]

DEPLOYED, CRASHED = 2, 3
"""Stages of a group that was deployed, and of one of which a member crashed."""


class Made:
    """A history, the tables of each hour, and by the key of groups their kinds and stages."""

    def __init__(self) -> None:
        self.history = make_history(GROUPS, SEED)
        self.hours: list[Tables] = [
            {name: table.to_pandas() for name, table in tables.items()}
            for _, tables in self.history.snapshots(NEWEST)
        ]
        fleet = self.history.fleet
        keys = [(fleet.cluster_of(group), group.name) for group in fleet.groups]
        self.kinds = {key: group.kind for key, group in zip(keys, fleet.groups, strict=True)}
        self.stages = dict(zip(keys, self.history.stages, strict=True))

    def around(self, stages: int) -> Iterator[tuple[Key, list[Tables]]]:
        """Groups with that number of stages, each with the hours before and after the changes."""
        found = {key: of for key, of in self.stages.items() if len(of) == stages}
        assert len(found) > 5
        for key, of in found.items():
            assert self.kinds[key] == "ordinary"
            first = of[1][0]
            yield key, [self.hours[first - 1], *(self.hours[at] for at, _ in of[1:])]

    def of_kind(self, *kinds: str) -> set[Key]:
        result = {key for key, kind in self.kinds.items() if kind in kinds}
        assert result
        return result


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


def of(table: pd.DataFrame, key: Key) -> pd.DataFrame:
    return table[(table.cluster == key[0]) & (table.group == key[1])]


def ids(tables: Tables, key: Key) -> set[str]:
    return set(of(tables["members"], key).member_id)


def generation(tables: Tables, key: Key) -> int:
    (result,) = of(tables["groups"], key).generation
    return int(result)


def owners(tables: Tables, key: Key) -> dict[tuple[str, int], str]:
    rows = of(tables["assignments"], key)[["topic", "partition", "member_id"]]
    return {(t, p): member for t, p, member in rows.itertuples(index=False, name=None)}


def same(entries: Mapping[str, pa.Table], others: Mapping[str, pa.Table]) -> list[str]:
    """The tables that are equal."""
    return [name for name in entries if entries[name].equals(others[name])]


def test_ids_are_hours() -> None:
    names = [item for item, _ in make_history(5, SEED).snapshots(NEWEST)]
    assert (len(names), names[0], names[-1]) == (HOURS, "20261119T070000Z", NEWEST)
    assert names == sorted(names)
    assert [item for item, _ in make_history(5, SEED).snapshots(NEWEST, 2)] == names[-2:]


def test_it_is_the_same_for_the_same_seed(made: Made) -> None:
    again, other = make_history(GROUPS, SEED), make_history(GROUPS, 2)
    for number in (0, 20):
        tables = made.history.tables(number)
        assert same(again.tables(number), tables) == [*tables]
        assert set(same(other.tables(number), tables)) <= {"brokers"}


def test_the_newest_is_the_fleet_of_the_demo(made: Made) -> None:
    fleet = demo_fleet(GROUPS, SEED)
    assert same(made.history.tables(HOURS - 1), fleet) == [*fleet]


def test_offsets_rise_and_nobody_is_beyond_the_end(made: Made) -> None:
    for earlier, later in pairwise(made.hours):
        both = earlier["offsets"].merge(later["offsets"], on=OFFSET, suffixes=("", "_then"))
        assert len(both) == len(earlier["offsets"]) == len(later["offsets"])
        assert (both.end_offset <= both.end_offset_then).all()
        committed = both.dropna(subset=["committed_offset"])
        assert (committed.committed_offset <= committed.committed_offset_then).all()
        assert (committed.committed_offset <= committed.end_offset).all()
        assert (committed.committed_offset >= 0).all()
    ends = made.hours[20]["offsets"].groupby(PARTITION).end_offset.nunique()
    assert (ends == 1).all()  # whoever reads a partition sees the same end
    risen = made.hours[-1]["offsets"].merge(made.hours[0]["offsets"], on=OFFSET)
    assert (risen.end_offset_x > risen.end_offset_y).mean() > 0.9


def test_more_comes_in_by_day_than_by_night(made: Made) -> None:
    ends = [tables["offsets"].end_offset.sum() for tables in made.hours]
    hourly = [later - earlier for earlier, later in pairwise(ends)]
    assert 2 < max(hourly) / min(hourly) < 2.5
    assert abs(hourly[10] / hourly[34] - 1) < 0.01  # a day later


def test_groups_change_by_what_was_planted_alone(made: Made) -> None:
    changing = {key for key, stages in made.stages.items() if len(stages) > 1}
    for name in ("groups", "members", "subscriptions", "assignments"):
        hours = (
            set(tables[name].fillna("").itertuples(index=False, name=None)) for tables in made.hours
        )
        for was, now in pairwise(hours):
            assert {row[:2] for row in was ^ now} <= changing
    assert len(changing) < GROUPS / 4


def test_claims_are_of_members_and_of_partitions_that_are_there(made: Made) -> None:
    """But for those of groups that are in trouble for that."""
    for tables in made.hours[::5]:
        claims = tables["assignments"].merge(
            tables["subscriptions"], on=[*GROUP, "member_id", "topic"], how="left", indicator=True
        )
        strange = claims[claims["_merge"] == "left_only"]
        assert set(zip(strange.cluster, strange.group, strict=True)) == made.of_kind("departed")
        there = tables["assignments"].merge(tables["partitions"], on=PARTITION, how="left")
        assert there.replicas.notna().sum() > 0.9 * len(there)
        twice = tables["assignments"].groupby(OFFSET).size()
        assert {key[:2] for key in twice[twice > 1].index} == made.of_kind("disputed")


def test_deploys(made: Made) -> None:
    """Each dynamic member leaves and joins; a static one only gets another id."""
    for key, (before, after) in made.around(DEPLOYED):
        assert ids(before, key).isdisjoint(ids(after, key))
        assert sorted(map(len, ids(before, key))) == sorted(map(len, ids(after, key)))
        named = [of(item["members"], key).instance_id for item in (before, after)]
        assert sorted(named[0].dropna()) == sorted(named[1].dropna())
        dynamic = int(named[0].isna().sum())
        assert generation(after, key) - generation(before, key) == 2 * dynamic
        assert generation(made.hours[0], key) == generation(before, key) >= 1
        counts = [sorted(pd.Series(owners(item, key)).value_counts()) for item in (before, after)]
        assert counts[0] == counts[1] != []


def test_crashes(made: Made) -> None:
    for key, (before, away, back) in made.around(CRASHED):
        (lost,) = ids(before, key) - ids(away, key)
        assert ids(away, key) == ids(before, key) - {lost}
        (came,) = ids(back, key) - ids(away, key)
        assert came != lost
        assert owners(away, key).keys() == owners(before, key).keys() == owners(back, key).keys()
        kept = owners(away, key)
        assert set(kept.values()) <= ids(away, key)
        moved = {p for p, member in owners(before, key).items() if kept[p] != member}
        assert moved == {p for p, member in owners(before, key).items() if member == lost}
        taken = pd.Series([kept[p] for p in moved]).value_counts()
        assert taken.max() == -(-len(moved) // len(ids(away, key)))
        risen = [generation(item, key) - generation(before, key) for item in (away, back)]
        assert risen == [1, 2]


def test_groups_and_topics_of_nobody(made: Made) -> None:
    fleet, abandoned = made.history.fleet, made.of_kind("empty", "share", "streams")
    read = {topic for group in fleet.groups for topic in group.topics.tolist()}
    clusters = [fleet.topics.clusters[at].name for at in fleet.topics.cluster.tolist()]
    topics = [*zip(clusters, fleet.topics.names, strict=True)]
    unread = {topic for number, topic in enumerate(topics) if number not in read}
    assert unread
    sums = [hour["offsets"].groupby(GROUP).committed_offset.sum() for hour in made.hours]
    for key in abandoned:
        assert len({committed[key] for committed in sums}) == 1
    for tables in (made.hours[0], *made.hours[::10], made.hours[-1]):
        assert abandoned.isdisjoint(tables["members"].set_index(GROUP).index)
        for name in ("subscriptions", "offsets"):
            assert unread.isdisjoint(tables[name].set_index(["cluster", "topic"]).index)
    assert unread <= {*made.hours[0]["partitions"].set_index(["cluster", "topic"]).index}


@pytest.mark.parametrize("groups", [1, 2, 12, 30])
def test_small_fleets_have_a_history_as_well(groups: int) -> None:
    made = make_history(groups, SEED)
    assert len(made.tables(0)["groups"]) == len(made.tables(HOURS - 1)["groups"]) == groups


def test_too_short_a_history() -> None:
    with pytest.raises(ValueError, match="at least 12 hours, not 3"):
        make_history(5, SEED, hours=3)
