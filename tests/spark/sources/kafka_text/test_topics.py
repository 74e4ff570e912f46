from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.topics import PartitionRow, TopicRows

Read = Callable[[str], TopicRows]

# Topic and partition lines as each version prints them; partition lines begin with a tab
ID = "\tTopicId: U_j-uXWFQMKvHsBvNDOrBg"
FIRST = "\tTopic: t.a-b_c\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2"
SECOND = "\tTopic: t.a-b_c\tPartition: 1\tLeader: none\tReplicas: 2,1\tIsr: "
FORMATS = {
    "0.9 to 2.3": (
        "Topic:t.a-b_c\tPartitionCount:2\tReplicationFactor:2\tConfigs:cleanup.policy=compact\n"
        f"{FIRST}\n{SECOND.replace('none', '-1')}\n"
    ),
    "2.4 to 2.7": (
        "Topic: t.a-b_c\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: segment.bytes=1,a=b\n"
        f"{FIRST}\n{SECOND}\n"
    ),
    "2.8 to 3.7": (
        f"Topic: t.a-b_c{ID}\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: \n"
        f"{FIRST}\n{SECOND}\n"
    ),
    "3.8 and later": (
        f"Topic: t.a-b_c{ID}\tPartitionCount: 2\tReplicationFactor: 2"
        f"\tConfigs: min.insync.replicas=1\n{FIRST}\tElr: N/A\tLastKnownElr: N/A\n"
        f"{SECOND}\tElr: 2\tLastKnownElr: \n"
    ),
}


@pytest.fixture
def read(write: Callable[..., Path]) -> Read:
    return lambda text: TopicRows().read([write("topics.txt", text)])


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("tab", ["\t", "    ", " "], ids=["tabs", "four spaces", "one space"])
def test_each_versions_lines_are_read_with_tabs_or_spaces(read: Read, text: str, tab: str) -> None:
    result = read(text.replace("\t", tab))
    topic_id = "U_j-uXWFQMKvHsBvNDOrBg" if "TopicId" in text else None
    assert (result.notes, result.unreadable_lines) == ([], [])
    assert result.partitions == [
        PartitionRow("t.a-b_c", 0, topic_id, 1, [1, 2], [1, 2]),
        PartitionRow("t.a-b_c", 1, topic_id, None, [2, 1], []),
    ]


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("between", ["", " ", "\t"])
def test_lines_that_somebody_has_joined_are_read_as_they_were(
    read: Read, text: str, between: str
) -> None:
    assert vars(read(text.replace("\n", between))) == vars(read(text))


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("tab", ["\t", "    "], ids=["tabs", "spaces"])
def test_lines_wrapped_at_the_width_of_a_terminal_are_named_so(
    read: Read, text: str, tab: str
) -> None:
    """Else replicas that the end of the line cuts off would be lost without a word."""
    lines = text.replace("\t", tab).splitlines()
    for width in range(30, max(len(line.rstrip()) for line in lines[1:])):
        parts = (line[at : at + width] for line in lines for at in range(0, len(line), width))
        with pytest.raises(InputError, match="its lines are wrapped"):
            read("\n".join(parts))


def test_several_files_are_of_one_cluster(write: Callable[..., Path]) -> None:
    item, other = (
        write(f"{name}.txt", f"Topic: {name} PartitionCount: 1\n") for name in ("one", "other")
    )
    assert [row.topic for row in TopicRows().read([item, other]).partitions] == ["one", "other"]
    with pytest.raises(InputError, match=r"empty\.txt: no topic is in it"):
        TopicRows().read([item, write("empty.txt", "\n")])


def partition(fields: str, number: int = 0) -> str:
    return f"\tTopic: t\tPartition: {number}\t{fields}\n"


def test_replicas_that_are_being_added_do_not_count_yet_those_being_removed_do(read: Read) -> None:
    result = read(
        partition(
            "Leader: 1\tReplicas: 4,3,1,2\tIsr: 4,1,2\tAdding Replicas: 4,3\tRemoving Replicas: 1"
            "\tElr: N/A\tLastKnownElr: N/A"
        )
        + partition("Leader: 1\tReplicas: 1\tIsr: 1\tAdding Replicas: \tRemoving Replicas: ", 1)
    )
    assert [(p.replicas, p.isr) for p in result.partitions] == [([1, 2], [1, 2]), ([1], [1])]


def test_partitions_are_read_without_the_topics_own_line_and_amid_noise(read: Read) -> None:
    """As --under-replicated-partitions and the like print them."""
    noise = "[2026-11-21 06:00:00,123] WARN something\n\n"
    result = read(noise + partition("Leader: 1\tReplicas: 1,2\tIsr: 1", 7))
    assert result.partitions == [PartitionRow("t", 7, None, 1, [1, 2], [1])]
    assert (result.notes, result.unreadable_lines) == ([], [])


@pytest.mark.parametrize(
    ("of_topic", "of_partition"),
    [
        ("\tMarkedForDeletion: true", ""),
        ("\tMarkedForDeletion:true", ""),
        ("", "\tMarkedForDeletion: true"),
    ],
)
def test_a_topic_marked_for_deletion_is_left_out_with_a_note(
    read: Read, of_topic: str, of_partition: str
) -> None:
    lines = (
        f"Topic: gone\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: a=b{of_topic}\n"
        f"\tTopic: gone\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1{of_partition}\n"
    )
    result = read(lines + partition("Leader: 1\tReplicas: 1\tIsr: 1"))
    assert [p.topic for p in result.partitions] == ["t"]
    assert result.notes == ["1 topic (gone) left out: marked for deletion."]


def test_partitions_that_are_counted_and_not_shown_exist(read: Read) -> None:
    result = read(
        "Topic: t\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: \n"
        + partition("Leader: 1\tReplicas: 1\tIsr: 1", 1)
    )
    assert result.partitions == [
        PartitionRow("t", 0, None, None, None, None),
        PartitionRow("t", 1, None, 1, [1], [1]),
        PartitionRow("t", 2, None, None, None, None),
    ]
    (note,) = result.notes
    assert note.startswith("1 topic (t) in ")


def test_of_two_lines_of_one_partition_the_last_counts(read: Read) -> None:
    same = partition("Leader: 1\tReplicas: 1,2\tIsr: 1")
    later = partition("Leader: 2\tReplicas: 1,2\tIsr: 2")
    assert read(same + same).notes == []
    result = read(same + later)
    assert result.partitions == [PartitionRow("t", 0, None, 2, [1, 2], [2])]
    (note,) = result.notes
    assert "more than once" in note


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("\tTopic: t\tPartition: x\tLeader: 1\tReplicas: 1\tIsr: 1", "Partition is 'x'"),
        ("\tTopic: t\tPartition: 0\tLeader: one\tReplicas: 1\tIsr: 1", "'one' is no broker's id"),
        ("\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,\tIsr: 1", "'' is no broker's id"),
        ("\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 9999999999\tIsr: ", "is no broker's id"),
        ("Topic: t\tPartitionCount: many\tReplicationFactor: 1", "PartitionCount is 'many'"),
        ("Topic: t\tReplicationFactor: 1", "it has no PartitionCount"),
        ("Topic: t/u\tPartitionCount: 1", "Topic is 't/u'"),
        ("Topics are fine", "it is no line of a topic or a partition"),
    ],
)
def test_a_line_that_cannot_be_read_is_reported_and_the_rest_is_read(
    read: Read, line: str, why: str
) -> None:
    result = read(partition("Leader: 1\tReplicas: 1\tIsr: 1", 5) + line + "\n")
    assert [p.partition for p in result.partitions] == [5]
    (unreadable,) = result.unreadable_lines
    assert unreadable.line == 2
    assert why in unreadable.why


def test_a_file_without_topics_is_refused_with_what_kafka_said(read: Read) -> None:
    with pytest.raises(InputError, match=r"topics\.txt: no topic is in it; expected the text of"):
        read("nothing\n")
    with pytest.raises(InputError, match="It says: Error while executing topic command : x"):
        read("Error while executing topic command : x\n")


@pytest.mark.parametrize("tab", ["\t", " "])
def test_confluents_keys_are_known_and_observers_count_where_they_are_in_sync(
    read: Read, tab: str
) -> None:
    lines = (
        partition("Leader: 1\tReplicas: 1,2,3\tIsr: 1,2\tOffline: \tObservers: 3\tLiveObservers: 3")
        + partition("Leader: 2\tReplicas: 2,1,3\tIsr: 2,3\tOffline: 1\tObservers: 3", 1)
        + partition("Leader: none\tReplicas: 1,2\tIsr: \tOffline: 1,2\tLiveObservers: ", 2)
    )
    result = read(lines.replace("\t", tab))
    assert [(p.leader, p.replicas, p.isr) for p in result.partitions] == [
        *((1, [1, 2], [1, 2]), (2, [2, 1, 3], [2, 3]), (None, [1, 2], [])),
    ]
    assert (result.unreadable_lines, result.unread) == ([], [])


def test_a_key_that_nobody_knows_is_passed_over_where_tabs_part_the_fields(read: Read) -> None:
    result = read(partition("Leader: 1\tReplicas: 1\tIsr: 1\tTier: cold,1\tElr: "))
    assert (result.partitions, result.unreadable_lines) == (
        [PartitionRow("t", 0, None, 1, [1], [1])],
        [],
    )


def test_kinds_of_lines_of_which_none_can_be_read_are_named(read: Read) -> None:
    topic, odd = "Topic: t\tPartitionCount: 2\n", partition("Leader: one\tReplicas: 1\tIsr: 1")
    assert read(topic + odd * 2).unread == ["partitions"]
    assert read(topic + odd + partition("Leader: 1\tReplicas: 1\tIsr: 1", 1)).unread == []
    (line,) = read(topic + odd * 2000).unreadable_lines.sentences()
    assert line.endswith("Isr: 1 (and 1,999 lines more for that)")


def test_all_settings_of_a_topic_are_kept_whatever_commas_they_have(read: Read) -> None:
    settings = {
        "cleanup.policy": "compact,delete",
        "confluent.placement.constraints": '{"version":1,"replicas":[{"count":2}]}',
        "min.insync.replicas": "2",
        "unclean.leader.election.enable": "true",
    }
    text = ",".join(f"{key}={value}" for key, value in settings.items())
    result = read(f"Topic: t\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {text}\n")
    assert result.configs == {("t", key): value for key, value in settings.items()}
