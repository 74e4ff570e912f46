"""The file of `--clusters`: its keys, what each may be and is for, and the clusters in it."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, WithJsonSchema

from spark.errors import InputError
from spark.settings import read_toml
from spark.sources.live.cluster import MECHANISMS, SECURITY, Cluster, ClusterSelection, Secret
from spark.toml.tables import TomlTable, example

SECRETS = ("password", "token", "key_password")


def _texts(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


Texts = Annotated[str | list[str], AfterValidator(_texts), Field(title="a text or a list of texts")]
File = Annotated[str, AfterValidator(lambda path: Path(path).expanduser())]


class ClusterTable(TomlTable):
    """How to reach a cluster, which is called as the table, [cluster.NAME].

    Secrets are never in this file: a key that ends in _env names a variable of the environment, one
    that ends in _file a file that holds nothing else.
    """

    bootstrap: Annotated[Texts, Field(title="one broker or more as HOST:PORT")] = Field(
        examples=[["kafka-1.example.com:9093", "kafka-2.example.com:9093"]]
    )
    """Brokers to begin with, as HOST:PORT; the others are found through them."""
    security: Annotated[str, WithJsonSchema({"enum": SECURITY})] = "PLAINTEXT"
    """How brokers are spoken to."""
    mechanism: Annotated[str, WithJsonSchema({"enum": MECHANISMS})] = example("SCRAM-SHA-512")
    """How a client logs in: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512, with a user; or OAUTHBEARER,
    with a token."""
    username: str = example("evenfleet")
    """The user."""
    password_env: str = example("EVENFLEET_PROD_PASSWORD")
    """Variable that holds the user's password."""
    password_file: File = example("/run/secrets/kafka-password")
    """File that holds the password."""
    token_env: str = example("EVENFLEET_PROD_TOKEN")
    """Variable that holds the token."""
    token_file: File = example("/run/secrets/kafka-token")
    """File that holds the token."""
    ca_file: File = example("/etc/ssl/kafka/ca.pem")
    """TLS: who signed the brokers' certificates. Without it those that the system trusts."""
    certificate_file: File = example("/etc/ssl/kafka/client.pem")
    """Our own certificate."""
    key_file: File = example("/etc/ssl/kafka/client.key")
    """The certificate's key."""
    key_password_env: str = example("EVENFLEET_PROD_KEY_PASSWORD")
    """Variable that holds the key's password."""
    key_password_file: File = example("/run/secrets/kafka-key-password")
    """File that holds the key's password."""
    check_hostname: bool = True
    """Whether a broker's certificate has to name its host."""
    groups: Texts = Field(default=[])
    """Patterns of groups, where * is any text and ? one character; none: all."""
    exclude_groups: Texts = Field(default=[])
    """Patterns of groups that are left out."""
    topics: Texts = Field(default=[])
    """Patterns of topics; none: all."""
    exclude_topics: Texts = Field(default=[])
    """Patterns of topics that are left out."""
    rack_pattern: str = example("rack=([a-z0-9-]+)")
    """Where a client id tells the rack, for clients that send no client.rack."""
    timeout: Annotated[
        float, WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 600})
    ] = 10.0
    """Seconds for one request, and for reaching the cluster at all."""
    retries: Annotated[int, WithJsonSchema({"type": "integer", "minimum": 0, "maximum": 10})] = 2
    """How often a request that fails is made again (a login that fails never is, which could lock
    the account)."""


class ClustersFile(TomlTable):
    """Clusters for `evenfleet collect --clusters FILE`: one table each, by the cluster's name."""

    cluster: dict[str, ClusterTable] = Field(default={})
    """Only `bootstrap` is needed."""


def read_clusters(path: Path) -> list[Cluster]:
    """The clusters of a file like conf/clusters.toml; InputError names what is wrong in it."""
    document = read_toml(path, "clusters")
    tables = document.get("cluster")
    if set(document) - {"cluster"} or not isinstance(tables, dict) or not tables:
        raise InputError(f"clusters {path} has to hold tables named [cluster.NAME], nothing else")
    clusters, faults = [], []
    for name, table in tables.items():
        try:
            clusters.append(_cluster(name, table))
        except InputError as error:
            faults.append(str(error))
    if faults:
        raise InputError(f"clusters {path}: {'; '.join(faults)}")
    return clusters


def _cluster(name: str, table: Any) -> Cluster:
    if not isinstance(table, dict):
        raise InputError(f"{name!r} has to be a table [cluster.{name}]")
    faults = [
        f"{key} must not be in a file of settings: give {key}_env or {key}_file instead"
        for key in SECRETS
        if key in table
    ]
    checked, more = ClusterTable.check({k: table[k] for k in table if k not in SECRETS})
    if checked is None or faults:
        raise InputError(f"cluster {name}: {'; '.join([*faults, *more])}")
    stated_keys = checked.entries()
    arguments: dict[str, Any] = {
        key: ClusterSelection(stated_keys.pop(key, ()), stated_keys.pop(f"exclude_{key}", ()))
        for key in ("groups", "topics")
    }
    for key in SECRETS:
        pair = stated_keys.pop(f"{key}_env", None), stated_keys.pop(f"{key}_file", None)
        arguments[key] = Secret(*pair) if any(part is not None for part in pair) else None
    return Cluster(name, **arguments, **stated_keys)
