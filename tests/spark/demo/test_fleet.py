"""The demo's fleet: a sound snapshot in which each kind of group that a real fleet has is found.

That troubles are planted, the audit's tests of made-up fleets show.
"""

import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from optimizer import Group, Member, assign
from spark import FleetFiles, explain_group
from spark.demo import demo_fleet, drain_settings, most_uneven
from spark.fleet.local_store import SCHEMAS, write_store
from spark.fleet.schemas import TABLES
from spark.settings.config import read_settings
from tests.paths import ROOT
from tests.support.fleets import SNAPSHOT

GROUP = ["cluster", "group"]
MEMBER = [*GROUP, "member_id"]
PARTITION = ["cluster", "topic", "partition"]


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return demo_fleet(groups=600, seed=1)


@pytest.fixture(scope="module")
def fleet(tables: dict[str, pa.Table]) -> dict[str, pd.DataFrame]:
    return {name: table.to_pandas(integer_object_nulls=True) for name, table in tables.items()}


@pytest.fixture(scope="module")
def groups(fleet: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Each group with its numbers: members, partitions, distinct subscriptions."""
    sizes = fleet["partitions"].groupby(["cluster", "topic"]).size().rename("size")
    read = fleet["subscriptions"].drop_duplicates([*GROUP, "topic"])
    topics = fleet["subscriptions"].groupby(MEMBER)["topic"].agg(frozenset)
    groups = fleet["groups"].set_index(GROUP)
    return groups.assign(
        members=fleet["members"].groupby(GROUP).size(),
        partitions=read.join(sizes, on=["cluster", "topic"]).groupby(GROUP)["size"].sum(),
        subscriptions=topics.groupby(GROUP).nunique(),
    ).fillna({"members": 0, "partitions": 0, "subscriptions": 0})


def missing(rows: pd.DataFrame, present: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The rows whose key isn't present."""
    number = rows[key].merge(present[key].drop_duplicates(), how="left", indicator="in")
    return rows[(number["in"] == "left_only").to_numpy()]


def kept_by_brokers(partitions: pd.DataFrame) -> pd.DataFrame:
    """All but the tasks of connectors."""
    return partitions[~partitions["topic"].str.contains("/")]


class TestTables:
    def test_they_are_a_stores_with_keys_that_name_one_row(self, tables, fleet):
        assert set(tables) == TABLES.keys() - {"configs"}
        for name, table in tables.items():
            assert table.schema.names == SCHEMAS[name].names
            required = [column.name for column in TABLES[name].columns if column.required]
            keys = fleet[name][required]
            assert keys.notna().all(axis=None)
            assert not keys.duplicated().any()

    def test_partitions_of_a_topic_are_numbered_from_zero(self, fleet):
        numbers = fleet["partitions"].groupby(["cluster", "topic"])["partition"]
        assert (numbers.min() == 0).all()
        assert (numbers.max() == numbers.size() - 1).all()

    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("count", [1, 2, 7, 20, 50])
    def test_a_fleet_has_as_many_groups_as_asked_for(self, count, seed):
        assert len(demo_fleet(count, seed)["groups"]) == count

    def test_a_fleet_without_groups_is_refused(self):
        with pytest.raises(ValueError, match="at least one group, not 0"):
            demo_fleet(groups=0, seed=1)


class TestReferences:
    @pytest.mark.parametrize(
        ("name", "present", "key"),
        [
            *((name, "groups", GROUP) for name in ("members", "subscriptions", "assignments")),
            ("offsets", "groups", GROUP),
            *((name, "partitions", PARTITION) for name in ("assignments", "offsets")),
            ("subscriptions", "members", MEMBER),
            ("subscriptions", "partitions", ["cluster", "topic"]),
        ],
    )
    def test_what_is_named_exists(self, fleet, name, present, key):
        assert missing(fleet[name], fleet[present], key).empty

    def test_replicas_are_on_brokers_of_their_own_and_a_leader_is_in_sync(self, fleet):
        """Racks are those of the brokers."""
        racks = {(b.cluster, b.broker): b.rack for b in fleet["brokers"].itertuples()}
        for p in kept_by_brokers(fleet["partitions"]).itertuples():
            placed = [racks[p.cluster, broker] for broker in p.replicas]
            assert len(set(p.replicas)) == len(p.replicas)
            assert set(p.isr) <= set(p.replicas)
            unknown = p.replica_racks is None
            assert placed == ([None] * len(placed) if unknown else [*p.replica_racks])
            assert p.leader is None or p.leader in p.isr
            assert p.leader_rack == (None if p.leader is None else racks[p.cluster, p.leader])

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
        assert 50 <= len(several) <= 70
        topics = fleet["subscriptions"].groupby(MEMBER)["topic"].agg(frozenset)
        for key in several.index:
            distinct = set(topics.loc[key])
            assert len(frozenset.union(*distinct)) < sum(map(len, distinct)), key

    def test_empty_groups_have_offsets_and_nobody(self, fleet, groups):
        empty = groups[groups["state"] == "Empty"]
        assert len(empty) == 42 + 2  # of which a share group and one of Streams
        assert (empty["members"] == 0).all()
        assert (groups.drop(empty.index)["members"] > 0).all()
        committed = fleet["offsets"].groupby(GROUP)["committed_offset"].count()
        assert (committed.loc[empty.index] > 0).all()

    def test_rebalancing_groups_tell_their_members_alone(self, fleet, groups):
        waiting = groups[groups["state"].isin(["PreparingRebalance", "CompletingRebalance"])]
        assert len(waiting) > 0
        assert (waiting["members"] > 0).all()
        assert waiting["strategy"].isna().all()
        for name in ("subscriptions", "assignments"):
            assert missing(waiting.reset_index(), fleet[name], GROUP).shape[0] == len(waiting)

    def test_giants_are_few_and_most_groups_are_small(self, groups):
        stable = groups[groups["state"] == "Stable"]
        assert 12 <= (stable["partitions"] >= 1000).sum() <= 18
        assert stable["partitions"].median() < 30
        assert stable["members"].median() <= 6

    def test_every_strategy_is_used_and_range_most_of_all(self, groups):
        used = groups["strategy"].value_counts()
        of_consumers = {"range", "roundrobin", "sticky", "cooperative-sticky", "uniform"}
        assert set(used.index) == {*of_consumers, "stream", "sessioned"}
        assert used["range"] > 0.45 * len(groups)

    def test_a_few_are_no_consumer_groups(self, groups):
        counts = groups["type"].value_counts().drop(["classic", "consumer"]).to_dict()
        assert counts == {"share": 1, "streams": 1, "connect": 1}
        assert set(groups[groups["type"].isin(["share", "streams"])]["state"]) == {"Empty"}
        tasks = groups[groups["strategy"] == "stream"]
        assert (tasks["type"].tolist(), (tasks["partitions"] > 0).all()) == (["classic"], True)
        assert set(groups[groups["strategy"] == "uniform"]["type"]) == {"consumer"}
        assert set(groups[groups["strategy"] == "range"]["type"]) == {"classic"}

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

    def test_clients_share_ids_and_hosts(self, fleet):
        members = fleet["members"]
        assert (members.groupby(GROUP)["client_id"].nunique() < members.groupby(GROUP).size()).any()
        hosts = members.groupby([*GROUP, "host"]).size()
        assert set(hosts) == {1, 2, 3, 4} and (hosts == 1).mean() > 0.5
        racks = members.groupby([*GROUP, "host"])["rack"].nunique(dropna=False)
        assert (racks == 1).all() and members["rack"].isna().any()


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
        topics = fleet["partitions"].drop_duplicates(["cluster", "topic"])
        assert topics.groupby("cluster")["topic"].is_monotonic_increasing.all()

    def test_one_old_cluster_tells_neither_racks_nor_ids_nor_weights(self, fleet):
        facts = ["topic_id", "leader_rack", "replica_racks", "weight"]
        kept = kept_by_brokers(fleet["partitions"])
        of_old = kept["cluster"] == "legacy-dc1"
        old, others = kept[of_old], kept[~of_old]
        assert old[facts].isna().all(axis=None)
        assert others[facts].notna().all(axis=None)
        assert others["weight"].max() >= 100 * others["weight"][others["weight"] > 0].min()
        assert set(old["replicas"].str.len()) == {1, 2}
        assert set(others["replicas"].str.len()) == {1, 3}


@pytest.mark.parametrize("strategy", ["range", "roundrobin"])
def test_owners_of_an_eager_strategy_are_its_own_answer(fleet, groups, strategy):
    """Range and RoundRobin deal anew at each rebalance: a stable group has what they answer."""
    gone = missing(fleet["assignments"], fleet["members"], MEMBER)
    lookup = groups[(groups["strategy"] == strategy) & (groups["partitions"] < 200)].index
    lookup = lookup.difference(pd.MultiIndex.from_frame(gone[GROUP]))
    tables = [fleet[name] for name in ("subscriptions", "members", "assignments")]
    subscriptions, members, assignments = (dict(list(table.groupby(GROUP))) for table in tables)
    for key in lookup:
        read = subscriptions[key].groupby("member_id")["topic"].agg(list)
        instances = members[key].set_index("member_id")["instance_id"]
        owned = assignments[key][["member_id", "topic", "partition"]]
        group = Group(
            topics=owned.groupby("topic").size().to_dict(),
            members=[Member(m, topics=read[m], instance_id=instances[m]) for m in read.index],
        )
        answer = assign(group, strategy=strategy).assignment
        pairs = {(m, *claim) for m, claims in answer.items() for claim in claims}
        assert set(owned.itertuples(index=False, name=None)) == pairs, key
    assert len(lookup) > 15


def test_what_is_said_to_come_next_is_about_racks_of_the_demo() -> None:
    racks = {*demo_fleet(groups=300, seed=1)["members"]["rack"].to_pylist()}
    for page in ("README.md", "spark/jobs/demo.py"):
        text = (ROOT / page).read_text("utf-8")
        named = re.findall(r"(?:demo/store|\{store\} --event).*?crash-rack=([\w-]+)", text)
        assert named and {*named} <= racks


def test_a_plan_takes_all_partitions_from_the_host(tmp_path: Path) -> None:
    tables = demo_fleet(groups=60, seed=1)
    write_store(tables, tmp_path / "store", SNAPSHOT)
    cluster, group = most_uneven(tables)
    file = tmp_path / "drain.toml"
    file.write_text(drain_settings(tables, cluster, group))
    host = file.read_text().split()[2]
    fleet = FleetFiles.read(str(tmp_path / "store"))
    loads = explain_group(fleet, group, cluster, read_settings(file).goals).loads
    drained = {
        row["member_id"]
        for row in tables["members"].to_pylist()
        if (row["group"], str(row["host"]).lstrip("/")) == (group, host)
    }
    assert drained
    assert {loads[member][1] for member in drained} == {0}
    assert max(planned for _, planned in loads.values()) > 0
