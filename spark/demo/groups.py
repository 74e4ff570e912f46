"""The made-up fleet's groups: what each reads, who its members are and what they own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from optimizer import STRATEGIES
from optimizer.model import GONE, NOBODY, IntArray, KafkaFacts, Problem, Reals
from spark.demo.clusters import DemoCluster, Topics
from spark.demo.members import NO_MEMBERS, Members, make_members
from spark.demo.names import ENTITIES, FIREHOSE_ROLES, FIRST_NAMES, ROLES, group_name
from spark.fleet import CLASSIC, CONNECT, CONSUMER, SHARE, STREAMS

KINDS = {
    "unlike": 0.10,  # members of several subscriptions that share topics
    "empty": 0.07,  # no members, but committed offsets
    "spare": 0.05,  # many more members than partitions
    "rebalancing": 0.015,
    "giant": 0.02,  # a thousand partitions and more
    "uneven": 0.04,  # Range gives its first members more of each topic
    "idle": 0.05,  # Range leaves members without work although there is enough for all
    "stalled": 0.01,  # commits stand still
    "disputed": 0.01,  # two members claim one partition
    "departed": 0.015,  # a member has just gone, its partitions still carry its name
    "restarting": 0.01,  # members have come back under new ids
    "hot": 0.01,  # one partition has nearly all lag
}
"""Share of the groups of each kind; the others are ordinary."""

ONE_EACH = ("connect", "share", "streams", "tasks")
"""Kinds of which a fleet has one: Connect, two types that brokers assign for, Kafka Streams."""

LEAST = 20
"""Groups of a fleet from which on it has all kinds."""

TYPES = {"connect": CONNECT, "share": SHARE, "streams": STREAMS}
EMPTY = ("empty", "share", "streams")
ONE_TOPIC = ("spare", "stalled", "disputed", "hot")
TOPIC_SIZES = {"spare": (1, 12), "idle": (3, 16), "uneven": (3, 16), "ordinary": (1, 10_000)}
"""Partitions of the topics that groups of a kind read; of other kinds 12 and more."""

USED = {
    "range": 0.70,
    "cooperative-sticky": 0.11,
    "uniform": 0.07,
    "roundrobin": 0.06,
    "sticky": 0.06,
}
"""Share of the groups that use a strategy."""

STRATEGY_OF = {
    **{"idle": "range", "uneven": "range", "connect": "sessioned", "tasks": "stream"},
    # whose members keep what they own while they rejoin
    **{"disputed": "cooperative-sticky", "departed": "cooperative-sticky"},
}
"""The strategy of kinds that come of it."""

MEMORYLESS = ("range", "roundrobin")
"""Strategies that deal everything again at each rebalance: joins and leaves leave no trace."""

GIANT = 1000
"""Partitions from which on a group is a giant, and an eager strategy stops too many."""

SPARE = 10
"""Members of a `spare` group without a partition, at least."""

RESTARTED = 3
"""Members of a restarting group that have come back under new ids."""

NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class DemoGroup:
    """One group. `topics` are indexes of the fleet's topics, `subscriptions` of `topics`.

    Partitions count through the topics: member `claimants[i]` claims that of index `claimed[i]`.
    A group without subscriptions is one whose coordinator doesn't tell them.
    """

    cluster: int
    name: str
    kind: str
    state: str
    strategy: str | None
    generation: int
    topics: IntArray
    type: str = CLASSIC
    inferred: bool = False
    members: Members = NO_MEMBERS
    subscriptions: Sequence[IntArray] = ()
    claimed: IntArray = field(default_factory=lambda: NONE)
    claimants: IntArray = field(default_factory=lambda: NONE)

    @property
    def key(self) -> tuple[int, str]:
        """Cluster and name."""
        return self.cluster, self.name

    def without(self, absent: IntArray, sizes: IntArray) -> "DemoGroup":
        """The group when these members weren't there, a rebalance later; `sizes` its topics'."""
        is_present = self.members.is_present.copy()
        is_present[absent] = False
        members = replace(self.members, is_present=is_present)
        present = members.present
        place = np.full(len(is_present), GONE)
        place[present] = np.arange(len(present))
        before = np.full(int(sizes.sum()), NOBODY)
        before[self.claimed] = place[self.claimants]
        owner = owners(self.strategy, members.of(present), self.subscriptions, sizes, before)
        claimed = np.flatnonzero(owner >= 0)
        return replace(self, members=members, claimed=claimed, claimants=present[owner[claimed]])


def draw_kinds(rng: np.random.Generator, groups: int) -> list[str]:
    """Each group's kind: the exact shares, and at least one of each unless the fleet is small."""
    counts = [max(round(share * groups), int(groups >= LEAST)) for share in KINDS.values()]
    kinds = np.full(groups, "ordinary", object)
    kinds[: sum(counts)] = np.repeat(np.array([*KINDS], object), counts)
    kinds = rng.permutation(kinds)
    if groups >= LEAST:
        kinds[np.flatnonzero(kinds == "ordinary")[: len(ONE_EACH)]] = ONE_EACH
    return [str(kind) for kind in kinds]


def make_group(
    rng: np.random.Generator,
    kind: str,
    *,
    index: int,
    cluster: DemoCluster,
    topics: Topics,
    used: Counter[str],
    nth: int,
) -> DemoGroup:
    """The `nth` group of that kind, in the cluster of that index.

    `used` counts its cluster's names. It is an ordinary one where a small cluster hasn't the topics
    for the kind.
    """
    names = FIRST_NAMES.get(kind, ())
    known = names[nth] if nth < len(names) else None
    about = _choose_topics(rng, kind, known, index, topics)
    first = about[0]
    about = np.sort(about)
    sizes = topics.sizes[about]
    kind = kind if _is_possible(kind, sizes) else "ordinary"
    strategy = _strategy(rng, kind, cluster)
    group = DemoGroup(
        cluster=index,
        name=group_name(known or _name(rng, kind, topics.domains[first]), used),
        kind=kind,
        state="Stable",
        strategy=strategy,
        generation=2 + int(rng.lognormal(np.log(12), 1.2)),
        topics=about,
        type=TYPES.get(kind, CONSUMER if strategy == "uniform" else CLASSIC),
    )
    if kind in EMPTY:
        is_told = group.type == CONSUMER
        return replace(group, state="Empty", strategy=strategy if is_told else None)
    return _with_members(rng, group, cluster, sizes)


def _with_members(
    rng: np.random.Generator, group: DemoGroup, cluster: DemoCluster, sizes: IntArray
) -> DemoGroup:
    kind, server_side = group.kind, group.type == CONSUMER
    subscriptions = _subscriptions(rng, kind, len(sizes))
    count = max(_member_count(rng, kind, sizes), len(subscriptions))
    # each role has a member, and the others are where the partitions are
    read = np.array([sizes[topics].sum() for topics in subscriptions])
    others = rng.choice(len(read), count - len(read), p=read / read.sum())
    roles = rng.permutation(np.append(np.arange(len(read)), others))
    members = make_members(
        *(rng, cluster, group.name, roles), server_side=server_side, dynamic=kind == "restarting"
    )
    if kind == "rebalancing" and not server_side:
        # a classic coordinator tells neither strategy nor subscriptions before all have joined
        state = str(rng.choice(["PreparingRebalance", "CompletingRebalance"]))
        return replace(group, state=state, strategy=None, members=members)
    strategy = group.strategy
    if strategy in MEMORYLESS and not _is_well(group, subscriptions, sizes, count):
        strategy = "cooperative-sticky"
    # sticky strategies remember who was there before the last ones joined
    founders = max(1, count - int(rng.integers(0, 4)))
    before = np.arange(int(sizes.sum())) % founders
    owner = owners(strategy, members, subscriptions, sizes, before)
    claimed = np.flatnonzero(owner >= 0)
    claimants = owner[claimed]
    if kind == "departed":
        members.is_present[int(rng.integers(count))] = False
    if kind == "disputed":
        disputed = claimed[claimants == claimants[0]][1 : 2 + int(rng.integers(3))]
        rival = int(rng.choice(np.setdiff1d(claimants, claimants[0])))
        claimed = np.append(claimed, disputed)
        claimants = np.append(claimants, np.full_like(disputed, rival))
    return replace(
        group,
        state="Reconciling" if kind == "rebalancing" else "Stable",
        strategy=strategy,
        # the tools tell no subscriptions of KIP-848's groups
        inferred=server_side and len(subscriptions) == 1 and rng.random() < 1 / 3,
        members=members,
        subscriptions=subscriptions,
        claimed=claimed,
        claimants=claimants,
    )


def owners(
    strategy: str | None,
    members: Members,
    subscriptions: Sequence[IntArray],
    sizes: IntArray,
    before: IntArray,
) -> IntArray:
    """The member index that owns each partition after a rebalance; `before` who owned it then.

    Unlike subscriptions have the best answer. Connect and Streams deal in turn.
    """
    roles, role_of = np.unique(members.roles, return_inverse=True)
    problem = Problem(
        member_ids=members.member_ids.tolist(),
        topics=[f"{t:06d}" for t in range(len(sizes))],
        topic_offsets=np.append(0, np.cumsum(sizes)),
        member_subscription=role_of,
        subscriptions=[subscriptions[role] for role in roles],
        owner=before,
        kafka=KafkaFacts(instance_ids=members.instance_ids.tolist()),
    )
    known = strategy if strategy in STRATEGIES else "roundrobin"
    return STRATEGIES[known if len(subscriptions) == 1 else "optimal"].assign(problem).target


def _is_well(
    group: DemoGroup, subscriptions: Sequence[IntArray], sizes: IntArray, members: int
) -> bool:
    """Whether a strategy that deals everything again does no harm, or is to."""
    first = np.ceil(sizes / members).sum()
    is_fair = group.strategy != "range" or first < np.ceil(sizes.sum() / members) + 2
    is_meant = group.kind in ("idle", "uneven")
    return is_meant or (len(subscriptions) == 1 and bool(is_fair) and sizes.sum() < GIANT)


def _is_possible(kind: str, sizes: IntArray) -> bool:
    possible = {
        "giant": sizes.sum() >= GIANT,
        "idle": len(sizes) >= 4,
        "uneven": len(_uneven_counts(sizes)) > 0,
        "restarting": sizes.max() > RESTARTED,
        "departed": sizes.max() >= 2,
        **dict.fromkeys(("stalled", "disputed", "hot"), sizes[0] >= 12),
    }
    return bool(possible.get(kind, True))


def _uneven_counts(sizes: IntArray) -> IntArray:
    """The numbers of members of which Range's first has much more than the mean, and none idles."""
    counts = np.arange(2, sizes.max() + 1)
    first = np.ceil(sizes / counts[:, None]).sum(axis=1)
    least = np.ceil(sizes.sum() / counts)
    return counts[(len(sizes) >= 3) & (first >= least + 2) & (first >= 1.25 * least)]


def _choose_topics(
    rng: np.random.Generator, kind: str, name: str | None, cluster: int, topics: Topics
) -> IntArray:
    """Indexes of the topics that a group reads, the one that it is about first."""
    here = topics.of_cluster(cluster)
    sizes, popular, domains = topics.sizes[here], topics.popularity[here], topics.domains[here]
    if kind == "connect":
        return here[topics.is_connector[here]]
    if kind == "giant":
        return _giant_topics(rng, here, sizes, popular)
    many = int(min(rng.zipf(1.9), 40))
    if kind in TOPIC_SIZES or kind in ONE_TOPIC:
        least, most = TOPIC_SIZES.get(kind, (12, GIANT))
        popular = _only(popular, (sizes >= least) & (sizes <= most))
    if kind in ("idle", "uneven"):
        many = int(rng.integers(4, 8))
    elif kind == "unlike":
        many = 1 + min(many, 30)
    of_name = _only(popular, domains == name.split("-")[0]) if name else popular
    about = rng.choice(len(here), p=of_name / of_name.sum())
    others = np.where(domains == domains[about], 30, 1) * popular
    others[about] = 0
    count = 0 if kind in ONE_TOPIC else min(many - 1, int(np.count_nonzero(others)))
    if not count:
        return here[[about]]
    return np.append(here[about], rng.choice(here, count, replace=False, p=others / others.sum()))


def _only(popular: Reals, is_fit: np.ndarray) -> Reals:
    """Popularity of the fit topics alone; of all where a small cluster has none."""
    kept = np.where(is_fit, popular, 0)
    return kept if kept.any() else popular


def _giant_topics(
    rng: np.random.Generator, here: IntArray, sizes: IntArray, popular: Reals
) -> IntArray:
    """One firehose and a few others; or, where the cluster has enough, a great many topics."""
    common = rng.permutation(np.flatnonzero(popular))
    enough = np.searchsorted(np.cumsum(sizes[common]), 1.3 * GIANT) + 1
    if enough <= len(common) and rng.random() < 0.35:
        return np.asarray(here[common[:enough]])
    firehose = rng.choice(here[sizes >= GIANT])
    return np.append(firehose, here[common[: rng.integers(0, 4)]])


def _strategy(rng: np.random.Generator, kind: str, cluster: DemoCluster) -> str:
    if kind in STRATEGY_OF:
        return STRATEGY_OF[kind]
    if kind == "giant":
        return "cooperative-sticky" if cluster.is_legacy or rng.random() < 0.5 else "uniform"
    drawn = str(rng.choice(list(USED), p=list(USED.values())))
    # the legacy brokers are too old for KIP-848
    return "range" if cluster.is_legacy and drawn == "uniform" else drawn


def _name(rng: np.random.Generator, kind: str, domain: str) -> str:
    if kind == "empty" and rng.random() < 0.4:
        return f"console-consumer-{rng.integers(10_000, 100_000)}"
    if kind == "giant":
        role = str(rng.choice(FIREHOSE_ROLES))
        return f"{'connect' if role == 'lake-sink' else domain}-{role}"
    what = "" if rng.random() < 0.4 else f"{rng.choice(ENTITIES[domain])}-"
    return f"{domain}-{what}{rng.choice(ROLES)}"


def _subscriptions(rng: np.random.Generator, kind: str, topics: int) -> list[IntArray]:
    """One for all; or, unlike, as a rollout or a split by topics leaves them."""
    everything = np.arange(topics)
    if topics < 2 or not (kind == "unlike" or (kind == "giant" and rng.random() < 0.5)):
        return [everything]
    roles = int(rng.integers(2, min(topics, 4) + 1))
    if rng.random() < 0.5:  # a chain: each role shares a topic with the next
        cuts = np.arange(roles + 1) * topics // roles
        return [everything[start : end + 1] for start, end in pairwise(cuts)]
    mask = rng.random((roles - 1, topics - 1)) < 0.5
    mask[np.arange(roles - 1), rng.integers(0, topics - 1, roles - 1)] = False
    return [everything, *(np.append(0, 1 + np.flatnonzero(row)) for row in mask)]


def _member_count(rng: np.random.Generator, kind: str, sizes: IntArray) -> int:
    partitions, largest = int(sizes.sum()), int(sizes.max())
    if kind == "giant":
        return int(np.clip(partitions / rng.lognormal(np.log(20), 0.5), 20, 250))
    if kind == "spare":
        return partitions + SPARE + int(rng.integers(0, 6))
    if kind == "idle":
        # more than any topic has partitions, and twice as many as an even share of one
        return int(max(largest + 1, -(-2 * partitions // len(sizes))))
    if kind == "uneven":
        return int(rng.choice(_uneven_counts(sizes)))
    if kind in ("stalled", "disputed", "hot"):
        return 3
    # a few partitions each; large groups are content with more
    each = rng.lognormal(np.log(4), 0.7) * max(1, partitions / 50) ** 0.5
    least = {"restarting": RESTARTED + 1, "departed": 2}.get(kind, 1)
    return int(np.clip(round(partitions / each), least, max(least, largest)))
