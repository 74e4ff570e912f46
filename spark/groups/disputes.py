"""Claims of a group that contradict each other."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from spark.groups.encode import ABSENT
from spark.groups.encoded_row import EncodedRow
from spark.groups.lookup import Lookup


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
    members = Lookup.of(row.member_hashes).find(row.claim_members)
    of_member = np.append(row.generations, ABSENT)[members]
    return Claims(
        topics=row.claimed_topics.tolist(),
        claimants=row.claimants.tolist(),
        topic=Lookup.of(row.claimed_topic_hashes).find(row.claim_topics),
        partition=row.claim_partitions,
        claimant=Lookup.of(row.claimant_hashes).find(row.claim_members),
        present=members >= 0,
        generation=np.where(numbers >= 0, numbers, of_member),
        newest=newest,
    )


def _any_twice(row: EncodedRow) -> bool:
    order = np.lexsort((row.claim_partitions, row.claim_topics))
    topic, partition = row.claim_topics[order], row.claim_partitions[order]
    return bool(((topic[1:] == topic[:-1]) & (partition[1:] == partition[:-1])).any())


def disputes_among(claims: Claims) -> list[Dispute]:
    """The partitions that several claim, or one by several generations; the same twice is once."""
    by_name = sorted(range(len(claims.claimants)), key=claims.claimants.__getitem__)
    rank = np.empty(len(by_name), np.int64)
    rank[by_name] = np.arange(len(by_name))
    keys = np.stack(
        [claims.topic, claims.partition, -claims.generation, rank[claims.claimant]]
    ).astype(np.int64)
    keys = np.unique(keys, axis=1)
    starts = np.flatnonzero(np.append(True, (keys[:2, 1:] != keys[:2, :-1]).any(axis=0)))
    ends = np.append(starts[1:], keys.shape[1])
    several = ends - starts > 1
    return [
        _dispute(claims, keys[:, start:end], by_name)
        for start, end in zip(starts[several].tolist(), ends[several].tolist(), strict=True)
    ]


def _dispute(claims: Claims, keys: IntArray, by_name: list[int]) -> Dispute:
    """`keys` has a column a claim: topic, partition, age and the rank of the claimant's name."""
    topic, partition = keys[:2, 0].tolist()
    newest = keys[3, keys[2] == keys[2, 0]].tolist()
    return Dispute(
        claims.topics[topic], partition, [claims.claimants[by_name[at]] for at in newest]
    )
