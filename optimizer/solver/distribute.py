"""From counts to partitions: who keeps which, and who gets which."""

import numpy as np

from optimizer.model import NOBODY, NOTHING, IntArray, ranges, sorted_positions, stable_order
from optimizer.solver.demand import Demand, Distribution, Shares
from optimizer.solver.kinds import Kinds


def distribute(
    owner: IntArray, topic_offsets: IntArray, kinds: Kinds, demand: Demand, shares: Shares
) -> IntArray:
    """Turn each pair's share into partitions.

    An owner of too many gives up those first of whose topic it has the most, the highest numbers
    of a topic first; what is left of a kind is dealt topic by topic, one to each member in turn:
    so a topic spreads over its readers, the old and the new ones. Topic t has the partitions
    topic_offsets[t]:topic_offsets[t + 1].
    """
    if isinstance(shares, Distribution):
        kinds, demand, shares = _as_pairs(owner, kinds, demand, shares)
    target = np.where(kinds.owner_pair >= 0, owner, NOBODY)
    target[_release(kinds.owner_pair, topic_offsets, demand, shares)] = NOBODY
    free = ((target < 0) & (kinds.of_partition >= 0)).nonzero()[0]
    if len(free):
        free = free[stable_order(kinds.of_partition[free], len(demand.supply))]
        target[free] = demand.members[_deal(demand, shares)]
    return target


def _release(
    owner_pair: IntArray, topic_offsets: IntArray, demand: Demand, shares: IntArray
) -> IntArray:
    """Partitions that an owner has above its share: only the owners with too many are examined."""
    # One entry more than there are pairs: a partition without a pair has -1 and looks up that one.
    too_many = np.zeros(len(shares) + 1, np.bool_)
    np.greater(demand.owned, shares, out=too_many[:-1])
    pairs = too_many.nonzero()[0]
    if not len(pairs):
        return NOTHING
    partitions = too_many[owner_pair].nonzero()[0]
    partitions = partitions[stable_order(owner_pair[partitions], len(shares))]
    owned, kept = demand.owned[pairs], shares[pairs]
    first = owned.cumsum() - owned
    inputs = owned - kept
    before = inputs.cumsum() - inputs
    if len(demand.supply) > 1:
        of_kind = demand.kind_of_pair[pairs]
        before -= before[of_kind.searchsorted(of_kind)]
    # One of several topics that begin at one place has partitions: the last.
    topic = topic_offsets.searchsorted(partitions, "right")
    order = _by_rank(owned, first, before, topic)
    return partitions[order[ranges(first + kept, inputs)]]


def _by_rank(owned: IntArray, first: IntArray, before: IntArray, topic: IntArray) -> IntArray:
    """Each owner's partitions, given topic by topic, by their place within the topic.

    So what comes last is of the topics that an owner has the most of. Among the last of several
    topics, each owner begins where the one before it ended (who gave up `before` with all before
    that), so that they don't all give up the same topics.
    """
    count = len(topic)
    starts = np.ones(count, np.bool_)
    np.not_equal(topic[1:], topic[:-1], out=starts[1:])
    starts[first] = True
    start = starts.nonzero()[0]
    run = starts.cumsum() - 1  # what an owner has of a topic
    bounds = np.concatenate((run[first], [len(start)]))
    runs = bounds[1:] - bounds[:-1]
    most = int(runs.max())
    if most == 1:
        return np.arange(count)
    of_owner = np.arange(len(owned)).repeat(runs)
    turn = (np.arange(len(start)) + (before - bounds[:-1])[of_owner]) % runs[of_owner]
    place = np.arange(count)
    key = (of_owner * (count * most) + turn - start * most)[run] + place * most
    return sorted_positions(key, place)


def _deal(demand: Demand, shares: IntArray) -> IntArray:
    """Pairs in the order in which they get their partitions: by kind, round after round."""
    wanted = shares - demand.owned
    pairs = (wanted > 0).nonzero()[0]
    wanted = wanted[pairs]
    pair = pairs.repeat(wanted)
    turn = ranges(np.zeros(len(pairs), np.int64), wanted)
    by_turn = pair[stable_order(turn, int(wanted.max()))]
    return by_turn[stable_order(demand.kind_of_pair[by_turn], len(demand.supply))]


def _as_pairs(
    owner: IntArray, kinds: Kinds, demand: Demand, distribution: Distribution
) -> tuple[Kinds, Demand, IntArray]:
    """Fine kinds with those pairs alone that own any or get any, and how many each gets."""
    fine, members = demand.fine, demand.member_count
    assert fine is not None, "only fine kinds are given by kind and pair"
    owned_key = fine.owned_fine * members + kinds.members[fine.owned_pair]
    given_key = distribution.fine * members + kinds.members[distribution.pair]
    keys = np.union1d(owned_key, given_key)
    offsets = keys.searchsorted(np.arange(len(fine.supply) + 1) * members)
    owned, shares = (
        np.bincount(keys.searchsorted(key), count, len(keys)).astype(np.int64)
        for key, count in ((owned_key, fine.owned), (given_key, distribution.amount))
    )
    kept = kinds.owner_pair >= 0
    wanted = fine.of_partition * members + owner
    pairs = Kinds(
        of_partition=fine.of_partition,
        owner_pair=np.where(kept, keys.searchsorted(wanted), -1),
        offsets=offsets,
        members=keys % max(members, 1),
    )
    return pairs, Demand(fine.supply, offsets, pairs.members, owned, members), shares
