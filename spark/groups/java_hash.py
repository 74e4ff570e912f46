"""Java's hash of a string, in Spark SQL."""

from __future__ import annotations


def string_hash(text: str) -> str:
    """String.hashCode of an SQL text's value, as an unsigned number of 32 bits.

    That is s[0]·31^(n-1) + … + s[n-1] over UTF-16 code units.
    """
    units = f"split(regexp_replace(hex(encode({text}, 'UTF-16BE')), '(.{{4}})', '$1 '), ' ')"
    return (
        f"aggregate(filter({units}, unit -> unit != ''), 0L, "
        "(value, unit) -> (value * 31 + cast(conv(unit, 16, 10) as bigint)) % 4294967296)"
    )


def coordinating_partition(group: str, partitions: str) -> str:
    """The partition of __consumer_offsets whose leader coordinates a group.

    Kafka's Utils.abs of the name's hash, which is 0 for Integer.MIN_VALUE, modulo the topic's
    partitions (GroupMetadataManager.partitionFor).
    """
    # an array of one hash: a name for what is used thrice
    return (
        f"transform(array({string_hash(group)}), value -> "
        "if(value = 2147483648, 0, least(value, 4294967296 - value)))"
        f"[0] % {partitions}"
    )
