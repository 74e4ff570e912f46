"""Kafka's RangeAssignor: contiguous ranges, topic by topic."""

import numpy as np

from optimizer.problem import NOBODY, Problem
from optimizer.strategies.answer import Answer, settled
from optimizer.strategies.order import member_info_order


def assign_ranges(problem: Problem) -> Answer:
    """Hand out each topic's partitions in contiguous ranges (org.apache.kafka…RangeAssignor).

    For each topic on its own: its subscribers in MemberInfo order take ⌊P/k⌋ partitions each, the
    first P mod k of them one more. Racks aren't looked at.
    """
    target = np.full(problem.partition_count, NOBODY)
    rank = np.argsort(member_info_order(problem))
    for t, c in enumerate(problem.classes.of_topic.tolist()):
        if c < 0:
            continue
        members = problem.classes.members_of(c)
        members = members[np.argsort(rank[members])]
        start, end = problem.topic_offsets[t : t + 2]
        quota, extra = divmod(int(end - start), len(members))
        counts = np.full(len(members), quota)
        counts[:extra] += 1
        target[start:end] = np.repeat(members, counts)
    return settled(target)
