"""The orders in which Kafka looks at members."""

import numpy as np

from optimizer.problem import IntArray, Problem


def member_info_order(problem: Problem) -> IntArray:
    """Member indexes in the order of AbstractPartitionAssignor.MemberInfo.

    Static members first, by instance id; then dynamic ones, by member id. Strings compare as
    Java's do, by UTF-16 code units.
    """
    instances = problem.instance_ids or [None] * len(problem.member_ids)
    keys = [
        (0, _utf16(instance)) if instance is not None else (1, _utf16(member))
        for instance, member in zip(instances, problem.member_ids, strict=True)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def _utf16(text: str) -> bytes:
    """Bytes that sort as String.compareTo does."""
    return text.encode("utf-16-be", "surrogatepass")
