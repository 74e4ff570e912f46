"""The advice on one encoded group and its plan: `optimizer.advice` asked about a row."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from pyspark.sql import Column, Row, functions as F

from optimizer.advice import (
    LEVELS,
    Advice,
    Claimed,
    Levels,
    Situation,
    Spend,
    advise,
    follows_plans,
    why_not_follow,
)
from optimizer.figures import plural
from optimizer.model import BY_COUNT, NOBODY, Answer, Goals, IntArray, Problem, on_hosts
from spark.fleet import REBALANCING_STATES
from spark.groups import EncodedRow, FleetGroup, OddClaims, is_kafkas, own_strategy
from spark.solve.solved_row import ACTIONS

MOVE = ACTIONS.index("move")


LevelsOf = Callable[[str, str], Levels]
"""The levels of a group, by its cluster and name."""


def default_levels(cluster: str, group: str) -> Levels:
    """The levels of every group, where no settings name others."""
    return LEVELS


class Planned(NamedTuple):
    """An encoded group, its solved row, and by what goals: by count or by weight.

    `group` is what was read of the row, and `answer` the strategy's or its error, where it was
    planned by itself.
    """

    row: EncodedRow
    solved: Any
    goals: Goals
    group: FleetGroup
    answer: Answer | Exception | None = None

    def target(self, problem: Problem) -> IntArray:
        """The plan's member of each partition."""
        solved, target = self.solved, np.full(problem.partition_count, NOBODY)
        target[problem.topic_offsets[solved.topic] + solved.partition] = solved.target
        return target


def add_advice(planned: Planned, levels: Levels, spend: Spend) -> None:
    """Fill in the columns of advice of a group that `optimal` planned, or has no plan for.

    Assignors are asked by `spend`.
    """
    try:
        advice = _advice(planned, levels, spend)
    except Exception as error:  # the plan stands all the same
        reason = f"Nothing can be advised: {type(error).__name__}: {error}."
        advice = Advice(advice_kind="look", advice=reason)
    for name, value in advice._asdict().items():
        setattr(planned.solved, name, value)


def _advice(planned: Planned, levels: Levels, spend: Spend) -> Advice:
    row, solved, goals, group = planned[:4]
    if solved.max_load is None:
        return advise(Situation(status=solved.status, reason=solved.reason))
    claims = claims_of_row(row, solved)
    if claims is None and goals == BY_COUNT and _is_fine(solved, levels):
        return Advice(
            judged_by="count",
            now_to_best=solved.current_max_load / solved.max_load if solved.max_load else None,
            severity="ok",
            uneven=False,
            of_balance="ok",
            follows=follows_plans(row.group_strategy, row.type),
            can_follow=why_not_follow(row.type, row.instance_ids.tolist(), row.client_ids.tolist())
            is None,
        )
    assert group.problem is not None
    problem = on_hosts(group.problem, goals.host)
    if not goals.by_weight and problem.weights is not None:  # what counts isn't weighed
        problem = replace(problem, weights=None, capacities=None)
    situation = Situation(
        status=solved.status,
        reason=solved.reason,
        type=row.type,
        strategy=row.group_strategy,
        own=own_strategy(row) if is_kafkas(row) else None,
        problem=problem,
        target=planned.target(problem),
        goals=goals,
        bound=solved.weight_bound,
        names=group.names,
        previous=group.previous,
        unread=solved.unread,
        twice=[
            Claimed(f"{dispute.topic}-{dispute.partition}", tuple(dispute.claimants))
            for dispute in (claims.disputes() if claims else [])
            if len(dispute.claimants) > 1
        ],
        stale={member: len(old) for member, old in claims.stale().items()} if claims else {},
        spend=spend,
    )
    return advise(situation, levels)


def _is_fine(solved: Any, levels: Levels) -> bool:
    """Whether nothing is to be told of a group by count; the quick way for most of a fleet."""
    if solved.unread or not solved.min_load or solved.action.max(initial=0) > MOVE:
        return False
    now, best = solved.current_max_load, solved.max_load
    return now <= best or not any(level.fits(now, best) for level in levels["count"].values())


def claims_of_row(row: EncodedRow, solved: Any) -> OddClaims | None:
    """The claims of a group with several on a partition, or of several generations; or None."""
    if row.state in REBALANCING_STATES or row.trouble or not len(row.claim_topics):
        return None
    owned = np.count_nonzero(solved.previous >= 0) if solved.max_load is not None else -1
    return OddClaims.of(row, owned == len(row.claim_topics))


WORDS = {
    "setting": "another assignor for {}",
    "plan": "a plan for {}",
    "minor": "a plan of little gain for {}",
    "look": "a look at {}",
    "members": "fewer members for {}",
}
"""Kinds of advice, in the order in which they are told; `minor` plans are those of `info`."""


def advice_counts() -> dict[str, Column]:
    """Sums over rows of groups: each kind of advice, and who can follow a plan."""
    is_minor = F.expr("advice_kind = 'plan' and severity = 'info'")
    kind_of = F.when(is_minor, "minor").otherwise(F.col("advice_kind"))
    kinds = {kind: F.count_if(kind_of == kind) for kind in WORDS}
    return kinds | {name: F.count_if(F.expr(text)) for name, text in FOLLOWERS.items()}


FOLLOWERS = {
    "following": "follows",
    "could_follow": "can_follow and not follows",
    "apart": "can_follow is not null and not can_follow",
}


def advice_in_words(rows: Sequence[Row]) -> list[str]:
    """Two sentences on these sums of parts of a fleet; none where no group has advice."""
    counts = {name: sum(row[name] for row in rows) for name in (*WORDS, *FOLLOWERS)}
    advised = [
        text.format(plural(counts[kind], "group")) for kind, text in WORDS.items() if counts[kind]
    ]
    following, could, apart = (counts[name] for name in FOLLOWERS)
    sentences = [f"Advised: {', '.join(advised)}."] if advised else []
    if following + could + apart:
        why = f"; {apart:,} need a client.id for each process"
        sentences.append(
            f"{plural(following + could, 'group')} can follow a plan ({following:,} do)"
            f"{why if apart else ''}."
        )
    return sentences
