"""The glossary: one line a term, shared by tables, pages and docs/glossary.md."""

from __future__ import annotations

from collections.abc import Iterable

GLOSSARY = {
    "assignment": "which member of a group reads which partition",
    "excess": "partitions of a group's most loaded member above those in the best assignment; "
    "summed over groups",
    "host excess": "partitions of a group's most loaded host above those in the best assignment; "
    "summed over groups",
    "uneven": "a group's largest load is above the best possible one; by weight where the group "
    "is balanced by weight",
    "worst": "the group with the highest largest load ÷ best possible largest load, then the one "
    "with the most partitions",
    "unbalanced": "some load of a group could be more even, perhaps not the largest one; this is "
    "proven",
    "move": "a partition goes from a member that is still there to another",
    "takeover": "a partition gets a new owner because its old owner is gone",
    "stopped": "partitions that nobody reads during a rebalance: all of the group's under the "
    "eager protocol, only those that move under the cooperative one. Server-side assignors "
    "(KIP-848) never stop all",
    "not evaluated": "groups that are empty, rebalancing, or have contradictory data",
    "over bound": "load of a group's worst member by weight ÷ the proven lower bound: 1 is "
    "the best",
    "lag": "records that a group hasn't read yet",
    "late partition hours": "partition-hours in which a partition was further behind than its "
    "limit of time, 60 s unless prices say otherwise",
    "cost over bound": "cost of a policy ÷ a bound that no course of sizes costs less than: 1 is "
    "the best",
    "avoidable moves": "moves beyond the fewest that reach the same balance",
}
"""In the order of a glossary."""

FORMS = {
    **{word: word for word in GLOSSARY},
    "uneven groups": "uneven",
    "moves": "move",
    "takeovers": "takeover",
    "stopped eager": "stopped",
    "stopped cooperative": "stopped",
    "avoidable": "avoidable moves",
    **dict.fromkeys(("mean over bound", "worst over bound"), "over bound"),
    **dict.fromkeys(("mean over bound after", "worst over bound after"), "over bound"),
}
"""The words as titles of columns have them."""


def legend_of(titles: Iterable[str]) -> dict[str, str]:
    """What those of the titles mean that need to be told, in their order."""
    words = (FORMS.get(title.replace("_", " ")) for title in titles)
    return {word: GLOSSARY[word] for word in words if word}
