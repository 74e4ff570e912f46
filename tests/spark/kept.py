"""What Spark keeps for us; a test may look where the library may not."""

from pyspark.sql import SparkSession


def kept_in(spark: SparkSession) -> set[int]:
    """The ids of what is kept, in memory or on disk."""
    return set(spark.sparkContext._jsc.getPersistentRDDs().keySet())
