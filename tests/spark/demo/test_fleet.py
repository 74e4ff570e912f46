"""The demo's fleet: a sound snapshot in which each kind of group that a real fleet has is found."""

from __future__ import annotations

import re
from itertools import pairwise

import pandas as pd
import pyarrow as pa
import pytest

from optimizer import Group, Member, assign
from spark.demo.fleet import demo_fleet
from tests.paths import ROOT

GROUP = ["cluster", "group"]
MEMBER = [*GROUP, "member_id"]
PARTITION = ["cluster", "topic", "partition"]

COLUMNS = {
    "groups": {
        "cluster": "string",
        "group": "string",
        "state": "string",
        "strategy": "string",
        "generation": "int32",
        "subscriptions_inferred": "bool",
        "type": "string",
        "coordinator": "int32",
    },
    "members": {
        "cluster": "string",
        "group": "string",
        "member_id": "string",
        "instance_id": "string",
        "client_id": "string",
        "host": "string",
        "rack": "string",
        "generation": "int32",
        "capacity": "double",
    },
    "subscriptions": {
        "cluster": "string",
        "group": "string",
        "member_id": "string",
        "topic": "string",
    },
    "partitions": {
        "cluster": "string",
        "topic": "string",
        "partition": "int32",
        "topic_id": "string",
        "leader": "int32",
        "replicas": "list<int32>",
        "isr": "list<int32>",
        "leader_rack": "string",
        "replica_racks": "list<string>",
        "weight": "double",
        "adding_replicas": "list<int32>",
        "removing_replicas": "list<int32>",
        "min_insync_replicas": "int32",
    },
    "assignments": {
        "cluster": "string",
        "group": "string",
        "topic": "string",
        "partition": "int32",
        "member_id": "string",
        "generation": "int32",
    },
    "offsets": {
        "cluster": "string",
        "group": "string",
        "topic": "string",
        "partition": "int32",
        "committed_offset": "int64",
        "end_offset": "int64",
        "lag": "int64",
        "start_offset": "int64",
    },
    "brokers": {
        "cluster": "string",
        "broker": "int32",
        "host": "string",
        "port": "int32",
        "rack": "string",
    },
}

KEYS = {
    "groups": GROUP,
    "members": MEMBER,
    "subscriptions": [*MEMBER, "topic"],
    "partitions": PARTITION,
    "assignments": [*GROUP, "topic", "partition", "member_id"],
    "offsets": [*GROUP, "topic", "partition"],
    "brokers": ["cluster", "broker"],
}


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return demo_fleet(groups=600, seed=1)


@pytest.fixture(scope="module")
def fleet(tables: dict[str, pa.Table]) -> dict[str, pd.DataFrame]:
    return {name: table.to_pandas(integer_object_nulls=True) for name, table in tables.items()}


@pytest.fixture(scope="module")
def groups(fleet: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Each group with its numbers: members, partitions, distinct subscriptions, loads."""
    sizes = fleet["partitions"].groupby(["cluster", "topic"]).size().rename("size")
    read = fleet["subscriptions"].drop_duplicates([*GROUP, "topic"])
    topics = fleet["subscriptions"].groupby(MEMBER)["topic"].agg(frozenset)
    loads = fleet["assignments"].groupby(MEMBER).size().rename("load")
    loads = fleet["members"][MEMBER].join(loads, on=MEMBER).fillna({"load": 0}).groupby(GROUP)
    groups = fleet["groups"].set_index(GROUP)
    return groups.assign(
        members=fleet["members"].groupby(GROUP).size(),
        partitions=read.join(sizes, on=["cluster", "topic"]).groupby(GROUP)["size"].sum(),
        subscriptions=topics.groupby(GROUP).nunique(),
        largest=loads["load"].max(),
        idle=loads["load"].agg(lambda load: (load == 0).sum()),
    ).fillna({"members": 0, "partitions": 0, "subscriptions": 0, "largest": 0, "idle": 0})


def missing(rows: pd.DataFrame, present: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The rows whose key isn't present."""
    number = rows[key].merge(present[key].drop_duplicates(), how="left", indicator="in")
    return rows[(number["in"] == "left_only").to_numpy()]


def kept_by_brokers(partitions: pd.DataFrame) -> pd.DataFrame:
    """All but the tasks of connectors."""
    return partitions[~partitions["topic"].str.contains("/")]


class TestTables:
    @pytest.mark.parametrize("name", COLUMNS)
    def test_columns_and_types_are_those_of_a_store(self, tables, name):
        schema = tables[name].schema
        result = {field.name: str(field.type).replace("element: ", "") for field in schema}
        assert list(result.items()) == list(COLUMNS[name].items())

    def test_a_fleet_has_all_tables(self, tables):
        assert set(tables) == set(COLUMNS)

    @pytest.mark.parametrize("name", KEYS)
    def test_keys_are_never_null_and_name_one_row(self, fleet, name):
        keys = fleet[name][KEYS[name]]
        assert keys.notna().all(axis=None)
        assert not keys.duplicated().any()

    def test_partitions_of_a_topic_are_numbered_from_zero(self, fleet):
        numbers = fleet["partitions"].groupby(["cluster", "topic"])["partition"]
        assert (numbers.min() == 0).all()
        assert (numbers.max() == numbers.size() - 1).all()

    def test_the_same_seed_makes_the_same_tables(self, tables):
        again = demo_fleet(groups=600, seed=1)
        assert all(again[name].equals(table) for name, table in tables.items())

    def test_another_seed_makes_other_tables(self, tables):
        other = demo_fleet(groups=600, seed=2)
        assert not any(other[name].equals(tables[name]) for name in tables.keys() - {"brokers"})

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("count", [1, 2, 7, 20, 50])
    def test_a_fleet_has_as_many_groups_as_asked_for(self, count, seed):
        assert len(demo_fleet(count, seed)["groups"]) == count

    def test_a_fleet_without_groups_is_refused(self):
        with pytest.raises(ValueError, match="at least one group, not 0"):
            demo_fleet(groups=0, seed=1)


class TestReferences:
    @pytest.mark.parametrize("name", ["members", "subscriptions", "assignments", "offsets"])
    def test_every_group_that_is_named_exists(self, fleet, name):
        assert missing(fleet[name], fleet["groups"], GROUP).empty

    @pytest.mark.parametrize("name", ["assignments", "offsets"])
    def test_every_partition_that_is_claimed_or_committed_exists(self, fleet, name):
        assert missing(fleet[name], fleet["partitions"], PARTITION).empty

    def test_every_subscription_is_a_members_and_to_a_topic_that_exists(self, fleet):
        assert missing(fleet["subscriptions"], fleet["members"], MEMBER).empty
        assert missing(fleet["subscriptions"], fleet["partitions"], ["cluster", "topic"]).empty

    def test_whoever_is_there_claims_only_what_it_reads(self, fleet):
        gone = missing(fleet["assignments"], fleet["members"], MEMBER)
        unread = missing(fleet["assignments"], fleet["subscriptions"], [*MEMBER, "topic"])
        assert set(unread.index) == set(gone.index)

    def test_each_replica_is_on_a_broker_of_its_own_with_that_brokers_rack(self, fleet):
        racks = {(b.cluster, b.broker): b.rack for b in fleet["brokers"].itertuples()}
        for p in kept_by_brokers(fleet["partitions"]).itertuples():
            placed = [racks[p.cluster, broker] for broker in p.replicas]
            assert len(set(p.replicas)) == len(p.replicas)
            assert placed == (
                [None] * len(placed) if p.replica_racks is None else [*p.replica_racks]
            )

    def test_a_leader_is_in_sync_and_its_rack_is_its_brokers(self, fleet):
        racks = {(b.cluster, b.broker): b.rack for b in fleet["brokers"].itertuples()}
        for p in kept_by_brokers(fleet["partitions"]).itertuples():
            assert set(p.isr) <= set(p.replicas)
            if p.leader is None:
                assert p.leader_rack is None
            else:
                assert p.leader in p.isr
                assert p.leader_rack == racks[p.cluster, p.leader]

    def test_lag_is_what_is_left_to_the_end_and_all_groups_see_one_end(self, fleet):
        offsets = fleet["offsets"]
        entries = offsets[offsets["lag"].notna()]
        assert (entries["committed_offset"] + entries["lag"] == entries["end_offset"]).all()
        assert (entries["committed_offset"] >= 0).all()
        assert (offsets.groupby(PARTITION)["end_offset"].nunique() == 1).all()
        assert offsets["committed_offset"].isna().any()


class TestKindsOfGroups:
    def test_a_tenth_has_overlapping_subscriptions(self, fleet, groups):
        several = groups[groups["subscriptions"] > 1]
        assert 60 <= len(several) <= 70
        topics = fleet["subscriptions"].groupby(MEMBER)["topic"].agg(frozenset)
        for key in several.index:
            distinct = set(topics.loc[key])
            assert len(frozenset.union(*distinct)) < sum(map(len, distinct)), key

    def test_empty_groups_have_offsets_and_nobody(self, fleet, groups):
        empty = groups[groups["state"] == "Empty"]
        assert len(empty) == 42
        assert (empty["members"] == 0).all()
        assert (groups.drop(empty.index)["members"] > 0).all()
        committed = fleet["offsets"].groupby(GROUP)["committed_offset"].count()
        assert (committed.loc[empty.index] > 0).all()

    def test_some_have_more_members_than_partitions(self, groups):
        stable = groups[groups["state"] == "Stable"]
        assert (stable["members"] > stable["partitions"]).sum() >= 30

    def test_range_leaves_members_of_some_without_the_work_that_there_is(self, groups):
        idle = groups[(groups["strategy"] == "range") & (groups["idle"] > 0)]
        assert (idle["members"] < idle["partitions"]).sum() >= 30

    def test_members_that_joined_sticky_groups_just_now_own_little(self, groups):
        sticky = groups[groups["strategy"].isin(["sticky", "cooperative-sticky"])]
        item = sticky[(sticky["subscriptions"] == 1) & (sticky["members"] < sticky["partitions"])]
        assert (item["idle"] > 0).any()
        assert (item["idle"] == 0).any()

    def test_rebalancing_groups_tell_their_members_alone(self, fleet, groups):
        waiting = groups[groups["state"].isin(["PreparingRebalance", "CompletingRebalance"])]
        assert len(waiting) > 0
        assert (waiting["members"] > 0).all()
        assert waiting["strategy"].isna().all()
        for name in ("subscriptions", "assignments"):
            assert missing(waiting.reset_index(), fleet[name], GROUP).shape[0] == len(waiting)

    def test_giants_are_few_and_most_groups_are_small(self, groups):
        stable = groups[groups["state"] == "Stable"]
        assert 6 <= (stable["partitions"] >= 1000).sum() <= 18
        assert stable["partitions"].median() < 30
        assert stable["members"].median() <= 6

    def test_members_that_have_just_gone_still_own(self, fleet):
        gone = missing(fleet["assignments"], fleet["members"], MEMBER)
        assert len(gone[GROUP].drop_duplicates()) == 9

    def test_some_partitions_are_claimed_twice_by_one_generation_or_two(self, fleet):
        claims = fleet["assignments"].groupby([*GROUP, "topic", "partition"])["generation"]
        disputed = claims.nunique()[claims.size() > 1]
        assert set(disputed) == {1, 2}
        assert 3 <= len(disputed.groupby(GROUP).size()) <= 6

    def test_nobody_owns_what_a_topic_has_grown_by(self, fleet):
        stable = fleet["groups"][fleet["groups"]["state"] == "Stable"]
        read = fleet["subscriptions"].merge(stable[GROUP])[[*GROUP, "topic"]].drop_duplicates()
        partitions = read.merge(fleet["partitions"][PARTITION])
        unowned = missing(partitions, fleet["assignments"], [*GROUP, "topic", "partition"])
        grown = unowned.groupby([*GROUP, "topic"])["partition"].agg(["min", "max", "size"])
        assert len(grown) > 0
        assert (grown["size"] == grown["min"]).any()

    def test_every_strategy_is_used_and_range_most_of_all(self, groups):
        used = groups["strategy"].value_counts()
        of_consumers = {"range", "roundrobin", "sticky", "cooperative-sticky", "uniform"}
        assert set(used.index) == {*of_consumers, "stream", "sessioned"}
        assert used["range"] > len(groups) / 2

    def test_a_few_are_no_consumer_groups(self, groups):
        assert groups["type"].value_counts().drop(["classic", "consumer"]).to_dict() == {
            "share": 1,
            "streams": 1,
            "connect": 1,
        }
        tasks = groups[groups["strategy"] == "stream"]
        assert (tasks["type"].tolist(), (tasks["partitions"] > 0).all()) == (["classic"], True)

    def test_connectors_stand_among_topics(self, fleet, groups):
        (key,) = groups.index[groups["type"] == "connect"]
        of_workers = {
            name: fleet[name][(fleet[name]["cluster"] == key[0]) & (fleet[name]["group"] == key[1])]
            for name in ("subscriptions", "assignments", "offsets")
        }
        tasks = fleet["partitions"][fleet["partitions"]["topic"].str.contains("/")]
        for name in ("subscriptions", "assignments"):
            topics = set(of_workers[name]["topic"])
            assert topics == set(tasks["topic"])
            assert {topic.partition("/")[0] for topic in topics} == {key[1]}
        assert of_workers["offsets"].empty
        assert tasks["leader"].isna().all()
        assert groups.loc[key, "partitions"] == len(tasks) > 0

    def test_the_type_is_that_of_the_strategys_protocol(self, groups):
        assert set(groups[groups["strategy"] == "uniform"]["type"]) == {"consumer"}
        assert set(groups[groups["strategy"] == "range"]["type"]) == {"classic"}

    def test_subscriptions_are_inferred_for_some_groups_of_the_server_side_protocol(self, groups):
        inferred = groups[groups["subscriptions_inferred"]]
        assert len(inferred) > 0
        assert set(inferred["strategy"]) == {"uniform"}
        assert (inferred["subscriptions"] == 1).all()


class TestMembersAndTopics:
    def test_ids_are_made_as_kafka_makes_them(self, fleet):
        members = fleet["members"].merge(fleet["groups"][[*GROUP, "strategy"]])
        server_side = members[members["strategy"] == "uniform"]
        classic = members[members["strategy"] == "range"]
        assert server_side["member_id"].str.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}").all()
        named = classic["instance_id"].fillna(classic["client_id"])
        assert all(i[:-37] == name for i, name in zip(classic["member_id"], named, strict=True))
        assert 0.03 < members["instance_id"].notna().mean() < 0.3

    def test_sizes_of_topics_have_a_heavy_tail_and_some_topics_have_many_readers(self, fleet):
        sizes = fleet["partitions"].groupby(["cluster", "topic"]).size()
        assert sizes.median() <= 16
        assert (sizes >= 100).sum() >= 10
        assert sizes.max() >= 1000
        read = fleet["subscriptions"].drop_duplicates([*GROUP, "topic"])
        readers = read.groupby(["cluster", "topic"]).size()
        assert readers.max() >= 10
        assert (readers == 1).any()

    def test_one_old_cluster_tells_neither_racks_nor_ids_nor_weights(self, fleet):
        facts = ["topic_id", "leader_rack", "replica_racks", "weight"]
        kept = kept_by_brokers(fleet["partitions"])
        of_old = kept["cluster"] == "legacy-dc1"
        old, others = kept[of_old], kept[~of_old]
        assert old[facts].isna().all(axis=None)
        assert others[facts].notna().all(axis=None)
        assert old["leader"].isna().any()

    def test_topics_of_one_cluster_are_sorted(self, fleet):
        topics = fleet["partitions"].drop_duplicates(["cluster", "topic"])
        for _, names in topics.groupby("cluster")["topic"]:
            assert all(a < b for a, b in pairwise(names))


@pytest.mark.parametrize("strategy", ["range", "roundrobin"])
def test_owners_of_an_eager_strategy_are_its_own_answer(fleet, groups, strategy):
    """Range and RoundRobin deal anew at each rebalance: a stable group has what they answer."""
    claims = fleet["assignments"]
    gone = missing(claims, fleet["members"], MEMBER)
    sizes = claims.groupby([*GROUP, "topic"]).size()
    lookup = groups[(groups["strategy"] == strategy) & (groups["partitions"] < 200)].index
    lookup = lookup.difference(pd.MultiIndex.from_frame(gone[GROUP]))
    topics = dict(list(fleet["subscriptions"].groupby(GROUP)))
    members = dict(list(fleet["members"].groupby(GROUP)))
    owned = dict(list(claims.groupby(GROUP)))
    for key in lookup:
        read = topics[key].groupby("member_id")["topic"].agg(list)
        instances = members[key].set_index("member_id")["instance_id"]
        group = Group(
            topics=sizes.loc[key].to_dict(),
            members=[Member(m, topics=read[m], instance_id=instances[m]) for m in read.index],
        )
        answer = assign(group, strategy=strategy).assignment
        result = {
            member: list(zip(rows["topic"], rows["partition"], strict=True))
            for member, rows in owned[key].groupby("member_id")
        }
        assert result == {m: sorted(items) for m, items in answer.items() if items}, key
    assert len(lookup) > 20


@pytest.mark.parametrize("page", ["README.md", "spark/jobs/demo.py"])
def test_what_is_said_to_come_next_is_about_racks_of_the_demo(page: str) -> None:
    racks = {*demo_fleet(groups=300, seed=1)["members"]["rack"].to_pylist()}
    named = re.findall(r"demo/store.*crash-rack=([\w-]+)", (ROOT / page).read_text("utf-8"))
    named += re.findall(r"\{store\} --event crash-rack=([\w-]+)", (ROOT / page).read_text("utf-8"))
    assert named and {*named} <= racks
