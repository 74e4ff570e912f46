"""Many groups at once by weight, in each of which everybody reads everything and is as strong."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from optimizer.model.arrays import IntArray, Reals
from optimizer.model.homogeneous import HomogeneousGroups
from optimizer.model.weights import known_or_mean, whole

BY_ONE, BY_ALL, BY_NUMBERS = 0, 1, 2
"""What shows a bound of such a group: its heaviest partition; all its members together; or how many
partitions there are, of which some member must have this many."""


@dataclass(frozen=True)
class WeighedGroups:
    """Groups, and what their partitions weigh in whole numbers: see `optimizer.model.Weights`.

    `weight` has that of each partition. A member's level is its load. In the units of the input,
    `weight_unit` is the weight 1 and `capacity` each member's; `known_share` is the share of
    partitions whose own weight was known.
    """

    groups: HomogeneousGroups
    weight: IntArray
    weight_unit: Reals
    capacity: Reals
    known_share: Reals


def weighed(groups: HomogeneousGroups, raw_weights: Reals, capacity: Reals) -> WeighedGroups:
    """The groups with what is stated of each partition (NaN: not known) and of a group's members.

    `weights_of` says the same of one group.
    """
    ends, topics = groups.partition_offsets.tolist(), groups.topic_offsets.tolist()
    weights, units, shares = [], [], []
    for at, (first, last) in enumerate(pairwise(ends)):
        of_topics = groups.first_of_topic[topics[at] : topics[at + 1] + 1] - first
        of_group, entries = known_or_mean(raw_weights[first:last], of_topics)
        weight, unit = whole(of_group)
        weights.append(weight)
        units.append(unit)
        shares.append(entries)
    return WeighedGroups(
        groups, np.concatenate(weights), np.array(units), capacity, np.array(shares)
    )
