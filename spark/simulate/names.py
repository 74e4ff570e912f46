"""Names of members as short as they tell them apart."""

import re
from collections import Counter
from collections.abc import Iterable

_RANDOM = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", re.ASCII)
"""What Kafka's coordinator puts behind a client id to make a member id of it."""


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Client ids in place of member ids, where no two have the same."""
    short = {name: _RANDOM.sub("", name) for name in names}
    taken = Counter([*short.values(), *short])
    return {
        name: item if item and taken[item] == 1 + (item == name) else name
        for name, item in short.items()
    }
