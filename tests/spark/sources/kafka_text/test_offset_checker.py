"""What kafka.tools.ConsumerOffsetChecker prints, up to 0.10."""

from __future__ import annotations

from collections.abc import Callable

from spark.sources.kafka_text.consumer_groups import ConsumerGroups


def test_it_says_who_owns_what_and_what_was_never_committed(
    read_groups: Callable[..., ConsumerGroups], printed: Callable[..., str]
) -> None:
    topic = "a-topic.with-a-name_that-is-longer-than-thirty"
    zookeepers, owner = "g_host-1394154511599-60744490-0", "consumer-0_/10.0.0.1"
    result = read_groups(
        printed(
            "%-15s %-30s %-3s %-15s %-15s %-15s %s",
            "Group|Topic|Pid|Offset|logSize|Lag|Owner",
            f"g|{topic}|0|-1|unknown|unknown|none",
            f"g|{topic}|100|5|7|2|{owner}",
            f"g|orders|0|5|7|2|{zookeepers}",
        )
    )
    assert result.unreadable_lines == []
    group = result.groups["g"]
    assert group.claims == [(topic, 100, owner), ("orders", 0, zookeepers)]
    assert group.offsets.pop((topic, 0)) == (None, None, None)
    assert group.offsets == {(topic, 100): (5, 7, 2), ("orders", 0): (5, 7, 2)}
    (note,) = result.notes
    assert "before 0.10.2" in note
