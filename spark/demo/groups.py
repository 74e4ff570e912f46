"""The made-up fleet's groups: what each reads, who its members are and what they own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from optimizer import STRATEGIES
from optimizer.model import Flags, IntArray, KafkaFacts, Problem, Reals
from spark.demo.clusters import ENTITIES, FIREHOSE_ROLES, FIRST_NAMES, ROLES, TopicSet, free_name
from spark.demo.members import Roster, make_members
from spark.fleet import CLASSIC, CONNECT, CONSUMER, SHARE, STREAMS

GIANT = 1000
"""Partitions from which on a group is a giant, and an eager strategy stops too many."""

RESTARTED = 3
"""Members of a restarting group that come back under new ids, each hour."""

EAGER = ("range", "roundrobin", "sticky")
STICKY = "cooperative-sticky"
USED = {"range": 0.70, "roundrobin": 0.06, "sticky": 0.06, STICKY: 0.11, "uniform": 0.07}
"""Share of the groups that use a strategy."""


@dataclass(frozen=True)
class Recipe:
    """A kind of groups; of one without a share a fleet has one group.

    `topics` is how many topics such a group reads, and `sizes` how many partitions these have, each
    at least and at most. A coordinator tells a strategy and owners of stable groups alone.
    """

    share: float = 0
    strategy: str = ""
    topics: tuple[int, int] = (1, 40)
    sizes: tuple[int, int] = (1, 10_000)
    states: Sequence[str] = ("Stable",)
    type: str = CLASSIC


ONE, EMPTY = (1, 1), ("Empty",)
KINDS = {
    # members of several subscriptions that share topics; no members, but committed offsets
    "unlike": Recipe(0.10, topics=(2, 31)),
    "empty": Recipe(0.07, "range", states=EMPTY),
    # many more members than partitions; a thousand partitions and more
    "spare": Recipe(0.05, topics=ONE, sizes=(1, 12)),
    "giant": Recipe(0.02, STICKY, topics=(1, 4), sizes=(GIANT, 10_000)),
    "rebalancing": Recipe(0.015, "range", states=("PreparingRebalance", "CompletingRebalance")),
    # Range gives its first members more of each topic, or leaves others without work
    "uneven": Recipe(0.04, "range", topics=(4, 7), sizes=(3, 16)),
    "idle": Recipe(0.05, "range", topics=(4, 7), sizes=(3, 16)),
    # commits stand still; one partition has nearly all lag; two members claim one partition
    "stalled": Recipe(0.01, topics=ONE, sizes=(12, GIANT)),
    "hot": Recipe(0.01, topics=ONE, sizes=(12, GIANT)),
    "disputed": Recipe(0.01, STICKY, topics=ONE, sizes=(12, GIANT)),
    # a member has just gone, its partitions still carry its name; members come back by new ids
    "departed": Recipe(0.015, STICKY, sizes=(12, GIANT)),
    "restarting": Recipe(0.01, sizes=(12, GIANT)),
    # Connect, Kafka Streams on the classic protocol, and two types that brokers assign for
    "connect": Recipe(strategy="sessioned", type=CONNECT),
    "tasks": Recipe(strategy="stream"),
    "share": Recipe(states=EMPTY, strategy="range", type=SHARE),
    "streams": Recipe(states=EMPTY, strategy="range", type=STREAMS),
}
LEAST = 20
"""Groups of a fleet from which on it has all kinds; most are ordinary."""

NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class DemoGroup:
    """One group. `topics` are indexes of the fleet's topics, `subscriptions` of `topics`.

    Partitions count through the topics: member `claimants[i]` claims that of index `claimed[i]`.
    Only of a stable group a coordinator tells the strategy, subscriptions and claims.
    """

    cluster: int
    name: str
    kind: str
    state: str
    strategy: str | None
    generation: int
    topics: IntArray
    type: str
    members: Roster
    subscriptions: Sequence[IntArray]
    claimed: IntArray
    claimants: IntArray

    def without(self, member: int) -> "DemoGroup":
        """The group after this member has left: the others have its partitions in turn."""
        is_present, claimants = self.members.is_present.copy(), self.claimants.copy()
        is_present[member] = False
        others, orphaned = np.flatnonzero(is_present), np.flatnonzero(claimants == member)
        claimants[orphaned] = others[np.arange(len(orphaned)) % len(others)]
        members = replace(self.members, is_present=is_present)
        return replace(self, members=members, claimants=claimants)


def draw_kinds(rng: np.random.Generator, groups: int) -> list[str]:
    """Each group's kind: the exact shares, and at least one of each unless the fleet is small."""
    shared = [name for name, kind in KINDS.items() if kind.share]
    counts = [max(round(KINDS[name].share * groups), int(groups >= LEAST)) for name in shared]
    kinds = np.full(groups, "ordinary", object)
    kinds[: sum(counts)] = np.repeat(np.array(shared, object), counts)
    kinds = rng.permutation(kinds)
    if groups >= LEAST:
        single = KINDS.keys() - shared
        kinds[np.flatnonzero(kinds == "ordinary")[: len(single)]] = sorted(single)
    return kinds.tolist()


@dataclass
class GroupMaker:
    """Makes the groups of one cluster; `used` counts their names."""

    rng: np.random.Generator
    index: int
    topics: TopicSet
    used: Counter[str] = field(default_factory=lambda: Counter(sum(FIRST_NAMES.values(), ())))

    def group(self, kind: str, nth: int) -> DemoGroup:
        """The fleet's `nth` group of that kind; an ordinary one where topics for it are missing."""
        rng, cluster = self.rng, self.topics.clusters[self.index]
        name = dict(enumerate(FIRST_NAMES.get(kind, ()))).get(nth)
        choice = self._choose_topics(kind, name)
        domain, topics = self.topics.domains[choice[0]], np.sort(choice)
        sizes = self.topics.sizes[topics]
        count = _member_count(rng, kind, sizes)
        if not count:
            kind, count = "ordinary", _member_count(rng, "ordinary", sizes)
        name = name or free_name(_name(rng, kind, domain), self.used)
        special = KINDS.get(kind, Recipe())
        state = str(rng.choice(special.states))
        strategy = special.strategy or str(rng.choice([*USED], p=[*USED.values()]))
        # the legacy brokers are too old for KIP-848
        strategy = "range" if cluster.is_legacy and strategy == "uniform" else strategy
        server_side = strategy == "uniform"
        subscriptions = _subscriptions(rng, kind, len(sizes))
        # each role has a member, and the others are where the partitions are
        read = np.array([sizes[topics].sum() for topics in subscriptions])
        others = rng.choice(len(read), max(0, count - len(read)), p=read / read.sum())
        roles = rng.permutation(np.append(np.arange(len(read)), others))
        members = make_members(rng, cluster, name, roles, server_side, kind == "restarting")
        if strategy in EAGER and not _is_well(kind, strategy, subscriptions, sizes, count):
            strategy = STICKY
        is_stable = state == "Stable"
        owner = _owners(strategy, members, subscriptions, sizes) if is_stable else NONE
        claimed, claimants = np.arange(len(owner)), owner
        if kind == "departed":
            members.is_present[int(rng.integers(count))] = False
        if kind == "disputed":
            disputed = np.flatnonzero(owner == owner[0])[1 : 2 + int(rng.integers(3))]
            rival = rng.choice(np.setdiff1d(owner, owner[0]))
            claimed = np.append(claimed, disputed)
            claimants = np.append(owner, np.full_like(disputed, rival))
        return DemoGroup(
            cluster=self.index,
            name=name,
            kind=kind,
            state=state,
            strategy=strategy if is_stable else None,
            generation=(500 if kind == "restarting" else 2) + int(rng.lognormal(2.5, 1.2)),
            topics=topics,
            type=CONSUMER if server_side else special.type,
            members=members.of(NONE) if state == "Empty" else members,
            subscriptions=subscriptions if is_stable else (),
            claimed=claimed,
            claimants=claimants,
        )

    def _choose_topics(self, kind: str, name: str | None) -> IntArray:
        """Indexes of the topics that a group reads, the one that it is about first."""
        rng, topics = self.rng, self.topics
        here = topics.of_cluster(self.index)
        sizes, popular, domains = topics.sizes[here], topics.popularity[here], topics.domains[here]
        if kind == "connect":
            return np.array([topic for topic in here.tolist() if "/" in topics.names[topic]])
        special = KINDS.get(kind, Recipe())
        popular = _only(popular, (sizes >= special.sizes[0]) & (sizes <= special.sizes[1]))
        of_name = _only(popular, domains == name.split("-")[0]) if name else popular
        about = rng.choice(len(here), p=of_name / of_name.sum())
        others = np.where(domains == domains[about], 30, 1) * popular
        others[about] = 0
        many = int(np.clip(rng.zipf(1.9), *special.topics))
        count = min(many - 1, int(np.count_nonzero(others)))
        more = rng.choice(here, count, replace=False, p=others / others.sum()) if count else NONE
        return np.append(here[about], more)


def _owners(
    strategy: str, members: Roster, subscriptions: Sequence[IntArray], sizes: IntArray
) -> IntArray:
    """The member index that owns each partition.

    Sticky strategies remember when four in five members were there, and unlike subscriptions have
    the best answer. Connect and Streams deal in turn.
    """
    offsets = np.append(0, np.cumsum(sizes))
    problem = Problem(
        member_ids=members.member_id.tolist(),
        topics=[f"{t:06d}" for t in range(len(sizes))],
        topic_offsets=offsets,
        member_subscription=members.role,
        subscriptions=subscriptions,
        owner=np.arange(offsets[-1]) % max(1, 4 * len(members.role) // 5),
        kafka=KafkaFacts(instance_ids=members.instance_id.tolist()),
    )
    assignor = strategy if strategy in STRATEGIES else "roundrobin"
    return STRATEGIES[assignor if len(subscriptions) == 1 else "optimal"].assign(problem).target


def _is_well(
    kind: str, strategy: str, subscriptions: Sequence[IntArray], sizes: IntArray, members: int
) -> bool:
    """Whether a strategy that deals everything again does no harm, or is to."""
    first = np.ceil(sizes / members).sum()
    is_fair = strategy != "range" or first < np.ceil(sizes.sum() / members) + 2
    is_small = len(subscriptions) == 1 and sizes.sum() < GIANT
    return kind in ("idle", "uneven") or bool(is_fair and is_small)


def _member_count(rng: np.random.Generator, kind: str, sizes: IntArray) -> int:
    """Members of a group of a kind; none where its topics can't make it one."""
    partitions, largest = int(sizes.sum()), int(sizes.max())
    if kind == "giant":
        each = rng.lognormal(np.log(20), 0.5)
        return int(np.clip(partitions / each, 20, 250)) if partitions >= GIANT else 0
    if kind == "spare":
        return partitions + int(rng.integers(10, 16))
    if kind == "idle":
        # more than any topic has partitions, and twice as many as an even share of one
        return max(largest + 1, -(-2 * partitions // len(sizes))) if len(sizes) >= 4 else 0
    if kind == "uneven":
        # Range's first has two more than the mean and a quarter, and none idles
        counts = np.arange(2, largest + 1)
        first, least = np.ceil(sizes / counts[:, None]).sum(axis=1), np.ceil(partitions / counts)
        fit = counts[(first >= least + 2) & (first >= 1.25 * least)]
        return int(rng.choice(fit)) if len(fit) else 0
    if kind in ("stalled", "hot", "disputed"):
        return 3 if largest >= 12 else 0
    fewest = {"restarting": RESTARTED + 1, "departed": 2}.get(kind, 1)
    # a few partitions each; large groups are content with more
    each = rng.lognormal(np.log(4), 0.7) * max(1, partitions / 50) ** 0.5
    return int(np.clip(round(partitions / each), fewest, largest)) if largest >= fewest else 0


def _only(popular: Reals, is_fit: Flags) -> Reals:
    """Popularity of the fit topics alone; of all where a small cluster has none."""
    kept = np.where(is_fit, popular, 0)
    return kept if kept.any() else popular


def _subscriptions(rng: np.random.Generator, kind: str, topics: int) -> list[IntArray]:
    """One for all; or, unlike, with one topic less for some, or a chain of which two share one."""
    everything = np.arange(topics)
    if topics < 2 or not (kind == "unlike" or (kind == "giant" and rng.random() < 0.5)):
        return [everything]
    if rng.random() < 0.5:
        return [everything, everything[:-1]]
    roles = int(rng.integers(2, min(topics, 4) + 1))
    cuts = np.arange(roles + 1) * topics // roles
    return [everything[start : end + 1] for start, end in pairwise(cuts)]


def _name(rng: np.random.Generator, kind: str, domain: str) -> str:
    if kind == "empty" and rng.random() < 0.4:
        return f"console-consumer-{rng.integers(10_000, 100_000)}"
    if kind == "giant":
        role = str(rng.choice(FIREHOSE_ROLES))
        return f"{'connect' if role == 'lake-sink' else domain}-{role}"
    what = "" if rng.random() < 0.4 else f"{rng.choice(ENTITIES[domain])}-"
    return f"{domain}-{what}{rng.choice(ROLES)}"
