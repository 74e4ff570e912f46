"""Hosts that carry more of a group than they must."""

from collections.abc import Iterator

import numpy as np

from optimizer.model import Goals, IntArray, changes_of, host_names, max_host_load, member_loads
from optimizer.solver import solve
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings, about
from spark.audit.text import A_NEW_PLAN
from spark.groups import read_or_failed

HOSTS_FIRST = Goals(levels=("hosts",))


@GroupFinding(
    tells="a host has more partitions than it must, at equal balance of members",
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
def uneven_hosts(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """The most loaded host against that of a plan that looks at hosts right after balance."""
    plan = group.plan
    if plan is None or not plan.current_max_host_load:
        return
    names = host_names(group.row.hosts.tolist())
    hosts = len({*filter(None, names)}) + names.count(None)
    if plan.current_max_host_load - -(-plan.partitions // hosts) < settings["least"]:
        return  # no host has more than its even share by so much
    problem = read_or_failed(group.row).problem
    if problem is None:
        return
    target = solve(problem, HOSTS_FIRST).target
    least = max_host_load(problem, member_loads(problem, target)) or 0
    if plan.current_max_host_load - least < settings["least"]:
        return
    yield about(
        group,
        plan.current_max_host_load / least,
        "Host {host} has {now:partition} of group {group} where {least} would do; for that "
        "{moves:partition} must move.",
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
