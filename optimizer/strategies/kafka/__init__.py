"""Parts that several of Kafka's assignors share: orders, hashes, racks, subscriptions."""

from optimizer.strategies.kafka.hash_map import (
    DEFAULT_CAPACITY,
    MIN_TREEIFY_CAPACITY,
    TREEIFY_THRESHOLD,
    bucket,
    bucket_count,
    capacity_of_copy,
    in_hash_order,
)
from optimizer.strategies.kafka.order import (
    Uuid,
    derived_uuid,
    hash_map_order,
    member_info_order,
    parse_uuid,
    partition_hash,
    partitions_of,
    string_hash,
    string_ranks,
    utf16,
)
from optimizer.strategies.kafka.subscriptions import (
    NO_RACK,
    Racks,
    all_same,
    all_same_for_sticky,
    are_subscribed,
    racks_of,
)
