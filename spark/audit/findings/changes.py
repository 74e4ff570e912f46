"""What happened to groups since the snapshot before."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.finding import Finding, rows_found
from spark.audit.findings.idle import KEEPABLE
from spark.audit.findings.owners import entries
from spark.audit.sql_text import counted, filled, sentence


def avoidable_moves(planned: DataFrame, from_before: DataFrame) -> DataFrame:
    """Moves since the snapshot before, beyond those that the best assignment takes from there.

    `from_before` are the groups whose claims have changed, solved with today's members and
    subscriptions from the claims of that snapshot.
    """
    place = ["cluster", "group", "topic", "partition"]
    owned = ("cluster", "`group`", "topics[at] as topic", "partition")
    needed = from_before.selectExpr("cluster", "`group`", "moves as needed")
    before = entries(from_before).where(f"action in {KEEPABLE}")
    now = entries(planned.join(needed, ["cluster", "group"], "left_semi")).where("previous >= 0")
    moved = (
        before.selectExpr(*owned, "get(names, previous) as owner")
        .join(now.selectExpr(*owned, "get(names, previous) as new_owner"), place)
        .where("owner != new_owner")
        .groupBy("cluster", "group")
        .agg(F.expr("count(*)").alias("made"))
    )
    return rows_found(
        moved.join(needed, ["cluster", "group"]).where("made > needed"),
        subject=filled("group {group}"),
        measure="made - needed",
        sentence=sentence(
            "{moved} of group {group} changed hands since the snapshot before although their "
            "owners stayed; the best balance would have taken {needed} of these moves.",
            moved=counted("made", "partition"),
            needed="if(needed = 0, 'none', string(needed))",
        ),
    )


AVOIDABLE_MOVES = Finding(
    name="avoidable-moves",
    tells="more partitions moved since the snapshot before than balance needed",
    measure="moves beyond the fewest that lead to the best balance",
    advice="Use a sticky strategy: cooperative-sticky, or the new protocol; range and roundrobin "
    "deal everything anew.",
    advice_to_connect="Set connect.protocol to sessioned, or compatible, on all workers: eager "
    "deals everything anew at each rebalance.",
    find=avoidable_moves,
    reads=("planned", "from_before"),
    needs=("previous",),
    info=1,
    warning=10,
)


def restarting_members(replaced: DataFrame) -> DataFrame:
    """Dynamic members of the snapshot before that are gone while others have come."""
    return rows_found(
        replaced,
        subject=filled("group {group}"),
        measure="least(gone, come)",
        sentence=sentence(
            "{gone} of group {group} left since the snapshot before and {come} came, all without "
            "a static id: {handed} handed on for it.",
            gone=counted("gone", "member"),
            handed=f"concat({counted('handed', 'partition')}, if(handed = 1, ' was', ' were'))",
        ),
    )


RESTARTING_MEMBERS = Finding(
    name="restarting-members",
    tells="dynamic members come and go where static ids would save moves",
    measure="members that left and were replaced since the snapshot before",
    advice="Give each member a group.instance.id of its own (a pod's name will do) and a "
    "session.timeout.ms longer than a restart.",
    advice_to_connect="Workers can't have static ids: let a restart take less than "
    "scheduled.rebalance.max.delay.ms, and each gets its tasks back.",
    find=restarting_members,
    reads=("replaced",),
    needs=("previous",),
    info=1,
    warning=3,
)
