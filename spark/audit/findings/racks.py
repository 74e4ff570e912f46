"""Partitions that are read across racks, or lie unevenly on hosts."""

from collections.abc import Iterator

import numpy as np

from optimizer.model import Goals, IntArray, changes_of, host_names, max_host_load, member_loads
from optimizer.solver import solve
from spark.audit.facts import GroupFacts
from spark.audit.finding import A_NEW_PLAN, FindingRow, GroupFinding, Thresholds, about
from spark.groups import read_or_failed


@GroupFinding(
    tells="reads cross racks that an equally balanced assignment would keep local",
    measure="avoidable reads across racks ÷ all reads of members whose rack is known, at most",
    advice="Set replica.selector.class on the brokers so that members read in their own rack, or "
    "use an assignment that knows racks.",
    needs=("members.rack", "partitions.leader_rack"),
    levels={"info": 0.25},
    settings={"least": 4},
    meanings={"least": "groups with at least this many avoidable reads"},
)
def cross_rack_reads(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """Reads from a leader in another rack, against the most that could be local at these loads.

    An upper bound by counting: in each rack no more than the partitions that are led there, and
    no more than its members carry now. Subscriptions may allow less.
    """
    if group.plan is None or not group.row.member_racks.any():
        return
    owner, _, led = group.led
    of_members = group.row.member_racks
    reader = of_members[owner]
    mask = (reader != 0) & (led != 0)
    reads = int(np.count_nonzero(mask))
    if not reads:
        return
    local = int(np.count_nonzero((reader == led) & mask))
    sides = reader[mask], led[mask]
    most = (min(np.count_nonzero(of == rack) for of in sides) for rack in np.unique(of_members))
    avoidable = int(sum(most)) - local
    if avoidable >= thresholds["least"]:
        yield about(
            group,
            avoidable / reads,
            "{across} of {reads:partition} of group {group} are read across racks; up to "
            "{avoidable} of them could be local without a change of loads.",
            across=reads - local,
            reads=reads,
            avoidable=avoidable,
        )


HOSTS_FIRST = Goals(levels=("hosts",))


@GroupFinding(
    tells="a host has more partitions than necessary at the same balance of members",
    measure="partitions of the most loaded host ÷ those in the best assignment",
    advice="Plan the group with `--goal levels=hosts`, or let it use an assignment that knows "
    "hosts: `evenfleet plan` spreads partitions over hosts where that costs no move.",
    advice_to_planned=A_NEW_PLAN,
    advice_to_connect="A rebalance may even hosts out: restart one worker of the fullest host.",
    needs=("members.host",),
    levels={"info": 1.25},
    settings={"least": 2},
    meanings={"least": "minimum of partitions that this host has beyond the best assignment"},
)
def uneven_hosts(group: GroupFacts, thresholds: Thresholds) -> Iterator[FindingRow]:
    """The most loaded host against that of a plan that looks at hosts right after balance."""
    plan = group.plan
    if plan is None or not plan.current_max_host_load:
        return
    names = host_names(group.row.hosts.tolist())
    hosts = len({*filter(None, names)}) + names.count(None)
    if plan.current_max_host_load - -(-plan.partitions // hosts) < thresholds["least"]:
        return  # no host has more than its even share by so much
    problem = read_or_failed(group.row).problem
    if problem is None:
        return
    target = solve(problem, HOSTS_FIRST).target
    least = max_host_load(problem, member_loads(problem, target)) or 0
    if plan.current_max_host_load - least < thresholds["least"]:
        return
    yield about(
        group,
        plan.current_max_host_load / least,
        "Host {host} has {now:partition} of group {group}, {least} would do; fixing it moves "
        "{moves}.",
        host=_fullest(names, plan.previous),
        now=plan.current_max_host_load,
        least=least,
        moves=changes_of(problem, target)[0],
    )


def _fullest(names: list[str | None], owner: IntArray) -> str | None:
    """The host whose members own most, the first of equals."""
    owned = np.bincount(owner[(owner >= 0) & (owner < len(names))], minlength=len(names))
    loads: dict[str, int] = {}
    for name, count in zip(names, owned.tolist(), strict=True):
        if name is not None:
            loads[name] = loads.get(name, 0) + count
    return max(sorted(loads), key=loads.__getitem__)
