"""What Spark keeps for us; a test may look where the library may not."""

from pyspark.sql import SparkSession


def kept_in(spark: SparkSession) -> set[int]:
    """The ids of what is kept, in memory or on disk.

    Asked of the storage's statistics: a map of the persistent RDDs would hold them until Python's
    reference to it is gone in the JVM as well, so that who waits for them waits for itself.
    """
    return {info.id() for info in spark.sparkContext._jsc.sc().getRDDStorageInfo()}
