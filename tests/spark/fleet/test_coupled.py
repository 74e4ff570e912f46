"""Groups that share topics, against walks along what they share."""

import random
from collections import Counter

from spark.fleet import HUB, components


def by_force(reads: set[tuple[str, str]]) -> dict[str, str]:
    readers = Counter(topic for _, topic in reads)
    ties = {(group, topic) for group, topic in reads if readers[topic] <= HUB}
    result = {}
    for group, _ in reads:
        reached = {group}
        while True:
            topics = {topic for other, topic in ties if other in reached}
            more = reached | {other for other, topic in ties if topic in topics}
            if more == reached:
                break
            reached = more
        result[group] = min(reached)
    return result


def test_each_group_has_the_first_that_it_reaches() -> None:
    chance = random.Random(3)
    for _ in range(100):
        count, topics = chance.randrange(1, 60), chance.choice([3, 30, 200])
        reads = {
            (f"g{number}", f"t{chance.randrange(topics)}")
            for number in range(count)
            for _ in range(chance.randrange(1, 4))
        }
        groups, read = zip(*reads, strict=True)
        assert components(groups, read) == by_force(reads)
