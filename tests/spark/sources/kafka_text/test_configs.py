"""What kafka-configs --describe prints, as ConfigCommand of Kafka 4 spells it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.settings_text import read_configs

TOPICS = """\
Dynamic configs for topic orders are:
  retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000}
All configs for topic pay are:
  cleanup.policy=compact,delete sensitive=false synonyms={DEFAULT_CONFIG:log.cleanup.policy=delete}
  compression.type=producer sensitive=false synonyms={}
  min.insync.replicas=2 sensitive=false synonyms={}
"""
BROKERS = """\
Default configs for brokers in the cluster are:
  min.insync.replicas=9 sensitive=false synonyms={}
All configs for broker 1 are:
  group.max.size=100 sensitive=false synonyms={}
  ssl.keystore.password=null sensitive=true synonyms={}
  unclean.leader.election.enable=null sensitive=false synonyms={}
"""


def test_settings_of_topics_and_brokers_are_those_that_findings_go_by(
    write: Callable[..., Path],
) -> None:
    """Defaults of all brokers are of none in particular, and secrets aren't kept."""
    result = read_configs([write("t.txt", TOPICS), write("b.txt", BROKERS + "what\n")])
    assert result.values == {
        ("topic", "orders", "retention.ms"): "1000",
        ("topic", "pay", "cleanup.policy"): "compact,delete",
        ("topic", "pay", "min.insync.replicas"): "2",
        ("broker", "1", "group.max.size"): "100",
    }
    assert [line.text for line in result.unreadable_lines] == ["what"]
    with pytest.raises(InputError, match=r"o\.txt: no setting is in it"):
        read_configs([write("o.txt", "what\n")])
