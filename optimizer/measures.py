"""An assignment in numbers."""

from typing import NamedTuple


class Measures(NamedTuple):
    """What an assignment comes to; loads count partitions, over all members.

    `partitions` are those that somebody subscribes to. A move changes the owner of a partition
    whose owner is present and still subscribed; a takeover gives a partition to somebody whose
    owner left or unsubscribed.
    """

    partitions: int
    max_load: int
    min_load: int
    sum_squares: int
    moves: int
    takeovers: int


class Reads(NamedTuple):
    """Partitions read within a rack and across racks; the others' place, or reader's, isn't known.

    `local` counts those whose reader is in a rack of theirs, `remote` those whose reader is in
    another one.
    """

    local: int
    remote: int
