"""What a plan comes to, in a sentence."""

from typing import Any

from pyspark.sql import Row

from spark.plan.summary import sentence_of

COUNTS = (
    *("improved", "closer", "bound", "held", "planned_apart", "planned_weighed"),
    *("moves", "takeovers", "unread"),
)


def measured(**changes: object) -> Row:
    apart = {"current_most_over": None, "planned_most_over": None, "held_by": []}
    facts: dict[str, Any] = {"status": "ok", "groups": 4, "partitions": 40}
    return Row(**dict.fromkeys(COUNTS, 0) | apart | facts | changes)


def test_what_is_put_right_and_what_cant_be_helped() -> None:
    rows = [
        measured(improved=1, moves=3, takeovers=2),
        measured(planned_apart=3, bound=2, closer=1),
    ]
    assert sentence_of(rows) == (
        "The plan evens out 1 of 8 groups by moving 3 of 80 partitions; 2 orphaned partitions get "
        "a new owner. In 1 more group other loads come closer. In 2 groups loads stay two or more "
        "apart, because members subscribe to different topics. 1 group could be more even still."
    )


def test_partitions_that_nobody_reads_and_goals_that_keep_loads_apart() -> None:
    rows = [
        measured(unread=4, planned_apart=3, held=1, held_by=["max_moves"]),
        measured(planned_apart=2, bound=1, held=1, held_by=["max_moves", "exclude"]),
    ]
    assert sentence_of(rows) == (
        "The plan makes none of 8 groups more even; it moves 0 of 80 partitions; 4 partitions that "
        "nobody reads now get a reader. In 1 group loads stay two or more apart, because members "
        "subscribe to different topics. In 2 groups loads stay two or more apart, because of "
        "exclude, max_moves. 2 groups could be more even still."
    )


def test_where_nothing_is_to_be_done() -> None:
    assert sentence_of([measured(), measured(status="empty", groups=2, partitions=0)]) == (
        "The plan makes none of 4 groups more even; it moves 0 of 40 partitions."
    )


def test_by_weight_the_worst_member_is_held_against_what_no_plan_is_below() -> None:
    weighed = {"planned_weighed": 1, "current_most_over": 2.5, "planned_most_over": 1.004}
    assert sentence_of([measured(**weighed), measured()]).endswith(
        "By weight, no member of 1 group carries more than 1.004 times the proven lower bound "
        "(now 2.5 times)."
    )
