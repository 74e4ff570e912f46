"""Which groups share topics, directly or through others: those are not restarted at one time."""

from collections.abc import Sequence

import numpy as np

HUB = 20
"""Topics that more groups read couple nobody: a log that all read would tie everybody together."""


def components(groups: Sequence[str], topics: Sequence[str]) -> dict[str, str]:
    """The first group of each group's component, by the group: a pair for each topic that it reads.

    Components are those of the graph of groups and topics, without topics of more than `HUB`
    groups.
    """
    names, group = np.unique(np.array(groups, np.str_), return_inverse=True)
    of_pair = np.unique(np.array(topics, np.str_), return_inverse=True, return_counts=True)
    tied = of_pair[2][of_pair[1]] <= HUB
    member, topic = group[tied], of_pair[1][tied]
    label = np.arange(len(names))
    while True:
        least = np.full(len(of_pair[0]), len(names))
        np.minimum.at(least, topic, label[member])
        result = label.copy()
        np.minimum.at(result, member, least[topic])
        result = result[result]  # what its label has found counts as well
        if np.array_equal(result, label):
            return dict(zip(names.tolist(), names[label].tolist(), strict=True))
        label = result
