"""The made-up fleet by the hour: what was planted is there, and nothing else happens."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import pandas as pd
import pyarrow as pa
import pytest

from spark.demo.events import (
    AWAY,
    CRASH,
    DEPLOY,
    FALLS_BEHIND,
    GENERATIONS_BEFORE,
    GROWTH,
    MISSING,
    RENEWED,
    RESTLESS,
    SCALE_OUT,
    STATIC_DEPLOY,
    Event,
)
from spark.demo.fleet import demo_fleet
from spark.demo.history import make_history

GROUPS, SEED, HOURS = 250, 1, 48
NEWEST = "20261121T060000Z"
GROUP, PARTITION = ["cluster", "group"], ["cluster", "topic", "partition"]
OFFSET = [*GROUP, "topic", "partition"]

Tables = Mapping[str, pd.DataFrame]


class Made:
    """A history, the tables of each hour, and the kind of each group by its key."""

    def __init__(self) -> None:
        self.history = make_history(GROUPS, SEED)
        self.hours: list[Tables] = [
            {name: table.to_pandas() for name, table in tables.items()}
            for _, tables in self.history.snapshots(NEWEST)
        ]
        fleet = self.history.fleet
        self.kinds = {(fleet.cluster_of(group), group.name): group.kind for group in fleet.groups}

    def events(self, kind: str) -> list[Event]:
        result = [event for event in self.history.events if event.kind == kind]
        assert result, kind
        return result

    def around(self, kind: str) -> Iterator[tuple[Event, Tables, Tables]]:
        """Each event of a kind, with the hours before and after it."""
        for event in self.events(kind):
            yield event, self.hours[event.first - 1], self.hours[event.first]

    def groups(self, *kinds: str) -> set[tuple[str, str]]:
        return {group for group, kind in self.kinds.items() if kind in kinds}


@pytest.fixture(scope="module")
def made() -> Made:
    return Made()


def of(table: pd.DataFrame, event: Event, by: str = "group") -> pd.DataFrame:
    return table[(table.cluster == event.cluster) & (table[by] == event.name)]


def ids(tables: Tables, event: Event) -> set[str]:
    return set(of(tables["members"], event).member_id)


def generation(tables: Tables, event: Event) -> int:
    (result,) = of(tables["groups"], event).generation
    return int(result)


def owners(tables: Tables, event: Event) -> dict[tuple[str, int], str]:
    rows = of(tables["assignments"], event)[["topic", "partition", "member_id"]]
    return {(t, p): member for t, p, member in rows.itertuples(index=False, name=None)}


def same(entries: Mapping[str, pa.Table], others: Mapping[str, pa.Table]) -> list[str]:
    """The tables that differ."""
    return [name for name in entries if not entries[name].equals(others[name])]


def test_ids_are_hours() -> None:
    names = [item for item, _ in make_history(5, SEED).snapshots(NEWEST)]
    assert (len(names), names[0], names[-1]) == (HOURS, "20261119T070000Z", NEWEST)
    assert names == sorted(names)


def test_it_is_the_same_for_the_same_seed(made: Made) -> None:
    again, other = make_history(GROUPS, SEED), make_history(GROUPS, 2)
    assert again.events == made.history.events
    for number in (0, 20):
        assert same(again.tables(number), made.history.tables(number)) == []
    assert other.events != made.history.events


def test_the_newest_is_the_fleet_of_the_demo(made: Made) -> None:
    fleet = demo_fleet(GROUPS, SEED)
    newest = made.history.tables(HOURS - 1)
    assert same(newest, fleet) == ["offsets"]
    differ = newest["offsets"].to_pandas().merge(fleet["offsets"].to_pandas(), on=OFFSET)
    changed = differ[differ.lag_x.fillna(0) != differ.lag_y.fillna(0)]
    assert (changed.end_offset_x == changed.end_offset_y).all()
    behind = {(event.cluster, event.name) for event in made.events(FALLS_BEHIND)}
    groups = set(zip(changed.cluster, changed.group, strict=True)) - behind
    assert groups <= made.groups("empty", "stalled")


def test_offsets_rise_and_nobody_is_beyond_the_end(made: Made) -> None:
    for earlier, later in pairwise(made.hours):
        both = earlier["offsets"].merge(later["offsets"], on=OFFSET, suffixes=("", "_then"))
        assert (both.end_offset <= both.end_offset_then).all()
        committed = both.dropna(subset=["committed_offset"])
        assert (committed.committed_offset <= committed.committed_offset_then).all()
        assert (committed.committed_offset <= committed.end_offset).all()
        assert (committed.committed_offset >= 0).all()
    ends = made.hours[20]["offsets"].groupby(PARTITION).end_offset.nunique()
    assert (ends == 1).all()  # whoever reads a partition sees the same end
    risen = made.hours[-1]["offsets"].merge(made.hours[0]["offsets"], on=OFFSET)
    assert (risen.end_offset_x > risen.end_offset_y).mean() > 0.9


def test_generations_rise_by_what_was_planted_alone(made: Made) -> None:
    planted: dict[tuple[str, str], int] = {}
    for event in made.history.events:
        names = [event.name]
        if event.kind == GROWTH:
            names = sorted(set(of(made.hours[-1]["subscriptions"], event, "topic").group))
        for name in names:
            planted[event.cluster, name] = event.rebalances * (47 if event.kind == RESTLESS else 1)
    first, last = (made.hours[at]["groups"].set_index(GROUP).generation for at in (0, -1))
    for key, now in last.items():
        if made.kinds[key] not in ("shuffled", "restarting"):
            assert now - first[key] == planted.get(key, 0), key
        else:
            assert now > first[key] >= 1
    assert first.min() >= 1


def test_who_is_there_changes_by_what_was_planted_alone(made: Made) -> None:
    changing = {(event.cluster, event.name) for event in made.history.events if event.members}
    changing |= made.groups("restarting", "shuffled")
    missing = {event.cluster for event in made.events(MISSING)}
    for earlier, later in pairwise(made.hours):
        was, now = (
            set(item["members"][[*GROUP, "member_id"]].itertuples(index=False, name=None))
            for item in (earlier, later)
        )
        others = {row for row in was ^ now if row[:2] not in changing and row[0] not in missing}
        assert others == set()


def test_claims_are_of_members_and_of_partitions_that_are_there(made: Made) -> None:
    """But for those of groups that are in trouble for that."""
    odd = made.groups("departed", "disputed", "rebalancing")
    for tables in made.hours[::5]:
        claims = tables["assignments"].merge(
            tables["subscriptions"], on=[*GROUP, "member_id", "topic"], how="left", indicator=True
        )
        strange = claims[claims["_merge"] == "left_only"]
        inferred = tables["groups"][tables["groups"].subscriptions_inferred.fillna(False)]
        allowed = odd | set(zip(inferred.cluster, inferred.group, strict=True))
        assert set(zip(strange.cluster, strange.group, strict=True)) <= allowed
        there = tables["assignments"].merge(tables["partitions"], on=PARTITION, how="left")
        assert there.replicas.notna().sum() > 0.9 * len(there)
        twice = tables["assignments"].groupby(OFFSET).size()
        assert {key[:2] for key in twice[twice > 1].index} <= odd


def test_deploys_and_scale_outs(made: Made) -> None:
    for event, before, after in made.around(DEPLOY):
        assert ids(before, event).isdisjoint(ids(after, event))
        assert ids(after, event) == {*event.members}
        assert len(ids(before, event)) == len(ids(after, event))
        assert generation(after, event) - generation(before, event) == 2 * len(event.members)
    for event, before, after in made.around(SCALE_OUT):
        assert ids(after, event) - ids(before, event) == {*event.members}
        assert owners(after, event).keys() == owners(before, event).keys()


def test_static_members_come_back_and_have_what_they_had(made: Made) -> None:
    for event, before, after in made.around(STATIC_DEPLOY):
        named = [
            of(item["members"], event).set_index("member_id").instance_id
            for item in (before, after)
        ]
        assert set(named[0]) == set(named[1]) == {*event.members}
        assert set(named[0].index).isdisjoint(named[1].index)
        owned = [
            {key: name[member] for key, member in owners(item, event).items()}
            for item, name in zip((before, after), named, strict=True)
        ]
        assert owned[0] == owned[1] != {}
        assert generation(before, event) == generation(after, event)


def test_crashes(made: Made) -> None:
    for event, before, away in made.around(CRASH):
        back = made.hours[event.first + AWAY]
        (lost,) = ids(before, event) - ids(away, event)
        assert ids(away, event) == ids(before, event) - {lost}
        assert ids(back, event) - ids(away, event) == {*event.members}
        assert owners(away, event).keys() == owners(before, event).keys()
        assert lost not in owners(away, event).values()
        risen = [generation(item, event) - generation(before, event) for item in (away, back)]
        assert risen == [1, 2]


def test_groups_that_were_made_anew(made: Made) -> None:
    for event, before, gone in made.around(RENEWED):
        after = made.hours[event.first + AWAY]
        for table in ("groups", "members", "subscriptions", "assignments", "offsets"):
            assert of(gone[table], event).empty
        assert generation(before, event) - generation(after, event) == GENERATIONS_BEFORE
        assert ids(before, event).isdisjoint(ids(after, event))


def test_a_restless_group(made: Made) -> None:
    (event,) = made.events(RESTLESS)
    generations = [generation(tables, event) for tables in made.hours]
    assert {b - a for a, b in pairwise(generations)} == {event.rebalances}
    assert event.rebalances >= 1
    assert ids(made.hours[0], event) == ids(made.hours[-1], event)


def test_topics_that_grow(made: Made) -> None:
    for event, before, after in made.around(GROWTH):
        for table in ("partitions", "assignments", "offsets"):
            counts = [of(t[table], event, "topic").partition.nunique() for t in (before, after)]
            assert counts == [event.partitions, 2 * event.partitions]


def test_a_group_that_falls_behind(made: Made) -> None:
    for event in made.events(FALLS_BEHIND):
        lags = [of(tables["offsets"], event).lag.sum() for tables in made.hours]
        assert lags == sorted(lags)
        first, last = (of(made.hours[at]["offsets"], event) for at in (0, -1))
        written = last.end_offset.sum() - first.end_offset.sum()
        assert 0.09 < (lags[-1] - lags[0]) / written < 0.11


def test_groups_and_topics_of_nobody(made: Made) -> None:
    fleet, abandoned = made.history.fleet, made.groups("empty")
    read = {topic for group in fleet.groups for topic in group.topics.tolist()}
    clusters = [fleet.clusters[at].name for at in fleet.topics.cluster.tolist()]
    topics = [*zip(clusters, fleet.topics.names, strict=True)]
    unread = {topic for number, topic in enumerate(topics) if number not in read}
    assert abandoned and unread
    sums = [hour["offsets"].groupby(GROUP).committed_offset.sum() for hour in made.hours]
    for key in abandoned:
        assert len({committed[key] for committed in sums if key in committed.index}) == 1
    for tables in (made.hours[0], *made.hours[::10], made.hours[-1]):
        assert abandoned.isdisjoint(tables["members"].set_index(GROUP).index)
        for name in ("subscriptions", "offsets"):
            assert unread.isdisjoint(tables[name].set_index(["cluster", "topic"]).index)
    assert unread <= {*made.hours[0]["partitions"].set_index(["cluster", "topic"]).index}


def test_a_cluster_that_is_missing(made: Made) -> None:
    (event,) = made.events(MISSING)
    for number, tables in enumerate(made.hours):
        is_missing = event.first <= number <= event.last
        for table in tables.values():
            assert (event.cluster in set(table.cluster)) != is_missing


@pytest.mark.parametrize("groups", [1, 2, 12, 30])
def test_small_fleets_have_a_history_as_well(groups: int) -> None:
    made = make_history(groups, SEED)
    assert len(made.tables(0)["groups"]) <= len(made.tables(HOURS - 1)["groups"]) == groups


def test_too_short_a_history() -> None:
    with pytest.raises(ValueError, match="at least 12 hours, not 3"):
        make_history(5, SEED, hours=3)
