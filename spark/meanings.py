"""What the words of tables and pages mean: one account of each, wherever it is told."""

from __future__ import annotations

from collections.abc import Iterable

MEANINGS = {
    "assignment": "which member of a group reads which partition",
    "excess": "how many partitions the most loaded member of a group has above the most loaded "
    "one of the best assignment; summed over groups",
    "uneven": "two members of a group have loads that differ by two partitions or more; where "
    "members subscribe to different topics this may be the best there is",
    "unbalanced": "loads of a group could be evened out further, by proof",
    "move": "a partition goes from a member that is there to another one",
    "takeover": "a partition gets a new owner because its old one is gone",
    "stopped": "partitions that nobody reads while a rebalance goes on: all of a group if its "
    "protocol is eager, those that change hands if it is cooperative. Strategies of "
    "the broker (KIP-848) never stop all",
    "not evaluated": "groups that a strategy can't be asked for: they are empty, in a "
    "rebalance, or what is known of them is at odds",
    "over bound": "load of a group's worst member by weight ÷ what no assignment is below: 1 is as "
    "good as can be",
    "lag": "records that a group hasn't read yet",
    "avoidable moves": "partitions that moved beyond the fewest that as good a balance takes",
}
"""In the order of a glossary."""

FORMS = {
    **{word: word for word in MEANINGS},
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
    return {word: MEANINGS[word] for word in words if word}
