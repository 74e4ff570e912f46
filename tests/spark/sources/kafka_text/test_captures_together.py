"""What comes of captures that were taken at different moments, and of lines that can't be read."""

from collections.abc import Callable

import pytest

from spark.sources.kafka_text.consumer_groups import ConsumerGroups
from tests.spark.sources.conftest import printed

Read = Callable[..., ConsumerGroups]

MEMBERS_FORM = "%-15s %-15s %-15s %-15s %-15s %-15s %-20s %-15s %s"
MEMBERS_HEADER = (
    "GROUP|CONSUMER-ID|HOST|CLIENT-ID|#PARTITIONS"
    "|CURRENT-EPOCH|CURRENT-ASSIGNMENT|TARGET-EPOCH|TARGET-ASSIGNMENT"
)
OFFSETS_FORM = "%-15s %-15s %-10s %-15s %-15s %-15s %-15s %-15s %s"
OFFSETS_HEADER = (
    "GROUP|TOPIC|PARTITION|CURRENT-OFFSET|LOG-END-OFFSET|LAG|CONSUMER-ID|HOST|CLIENT-ID"
)


def members(counts: dict[str, int] | None = None, **owned: str) -> str:
    """The members view of group g: what each member owns, in numbers that may be wrong."""
    rows = []
    for member_id, partitions in owned.items():
        count = 0 if partitions == "-" else partitions.count(",") + partitions.count(";") + 1
        count = (counts or {}).get(member_id, count)
        rows.append(f"g|{member_id}|/h|{member_id}|{count}|-|{partitions}|-|-")
    return printed(MEMBERS_FORM, MEMBERS_HEADER, *rows)


def offsets(*owners: str) -> str:
    """The offsets view of group g: topic, partition and owner of each row."""
    rows = (owner.split() for owner in owners)
    lines = (f"g|{topic}|{number}|1|2|1|{owner}|/h|{owner}" for topic, number, owner in rows)
    return printed(OFFSETS_FORM, OFFSETS_HEADER, *lines)


def state(name: str, count: int = 0) -> str:
    return printed(
        "%-15s %-25s %-20s %-20s %s",
        "GROUP|COORDINATOR (ID)|ASSIGNMENT-STRATEGY|STATE|#MEMBERS",
        f"g|k:9092  (1)|range|{name}|{count}",
    )


EMPTY = "\nConsumer group 'g' has no active members.\n"
REBALANCING = "\nWarning: Consumer group 'g' is rebalancing.\n"


def is_noted(result: ConsumerGroups) -> bool:
    """Whether captures disagree; nothing else is noted."""
    assert all("do not agree" in note for note in result.notes)
    return bool(result.notes)


def owned(result: ConsumerGroups) -> dict[str, str]:
    """By member, as `members` takes it."""
    group = result.groups["g"]
    assert group.claims == sorted(group.claims)
    of_member: dict[str, list[str]] = {member_id: [] for member_id in group.members}
    for topic, number, member_id in group.claims:
        of_member[member_id].append(f"{topic}:{number}")
    return {member_id: " ".join(partitions) for member_id, partitions in of_member.items()}


@pytest.mark.parametrize(
    ("texts", "owners", "noted"),
    [
        # the last members view counts, whether it has more or fewer claims
        ([members(a="t:0,1", b="-"), members(a="t:0", b="t:1")], {"a": "t:0", "b": "t:1"}, True),
        ([members(a="t:0", b="t:1"), members(a="t:0,1", b="-")], {"a": "t:0 t:1", "b": ""}, True),
        ([members(a="t:0", gone="-"), members(a="t:0")], {"a": "t:0"}, True),
        # offsets that come last decide for the partitions that they list
        ([members(a="t:0,1,2"), offsets("t 0 b", "t 1 -")], {"a": "t:2", "b": "t:0"}, True),
        ([members(a="t:0"), offsets("t 0 a", "u 0 late")], {"a": "t:0", "late": "u:0"}, True),
        # a partition that the members view has, and the offsets view before it without owner
        ([offsets("t 0 a"), members(a="t:0", b="t:1")], {"a": "t:0", "b": "t:1"}, False),
        ([offsets("t 0 a", "t 1 -"), members(a="t:0", b="t:1")], {"a": "t:0", "b": "t:1"}, True),
        # views of one moment
        (
            [
                members(a="t:0,1", idle="-"),
                offsets("t 0 a", "t 1 a", "old 3 -"),
                state("Stable", 2),
            ],
            {"a": "t:0 t:1", "idle": ""},
            False,
        ),
        # two owners in one capture are two claims
        ([members(a="t:0,1", b="t:1")], {"a": "t:0 t:1", "b": "t:1"}, False),
        ([offsets("t 1 b", "t 1 a")], {"a": "t:1", "b": "t:1"}, False),
    ],
)
def test_owners_are_the_last_ones(
    read_groups: Read, texts: list[str], owners: dict[str, str], noted: bool
) -> None:
    result = read_groups(*texts)
    assert [*owned(result).items()] == [*owners.items()]
    assert is_noted(result) == noted


@pytest.mark.parametrize(
    ("texts", "expected", "noted"),
    [
        # a group once seen rebalancing stays so, and the state view says more exactly how
        *(
            (texts[::order], expected, noted)
            for order in (1, -1)
            for texts, expected, noted in (
                ([state("Stable"), REBALANCING], "PreparingRebalance", True),
                *(
                    ([state(exact), REBALANCING], exact, False)
                    for exact in ("CompletingRebalance", "Assigning", "Reconciling")
                ),
            )
        ),
        ([state("Stable"), EMPTY], "Empty", True),
        ([EMPTY + offsets("t 0 -") + EMPTY], "Empty", False),
        ([EMPTY, members(a="t:0")], "Empty", True),
    ],
)
def test_states_are_the_last_ones_but_for_rebalances(
    read_groups: Read, texts: list[str], expected: str, noted: bool
) -> None:
    result = read_groups(*texts)
    assert result.groups["g"].state == expected
    assert is_noted(result) == noted


def test_a_group_that_does_not_exist_is_noted_and_left_out(read_groups: Read) -> None:
    result = read_groups(
        "\nError: Consumer group 'gone' does not exist.\n",
        "Error: The consumer group 'never there' does not exist.",
    )
    assert result.groups == {}
    assert result.notes == [
        "Kafka says that 2 groups (gone, never there) did not exist.",
        "No consumer group was found.",
    ]


def test_errors_and_moved_offsets_are_noted(read_groups: Read) -> None:
    result = read_groups(members(a="t:0") + "\nError: Executing failed due to timed out\n")
    (note,) = result.notes
    assert note.endswith("0.txt, line 5: Kafka says: Error: Executing failed due to timed out")
    assert result.unreadable_lines == []
    result = read_groups(offsets("t 0 a"), offsets("t 0 a").replace(" 2 ", " 9 "))
    assert result.groups["g"].offsets["t", 0].end_offset == 9
    (note,) = result.notes
    assert note.startswith("The offsets of 1 group (g) were given more than once")


@pytest.mark.parametrize(
    ("text", "number", "why", "owners"),
    [
        ("== orders ==\n" + members(a="t:0"), 1, "it is in no table", {"a": "t:0"}),
        (
            members(a="t:0", b="t:1").replace(
                "g               b", "what is this\ng               b"
            ),
            4,
            "it doesn't fit the columns of its table",
            {"a": "t:0", "b": "t:1"},
        ),
        *(
            (members({"a": count}, a=partitions, b="t:7"), 3, why, {"a": "", "b": "t:7"})
            for count, partitions, why in (
                (3, "t:0,1", "#PARTITIONS is 3 and CURRENT-ASSIGNMENT has 2"),
                (2, "t:0,1;u", "'u' is not a topic with its partitions"),
                (2, "t:0,0", "it names a partition twice"),
                (1, "t:0,", "'t:0,' is not a topic with its partitions"),
            )
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_reported_and_the_rest_is_read(
    read_groups: Read, text: str, number: int, why: str, owners: dict[str, str]
) -> None:
    """A member stays whose ownership was cut off."""
    result = read_groups(text, names=["m.txt"])
    (line,) = result.unreadable_lines
    assert (line.file.endswith("m.txt"), line.line) == (True, number)
    assert line.text == text.splitlines()[number - 1]
    assert why in line.why
    assert owned(result) == owners
    assert not is_noted(result)


def test_noise_between_rows_is_passed_over(read_groups: Read) -> None:
    noise = "[2026-11-21 06:00:00,123] WARN something (org.apache.kafka.clients.NetworkClient)\n"
    text = "".join(noise + line for line in members(a="t:0", b="t:1").splitlines(keepends=True))
    result = read_groups("SLF4J: no providers were found.\n" + text)
    assert result.unreadable_lines == []
    assert owned(result) == {"a": "t:0", "b": "t:1"}
