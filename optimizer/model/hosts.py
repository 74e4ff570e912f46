"""Members that share a host: by what their member rows name, or by a pattern of client ids."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from optimizer.model.arrays import IntArray
from optimizer.model.problem import Problem, once_a_problem

HOST = "{host}"
"""In a pattern of client ids: the part that members of one host have in common."""


class HostNumbers(NamedTuple):
    """The hosts of a group: `of_member` has the number of each member's, below `total`."""

    of_member: IntArray
    total: int

    def loads(self, member_loads: IntArray) -> IntArray:
        """Partitions that the members of each host have together."""
        return np.bincount(self.of_member, member_loads, self.total).astype(np.int64)

    def of_target(self, target: IntArray) -> IntArray:
        """The host of each partition's member; -1 of those that nobody has."""
        return np.append(self.of_member, -1)[target]


def hosts_of(problem: Problem) -> HostNumbers | None:
    """The hosts of a group; None where no two of its members share one, or all share the same."""
    if not any(problem.hosts or ()):
        return None
    hosts = every_host_of(problem)
    return hosts if 1 < hosts.total < len(problem.member_ids) else None


@once_a_problem
def every_host_of(problem: Problem) -> HostNumbers:
    """The hosts of any group; a member without one counts as a host of its own."""
    names = host_names(problem.hosts or [None] * len(problem.member_ids))
    number: dict[str, int] = {}
    shared = [-1 if name is None else number.setdefault(name, len(number)) for name in names]
    of_member = np.array(shared, np.int64)
    alone = of_member < 0
    of_member[alone] = len(number) + np.arange(np.count_nonzero(alone))
    return HostNumbers(of_member, len(number) + int(np.count_nonzero(alone)))


def members_per_host(problem: Problem) -> int:
    """Members of each host, if there are several hosts and all have as many; else 1."""
    hosts = hosts_of(problem)
    counts = {1} if hosts is None else {*np.bincount(hosts.of_member).tolist()}
    return counts.pop() if len(counts) == 1 else 1


def host_names(hosts: Sequence[str | None]) -> list[str | None]:
    """The hosts' names without the slash that Kafka writes before an address; "" is no host."""
    return [(name or "").removeprefix("/") or None for name in hosts]


def max_host_load(problem: Problem, loads: IntArray) -> int | None:
    """The most partitions that a host's members have together; None where hosts don't matter."""
    hosts = hosts_of(problem)
    return None if hosts is None else int(hosts.loads(loads).max(initial=0))


def on_hosts(problem: Problem, pattern: str | None) -> Problem:
    """The problem with the hosts that a pattern of client ids (`Goals.host`) tells, if it is given.

    A member whose client id doesn't fit has no host then.
    """
    return problem if pattern is None else _on_hosts(problem, pattern)


@once_a_problem
def _on_hosts(problem: Problem, pattern: str) -> Problem:
    fits = re.compile(_expression(pattern), re.DOTALL).fullmatch
    ids = problem.kafka.client_ids or [None] * len(problem.member_ids)
    matches = [client_id and fits(client_id) for client_id in ids]
    return replace(problem, hosts=[match["host"] if match else None for match in matches])


def host_fault(pattern: object) -> str | None:
    """A sentence on a pattern of client ids that tells no hosts; None for a sound one."""
    if isinstance(pattern, str) and pattern.count(HOST) == 1:
        return None
    return (
        f"host is {pattern!r} and must be a pattern of client ids with {HOST} once in it, such as "
        f"'{HOST}-consumer-*'"
    )


def _expression(pattern: str) -> str:
    """The pattern as a regular expression: `*` is any text, `?` one character, the host short."""
    before, after = pattern.split(HOST)
    texts = (re.escape(text).replace(r"\*", ".*").replace(r"\?", ".") for text in (before, after))
    return "(?P<host>.+?)".join(texts)
