"""A made-up fleet an hour before: what is in trouble for that alone has changed since."""

import numpy as np
import pyarrow as pa

from spark.demo.fleet import MadeFleet
from spark.demo.groups import group_before
from spark.demo.offsets import HOUR, STALLED


def hour_before(made: MadeFleet) -> dict[str, pa.Table]:
    """All tables: shuffled groups, those that restarted and stalled ones are as they were then."""
    rng = np.random.default_rng(1)
    topics, offsets = made.topics, made.offsets
    rows = [topics.known_rows(group.topics) for group in made.groups]
    stalled = np.concatenate(
        [np.full(len(of), g.kind == "stalled") for g, of in zip(made.groups, rows, strict=True)]
    )
    written = (topics.rates[np.concatenate(rows)] * HOUR).astype(np.int64)
    return made.tables_of(
        [group_before(rng, group) for group in made.groups],
        offsets.end - np.where(stalled, STALLED, written),
        offsets.committed - np.where(stalled, 0, written),
        offsets.never,
    )
