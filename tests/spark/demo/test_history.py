"""The made-up fleet by the hour: what was planted is there, and nothing else happens."""

from __future__ import annotations

from collections.abc import Mapping
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
from spark.demo.history import MadeHistory, make_history

GROUPS, SEED, HOURS = 250, 1, 48
NEWEST = "20261121T060000Z"
GROUP, PARTITION = ["cluster", "group"], ["cluster", "topic", "partition"]


@pytest.fixture(scope="module")
def history() -> MadeHistory:
    return make_history(GROUPS, SEED)


@pytest.fixture(scope="module")
def hours(history: MadeHistory) -> list[dict[str, pd.DataFrame]]:
    """The tables of each hour."""
    return [
        {name: table.to_pandas() for name, table in tables.items()}
        for _, tables in history.snapshots(NEWEST)
    ]


def of_kind(history: MadeHistory, kind: str) -> list[Event]:
    result = [event for event in history.events if event.kind == kind]
    assert result, kind
    return result


def of(table: pd.DataFrame, event: Event, by: str = "group") -> pd.DataFrame:
    return table[(table.cluster == event.cluster) & (table[by] == event.name)]


def ids(tables: Mapping[str, pd.DataFrame], event: Event) -> set[str]:
    return set(of(tables["members"], event).member_id)


def generation(tables: Mapping[str, pd.DataFrame], event: Event) -> int:
    (result,) = of(tables["groups"], event).generation
    return int(result)


def owners(tables: Mapping[str, pd.DataFrame], event: Event) -> dict[tuple[str, int], str]:
    result = of(tables["assignments"], event)
    return dict(
        zip(zip(result.topic, result.partition, strict=True), result.member_id, strict=True)
    )


def test_ids_are_hours(history: MadeHistory) -> None:
    names = [item for item, _ in make_history(5, SEED).snapshots(NEWEST)]
    assert (len(names), names[0], names[-1]) == (HOURS, "20261119T070000Z", NEWEST)
    assert names == sorted(names)


def test_it_is_the_same_for_the_same_seed(history: MadeHistory) -> None:
    again, other = make_history(GROUPS, SEED), make_history(GROUPS, 2)
    assert again.events == history.events
    for number in (0, 20):
        assert same(again.tables(number), history.tables(number)) == []
    assert other.events != history.events


def same(entries: Mapping[str, pa.Table], others: Mapping[str, pa.Table]) -> list[str]:
    """The tables that differ."""
    return [name for name in entries if not entries[name].equals(others[name])]


def test_the_newest_is_the_fleet_of_the_demo(history: MadeHistory) -> None:
    fleet = demo_fleet(GROUPS, SEED)
    newest = history.tables(HOURS - 1)
    assert same(newest, fleet) == ["offsets"]
    differ = (
        newest["offsets"].to_pandas().merge(fleet["offsets"].to_pandas(), on=GROUP + PARTITION[1:])
    )
    changed = differ[differ.lag_x.fillna(0) != differ.lag_y.fillna(0)]
    assert (changed.end_offset_x == changed.end_offset_y).all()
    kinds = {
        (history.fleet.cluster_of(group), group.name): group.kind for group in history.fleet.groups
    }
    behind = {(event.cluster, event.name) for event in of_kind(history, FALLS_BEHIND)}
    groups = set(zip(changed.cluster, changed.group, strict=True)) - behind
    assert {kinds[group] for group in groups} <= {"empty", "stalled"}


def test_offsets_rise_and_nobody_is_beyond_the_end(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    key = GROUP + PARTITION[1:]
    for earlier, later in pairwise(hours):
        both = earlier["offsets"].merge(later["offsets"], on=key, suffixes=("", "_then"))
        assert (both.end_offset <= both.end_offset_then).all()
        committed = both.dropna(subset=["committed_offset"])
        assert (committed.committed_offset <= committed.committed_offset_then).all()
        assert (committed.committed_offset <= committed.end_offset).all()
        assert (committed.committed_offset >= 0).all()
    ends = hours[20]["offsets"].groupby(PARTITION).end_offset.nunique()
    assert (ends == 1).all()  # whoever reads a partition sees the same end
    risen = hours[-1]["offsets"].merge(hours[0]["offsets"], on=key)
    assert (risen.end_offset_x > risen.end_offset_y).mean() > 0.9


def test_generations_rise_by_what_was_planted_alone(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    planted: dict[tuple[str, str], int] = {}
    for event in history.events:
        names = [event.name]
        if event.kind == GROWTH:
            names = sorted(set(of(hours[-1]["subscriptions"], event, "topic").group))
        for name in names:
            planted[event.cluster, name] = event.rebalances * (47 if event.kind == RESTLESS else 1)
    first, last = (hours[at]["groups"].set_index(GROUP).generation for at in (0, -1))
    kinds = {
        (history.fleet.cluster_of(group), group.name): group.kind for group in history.fleet.groups
    }
    for key, now in last.items():
        if kinds[key] not in ("shuffled", "restarting"):
            assert now - first[key] == planted.get(key, 0), key
        else:
            assert now > first[key] >= 1
    assert first.min() >= 1


def test_who_is_there_changes_by_what_was_planted_alone(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    changing = {(event.cluster, event.name) for event in history.events if event.members}
    changing |= {
        (history.fleet.cluster_of(group), group.name)
        for group in history.fleet.groups
        if group.kind in ("restarting", "shuffled")
    }
    missing = {event.cluster for event in of_kind(history, MISSING)}
    for earlier, later in pairwise(hours):
        was, now = (
            set(item["members"][[*GROUP, "member_id"]].itertuples(index=False, name=None))
            for item in (earlier, later)
        )
        others = {row for row in was ^ now if row[:2] not in changing and row[0] not in missing}
        assert others == set()


def test_claims_are_of_members_and_of_partitions_that_are_there(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    """But for those of groups that are in trouble for that."""
    odd = {
        (history.fleet.cluster_of(group), group.name)
        for group in history.fleet.groups
        if group.kind in ("departed", "disputed", "rebalancing")
    }
    for tables in hours[::5]:
        claims = tables["assignments"].merge(
            tables["subscriptions"], on=[*GROUP, "member_id", "topic"], how="left", indicator=True
        )
        strange = claims[claims["_merge"] == "left_only"]
        inferred = tables["groups"][tables["groups"].subscriptions_inferred.fillna(False)]
        allowed = odd | set(zip(inferred.cluster, inferred.group, strict=True))
        assert set(zip(strange.cluster, strange.group, strict=True)) <= allowed
        there = tables["assignments"].merge(tables["partitions"], on=PARTITION, how="left")
        assert there.replicas.notna().sum() > 0.9 * len(there)
        twice = tables["assignments"].groupby([*GROUP, "topic", "partition"]).size()
        assert {key[:2] for key in twice[twice > 1].index} <= odd


def test_deploys(history: MadeHistory, hours: list[dict[str, pd.DataFrame]]) -> None:
    for event in of_kind(history, DEPLOY):
        before, after = hours[event.first - 1], hours[event.first]
        assert ids(before, event).isdisjoint(ids(after, event))
        assert ids(after, event) == {*event.members}
        assert len(ids(before, event)) == len(ids(after, event))
        assert generation(after, event) - generation(before, event) == 2 * len(event.members)


def test_static_members_come_back_and_have_what_they_had(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    for event in of_kind(history, STATIC_DEPLOY):
        before, after = hours[event.first - 1], hours[event.first]
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


def test_crashes(history: MadeHistory, hours: list[dict[str, pd.DataFrame]]) -> None:
    for event in of_kind(history, CRASH):
        before, away, back = (hours[event.first + at] for at in (-1, 0, AWAY))
        (lost,) = ids(before, event) - ids(away, event)
        assert ids(away, event) == ids(before, event) - {lost}
        assert ids(back, event) - ids(away, event) == {*event.members}
        assert owners(away, event).keys() == owners(before, event).keys()
        assert lost not in owners(away, event).values()
        risen = [generation(item, event) - generation(before, event) for item in (away, back)]
        assert risen == [1, 2]


def test_scale_outs(history: MadeHistory, hours: list[dict[str, pd.DataFrame]]) -> None:
    for event in of_kind(history, SCALE_OUT):
        before, after = hours[event.first - 1], hours[event.first]
        assert ids(after, event) - ids(before, event) == {*event.members}
        assert owners(after, event).keys() == owners(before, event).keys()


def test_groups_that_were_made_anew(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    for event in of_kind(history, RENEWED):
        before, gone, after = (hours[event.first + at] for at in (-1, 0, AWAY))
        for table in ("groups", "members", "subscriptions", "assignments", "offsets"):
            assert of(gone[table], event).empty
        assert generation(before, event) - generation(after, event) == GENERATIONS_BEFORE
        assert ids(before, event).isdisjoint(ids(after, event))


def test_a_restless_group(history: MadeHistory, hours: list[dict[str, pd.DataFrame]]) -> None:
    (event,) = of_kind(history, RESTLESS)
    generations = [generation(tables, event) for tables in hours]
    assert {b - a for a, b in pairwise(generations)} == {event.rebalances}
    assert event.rebalances >= 1
    assert ids(hours[0], event) == ids(hours[-1], event)


def test_topics_that_grow(history: MadeHistory, hours: list[dict[str, pd.DataFrame]]) -> None:
    for event in of_kind(history, GROWTH):
        for number, partitions in ((event.first - 1, 1), (event.first, 2)):
            for table in ("partitions", "assignments", "offsets"):
                result = of(hours[number][table], event, "topic").partition
                assert result.nunique() == partitions * event.partitions


def test_a_group_that_falls_behind(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    for event in of_kind(history, FALLS_BEHIND):
        lags = [of(tables["offsets"], event).lag.sum() for tables in hours]
        assert lags == sorted(lags)
        first, last = (of(hours[at]["offsets"], event) for at in (0, -1))
        written = last.end_offset.sum() - first.end_offset.sum()
        assert 0.09 < (lags[-1] - lags[0]) / written < 0.11


def test_groups_and_topics_of_nobody(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    fleet = history.fleet
    abandoned = [group for group in fleet.groups if group.kind == "empty"]
    read = {topic for group in fleet.groups for topic in group.topics.tolist()}
    unread = sorted({*range(len(fleet.topics.names))} - read)
    assert abandoned and unread
    for group in abandoned:
        event = Event("abandoned", fleet.cluster_of(group), group.name, 0, HOURS - 1)
        committed = [
            offsets.committed_offset.sum()
            for hour in hours
            if not (offsets := of(hour["offsets"], event)).empty
        ]
        assert len({*committed}) == 1
        assert ids(hours[0], event) == ids(hours[-1], event) == set()
    for topic in unread:
        cluster = fleet.clusters[int(fleet.topics.cluster[topic])].name
        event = Event("unread", cluster, fleet.topics.names[topic], 0, HOURS - 1)
        assert not of(hours[0]["partitions"], event, "topic").empty
        for tables in hours[::10]:
            assert of(tables["subscriptions"], event, "topic").empty
            assert of(tables["offsets"], event, "topic").empty


def test_a_cluster_that_is_missing(
    history: MadeHistory, hours: list[dict[str, pd.DataFrame]]
) -> None:
    (event,) = of_kind(history, MISSING)
    for number, tables in enumerate(hours):
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
