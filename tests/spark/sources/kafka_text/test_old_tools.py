"""Texts of Kafka's tools before 2.4, which name no group: one sentence says what to use instead."""

from collections.abc import Callable

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.consumer_groups import ConsumerGroups

OLD = [
    "GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\n"
    "g, t, 0, 10, 15, 5, my app_/10.0.0.1\n",
    "Group Topic Pid Offset logSize Lag Owner\ng t 0 10 15 5 none\n",
    "TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "t     0         10             15             5   m-1         /h   c\n",
]
NEW = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "g     t     0         10             15             5   m-1         /h   c\n"
)


@pytest.mark.parametrize("old", OLD, ids=["0.9", "the offset checker", "1.1"])
def test_an_old_text_is_refused_and_among_new_ones_named_once(
    read_groups: Callable[..., ConsumerGroups], old: str
) -> None:
    with pytest.raises(InputError, match=r"0\.txt: its tables name no group, .* use kafka-con"):
        read_groups(old)
    result = read_groups(f"{old}\n{NEW}")
    assert result.groups["g"].claims == [("t", 0, "m-1")]
    (fault,) = result.unreadable_lines
    why = "its tables name no group, as those of Kafka's tools before 2.4"
    assert (fault.line, fault.why.split(":")[0]) == (1, why)
