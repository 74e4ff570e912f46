"""The words of a made-up company: what it calls its clusters, topics, services and members."""

import base64
from collections import Counter
from collections.abc import Iterator

import numpy as np

CLUSTERS = ("prod-eu-west", "prod-us-east", "analytics-eu-west", "legacy-dc1")

LEGACY_CLUSTER = "legacy-dc1"
"""The cluster that nobody migrates: an old broker, no racks, no topic ids, no metrics."""

ENTITIES: dict[str, tuple[str, ...]] = {
    "orders": ("order", "order-line", "basket", "return-request"),
    "payments": ("payment", "refund", "chargeback", "settlement"),
    "clickstream": ("page-view", "click", "impression", "session"),
    "inventory": ("stock-level", "reservation", "replenishment"),
    "shipping": ("shipment", "parcel", "delivery-slot", "tracking"),
    "customers": ("profile", "address", "consent", "segment"),
    "catalogue": ("product", "variant", "category", "image"),
    "pricing": ("price", "discount", "price-list"),
    "billing": ("invoice", "invoice-line", "dunning", "ledger-entry"),
    "fraud": ("score", "case", "device-fingerprint"),
    "notifications": ("email", "push", "text-message"),
    "warehouse": ("pick-list", "bin-move", "goods-receipt", "stock-count"),
    "search": ("query", "index-document", "synonym"),
    "devices": ("telemetry", "heartbeat", "firmware"),
    "identity": ("login", "token", "role-change"),
    "marketing": ("campaign", "audience", "attribution"),
    "support": ("ticket", "chat-message", "survey"),
    "loyalty": ("points", "voucher", "tier"),
    "recommendations": ("feature", "ranking", "feedback"),
    "platform": ("audit-log", "access-log", "metric", "trace"),
}

EVENTS = ("created", "updated", "events", "changelog", "commands", "deleted", "snapshots")

ROLES = (
    *("projector", "writer", "enricher", "indexer", "notifier", "aggregator", "exporter"),
    *("reconciler", "router", "validator", "archiver", "cache-loader", "audit", "sync", "alerts"),
    "deduplicator",
)

FIREHOSE_DOMAINS = ("clickstream", "devices", "platform")
FIREHOSE_ROLES = ("lake-sink", "sessioniser", "feature-builder", "stream-loader")

CONNECT_GROUP = "connect-devices-exporter"

FIRST_NAMES = {
    "idle": ("clickstream-session-archiver", "payments-payment-alerts"),
    "uneven": ("notifications-audit",),
    "giant": ("clickstream-sessioniser",),
    "stalled": ("devices-heartbeat-reconciler",),
    "restarting": ("devices-projector",),
    "connect": (CONNECT_GROUP,),
    "share": ("orders-basket-aggregator",),
}
"""What the first groups of a kind are called; each begins with the domain of its topics."""


def topic_name(cluster: str, domain: str, entity: str, event: str, used: Counter[str]) -> str:
    """A topic's name in the cluster's habit; names that are taken go on as retry, dlq and versions.

    `used` counts the names that were given before, and is kept up.
    """
    if cluster == LEGACY_CLUSTER:
        name = f"{domain}_{entity}_{event}".replace("-", "_").upper()
        return unused(name, used, ("", "_RETRY", "_DLQ"), "_V")
    if cluster.startswith("analytics"):
        name = f"cdc.{domain}.{entity.replace('-', '_')}_{event}"
        return unused(name, used, ("", "_backfill"), "_v")
    return unused(f"{domain}.{entity}.{event}", used, ("", "-retry", "-dlq"), ".v")


def unused(
    name: str, used: Counter[str], endings: tuple[str, ...] = ("",), version: str = "-v"
) -> str:
    """The name, with the next of the endings, then with a version: -v2, -v3. `used` is kept up."""
    used[name] += 1
    over = used[name] - len(endings)
    return name + (f"{version}{over + 1}" if over > 0 else endings[over - 1])


def uuids(rng: np.random.Generator, count: int) -> Iterator[str]:
    """Random ids in the form of java.util.UUID, the tail of a classic member id."""
    digits = rng.bytes(16 * count).hex()
    for at in range(0, len(digits), 32):
        d = digits[at : at + 32]
        yield f"{d[:8]}-{d[8:12]}-4{d[13:16]}-a{d[17:20]}-{d[20:]}"


def kafka_uuids(rng: np.random.Generator, count: int) -> Iterator[str]:
    """Random ids in the 22 characters of Kafka's Uuid, as topics and KIP-848's members have.

    None begins with a dash, which a command would take for an option (Kafka's Uuid.randomUuid).
    """
    for _ in range(count):
        text = base64.urlsafe_b64encode(rng.bytes(16)).decode()[:22]
        yield "A" + text[1:] if text.startswith("-") else text


CLIENTS = {
    "consumer-{group}-{number}": 0.55,  # the Java client's default
    "{group}": 0.20,
    "rdkafka": 0.15,
    "{group}-worker-{number}": 0.10,
}
"""What consumers call themselves, and the share of groups that do so."""
