"""Java's hash of a string, in Spark SQL."""

from pyspark.sql import Column
from pyspark.sql import functions as F

_INT = 2**32


def string_hash(text: str) -> Column:
    """String.hashCode of a column, as an unsigned number of 32 bits.

    That is s[0]·31^(n-1) + … + s[n-1] over UTF-16 code units.
    """
    digits = F.regexp_replace(F.hex(F.encode(text, "UTF-16BE")), "(.{4})", "$1 ")
    units = F.filter(F.split(digits, " "), lambda unit: unit != "")
    return F.aggregate(
        units,
        F.lit(0).cast("long"),
        lambda value, unit: (value * 31 + F.conv(unit, 16, 10).cast("long")) % _INT,
    )


def coordinating_partition(group: str, partitions: str) -> Column:
    """The partition of __consumer_offsets whose leader coordinates a group.

    Kafka's Utils.abs of the name's hash, which is 0 for Integer.MIN_VALUE, modulo the topic's
    partitions (GroupMetadataManager.partitionFor).
    """
    absolute = F.transform(  # of one hash: a name for what is used thrice
        F.array(string_hash(group)),
        lambda value: F.when(value == _INT // 2, 0).otherwise(F.least(value, _INT - value)),
    )
    return F.get(absolute, F.lit(0)) % F.col(partitions)
