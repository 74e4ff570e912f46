"""The tables of older versions, printed by the formats of each ConsumerGroupCommand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups

Read = Callable[..., ConsumerGroups]
Printed = Callable[..., str]

UUID0 = "3fc8d6f1-581a-4472-bdf3-3515b4aee8c1"
UUID1 = "029af89c-873c-4751-a720-cefd41a669d6"
HOST = "/10.0.0.1"


def claims(result: ConsumerGroups, name: str = "g") -> list[tuple[str, int, str]]:
    assert result.unreadable_lines == []
    return result.groups[name].claims


def test_0_9_parts_by_commas(read_groups: Read) -> None:
    result = read_groups(
        "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\n"
        "g, t.a-b_c, 0, 10, 15, 5, my app_/10.0.0.1\n"
        "g, t.a-b_c, 1, unknown, 7, unknown, none\n"
        "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\n"
        "g, u, 0, 3, 3, 0, my app_/10.0.0.1\n"
    )
    owner = "my app_/10.0.0.1"
    assert claims(result) == [("t.a-b_c", 0, owner), ("u", 0, owner)]
    group = result.groups["g"]
    assert group.members[owner].client_id == "my app"
    assert group.members[owner].host == HOST
    assert group.offsets["t.a-b_c", 1] == (None, 7, None)
    assert not group.contradictory
    (note,) = result.notes
    assert "before 0.10.2" in note


def test_0_10_names_the_owner_by_client_and_host(read_groups: Read, printed: Printed) -> None:
    result = read_groups(
        printed(
            "%-30s %-30s %-10s %-15s %-15s %-15s %s",
            "GROUP|TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|OWNER",
            "g|orders|0|1|2|1|consumer-1_/10.0.0.1",
            "g|orders|1|1|2|1|none",
            f"g|{'a-topic-' * 5}|0|unknown|unknown|unknown|g_host-1-2-3-0",
        )
    )
    assert claims(result) == [
        ("a-topic-" * 5, 0, "g_host-1-2-3-0"),
        ("orders", 0, "consumer-1_/10.0.0.1"),
    ]


def test_0_10_says_when_it_sees_nothing(read_groups: Read) -> None:
    result = read_groups("Consumer group `g` does not exist or is rebalancing.\n")
    assert result.groups["g"].state == "PreparingRebalance"


FIXED = "%-30s %-10s %-15s %-15s %-10s %-50s%-30s %s"
FIXED_HEADER = "TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID"


def test_0_10_2_to_1_0_have_fixed_widths_and_idle_members(
    read_groups: Read, printed: Printed
) -> None:
    result = read_groups(
        "Note: This will not show information about old Zookeeper-based consumers.\n"
        + printed(
            FIXED,
            FIXED_HEADER,
            f"orders|0|5|7|2|consumer-1-{UUID0}|{HOST}|consumer-1",
            f"-|-|-|-|-|consumer-2-{UUID1}|{HOST}|consumer-2",
            "orders|1|5|7|2|-|-|-",
        ),
        names=["g.txt"],
    )
    assert claims(result) == [("orders", 0, f"consumer-1-{UUID0}")]
    assert list(result.groups["g"].members) == [f"consumer-1-{UUID0}", f"consumer-2-{UUID1}"]
    assert result.groups["g"].members[f"consumer-2-{UUID1}"].client_id == "consumer-2"


@pytest.mark.parametrize("client", ["consumer-1234", "consumer-12345", "my app's consumer no. 7"])
def test_0_10_2_to_1_0_long_ids_touch_the_host(
    read_groups: Read, printed: Printed, client: str
) -> None:
    """Between CONSUMER-ID and HOST those versions print no space: 50 letters leave none."""
    result = read_groups(
        printed(
            FIXED,
            FIXED_HEADER,
            f"orders|0|5|7|2|{client}-{UUID0}|{HOST}|{client}",
            f"orders|1|5|7|2|c-{UUID1}|{HOST}|c",
        ),
        names=["g.txt"],
    )
    assert claims(result) == [("orders", 0, f"{client}-{UUID0}"), ("orders", 1, f"c-{UUID1}")]
    member = result.groups["g"].members[f"{client}-{UUID0}"]
    assert (member.host, member.client_id) == (HOST, client)


def test_0_10_2_to_1_0_long_topics_push_the_row(read_groups: Read, printed: Printed) -> None:
    topic = "a-topic.with-a-name_that-is-longer-than-thirty"
    result = read_groups(
        printed(FIXED, FIXED_HEADER, f"{topic}|0|5|7|2|c-{UUID0}|{HOST}|c"), names=["g.txt"]
    )
    assert claims(result) == [(topic, 0, f"c-{UUID0}")]


def test_old_consumers_of_0_10_2_have_neither_host_nor_client(
    read_groups: Read, printed: Printed
) -> None:
    result = read_groups(
        printed(
            "%-30s %-10s %-15s %-15s %-10s %-50s",
            "TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID",
            "orders|0|5|7|2|g_host-1480000000000-1a2b",
            "orders|1|5|7|2|-",
        ),
        names=["g.txt"],
    )
    assert claims(result) == [("orders", 0, "g_host-1480000000000-1a2b")]


OFFSETS_1_1 = "%-15s %-10s %-15s %-15s %-15s %-40s %-15s %s"
OFFSETS_1_1_HEADER = "TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID"
MEMBERS_1_1 = "%-40s %-15s %-15s %-15s %s"
MEMBERS_1_1_HEADER = "CONSUMER-ID|HOST|CLIENT-ID|#PARTITIONS|ASSIGNMENT"
STATE_1_1 = "%-25s %-25s %-20s %s"


def test_1_1_to_2_2_have_three_views_and_no_group(read_groups: Read, printed: Printed) -> None:
    a, b = f"a b-{UUID0}", f"b-{UUID1}"
    result = read_groups(
        printed(
            OFFSETS_1_1,
            OFFSETS_1_1_HEADER,
            f"orders|10|5|7|2|{a}|{HOST}|a b",
            f"orders|9|-|7|-|{a}|{HOST}|a b",
        ),
        printed(
            MEMBERS_1_1,
            MEMBERS_1_1_HEADER,
            f"{a}|{HOST}|a b|2|orders(9,10)",
            f"{b}|{HOST}|b|0|-",
        ),
        printed(
            STATE_1_1,
            "COORDINATOR (ID)|ASSIGNMENT-STRATEGY|STATE|#MEMBERS",
            "kafka-0:9092 (0)|range|Stable|2",
        ),
        names=["g.offsets.txt", "g.members.txt", "g.state.txt"],
    )
    assert claims(result) == [("orders", 9, a), ("orders", 10, a)]
    group = result.groups["g"]
    assert list(group.members) == [a, b]
    assert (group.state, group.strategy) == ("Stable", "range")
    (note,) = result.notes
    assert "named after the file" in note
    assert "g.offsets.txt as 'g'" in note


def test_a_message_names_the_group_of_the_tables_below(read_groups: Read, printed: Printed) -> None:
    table = printed(OFFSETS_1_1, OFFSETS_1_1_HEADER, "orders|0|5|7|2|-|-|-")
    result = read_groups(
        f"Consumer group 'one' has no active members.\n{table}"
        f"Consumer group 'two' has no active members.\n{table}"
    )
    assert (result.unreadable_lines, result.notes) == ([], [])
    assert {name: group.state for name, group in result.groups.items()} == {
        "one": "Empty",
        "two": "Empty",
    }
    assert list(result.groups["two"].offsets) == [("orders", 0)]


def test_the_typed_command_names_the_group_of_the_tables_below(
    read_groups: Read, printed: Printed
) -> None:
    table = printed(OFFSETS_1_1, OFFSETS_1_1_HEADER, f"orders|0|5|7|2|c-{UUID0}|{HOST}|c")
    command = "$ bin/kafka-consumer-groups.sh --bootstrap-server k:9092 --describe --group"
    result = read_groups(f"{command} one\n{table}{command}='two'\n{table}")
    assert (result.unreadable_lines, result.notes) == ([], [])
    assert set(result.groups) == {"one", "two"}


def test_two_nameless_groups_in_one_file_are_not_mixed(read_groups: Read, printed: Printed) -> None:
    first = printed(OFFSETS_1_1, OFFSETS_1_1_HEADER, f"orders|0|5|7|2|c-{UUID0}|{HOST}|c")
    second = printed(OFFSETS_1_1, OFFSETS_1_1_HEADER, f"orders|0|5|7|2|c-{UUID1}|{HOST}|c")
    result = read_groups(first + second, names=["both.txt"])
    assert result.groups["both"].claims == [("orders", 0, f"c-{UUID0}")]
    header, row = result.unreadable_lines
    assert (header.line, row.line) == (5, 6)
    assert "give each group a file of its own" in header.why


def test_builds_before_2_3_have_the_group_last(read_groups: Read, printed: Printed) -> None:
    result = read_groups(
        printed(
            "%-15s %-10s %-15s %-15s %-15s %-40s %-15s %-15s %s",
            f"{OFFSETS_1_1_HEADER}|GROUP",
            f"orders|0|5|7|2|c-{UUID0}|{HOST}|c|my g",
        ),
        printed(
            "%-40s %-15s %-15s %-15s %-15s    %s",
            "CONSUMER-ID|HOST|CLIENT-ID|#PARTITIONS|GROUP|ASSIGNMENT",
            f"c-{UUID0}|{HOST}|c|1|my g|orders(0)",
        ),
        printed(
            "%-25s %-25s %-20s %-15s %s",
            "COORDINATOR (ID)|ASSIGNMENT-STRATEGY|STATE|#MEMBERS|GROUP",
            "kafka-0:9092 (0)|range|Stable|1|my g",
        ),
    )
    assert claims(result, "my g") == [("orders", 0, f"c-{UUID0}")]
    assert (result.groups["my g"].state, result.notes) == ("Stable", [])
