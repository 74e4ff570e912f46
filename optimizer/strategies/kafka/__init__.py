"""What several of Kafka's assignors share: orders, hashes, racks, subscriptions."""

from __future__ import annotations

from optimizer.strategies.kafka.hash_map import (
    DEFAULT_CAPACITY as DEFAULT_CAPACITY,
    MIN_TREEIFY_CAPACITY as MIN_TREEIFY_CAPACITY,
    TREEIFY_THRESHOLD as TREEIFY_THRESHOLD,
    bucket as bucket,
    capacity_of_copy as capacity_of_copy,
    grown as grown,
    in_hash_order as in_hash_order,
)
from optimizer.strategies.kafka.java import (
    Uuid as Uuid,
    derived_uuid as derived_uuid,
    parse_uuid as parse_uuid,
    partition_hash as partition_hash,
    string_hash as string_hash,
    string_ranks as string_ranks,
    utf16 as utf16,
)
from optimizer.strategies.kafka.order import (
    filled as filled,
    hash_map_order as hash_map_order,
    member_info_order as member_info_order,
    partitions_of as partitions_of,
)
from optimizer.strategies.kafka.racks import (
    NO_RACK as NO_RACK,
    Racks as Racks,
    racks_of as racks_of,
)
from optimizer.strategies.kafka.subscriptions import (
    all_same as all_same,
    all_same_for_sticky as all_same_for_sticky,
    subscribed as subscribed,
)
