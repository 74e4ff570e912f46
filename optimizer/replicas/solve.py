"""The best choice of a placement, with prices that prove it.

Most partitions stand still as they were first chosen, some are free, and their best choice prices
the brokers; whoever would rather have another choice at these prices is freed as well, until nobody
would. What is free is improved by cheapest flows of exchanges, and at last by cycles of these:

slot → the slot or the pool that takes, at the cost of the exchange, as often as there is one
pool → any broker of its rack that receives
slot → broker → sink, dearer with every replica of a topic, and of all

A flow forgets that a partition may be in several exchanges, and who of a pool it has already. So
what flows is carried out as far as it can be, and the rest is left to the next flow.
"""

import numpy as np

from optimizer.flow import EXACT_RADIUS, MAX_NUMBER, Arcs, cheapest_flow, dearer_arcs
from optimizer.replicas.cycles import (
    Exchanges,
    can_exchange,
    carry_out,
    exchange,
    exchanges_of,
    search,
)
from optimizer.replicas.numbering import NOBODY, IntArray
from optimizer.replicas.placement import (
    Duals,
    Placement,
    has,
    loads_fit,
    ranks_in_runs,
    run_starts,
    sound_rows,
    with_cheaper,
)

FREE, FREE_SHARE = 5_000, 0.05
"""Partitions that are free at first, or this share of all if that is more."""

STEPS = np.concatenate((np.arange(1, EXACT_RADIUS + 1), EXACT_RADIUS + 2 ** np.arange(1, 40)))
"""How far from a guess the cost of loads is exact."""

TIMES = 20
"""So often a guess is made better."""

EXACT_COSTS = 8
"""Different costs between two nodes that are told apart; dearer ones are taken together."""

LEAST_UNITS, MOST_UNITS = 4, 64
"""A unit of cost counts so often, and each exchange once: of equals the flow takes the shortest."""


def solve(placement: Placement, choice: IntArray | None = None) -> tuple[IntArray, bool]:
    """The best choice there is, found from a sound one, and whether prices prove that it is."""
    choice = first_choice(placement) if choice is None else choice.copy()
    share = max(FREE_SHARE, FREE / max(placement.partitions, 1))
    free = np.random.default_rng(placement.partitions).random(placement.partitions) < share
    while True:
        rows = np.flatnonzero(free)
        choice[rows], prices = _improve(placement.rows(choice, rows), choice[rows])
        wanting = with_cheaper(placement, choice, prices)
        if not wanting.any():
            break
        free |= wanting
    sound = placement.is_exact and bool(sound_rows(placement, choice).all())
    return choice, sound and loads_fit(placement, choice, prices)


def _improve(placement: Placement, choice: IntArray) -> tuple[IntArray, Duals]:
    """The choice after all that exchanges can make better, and prices that show there are none."""
    choice = shift_by_flows(placement, choice)
    while (searched := search(placement, choice)).cycles:
        carry_out(placement, choice, searched)
    return choice, searched.prices


def first_choice(placement: Placement) -> IntArray:
    """A sound choice: listed brokers stay, the cheapest first, and drawn ones fill up racks."""
    choice = np.full((placement.partitions, placement.width), NOBODY)
    filled, rows = np.zeros(len(choice), np.int64), np.arange(len(choice))
    in_racks = np.zeros_like(placement.low)

    def add(at: IntArray, broker: IntArray) -> None:
        choice[at, filled[at]] = broker
        filled[at] += 1
        in_racks[at, placement.rack_of[broker]] += 1

    dear = np.where(placement.listed >= 0, placement.listed_cost, np.iinfo(np.int64).max)
    order = np.argsort(dear, axis=1, kind="stable")
    for broker in np.take_along_axis(placement.listed, order, 1).T:
        rack = np.where(broker >= 0, placement.rack_of[broker], 0)
        now, low = in_racks[rows, rack], placement.low[rows, rack]
        needed = np.maximum(placement.low - in_racks, 0).sum(axis=1) - (now < low)
        may = (broker >= 0) & (now < placement.high[rows, rack])
        at = np.flatnonzero(may & (filled + 1 + needed <= placement.count))
        add(at, broker[at])
    draw = np.random.default_rng(placement.partitions)
    room = 1 / np.array([len(each) + 1e-3 for each in placement.receivers])
    while len(at := np.flatnonzero(filled < placement.count)):
        wanting = (in_racks < placement.low)[at]
        is_short = np.add.reduce(wanting, axis=1, keepdims=True) > 0
        open_racks = np.where(is_short, wanting, (in_racks < placement.high)[at])
        rack = np.where(open_racks, draw.random(open_racks.shape) ** room, -1).argmax(axis=1)
        add(at, _draw(placement, choice[at], rack, draw))
    return choice


def _draw(
    placement: Placement, choice: IntArray, rack: IntArray, draw: np.random.Generator
) -> IntArray:
    """A broker of its rack for each row that has it not: from a drawn one on, round and round."""
    sizes = np.array([len(each) for each in placement.receivers])
    first, every = sizes.cumsum() - sizes, np.concatenate(placement.receivers)
    drawn = np.full(len(choice), NOBODY)
    at = np.arange(len(choice))
    step = (draw.random(len(at)) * sizes[rack]).astype(np.int64)
    while len(at):
        broker = every[first[rack[at]] + step[at] % sizes[rack[at]]]
        free = ~has(choice[at], broker)
        drawn[at[free]] = broker[free]
        at = at[~free]
        step[at] += 1
    return drawn


def shift_by_flows(placement: Placement, choice: IntArray) -> IntArray:
    """The best choice that comes of flows, while one makes it better or leaves less undone."""
    best, least, before = choice, placement.total(choice), len(choice) + 1
    while True:
        moved, undone = _ExchangeNetwork(placement, choice).shift_once()
        total = placement.total(moved)
        if np.array_equal(moved, choice) or (total >= least and undone >= before):
            return best
        best, least = (moved, total) if total < least else (best, least)
        choice, before = moved, undone


class _ExchangeNetwork:
    def __init__(self, placement: Placement, choice: IntArray) -> None:
        self.placement, self.choice = placement, choice
        self.exchanges = exchanges = exchanges_of(placement, choice)
        self.slots = placement.topics * placement.brokers
        self.broker = self.slots + placement.topics * placement.racks
        self.sink = self.broker + placement.brokers
        slot = (placement.topic[:, None] * placement.brokers + choice)[choice >= 0]
        self.held = np.bincount(slot, minlength=self.slots)
        self.farthest = MAX_NUMBER // (16 * max((self.sink + 2) ** 2, len(slot)))
        dearest = 128 * placement.load_weight * int(placement.weight.max(initial=1))
        self.units = min(max(self.farthest // dearest, LEAST_UNITS), MOST_UNITS)
        self.starts, self.sizes = _bundles(exchanges)
        giver, taker = exchanges.giver[self.starts], exchanges.taker[self.starts]
        pools = np.unique(taker[taker >= self.slots])
        topic, rack = np.divmod(pools - self.slots, placement.racks)
        receivers = [placement.receivers[r] for r in rack.tolist()]
        each = [len(r) for r in receivers]
        self.out_of = np.repeat(pools, each)
        brokers = np.concatenate([np.empty(0, np.int64), *receivers])
        self.out_to = np.repeat(topic, each) * placement.brokers + brokers
        most = np.full(len(self.out_of), placement.partitions)
        nothing = np.zeros(len(most), np.int64)
        middle = self.units * exchanges.cost[self.starts + self.sizes // 2]
        self.still = [
            Arcs(giver, taker, self.sizes, middle),
            Arcs(self.out_of, self.out_to, most, nothing),
        ]

    def shift_once(self) -> tuple[IntArray, int]:
        """The choice after the cheapest flow, and how many of its units are undone."""
        guess = self.even_share()
        for _ in range(TIMES):
            along, out, loads = self.solve_around(guess)
            if np.abs(loads - guess).max(initial=0) < EXACT_RADIUS:
                break
            guess = loads
        return self.carried_out(along, out)

    def even_share(self) -> IntArray:
        """Even shares: of all for the brokers, of each topic for its slots."""
        placement = self.placement
        share = (placement.rack_of >= 0) / placement.weight
        share = share / max(share.sum(), 1e-9)
        total = len(self.choice[self.choice >= 0]) + placement.base[placement.rack_of >= 0].sum()
        wanted = np.rint(total * share).astype(np.int64) - placement.base
        of_broker = np.clip(wanted, 0, placement.partitions)
        held = self.held.reshape(placement.topics, placement.brokers) + placement.topic_base
        of_topic = np.rint(held.sum(axis=1)[:, None] * share).astype(np.int64)
        of_topic = np.clip(of_topic - placement.topic_base, 0, placement.partitions)
        return np.concatenate([of_topic.ravel(), of_broker])

    def solve_around(self, guess: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """The cheapest flow, with loads exact around the guess, and the loads that come of it.

        That are units along bundles of exchanges, and out of pools to slots.
        """
        dearer, node = self._dearer(guess)
        supply = np.zeros(self.sink + 1, np.int64)
        supply[: self.slots] = self.held
        supply[self.sink] = -self.held.sum()
        parts = self._fitting([*self.still, dearer])
        flows = cheapest_flow(parts, supply)
        assert flows is not None  # who gives nothing keeps what it has
        along, out, up = np.split(flows, np.cumsum([len(arcs.tail) for arcs in self.still]))
        loads = np.bincount(node, weights=up, minlength=len(guess))
        return along, out, loads.astype(np.int64)

    def _fitting(self, parts: list[Arcs]) -> list[Arcs]:
        """The arcs at costs that 64 bits hold; then each exchange costs 1 more."""
        dearest = max(int(np.abs(arcs.cost).max(initial=0)) for arcs in parts)
        divisor = 1 + dearest // (2 * self.farthest)
        made = [arcs._replace(cost=arcs.cost // divisor) for arcs in parts]
        made[0].cost[:] += 1
        return made

    def _dearer(self, guess: IntArray) -> tuple[Arcs, IntArray]:
        """Arcs out of slots and brokers, whose numbers are told; a segment costs its mean."""
        placement, brokers = self.placement, np.arange(self.placement.brokers)
        of_topic = np.bincount(placement.topic, minlength=placement.topics)
        of_slot = np.full(self.slots, placement.topic_weight)
        arcs, (node, start, end) = dearer_arcs(
            0,
            head=np.append(
                self.broker + np.tile(brokers, placement.topics), brokers * 0 + self.sink
            ),
            point=guess,
            most=np.append(of_topic.repeat(len(brokers)), brokers * 0 + placement.partitions),
            weight=self.units * np.append(of_slot, placement.load_weight * placement.weight),
            base=np.append(placement.topic_base.ravel(), placement.base),
            steps=STEPS,
        )
        cost, last = arcs.cost, node >= len(guess) - placement.brokers
        near = (start < guess[node]) & (guess[node] <= end) & last
        middle = int(np.median(cost[near])) if near.any() else 0
        # every unit passes one broker; what is far from all guesses needn't be told apart
        cost[last] = np.clip(cost[last] - middle, -self.farthest, self.farthest)
        pools = self.broker - self.slots
        return arcs._replace(tail=node + pools * (node >= self.slots)), node

    def carried_out(self, along: IntArray, flow_out: IntArray) -> tuple[IntArray, int]:
        """Give each unit a partition that can make its exchange, also if it made another before."""
        exchanges, choice, brokers = self.exchanges, self.choice.copy(), self.placement.brokers
        bundle = np.repeat(np.arange(len(along)), along)
        giver, taker = (each[self.starts[bundle]] for each in (exchanges.giver, exchanges.taker))
        is_new = taker >= self.slots
        pooled = np.flatnonzero(is_new)
        out = np.repeat(np.arange(len(flow_out)), flow_out)
        out = np.random.default_rng(len(out)).permutation(out)
        out = out[np.argsort(self.out_of[out], kind="stable")]
        taker[pooled[np.argsort(taker[pooled], kind="stable")]] = self.out_to[out]
        giver, taker = giver % brokers, taker % brokers
        following = self.starts.copy()
        left, carried = np.arange(len(bundle)), 0
        while len(left):
            at = following[bundle[left]] + ranks_in_runs(bundle[left])
            following += np.bincount(bundle[left], minlength=len(following))
            inside = at < (self.starts + self.sizes)[bundle[left]]
            left, partition = left[inside], exchanges.partition[at[inside]]
            each = np.unique(partition, return_index=True)[1]
            partition = partition[each]
            can = can_exchange(
                self.placement, choice, partition, giver[left[each]], taker[left[each]]
            )
            can &= ~(is_new[left[each]] & has(self.placement.listed[partition], taker[left[each]]))
            done = each[can]
            exchange(choice, partition[can], giver[left[done]], taker[left[done]])
            left = np.delete(left, done)
            carried += len(done)
        return choice, len(bundle) - carried


def _bundles(exchanges: Exchanges) -> tuple[IntArray, IntArray]:
    """Where bundles of exchanges begin, and how many are in each: of two nodes, and one cost.

    Where there are many costs, of more and more of them: what is cheap is exact, as what flows in
    the end is.
    """
    runs = run_starts(exchanges.giver, exchanges.taker, exchanges.cost)
    rank = ranks_in_runs(exchanges.giver[runs], exchanges.taker[runs])
    step = np.where(
        rank < EXACT_COSTS, rank, EXACT_COSTS + np.log2(np.maximum(rank, 1)).astype(np.int64)
    )
    starts = runs[run_starts(exchanges.giver[runs], exchanges.taker[runs], step)]
    return starts, np.diff(np.append(starts, len(exchanges.giver)))
