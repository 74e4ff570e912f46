"""The made-up fleet's groups: what each reads, who its members are and what they own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from optimizer.problem import NOBODY
from spark.sources.fleet_clusters import Cluster, IntArray, Topics
from spark.sources.fleet_members import EMPTY_CAST, Cast, Turnout, make_cast
from spark.sources.fleet_names import ENTITIES, FIREHOSE_ROLES, ROLES, group_name
from spark.sources.fleet_owners import EAGER, owners

KINDS = {
    "overlapping": 0.10,  # members of several subscriptions that share topics
    "empty": 0.07,  # no members, but committed offsets
    "idle": 0.05,  # Range leaves members without work although there is enough for all
    "overprovisioned": 0.05,  # more members than partitions
    "rebalancing": 0.015,
    "departed": 0.015,  # a member has just gone, its partitions still carry its name
    "giant": 0.01,  # a thousand partitions and more
    "disputed": 0.01,  # two members claim one partition
}
"""Share of the groups of each kind; the others are ordinary."""

STRATEGIES = {
    "range": 0.56,
    "cooperative-sticky": 0.20,
    "uniform": 0.10,
    "roundrobin": 0.07,
    "sticky": 0.07,
}

GIANT = 1000
"""Partitions from which on a group is a giant."""


@dataclass(frozen=True)
class Claims:
    """Who claims what: indexes of the group's partitions, and of the members of its cast."""

    partitions: IntArray
    members: IntArray


NO_CLAIMS = Claims(np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True)
class DemoGroup:
    """One group. `topics` are indexes of the fleet's topics, `subscriptions` of `topics`.

    Partitions count through the known ones of the topics. A role without a subscription is one
    that the snapshot doesn't tell.
    """

    cluster: int
    name: str
    kind: str
    state: str
    strategy: str | None
    generation: int
    topics: IntArray
    inferred: bool = False
    cast: Cast = EMPTY_CAST
    subscriptions: Sequence[IntArray] = ()
    claims: Claims = NO_CLAIMS


def draw_kinds(rng: np.random.Generator, groups: int) -> list[str]:
    """Each group's kind: the exact shares, and at least one of each in a fleet of 20 or more."""
    counts = [max(round(share * groups), int(groups >= 20)) for share in KINDS.values()]
    planted = np.repeat(np.arange(len(KINDS)), counts)
    names = [*KINDS, "ordinary"]
    kinds = np.full(groups, len(KINDS))
    kinds[: len(planted)] = planted
    return [names[k] for k in rng.permutation(kinds)]


def make_group(
    rng: np.random.Generator,
    kind: str,
    *,
    index: int,
    cluster: Cluster,
    topics: Topics,
    used: Counter[str],
) -> DemoGroup:
    """A group of that kind in the cluster of that index; `used` counts its cluster's names."""
    chosen = _choose_topics(rng, kind, index, topics)
    strategy = _strategy(rng, kind, cluster)
    group = DemoGroup(
        cluster=index,
        name=_name(rng, kind, topics.domains[chosen[0]], used),
        kind=kind,
        state="Stable",
        strategy=strategy,
        generation=2 + int(rng.lognormal(np.log(12), 1.2)),
        topics=np.sort(chosen),
    )
    server_side = strategy == "uniform"
    if kind == "empty":
        return replace(group, state="Empty", strategy=strategy if server_side else None)
    sizes = topics.known_sizes[group.topics]
    subscriptions = _subscriptions(rng, kind, len(sizes))
    cast = make_cast(
        rng,
        cluster,
        group.name,
        _turnout(rng, kind, strategy, sizes, len(subscriptions)),
        roles=len(subscriptions),
        generation=group.generation,
        server_side=server_side,
    )
    if kind == "rebalancing" and not server_side:
        # a classic coordinator tells neither strategy nor subscriptions before all have joined
        state = str(rng.choice(["PreparingRebalance", "CompletingRebalance"]))
        return replace(group, state=state, strategy=None, cast=cast)
    return replace(
        group,
        state="Reconciling" if kind == "rebalancing" else "Stable",
        # the tools tell no subscriptions of KIP-848's groups
        inferred=server_side and len(subscriptions) == 1 and rng.random() < 1 / 3,
        cast=cast,
        subscriptions=subscriptions,
        claims=_claims(rng, kind, cast, owners(rng, strategy, cast, subscriptions, sizes)),
    )


def _choose_topics(rng: np.random.Generator, kind: str, cluster: int, topics: Topics) -> IntArray:
    """Indexes of the topics that a group reads, the one that it is about first."""
    here = topics.of_cluster(cluster)
    sizes = topics.known_sizes[here]
    popular = topics.popularity[here]
    many = int(min(rng.zipf(1.9), 40))
    if kind == "giant":
        return _giant_topics(rng, here, sizes, popular)
    if kind == "overprovisioned":
        many, popular = min(many, 2), _only(popular, sizes <= 12)
    elif kind == "idle":
        many, popular = int(rng.integers(3, 8)), _only(popular, (sizes > 2) & (sizes <= 16))
    elif kind == "overlapping":
        many = 1 + min(many, 30)
    elif kind in ("departed", "disputed"):
        popular = _only(popular, sizes > 2)
    about = rng.choice(len(here), p=popular / popular.sum())
    of_team = topics.domains[here] == topics.domains[here[about]]
    others = np.where(of_team, 30, 1) * popular
    others[about] = 0
    some = min(many - 1, int(np.count_nonzero(others)))
    chosen = here[[about]]
    if some > 0:
        more = rng.choice(here, some, replace=False, p=others / others.sum())
        chosen = np.append(chosen, more)
    return chosen


def _only(popular: np.ndarray, fitting: np.ndarray) -> np.ndarray:
    """Popularity of the fitting topics alone; of all where a small cluster has none."""
    kept = np.where(fitting, popular, 0)
    return kept if kept.any() else popular


def _giant_topics(
    rng: np.random.Generator, here: IntArray, sizes: IntArray, popular: np.ndarray
) -> IntArray:
    """One firehose and a few others; or, where the cluster has enough, a great many topics."""
    firehoses = here[sizes >= GIANT]
    common = rng.permutation(np.flatnonzero(popular))
    enough = np.searchsorted(np.cumsum(sizes[common]), 1.3 * GIANT) + 1
    if enough <= len(common) and rng.random() < 0.35:
        return np.asarray(here[common[:enough]])
    return np.append(rng.choice(firehoses), here[common[: rng.integers(0, 4)]])


def _strategy(rng: np.random.Generator, kind: str, cluster: Cluster) -> str:
    if kind == "idle":
        return "range"
    if kind == "disputed":
        return "cooperative-sticky"  # whose members keep what they own while they rejoin
    drawn = str(rng.choice(list(STRATEGIES), p=list(STRATEGIES.values())))
    # the legacy brokers are too old for KIP-848; where it is used, the broker knows who owns what
    classic = cluster.is_legacy or kind == "departed"
    return "range" if classic and drawn == "uniform" else drawn


def _name(rng: np.random.Generator, kind: str, domain: str, used: Counter[str]) -> str:
    if kind == "empty" and rng.random() < 0.4:
        return group_name(f"console-consumer-{rng.integers(10_000, 100_000)}", used)
    if kind == "giant":
        role = str(rng.choice(FIREHOSE_ROLES))
        return group_name(f"{'connect' if role == 'lake-sink' else domain}-{role}", used)
    what = "" if rng.random() < 0.4 else f"{rng.choice(ENTITIES[domain])}-"
    return group_name(f"{domain}-{what}{rng.choice(ROLES)}", used)


def _subscriptions(rng: np.random.Generator, kind: str, topics: int) -> list[IntArray]:
    """One for all; or, overlapping, as a rollout or a split by topics leaves them."""
    everything = np.arange(topics)
    overlapping = kind == "overlapping" or (kind == "giant" and topics > 2 and rng.random() < 0.5)
    if not overlapping:
        return [everything]
    roles = int(rng.integers(2, min(topics, 4) + 1))
    if rng.random() < 0.5:  # a chain: each role shares a topic with the next
        cuts = np.arange(roles + 1) * topics // roles
        return [everything[start : end + 1] for start, end in pairwise(cuts)]
    some = rng.random((roles - 1, topics - 1)) < 0.5
    some[np.arange(roles - 1), rng.integers(0, topics - 1, roles - 1)] = False
    return [everything, *(np.append(0, 1 + np.flatnonzero(row)) for row in some)]


def _turnout(
    rng: np.random.Generator, kind: str, strategy: str, sizes: IntArray, roles: int
) -> Turnout:
    """How many members, now and in the past; sticky strategies remember the past."""
    members = max(_members(rng, kind, sizes), roles, 2 if kind == "disputed" else 1)
    departed = int(kind == "departed")
    members -= departed * (members > 1)  # it was one of them
    if strategy in EAGER:
        return Turnout(members, departed=departed)
    newcomers = int(rng.integers(0, min(4, members)))
    return Turnout(members - newcomers, newcomers, int(rng.integers(0, 3)), departed)


def _members(rng: np.random.Generator, kind: str, sizes: IntArray) -> int:
    partitions, largest = int(sizes.sum()), int(sizes.max())
    if kind == "giant":
        return int(np.clip(partitions / rng.lognormal(np.log(20), 0.5), 20, 250))
    if kind == "overprovisioned":
        return partitions + 1 + int(rng.integers(0, 1 + partitions // 2))
    if kind == "idle":
        spare = max(1, min(partitions - largest - 1, 6))
        return largest + 1 + int(rng.integers(0, spare))
    # a few partitions each; large groups are content with more
    each = rng.lognormal(np.log(4), 0.7) * max(1, partitions / 50) ** 0.5
    return int(np.clip(round(partitions / each), 1, largest))


def _claims(rng: np.random.Generator, kind: str, cast: Cast, owner: IntArray) -> Claims:
    """The owners' claims and, in a disputed group, a rival's on what others own.

    The rival is of the same generation, or has missed the last rebalance: KAFKA-12984,
    KAFKA-14639. Its own partitions stay its own.
    """
    owned = np.flatnonzero(owner != NOBODY)
    if kind != "disputed":
        return Claims(owned, owner[owned])
    busiest = np.bincount(owner[owned]).argmax()
    rival = int(rng.choice(cast.present[cast.present != busiest]))
    others = owned[owner[owned] != rival]
    disputed = rng.choice(others, min(len(others), int(rng.integers(1, 4))), replace=False)
    if rng.random() < 0.5:
        cast.generations[rival] -= 1
    return Claims(
        np.append(owned, disputed), np.append(owner[owned], np.full_like(disputed, rival))
    )
