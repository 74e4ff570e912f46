"""A small fleet whose load rises and falls, and groups that can't be replayed."""

from tests.support.fleets import Fleet

HOUR = 3600

RATES = (10, 10, 10, 40, 40, 10, 10, 10) * 3
"""Records a second of each partition, hour by hour."""


def fleet(hour: int) -> Fleet:
    """`orders` has 8 partitions and 2 members, `hot` one partition that gets everything."""
    made = Fleet().topic("orders", 8).topic("hot", 4).topic("quiet", 2)
    orders = [("orders", n, f"m{n % 2}") for n in range(8)]
    made.group("orders", {"m0": ["orders"], "m1": ["orders"]}, orders)
    made.group("hot", {"h": ["hot"]}, [("hot", n, "h") for n in range(4)])
    made.group("quiet", {"q": ["quiet"]}, [("quiet", n, "q") for n in range(2)])
    made.group("nobody", {})
    come = sum(RATES[:hour]) * HOUR
    read = min(come, 20 * HOUR * hour)
    for n in range(8):
        _offsets(made, "orders", "orders", n, read, come)
    for n in range(4):
        _offsets(made, "hot", "hot", n, *([500 * HOUR * hour] * 2 if n == 2 else [hour, hour]))
    return made


def _offsets(made: Fleet, group: str, topic: str, partition: int, committed: int, end: int) -> None:
    made.add(
        "offsets",
        group=group,
        topic=topic,
        partition=partition,
        committed_offset=committed,
        end_offset=end,
    )
