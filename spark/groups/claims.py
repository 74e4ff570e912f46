"""The ownership claims in an encoded row."""

from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray, Ownership, resolve
from spark.groups.encode import ABSENT
from spark.groups.encoded_row import EncodedRow
from spark.groups.lookup import Lookup
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


def read_claims(row: EncodedRow, member_ids: list[str], members: Lookup, topics: Topics) -> Claims:
    """The claims of a row of `spark.groups.encode`.

    Raises HashCollisionError when one who left has the hash of a member or of another who left.
    """
    topic, offsets = topics.index.find(row.claim_topics), topics.offsets
    number = row.claim_partitions.astype(np.int64)
    claimant = members.find(row.claim_members)
    gone: list[str] = []
    if not set(member_ids).issuperset(row.claimants):
        gone, index = _gone(row, member_ids)
        claimant = np.where(claimant < 0, len(member_ids) + index.find(row.claim_members), claimant)
    partition = offsets[topic] + number
    generation = row.claim_generations
    exists = (number >= 0) & (partition < offsets[topic + 1])
    if exists.all():
        return Claims(partition, claimant, generation, gone, 0, None)
    of_members = (number >= 0) & (claimant < len(member_ids))
    beyond = ~exists & of_members & (topics.sizes[topic] >= 0)
    return Claims(
        partition=partition[exists],
        claimant=claimant[exists],
        generation=generation[exists],
        gone=gone,
        impossible=int(np.count_nonzero(~exists)),
        beyond=(claimant[beyond], topic[beyond], number[beyond]) if beyond.any() else None,
    )


def _gone(row: EncodedRow, member_ids: list[str]) -> tuple[list[str], Lookup]:
    """Claimants who aren't members any more, sorted by id, and how to find them by hash."""
    hash_of = dict(zip(row.claimants.tolist(), row.claimant_hashes.tolist(), strict=True))
    names = sorted(hash_of.keys() - set(member_ids))
    hashes = np.array([hash_of[name] for name in names], np.int64)
    Lookup.of(np.append(row.member_hashes, hashes)).check_unambiguous([*member_ids, *names])
    return names, Lookup.of(hashes)


def settle(claims: Claims, generations: IntArray, partitions: int) -> Ownership:
    """Resolve the claims; one that states no generation has that of its member."""
    generation = claims.generation
    if generation.min(initial=0) < 0:
        of_claimant = np.append(generations, np.full(len(claims.gone), ABSENT))[claims.claimant]
        generation = np.where(generation < 0, of_claimant, generation)
    return resolve(claims.partition, claims.claimant, generation, partitions)
