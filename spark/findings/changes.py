"""What happened to groups since the snapshot before."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.findings.finding import Finding
from spark.findings.idle import KEEPABLE
from spark.findings.owners import entries
from spark.findings.words import counted, sentence


def avoidable_moves(planned: DataFrame, from_before: DataFrame) -> DataFrame:
    """Moves since the snapshot before, beyond those that the best assignment takes from there.

    `from_before` are the groups whose claims have changed, solved with today's members and
    subscriptions from the claims of that snapshot.
    """
    keys = ("cluster", "group", "topic", "partition")
    topic = F.element_at("topics", F.col("topic") + 1)
    before = (
        entries(from_before)
        .where(F.col("action").isin(*KEEPABLE))
        .withColumn("owner", F.element_at("names", F.col("previous") + 1))
        .select("cluster", "group", topic.alias("topic"), "partition", "owner")
    )
    changed = planned.join(
        from_before.select("cluster", "group"), ["cluster", "group"], "left_semi"
    )
    now = (
        entries(changed)
        .where("previous >= 0")
        .withColumn("new_owner", F.element_at("names", F.col("previous") + 1))
        .select("cluster", "group", topic.alias("topic"), "partition", "new_owner")
    )
    moved = (
        before.join(now, list(keys))
        .where("owner != new_owner")
        .groupBy("cluster", "group")
        .agg(F.count("*").alias("made"))
    )
    needed = from_before.select("cluster", "group", F.col("moves").alias("needed"))
    return (
        moved.join(needed, ["cluster", "group"])
        .where("made > needed")
        .select(
            "cluster",
            "group",
            sentence("group {group}").alias("subject"),
            (F.col("made") - F.col("needed")).alias("measure"),
            sentence(
                "{moved} of group {group} changed hands since the snapshot before although their "
                "owners stayed; the best balance would have taken {needed} of these moves.",
                moved=counted("made", "partition"),
                needed=F.when(F.col("needed") == 0, F.lit("none")).otherwise(
                    F.col("needed").cast("string")
                ),
            ).alias("sentence"),
        )
    )


AVOIDABLE_MOVES = Finding(
    name="avoidable-moves",
    tells="more partitions moved since the snapshot before than balance needed",
    measure="moves beyond the fewest that lead to the best balance",
    advice="Use a sticky strategy: cooperative-sticky, or the new protocol; range and roundrobin "
    "deal everything anew.",
    find=avoidable_moves,
    reads=("planned", "from_before"),
    needs=("previous",),
    info=1,
    warning=10,
)


def restarting_members(comings: DataFrame) -> DataFrame:
    """Dynamic members of the snapshot before that are gone while as many others have come."""
    replaced = F.least("gone", "come")
    return comings.where(replaced > 0).select(
        "cluster",
        "group",
        sentence("group {group}").alias("subject"),
        replaced.alias("measure"),
        sentence(
            "{gone} of group {group} left since the snapshot before and {come} came, all without "
            "a static id: {handed} handed on for it.",
            gone=counted("gone", "member"),
            handed=F.concat(
                counted("handed", "partition"),
                F.when(F.col("handed") == 1, " was").otherwise(" were"),
            ),
        ).alias("sentence"),
    )


RESTARTING_MEMBERS = Finding(
    name="restarting-members",
    tells="dynamic members come and go where static ids would save moves",
    measure="members that left and were replaced since the snapshot before",
    advice="Give each member a group.instance.id of its own (a pod's name will do) and a "
    "session.timeout.ms longer than a restart.",
    find=restarting_members,
    reads=("comings",),
    needs=("previous",),
    info=1,
    warning=3,
)
