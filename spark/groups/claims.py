"""The ownership claims in an encoded row."""

from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray, Ownership, resolve
from spark.groups.encoded_row import EncodedRow
from spark.groups.rows import ABSENT
from spark.groups.topics import Topics


@dataclass(frozen=True)
class Claims:
    """Claims on partitions that exist; a claimant beyond the members is one of `gone`.

    `impossible` counts the claims on partitions that don't exist; `beyond` are those of them that
    members have on existing topics: members, topics, partition numbers. None: there are none.
    """

    partition: IntArray
    claimant: IntArray
    generation: IntArray
    gone: list[str]
    impossible: int
    beyond: tuple[IntArray, IntArray, IntArray] | None

    def of_present_members(self, members: int) -> tuple[IntArray, IntArray]:
        """By member and partition: a fleet doesn't say in which order a member owns them."""
        present = self.claimant < members
        claimant, partition = self.claimant[present], self.partition[present]
        order = np.lexsort((partition, claimant))
        return claimant[order], partition[order]


def read_claims(row: EncodedRow, topics: Topics) -> Claims:
    """The claims of an encoded row."""
    topic, offsets, members = topics.place[row.claim_topics], topics.offsets, len(row.member_ids)
    number, claimant = row.claim_partitions.astype(np.int64), row.claim_members
    others = np.unique(claimant[claimant >= members])
    if len(others):
        gone = members + others.searchsorted(claimant)
        claimant = np.where(claimant < members, claimant, gone)
    partition = offsets[topic] + number
    exists = (number >= 0) & (partition < offsets[topic + 1])
    beyond = ~exists & (number >= 0) & (claimant < members) & (topics.sizes[topic] >= 0)
    return Claims(
        partition=partition[exists],
        claimant=claimant[exists],
        generation=row.claim_generations[exists],
        gone=row.all_members[others].tolist(),
        impossible=int(np.count_nonzero(~exists)),
        beyond=(claimant[beyond], topic[beyond], number[beyond]) if beyond.any() else None,
    )


def settle(claims: Claims, generations: IntArray, partitions: int) -> Ownership:
    """Resolve the claims; one that states no generation has that of its member."""
    generation = claims.generation
    if generation.min(initial=0) < 0:
        of_claimant = np.append(generations, np.full(len(claims.gone), ABSENT))[claims.claimant]
        generation = np.where(generation < 0, of_claimant, generation)
    return resolve(claims.partition, claims.claimant, generation, partitions)
