"""Two examples of books on old versions, printed as each of the old tools printed them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups

Read = Callable[..., ConsumerGroups]
Printed = Callable[..., str]
Owned = dict[tuple[str, int], int]
"""The number of the consumer that owns each partition."""

EXAMPLES: dict[str, Owned] = {
    "10 consumers on 10 partitions": {("orders", number): number for number in range(10)},
    "3 consumers on 2 topics x 3": {
        (topic, number): number for topic in ("clicks", "orders") for number in range(3)
    },
}


def by_offset_checker(printed: Printed, owned: Owned) -> str:
    """kafka.tools.ConsumerOffsetChecker, up to 0.10."""
    return printed(
        "%-15s %-30s %-3s %-15s %-15s %-15s %s",
        "Group|Topic|Pid|Offset|logSize|Lag|Owner",
        *(f"g|{t}|{p}|5|7|2|g_host-1394154511599-6074449{c}-0" for (t, p), c in owned.items()),
    )


def by_0_9(printed: Printed, owned: Owned) -> str:
    return printed(
        "%s, %s, %s, %s, %s, %s, %s",
        "GROUP|TOPIC|PARTITION|CURRENT OFFSET|LOG END OFFSET|LAG|OWNER",
        *(f"g|{t}|{p}|5|7|2|consumer-{c}_/10.0.0.1" for (t, p), c in owned.items()),
    )


def by_0_10(printed: Printed, owned: Owned) -> str:
    return printed(
        "%-30s %-30s %-10s %-15s %-15s %-15s %s",
        "GROUP|TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|OWNER",
        *(f"g|{t}|{p}|5|7|2|consumer-{c}_/10.0.0.1" for (t, p), c in owned.items()),
    )


def by_0_10_2(printed: Printed, owned: Owned) -> str:
    ids = [f"consumer-{c}-3fc8d6f1-581a-4472-bdf3-3515b4aee8c{c}" for c in owned.values()]
    return printed(
        "%-30s %-10s %-15s %-15s %-10s %-50s%-30s %s",
        "TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID",
        *(
            f"{t}|{p}|5|7|2|{id_}|/10.0.0.1|consumer-{c}"
            for ((t, p), c), id_ in zip(owned.items(), ids, strict=True)
        ),
    )


@pytest.mark.parametrize("tool", [by_offset_checker, by_0_9, by_0_10, by_0_10_2])
@pytest.mark.parametrize("example", EXAMPLES)
def test_everyone_owns_what_the_table_says(
    read_groups: Read, printed: Printed, tool: Callable[[Printed, Owned], str], example: str
) -> None:
    owned = EXAMPLES[example]
    result = read_groups(tool(printed, owned), names=["g.txt"])
    assert result.unreadable_lines == []
    group = result.groups["g"]
    owner = {(topic, number): member_id for topic, number, member_id in group.claims}
    assert owner.keys() == owned.keys() == group.offsets.keys()
    assert set(group.offsets.values()) == {(5, 7, 2)}
    members = sorted(group.members)
    assert {partition: members.index(id_) for partition, id_ in owner.items()} == owned


def test_the_offset_checker_says_what_nobody_owns_and_what_was_never_committed(
    read_groups: Read, printed: Printed
) -> None:
    topic = "a-topic.with-a-name_that-is-longer-than-thirty"
    result = read_groups(
        printed(
            "%-15s %-30s %-3s %-15s %-15s %-15s %s",
            "Group|Topic|Pid|Offset|logSize|Lag|Owner",
            f"g|{topic}|0|-1|unknown|unknown|none",
            f"g|{topic}|100|5|7|2|consumer-0_/10.0.0.1",
        )
    )
    assert result.unreadable_lines == []
    group = result.groups["g"]
    assert group.claims == [(topic, 100, "consumer-0_/10.0.0.1")]
    assert group.offsets == {(topic, 0): (None, None, None), (topic, 100): (5, 7, 2)}
    (note,) = result.notes
    assert "before 0.10.2" in note
