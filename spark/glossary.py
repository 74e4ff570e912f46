"""The glossary: one line a term, shared by tables, pages and docs/glossary.md."""

from collections.abc import Iterable

GLOSSARY = {
    "uneven": "the largest load is `info` or worse beside the best possible one (docs/advice.md)",
    "worst": "the group with the highest largest load ÷ best possible largest load, then the one "
    "with the most partitions",
    "over bound": "a group's largest load by weight ÷ the proven lower bound; 1 is the best",
    "unbalanced": "some load of a group could be more even, perhaps not the largest one; this is "
    "proven",
    "excess": "partitions of a group's most loaded member above those in the best assignment; "
    "summed over groups",
    "host excess": "partitions of a group's most loaded host above those in the best assignment; "
    "summed over groups",
    "max to mean": "a group's largest load ÷ its mean load; where few partitions meet many "
    "members, also the best plan has a high one",
    "idle used": "members without a partition now to which the plan gives one",
    "late partition hours": "partition-hours in which a partition was further behind than its "
    "limit of time, 60 s unless prices say otherwise",
    "avoidable moves": "moves beyond the fewest that reach the same balance",
    "stopped": "partitions that nobody reads during a rebalance; all of the group's under the "
    "eager protocol, only those that move under the cooperative one. Server-side "
    "assignors (KIP-848) never stop all",
    "takeover": "a partition gets a new owner because its old owner is gone",
    "move": "a partition goes from a member that is still there to another",
    "lag": "records that a group hasn't read yet",
    "not evaluated": "groups that are empty, rebalancing, or have contradictory data",
    "assignment": "which member of a group reads which partition",
}
"""In the order in which a legend prefers them: what is misread most easily comes first."""

STATUSES = {
    "ok": "planned",
    "inferred": "planned; subscriptions are guessed from what members own",
    "empty": "no members",
    "rebalancing": "partitions are changing hands",
    "unsupported": "not a consumer group",
    "invalid": "contradictory data: see the column reason",
    "failed": "not solved: see the column reason",
}
"""Meanings of a group's status, beside the number of such groups."""

FORMS = {
    **{word: word for word in GLOSSARY},
    "uneven groups": "uneven",
    **{"worst max to mean": "max to mean"},
    "moves": "move",
    "takeovers": "takeover",
    "stopped eager": "stopped",
    "stopped cooperative": "stopped",
    "avoidable": "avoidable moves",
    **dict.fromkeys(("mean over bound", "worst over bound"), "over bound"),
    **dict.fromkeys(("mean over bound after", "worst over bound after"), "over bound"),
}
"""The words as titles of columns have them."""


def legend_of(titles: Iterable[str]) -> str | None:
    """The one line below tables: what the most important word of their titles means.

    All of them are in the glossary, which each command's help names.
    """
    words = {FORMS.get(title.replace("_", " ")) for title in titles}
    word = next((word for word in GLOSSARY if word in words), None)
    return word and f"{word}: {GLOSSARY[word].split(';')[0]}."
