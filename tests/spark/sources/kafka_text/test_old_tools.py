"""Texts of Kafka's tools before 2.4, which name no group: one sentence says what to use instead."""

from collections.abc import Callable

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.consumer_groups import ConsumerGroups

Read = Callable[..., ConsumerGroups]

OLD = {
    "0.9": "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\n"
    "g, t, 0, 10, 15, 5, my app_/10.0.0.1\n",
    "the offset checker": "Group Topic Pid Offset logSize Lag Owner\ng t 0 10 15 5 none\n",
    "1.1": "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "t     0         10             15             5   m-1         /h   c\n",
}
NEW = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "g     t     0         10             15             5   m-1         /h   c\n"
)


@pytest.mark.parametrize("version", OLD)
def test_an_old_text_is_refused_in_a_sentence(read_groups: Read, version: str) -> None:
    with pytest.raises(InputError, match=r"0\.txt: its tables name no group, .* use kafka-con"):
        read_groups(OLD[version])


@pytest.mark.parametrize("version", OLD)
def test_an_old_text_among_new_ones_is_named_once_and_stops_nothing(
    read_groups: Read, version: str
) -> None:
    result = read_groups(f"{OLD[version]}\n{NEW}")
    assert result.groups["g"].claims == [("t", 0, "m-1")]
    (fault,) = result.unreadable_lines
    assert (fault.line, fault.why.split(":")[0]) == (
        1,
        "its tables name no group, as those of Kafka's tools before 2.4",
    )
