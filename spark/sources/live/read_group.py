"""Groups of a live cluster, by name: what they are like now."""

from collections.abc import Collection

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Brokers
from spark.sources.live.describe_groups import describe_groups
from spark.sources.live.group import DescribedGroup, gone, unknown
from spark.sources.live.list_groups import Listed, list_groups

GONE = "Dead"


class GroupReader:
    """Reads the same groups time and again; brokers list all of theirs once, to tell the types.

    Brokers are asked about a group in the words of its protocol, which only their lists tell.
    """

    def __init__(self, brokers: Brokers, cluster: Cluster, names: Collection[str]) -> None:
        self._brokers, self._cluster = brokers, cluster
        self._names = frozenset(names)
        self._listed: dict[str, Listed] = {}

    def read(self, names: Collection[str] | None = None) -> dict[str, DescribedGroup]:
        """Each group, or those named, as its coordinator describes it, or with why it can't."""
        names = self._names if names is None else frozenset(names)
        missing: list[str] = []
        if names - self._listed.keys():
            nodes = [broker.node_id for broker in self._brokers.metadata.brokers]
            self._listed, missing = list_groups(self._brokers, self._cluster, nodes, self._names)
        listed = {name: self._listed[name] for name in names & self._listed.keys()}
        topics = {topic.name: len(topic.partitions) for topic in self._brokers.metadata.topics}
        result, _ = describe_groups(self._brokers, self._cluster, listed, topics, offsets=False)
        groups = {group.name: group for group in result}
        for name, group in groups.items():
            if group.coordinator is not None:
                self._listed[name] = self._listed[name]._replace(coordinator=group.coordinator)
            if group.state == GONE:  # it may have come to the other protocol
                del self._listed[name]
        for name in names - groups.keys():
            groups[name] = unknown(name, missing[0]) if missing else gone(name)
        return groups


def read_group(brokers: Brokers, cluster: Cluster, name: str) -> DescribedGroup:
    """One group, of any type."""
    return GroupReader(brokers, cluster, [name]).read()[name]
