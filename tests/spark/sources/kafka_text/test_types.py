"""Types of groups, as far as the tools tell them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups
from tests.paths import DATA

Read = Callable[..., ConsumerGroups]
Printed = Callable[..., str]

CLI = DATA / "cli"


def types(result: ConsumerGroups) -> dict[str, str | None]:
    assert result.unreadable_lines == []
    return {name: group.type for name, group in sorted(result.groups.items())}


def test_a_list_of_consumer_groups_with_types(read_groups: Read, printed: Printed) -> None:
    """`kafka-consumer-groups --list --type` prints it."""
    result = read_groups(printed("%-15s %s", "GROUP|TYPE", "old|Classic", "new|Consumer"))
    assert types(result) == {"new": "consumer", "old": "classic"}


def test_a_list_of_all_groups(read_groups: Read, printed: Printed) -> None:
    """`kafka-groups --list` has groups of all programs (KIP-1043)."""
    rows = [
        *("old|Classic|consumer", "simple|Classic|", "workers|Classic|connect"),
        *("registry|Classic|sr", "new|Consumer|consumer", "queue|Share|share"),
        *("tasks|Streams|streams", "novel|Unknown|x-1"),
    ]
    result = read_groups(printed("%-20s %-20s %-20s ", "GROUP|TYPE|PROTOCOL", *rows))
    assert types(result) == {
        "new": "consumer",
        "novel": None,
        "old": "classic",
        "queue": "share",
        "registry": "other",
        "simple": "classic",
        "tasks": "streams",
        "workers": "connect",
    }


@pytest.mark.parametrize("view", ["members_verbose", "state_verbose"])
def test_epochs_tell_of_the_new_protocol_and_their_absence_of_nothing(
    read_groups: Read, view: str
) -> None:
    result = types(read_groups((CLI / f"{view}.txt").read_text()))
    assert result["g848"] == "consumer"
    assert {kind for name, kind in result.items() if not name.startswith("g848")} == {None}


def test_a_list_counts_more_than_epochs(read_groups: Read, printed: Printed) -> None:
    """Which streams groups have as well."""
    text = (CLI / "state_verbose.txt").read_text()
    result = read_groups(text, printed("%-15s %s", "GROUP|TYPE", "g848|Streams"))
    assert types(result)["g848"] == "streams"
