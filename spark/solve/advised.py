"""What a fleet's groups are advised, in one sentence for all commands."""

from collections.abc import Sequence

from pyspark.sql import Column, Row, functions as F

from optimizer.figures import counted

WORDS = {
    "setting": "another assignor for {}",
    "plan": "a plan for {}",
    "look": "a look at {}",
    "members": "fewer members for {}",
}
"""Kinds of advice, in the order in which they are told."""


def advice_counts() -> dict[str, Column]:
    """Sums over rows of groups: each kind of advice, and who can follow a plan."""
    kinds = {kind: F.count_if(F.col("advice_kind") == kind) for kind in WORDS}
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
        text.format(counted(counts[kind], "group")) for kind, text in WORDS.items() if counts[kind]
    ]
    following, could, apart = (counts[name] for name in FOLLOWERS)
    sentences = [f"Advised: {', '.join(advised)}."] if advised else []
    if following + could + apart:
        why = (
            f"; members of {apart:,} share a client.id or have none: set one a process, or "
            "group.instance.id"
        )
        sentences.append(
            f"{counted(following + could, 'group')} can follow a plan ({following:,} do)"
            f"{why if apart else ''}."
        )
    return sentences
