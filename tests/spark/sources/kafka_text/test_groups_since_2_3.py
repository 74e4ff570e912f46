"""Tables with a GROUP column, printed by the formats of each version's ConsumerGroupCommand."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.consumer_groups import ConsumerGroups
from tests.spark.sources.conftest import printed

Read = Callable[..., ConsumerGroups]

UUID0 = "3fc8d6f1-581a-4472-bdf3-3515b4aee8c1"
UUID1 = "029af89c-873c-4751-a720-cefd41a669d6"
HOST = "/10.0.0.1"


def claims(result: ConsumerGroups, name: str = "g") -> list[tuple[str, int, str]]:
    assert result.unreadable_lines == []
    return result.groups[name].claims


def test_2_6_to_3_7_write_ownership_in_parentheses(read_groups: Read) -> None:
    result = read_groups(
        printed(
            "%-15s %-40s %-17s %-15s %-15s %-15s %s",
            "GROUP|CONSUMER-ID|GROUP-INSTANCE-ID|HOST|CLIENT-ID|#PARTITIONS|ASSIGNMENT",
            f"g|pod-0-{UUID0}|pod-0|{HOST}|my c|4|a.b(0,1,10), c_d-e(3)",
            f"g|x-{UUID1}||{HOST}|x|0|-",
        )
    )
    static = f"pod-0-{UUID0}"
    owned = [("a.b", 0), ("a.b", 1), ("a.b", 10), ("c_d-e", 3)]
    assert claims(result) == [(*partition, static) for partition in owned]
    members = result.groups["g"].members
    assert members[static].instance_id == "pod-0"
    assert members[f"x-{UUID1}"].instance_id is None
    assert members[f"x-{UUID1}"].client_id == "x"


def test_3_8_and_3_9_leave_topics_out_so_that_owners_come_from_the_offsets(
    read_groups: Read,
) -> None:
    a, b = f"a-{UUID0}", f"b-{UUID1}"
    members = printed(
        "%-15s %-40s %-15s %-15s %-15s %s",
        "GROUP|CONSUMER-ID|HOST|CLIENT-ID|#PARTITIONS|ASSIGNMENT",
        f"g|{a}|{HOST}|a|4|(0,1,10,2)",
        f"g|{b}|{HOST}|b|2|(3), (0)",
    )
    offsets = printed(
        "%-15s %-15s %-10s %-15s %-15s %-15s %-40s %-15s %s",
        "GROUP|TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID",
        *(f"g|t|{number}|0|0|0|{a}|{HOST}|a" for number in (0, 1, 2, 10)),
        f"g|t|3|0|0|0|{b}|{HOST}|b",
        f"g|u|0|0|0|0|{b}|{HOST}|b",
    )
    result = read_groups(members)
    assert claims(result) == []
    assert list(result.groups["g"].members) == [a, b]
    (note,) = result.notes
    assert "in 3.8 and 3.9 without the topics' names" in note
    for texts in ([members, offsets], [offsets, members]):
        result = read_groups(*texts)
        assert result.notes == []
        owners = [("t", 0, a), ("t", 1, a), ("t", 2, a), ("t", 3, b), ("t", 10, a), ("u", 0, b)]
        assert claims(result) == owners


def test_4_0_and_later_mixed_protocols_own_what_is_current_not_the_target(
    read_groups: Read,
) -> None:
    result = read_groups(
        "\nWarning: Consumer group 'g' is rebalancing.\n"
        + printed(
            "%-15s %-40s %-17s %-15s %-15s %-15s %-15s %-20s %-15s %-20s %s",
            "GROUP|CONSUMER-ID|GROUP-INSTANCE-ID|HOST|CLIENT-ID|#PARTITIONS|CURRENT-EPOCH"
            "|CURRENT-ASSIGNMENT|TARGET-EPOCH|TARGET-ASSIGNMENT|UPGRADED",
            f"g|a-{UUID0}|pod-0|{HOST}|a|3|6|t:0,1;u.v-w_x:2|7|t:0|true",
            f"g|b-{UUID1}||{HOST}|b|0|7|-|7|t:1;u.v-w_x:2|false",
        )
    )
    a = f"a-{UUID0}"
    assert claims(result) == [("t", 0, a), ("t", 1, a), ("u.v-w_x", 2, a)]
    group = result.groups["g"]
    assert {id_[0]: m.generation for id_, m in group.members.items()} == {"a": 6, "b": 7}
    assert group.state == "PreparingRebalance"


def test_lists_may_have_types_states_and_protocols(read_groups: Read) -> None:
    """The last is of `kafka-groups --list`, with groups of all programs (KIP-1043)."""
    result = read_groups(
        printed(
            "%-25s %-20s %-20s", "GROUP|TYPE|STATE", "a b|Consumer|Reconciling", "c|Classic|Dead"
        ),
        printed("%-25s %-20s", "GROUP|TYPE", "d|Classic"),
        printed("%-25s %-20s", "GROUP|STATE", "e|Unknown"),
        printed(
            "%-20s %-20s %-20s ",
            "GROUP|TYPE|PROTOCOL",
            *("old|Classic|consumer", "simple|Classic|", "workers|Classic|connect"),
            *("registry|Classic|sr", "new|Consumer|consumer", "queue|Share|share"),
            *("tasks|Streams|streams", "novel|Unknown|x-1"),
        ),
    )
    assert result.unreadable_lines == []
    assert {name: (group.state, group.type) for name, group in result.groups.items()} == {
        "a b": ("Reconciling", "consumer"),
        "c": ("Dead", "classic"),
        "d": (None, "classic"),
        "e": (None, None),
        "old": (None, "classic"),
        "simple": (None, "classic"),
        "workers": (None, "connect"),
        "registry": (None, "other"),
        "new": (None, "consumer"),
        "queue": (None, "share"),
        "tasks": (None, "streams"),
        "novel": (None, None),
    }


def test_a_list_counts_more_than_epochs(read_groups: Read, captures: Path) -> None:
    """Which streams groups have as well."""
    text = (captures / "state_verbose.txt").read_text()
    result = read_groups(text, printed("%-15s %s", "GROUP|TYPE", "g848|Streams"))
    assert result.groups["g848"].type == "streams"


def test_a_file_without_groups_is_refused_with_what_it_says(
    read_groups: Read, captures: Path
) -> None:
    error = "Error: Executing consumer group command failed"
    for text, fault in (
        ((captures / "topics.txt").read_text(), r"0\.txt: nothing of Kafka's output is in it; exp"),
        ("What a fine day\n", "nothing of Kafka's output"),
        (f"\n{error} due to x\njava.lang.Exception: x\n", f"It says: {error}"),
    ):
        with pytest.raises(InputError, match=fault):
            read_groups(text)


def test_columns_in_another_order_are_read_by_their_names(read_groups: Read) -> None:
    result = read_groups(f"GROUP HOST #PARTITIONS CONSUMER-ID\na-group {HOST} 0 c-{UUID0}\n")
    assert result.unreadable_lines == []
    assert result.groups["a-group"].members[f"c-{UUID0}"].host == HOST


@pytest.mark.parametrize(
    "other",
    [
        "GROUP  TOPIC  PARTITION  LEADER-EPOCH  FIRST-OFFSET\nh  orders  0  -  5\n",
        "GROUP  STATE GROUP  STATE\nh   Stable Stable\n",  # two headers in one line
    ],
)
def test_other_tables_are_reported_and_do_not_end_up_in_a_group(
    read_groups: Read, other: str
) -> None:
    result = read_groups(f"GROUP  STATE\ng  Stable\n{other}")
    assert set(result.groups) == {"g"}
    assert [line.line for line in result.unreadable_lines] == [3, 4]


def test_share_groups_have_start_offsets_and_lags(read_groups: Read) -> None:
    """As kafka-share-groups prints them; nobody owns a partition, and members read together."""
    offsets = printed(
        "%-15s %-15s %-10s %-15s %s",
        "GROUP|TOPIC|PARTITION|START-OFFSET|LAG",
        "share|orders|0|150|12",
        "share|orders|1|-|-",
    )
    result = read_groups(offsets)
    group = result.groups["share"]
    assert result.unreadable_lines == []
    assert group.type == "share"
    assert group.offsets == {("orders", 0): (150, None, 12), ("orders", 1): (None, None, None)}


WIDE = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    f"g     t     0         10             15             5   m-{UUID0} {HOST} my-own-long-client"
)


@pytest.mark.parametrize("width", [30, 60, 64, 78, 80, 81])
def test_lines_wrapped_at_the_width_of_a_terminal_are_named_so(
    read_groups: Read, width: int
) -> None:
    pieces = [line[at : at + width] for line in WIDE.splitlines() for at in range(0, 130, width)]
    with pytest.raises(InputError, match=r"0\.txt: its lines are wrapped"):
        read_groups("\n".join(filter(None, pieces)))


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        ("STATE|#MEMBERS", "other"),
        ("STATE|GROUP-EPOCH|ASSIGNMENT-EPOCH|#MEMBERS", "share"),
        ("STATE|GROUP-EPOCH|TARGET-ASSIGNMENT-EPOCH|#MEMBERS", "streams"),
        ("ASSIGNMENT-STRATEGY|STATE|#MEMBERS", None),
    ],
)
def test_the_state_view_of_another_tool_is_of_no_consumer_group(
    read_groups: Read, columns: str, kind: str | None
) -> None:
    cells = {"STATE": "Stable", "#MEMBERS": "2", "ASSIGNMENT-STRATEGY": "range"}
    row = "|".join(cells.get(column, "3") for column in columns.split("|"))
    form = "%-15s %-20s" + " %-25s" * len(columns.split("|"))
    text = printed(form, f"GROUP|COORDINATOR (ID)|{columns}", f"g|b:9092 (1)|{row}")
    assert read_groups(text).groups["g"].type == kind


STATE = "GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS\n"
MEMBERS = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS\n"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (f"{STATE}g b:9092 (1) range Stable 2\n", "Unknown: it has members, and no text"),
        (f"{STATE}g b:9092 (1) range Empty 0\n", "Empty"),
        (f"{STATE}g b:9092 (1) - PreparingRebalance 2\n", "PreparingRebalance"),
        ("GROUP STATE\ng Stable\n", "Unknown: it has members, and no text"),
        (f"{MEMBERS}g a-{UUID0} {HOST} a one\ng b-{UUID1} {HOST} b 1\n", "Unknown: 1 line of"),
    ],
)
def test_members_that_could_not_be_read_make_no_group_empty(
    read_groups: Read, text: str, state: str
) -> None:
    (group,) = read_groups(text).groups.values()
    assert (group.state_or_why_unknown or "").startswith(state)


def test_kafka_streams_is_known_by_its_client_ids_or_its_strategy(read_groups: Read) -> None:
    client = f"_confluent-ksql-prod_query_CTAS_7-{UUID0}-StreamThread-12-consumer"
    form = "%-10s %-10s %-10s %-15s %-15s %-5s %-140s %-15s %s"
    header = "GROUP|TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID"
    offsets = printed(form, header, f"s|t|0|0|0|0|{client}-{UUID1}|{HOST}|{client}")
    result = read_groups(offsets)
    assert result.groups["s"].type == "streams"
    assert result.notes == ["1 group (s) of Kafka Streams, by client id or strategy: no plan."]
    of_plain = offsets.replace("-StreamThread-12-consumer", "-consumer-1-and-more-letters")
    assert read_groups(of_plain).groups["s"].type is None
    state = f"{STATE}s b:9092 (1) stream Stable 1\n"
    assert read_groups(of_plain, state).groups["s"].type == "streams"


def test_a_header_below_a_header_is_of_the_next_table(read_groups: Read) -> None:
    result = read_groups(f"{STATE}{STATE}g b:9092 (1) range Empty 0\n")
    assert result.groups["g"].state == "Empty"


@pytest.mark.parametrize("text", ["", "\n", "There are no active groups.\n", "WARN odd\n"])
def test_a_cluster_may_have_no_groups(read_groups: Read, text: str) -> None:
    result = read_groups(text)
    assert (result.groups, result.unreadable_lines) == ({}, [])
    assert result.notes == ["No consumer group was found."]
