"""Members that have nothing to do."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding
from spark.findings.words import counted, sentence
from spark.solved_row import ACTIONS

KEEPABLE = (ACTIONS.index("keep"), ACTIONS.index("move"))
"""What happens to partitions whose owner is there and subscribed."""


def _idle(planned: DataFrame) -> DataFrame:
    """Groups in which somebody is idle, with how many are, as found and in the best assignment."""
    entries = F.arrays_zip("previous", "target", "action")
    working = F.array_distinct(
        F.filter(entries, lambda entry: entry.action.isin(*KEEPABLE)).previous
    )
    given = F.array_distinct(F.filter("target", lambda member: member >= 0))
    return planned.where("found_min_load = 0 or min_load = 0").select(
        "*",
        (F.col("members") - F.size(working)).alias("found_idle"),
        (F.col("members") - F.size(given)).alias("spare"),
    )


def idle_members(planned: DataFrame) -> DataFrame:
    """Members without a partition that the best assignment would give one."""
    return (
        _idle(planned)
        .where("found_idle > spare")
        .select(
            "cluster",
            "group",
            sentence("group {group}").alias("subject"),
            (F.col("found_idle") - F.col("spare")).alias("measure"),
            sentence(
                "{found_idle} of the {members} members of group {group} own nothing while one has "
                "{found}; {all_but} could have work.",
                found=counted("found_max_load", "partition"),
                all_but=F.when(F.col("spare") == 0, F.lit("all of them")).otherwise(
                    F.concat(
                        (F.col("found_idle") - F.col("spare")).cast("string"), F.lit(" of them")
                    )
                ),
            ).alias("sentence"),
        )
    )


IDLE_MEMBERS = Finding(
    name="idle-members",
    tells="members own nothing while others carry several partitions",
    measure="members that could have work and have none",
    advice="If the group has settled, change its strategy to cooperative-sticky, or uniform on "
    "the new protocol; `evenfleet compare` shows what each would do.",
    find=idle_members,
    reads=("planned",),
    warning=1,
)


def spare_members(planned: DataFrame) -> DataFrame:
    """Members that no assignment can give anything."""
    return (
        _idle(planned)
        .where("spare > 0")
        .select(
            "cluster",
            "group",
            sentence("group {group}").alias("subject"),
            F.col("spare").alias("measure"),
            sentence(
                "{spare} of the {members} members of group {group} can't own anything under any "
                "strategy: there are more members than partitions for them ({partitions} in all)."
            ).alias("sentence"),
        )
    )


SPARE_MEMBERS = Finding(
    name="spare-members",
    tells="there are more members than partitions for them",
    measure="members that no assignment can give anything",
    advice="Take these members away, or add partitions if the group is to grow; "
    "keep them if they stand by on purpose.",
    find=spare_members,
    reads=("planned",),
    info=1,
    warning=10,
)
