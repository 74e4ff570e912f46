"""Claims of a group that contradict each other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from spark.groups.encoded_row import EncodedRow
from spark.groups.rows import ABSENT
from spark.groups.topics import read_topics


class Claims(NamedTuple):
    """The claims of a group, as they were made: also on partitions that don't exist.

    `topic` and `claimant` are indexes into the lists of names; a claimant who isn't a member any
    more is not `present`. A claim that states no `generation` has that of its member, or ABSENT.
    `newest` is the newest generation of any claim or member.
    """

    topics: list[str]
    claimants: list[str]
    topic: IntArray
    partition: IntArray
    claimant: IntArray
    present: NDArray[np.bool_]
    generation: IntArray
    newest: int


class Dispute(NamedTuple):
    """A partition that several claim; `claimants` are those of the newest generation, sorted."""

    topic: str
    partition: int
    claimants: list[str]


def read_claims(row: EncodedRow, each_on_its_own: bool) -> Claims | None:
    """The claims in a row of `spark.groups.encode`, if there is anything odd about them.

    That is several claims on one partition, unless it is known that `each_on_its_own` is, or
    several generations among members and claims.
    """
    numbers = row.claim_generations
    newest = int(max(numbers.max(), row.generations.max(initial=ABSENT)))
    generations = np.append(numbers, row.generations)
    oldest = int(generations[generations >= 0].min()) if newest >= 0 else newest
    if oldest == newest and (each_on_its_own or not _any_twice(row)):
        return None
    members, topics = len(row.member_ids), read_topics(row)
    of_member = np.append(row.generations, ABSENT)[np.minimum(row.claim_members, members)]
    return Claims(
        topics=topics.names,
        claimants=row.all_members.tolist(),
        topic=topics.place[row.claim_topics],
        partition=row.claim_partitions,
        claimant=row.claim_members,
        present=row.claim_members < members,
        generation=np.where(numbers >= 0, numbers, of_member),
        newest=newest,
    )


def _any_twice(row: EncodedRow) -> bool:
    order = np.lexsort((row.claim_partitions, row.claim_topics))
    topic, partition = row.claim_topics[order], row.claim_partitions[order]
    return bool(((topic[1:] == topic[:-1]) & (partition[1:] == partition[:-1])).any())


def disputes_among(claims: Claims) -> list[Dispute]:
    """The partitions that several claim, or one by several generations; the same twice is once."""
    keys = np.stack([claims.topic, claims.partition, claims.generation, claims.claimant])
    keys = np.unique(keys.astype(np.int64), axis=1)
    starts = np.flatnonzero(np.append(True, (keys[:2, 1:] != keys[:2, :-1]).any(axis=0)))
    parts = np.split(keys, starts[1:], axis=1)
    return [_dispute(claims, of) for of in parts if of.shape[1] > 1]


def _dispute(claims: Claims, keys: IntArray) -> Dispute:
    """`keys` has a column a claim: topic, partition, generation and claimant."""
    topic, partition, newest = keys[:3, -1].tolist()
    claimants = keys[3, keys[2] == newest].tolist()
    return Dispute(
        claims.topics[topic], partition, sorted(claims.claimants[at] for at in claimants)
    )
