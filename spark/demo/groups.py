"""The made-up fleet's groups: what each reads, who its members are and what they own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from optimizer.model import NOBODY, IntArray
from spark.demo.clusters import FIREHOSE_SIZES, DemoCluster, Topics
from spark.demo.members import EMPTY_CAST, Cast, make_cast, parts_of
from spark.demo.names import ENTITIES, FIREHOSE_ROLES, ROLES, group_name, uuids
from spark.demo.owners import MEMORYLESS, is_well, kept_busy, made_well, owners
from spark.fleet import CLASSIC, CONSUMER

HEALTHY = {
    "overlapping": 0.10,  # members of several subscriptions that share topics
    "empty": 0.07,  # no members, but committed offsets
    "rebalancing": 0.015,
    "giant": 0.01,  # a thousand partitions and more
}
"""Share of the groups of each kind that is well; the others, if all are, are ordinary."""

TROUBLED = {
    "idle": 0.05,  # Range leaves members without work although there is enough for all
    "overprovisioned": 0.05,  # many more members than partitions
    "joining": 0.015,  # the last to come has been given nothing yet
    "departed": 0.015,  # a member has just gone, its partitions still carry its name
    "disputed": 0.01,  # two members claim one partition
    "stopping": 0.01,  # an eager strategy on a thousand partitions and more
    "shuffled": 0.01,  # its partitions changed hands since the snapshot before, for nothing
    "restarting": 0.01,  # members have come back under new ids
    "stalled": 0.01,  # commits stand still
    "hot": 0.01,  # one partition has nearly all lag
    "slow": 0.01,  # one member has
}
"""Share of the groups of each kind that is in trouble."""

SIZES_OF = {"overprovisioned": (1, 12), "joining": (6, 12), "idle": (3, 16)}
"""Partitions of the topics that such groups read, at least and at most."""

GIANTS = ("giant", "stopping")
ONE_TOPIC = ("overprovisioned", "joining", "stalled", "hot", "slow", "stopping")

STRATEGIES = {
    "range": 0.70,
    "cooperative-sticky": 0.11,
    "uniform": 0.07,
    "roundrobin": 0.06,
    "sticky": 0.06,
}

STRATEGY_OF = {
    **{"idle": "range", "stopping": "range", "shuffled": "roundrobin"},
    # whose members keep what they own while they rejoin
    **{"disputed": "cooperative-sticky", "joining": "cooperative-sticky"},
}
"""The strategy of kinds whose trouble comes of it."""

GIANT = 1000
"""Partitions from which on a group is a giant."""

SPARE = 10
"""Members of an overprovisioned group without a partition, at least."""

RESTARTED = 3
"""Members of a restarting group that have come back under new ids."""

UNWELL = ("idle", "overprovisioned", "joining", "stopping")
"""Kinds whose trouble is in who owns what."""


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
    type: str = CLASSIC

    @property
    def key(self) -> tuple[int, str]:
        """Cluster and name."""
        return self.cluster, self.name

    @property
    def slow_member(self) -> int:
        """Who owns the first partition; in a hot or a slow group it lags behind."""
        return int(self.claims.members[self.claims.partitions.argmin()])


def draw_kinds(rng: np.random.Generator, groups: int, healthy: bool) -> list[str]:
    """Each group's kind: the exact shares, and at least one of each in a fleet of 20 or more."""
    shares = HEALTHY if healthy else HEALTHY | TROUBLED
    counts = [max(round(share * groups), int(groups >= 20)) for share in shares.values()]
    planted = np.repeat(np.arange(len(shares)), counts)
    names = [*shares, "ordinary"]
    kinds = np.full(groups, len(shares))
    kinds[: len(planted)] = planted
    return [names[k] for k in rng.permutation(kinds)]


def make_group(
    rng: np.random.Generator,
    kind: str,
    *,
    index: int,
    cluster: DemoCluster,
    topics: Topics,
    used: Counter[str],
) -> DemoGroup:
    """A group of that kind in the cluster of that index; `used` counts its cluster's names."""
    indices = _choose_topics(rng, kind, index, topics)
    kind = _possible(kind, topics.known_sizes[indices])
    strategy = _strategy(rng, kind, cluster)
    group = DemoGroup(
        cluster=index,
        name=_name(rng, kind, topics.domains[indices[0]], used),
        kind=kind,
        state="Stable",
        strategy=strategy,
        generation=2 + int(rng.lognormal(np.log(12), 1.2)),
        topics=np.sort(indices),
        type=CONSUMER if strategy == "uniform" else CLASSIC,
    )
    server_side = group.type == CONSUMER
    if kind == "empty":
        return replace(group, state="Empty", strategy=strategy if server_side else None)
    sizes = topics.known_sizes[group.topics]
    subscriptions = _subscriptions(rng, kind, len(sizes))
    parts = _parts(rng, kind, strategy, sizes, len(subscriptions))
    cast = make_cast(
        *(rng, cluster, group.name, parts),
        roles=len(subscriptions),
        generation=group.generation,
        server_side=server_side,
        dynamic=kind == "restarting",
    )
    if len(subscriptions) > 1:
        cast = kept_busy(cast, subscriptions, sizes, SPARE)
    if kind == "rebalancing" and not server_side:
        # a classic coordinator tells neither strategy nor subscriptions before all have joined
        state = str(rng.choice(["PreparingRebalance", "CompletingRebalance"]))
        return replace(group, state=state, strategy=None, cast=cast)
    owner = owners(strategy, cast, subscriptions, sizes, joining=kind == "joining")
    entries, final = sizes, topics.sizes[group.topics]
    if kind not in UNWELL and not all(
        is_well(strategy, cast, subscriptions, entries, owner, dealt) for dealt in (entries, final)
    ):
        owner = made_well(cast, subscriptions, sizes, owner)
        strategy = "cooperative-sticky" if strategy in MEMORYLESS else strategy
    return replace(
        group,
        state="Reconciling" if kind == "rebalancing" else "Stable",
        strategy=strategy,
        # the tools tell no subscriptions of KIP-848's groups
        inferred=server_side and len(subscriptions) == 1 and rng.random() < 1 / 3,
        cast=cast,
        subscriptions=subscriptions,
        claims=_claims(rng, kind, cast, owner),
    )


def _possible(kind: str, sizes: IntArray) -> str:
    """The kind, or an ordinary one where a small cluster hasn't the topics for it."""
    possible = {
        "idle": len(sizes) >= 4,
        "joining": 6 <= sizes[0] <= 12,
        "stopping": sizes[0] >= GIANT,
        "shuffled": sizes.sum() >= 12,
        "restarting": sizes.max() >= RESTARTED + 1,
        "stalled": sizes[0] >= 6,
        "hot": sizes[0] >= 10,
        "slow": sizes[0] >= 6,
        "departed": sizes.max() >= 2,
        "disputed": sizes.max() >= 6,
    }
    return kind if possible.get(kind, True) else "ordinary"


def _choose_topics(rng: np.random.Generator, kind: str, cluster: int, topics: Topics) -> IntArray:
    """Indexes of the topics that a group reads, the one that it is about first."""
    here = topics.of_cluster(cluster)
    sizes = topics.known_sizes[here]
    popular = topics.popularity[here]
    many = int(min(rng.zipf(1.9), 40))
    if kind == "giant":
        return _giant_topics(rng, here, sizes, popular)
    if kind == "stopping":
        return np.array([rng.choice(here[sizes >= GIANT])])
    if kind in TROUBLED or kind == "overlapping":
        popular = _only(popular, sizes == topics.sizes[here])
    if kind == "overlapping":
        many = 1 + min(many, 30)
    elif kind in TROUBLED:
        least, most = SIZES_OF.get(kind, (12, FIREHOSE_SIZES[-1]))
        many = int(rng.integers(4, 8)) if kind == "idle" else many
        popular = _only(popular, (sizes >= least) & (sizes <= most))
    about = rng.choice(len(here), p=popular / popular.sum())
    of_team = topics.domains[here] == topics.domains[here[about]]
    others = np.where(of_team, 30, 1) * popular
    others[about] = 0
    items = 0 if kind in ONE_TOPIC else min(many - 1, int(np.count_nonzero(others)))
    if not items:
        return here[[about]]
    more = rng.choice(here, items, replace=False, p=others / others.sum())
    return np.append(here[about], more)


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


def _strategy(rng: np.random.Generator, kind: str, cluster: DemoCluster) -> str:
    if kind in STRATEGY_OF:
        return STRATEGY_OF[kind]
    if kind == "giant":
        return str(rng.choice(["cooperative-sticky", "uniform"][: 1 if cluster.is_legacy else 2]))
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
    mask = rng.random((roles - 1, topics - 1)) < 0.5
    mask[np.arange(roles - 1), rng.integers(0, topics - 1, roles - 1)] = False
    return [everything, *(np.append(0, 1 + np.flatnonzero(row)) for row in mask)]


def _parts(
    rng: np.random.Generator, kind: str, strategy: str, sizes: IntArray, roles: int
) -> IntArray:
    """How many members, now and in the past; sticky strategies remember the past."""
    members = max(_members(rng, kind, sizes), roles)
    departed = int(kind == "departed")
    members -= departed * (members > 1)  # it was one of them
    if kind == "joining":
        return parts_of(members - 1, newcomers=1)
    if strategy in MEMORYLESS or kind == "overprovisioned":
        return parts_of(members, departed=departed)
    newcomers = int(rng.integers(0, min(4, members)))
    return parts_of(members - newcomers, newcomers, int(rng.integers(0, 3)), departed)


def _members(rng: np.random.Generator, kind: str, sizes: IntArray) -> int:
    partitions, largest = int(sizes.sum()), int(sizes.max())
    if kind in GIANTS:
        return int(np.clip(partitions / rng.lognormal(np.log(20), 0.5), 20, 250))
    if kind == "overprovisioned":
        return partitions + SPARE + int(rng.integers(0, 6))
    if kind == "idle":
        # more than any topic has partitions, and twice as many as an even share of one
        return int(max(largest + 1, -(-2 * partitions // len(sizes))))
    if kind == "joining":
        return int(rng.integers(4, 7))
    if kind in ("slow", "stalled", "hot", "disputed"):
        return 3
    # a few partitions each; large groups are content with more
    each = rng.lognormal(np.log(4), 0.7) * max(1, partitions / 50) ** 0.5
    least = RESTARTED + 1 if kind == "restarting" else 2 if kind == "shuffled" else 1
    return int(np.clip(round(partitions / each), least, largest))


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
    others = np.flatnonzero(owner == busiest)[1:]
    disputed = rng.choice(others, min(len(others), int(rng.integers(1, 4))), replace=False)
    if rng.random() < 0.5:
        cast.generations[rival] -= 1
    return Claims(
        np.append(owned, disputed), np.append(owner[owned], np.full_like(disputed, rival))
    )


def group_before(rng: np.random.Generator, group: DemoGroup) -> DemoGroup:
    """The group an hour before: the same, unless its trouble is that it isn't."""
    present = group.cast.present
    if group.kind == "shuffled":
        turned = np.roll(np.arange(len(group.cast.member_ids)), 1)
        return replace(group, claims=replace(group.claims, members=turned[group.claims.members]))
    if group.kind == "restarting":
        ids = list(group.cast.member_ids)
        for member, tail in zip(present[:RESTARTED], uuids(rng, RESTARTED), strict=True):
            ids[member] = f"{ids[member][: -len(tail)]}{tail}"
        return replace(group, cast=replace(group.cast, member_ids=ids))
    return group
