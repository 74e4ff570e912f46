"""The cluster's topics as they come, grow and go; every partition has a number for good."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from optimizer.model import Group, IntArray


class Layout(NamedTuple):
    """The topics of one version by name, as `Problem` has them; `number` leads back to numbers."""

    topics: list[str]
    offsets: IntArray
    number: IntArray
    position: IntArray


class Catalog:
    """Topics in all the versions that a run saw; partitions are numbered as they appear."""

    def __init__(self, group: Group) -> None:
        self.names: list[tuple[str, int]] = []
        self.numbers: dict[tuple[str, int], int] = {}
        self.versions: list[dict[str, int]] = [dict(group.topics)]
        self.group = group
        self._layouts: dict[int, Layout] = {}
        self._of_topics: dict[tuple[int, tuple[str, ...]], frozenset[int]] = {}
        for topic in sorted(group.topics):
            self._number(topic, group.topics[topic])

    def __len__(self) -> int:
        return len(self.names)

    @property
    def version(self) -> int:
        """The newest version."""
        return len(self.versions) - 1

    @property
    def sizes(self) -> Mapping[str, int]:
        """Partitions of each topic now."""
        return self.versions[-1]

    def resize(self, topic: str, partitions: int | None) -> None:
        """Set a topic's number of partitions; None: it is gone."""
        sizes = dict(self.versions[-1])
        if partitions is None:
            sizes.pop(topic, None)
        else:
            sizes[topic] = partitions
            self._number(topic, partitions)
        self.versions.append(sizes)

    def layout(self, version: int) -> Layout:
        """The partitions of a version in the order of a `Problem`."""
        if version not in self._layouts:
            sizes = self.versions[version]
            topics = sorted(sizes)
            offsets = np.cumsum([0, *(sizes[topic] for topic in topics)])
            number = np.array(
                [self.numbers[topic, n] for topic in topics for n in range(sizes[topic])], np.int64
            )
            position = np.full(len(self.names), -1)
            position[number] = np.arange(len(number))
            self._layouts[version] = Layout(topics, offsets, number, position)
        return self._layouts[version]

    def of_topics(self, topics: tuple[str, ...]) -> frozenset[int]:
        """The partitions that these topics ever had."""
        key = len(self.names), topics
        if key not in self._of_topics:
            wanted = set(topics)
            self._of_topics[key] = frozenset(
                at for at, (topic, _) in enumerate(self.names) if topic in wanted
            )
        return self._of_topics[key]

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The topics that a regular expression matches now, by name."""
        return tuple(sorted(topic for topic in self.sizes if re.fullmatch(pattern, topic)))

    def _number(self, topic: str, partitions: int) -> None:
        for number in range(partitions):
            if (topic, number) not in self.numbers:
                self.numbers[topic, number] = len(self.names)
                self.names.append((topic, number))
