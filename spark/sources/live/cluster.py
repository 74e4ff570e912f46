"""A live cluster: where it is, how to get in, where its secrets are, and what of it is wanted."""

import logging
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from spark.errors import InputError
from spark.settings import matches
from spark.store import read_whole

SECURITY = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")

_OF_THE_WIRE = ("kafka.net.connection", "kafka.protocol.parser")


@dataclass(frozen=True)
class Secret:
    """The place of a secret; the secret itself is looked up when it is used."""

    variable: str | None = None
    file: Path | None = None

    def read(self) -> str:
        """The secret, without the line end that a file may have; InputError if it isn't there."""
        if self.variable is not None:
            value = os.environ.get(self.variable)
            if not value:
                raise InputError(
                    f"the environment has no variable {self.variable} (or it is empty)"
                )
            return value
        assert self.file is not None
        try:
            value = read_whole(self.file, 1 << 16).decode().rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise InputError(f"the file {self.file} with a secret can't be read") from None
        if not value:
            raise InputError(f"the file {self.file} with a secret is empty")
        return value


@contextmanager
def unlogged_wire() -> Iterator[None]:
    """Keep what this thread sends out of logs: at level DEBUG kafka-python prints every byte."""
    thread = threading.get_ident()

    def passes(record: logging.LogRecord) -> bool:
        return record.thread != thread or record.levelno > logging.DEBUG

    loggers = [logging.getLogger(name) for name in _OF_THE_WIRE]
    for logger in loggers:
        logger.addFilter(passes)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(passes)


@dataclass(frozen=True)
class ClusterSelection:
    """Names that match a pattern of `include` (none given: all) and none of `exclude`."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or any(matches(pattern, name) for pattern in self.exclude):
            return False
        return not self.include or any(matches(text, name) for text in self.include)


@dataclass(frozen=True)
class Cluster:
    """One cluster, checked; secrets are pair, so that it can be printed and sent to a worker.

    `timeout` is in seconds, for one request and for reaching the cluster at all; a request that
    fails is made `retries` times more. `rack_pattern` finds a member's rack in its client id, for
    clients that send no `client.rack`: its first group, or all of it.
    """

    name: str
    bootstrap: tuple[str, ...]
    security: str = "PLAINTEXT"
    mechanism: str | None = None
    username: str | None = None
    password: Secret | None = None
    token: Secret | None = None
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None
    key_password: Secret | None = None
    check_hostname: bool = True
    groups: ClusterSelection = field(default_factory=ClusterSelection)
    topics: ClusterSelection = field(default_factory=ClusterSelection)
    rack_pattern: str | None = None
    timeout: float = 10.0
    retries: int = 2

    def __post_init__(self) -> None:
        if faults := list(_faults(self)):
            raise InputError(f"cluster {self.name or repr(self.name)}: {'; '.join(faults)}")

    def rack_in(self, client_id: str | None) -> str | None:
        """The rack that a client id names, where `rack_pattern` says how."""
        match = re.search(self.rack_pattern, client_id) if self.rack_pattern and client_id else None
        return (match[1 if match.re.groups else 0] or None) if match else None


_FILES = ("ca_file", "certificate_file", "key_file")


def _faults(cluster: Cluster) -> list[str]:
    faults = [] if cluster.name.strip() else ["its name is empty: rows are known by it"]
    if not cluster.bootstrap:
        faults.append("bootstrap is missing: give one broker or more as HOST:PORT")
    faults += [
        f"bootstrap server {server!r} is not of the form HOST:PORT"
        for servers in cluster.bootstrap
        for server in servers.split(",")
        if not re.fullmatch(r"\s*\S+:\d{1,5}\s*", server)
    ]
    if cluster.security not in SECURITY:
        faults.append(f"security {cluster.security!r} is none of {', '.join(SECURITY)}")
    faults += _faults_of_sasl(cluster)
    faults += [
        f"{name} {path} is not there"
        for name, path in ((name, getattr(cluster, name)) for name in _FILES)
        if path is not None and not path.is_file()
    ]
    if not (0 < cluster.timeout <= 600 and 0 <= cluster.retries <= 10):
        faults.append("timeout has to be within 600 seconds, and retries from 0 to 10")
    try:
        re.compile(cluster.rack_pattern or "")
    except re.error as error:
        faults.append(f"rack_pattern is not a regular expression: {error}")
    return faults


def _faults_of_sasl(cluster: Cluster) -> list[str]:
    if not cluster.security.startswith("SASL_"):
        unused = cluster.mechanism or cluster.username or cluster.password or cluster.token
        return [f"security {cluster.security} takes no user, password or token"] if unused else []
    if cluster.mechanism not in MECHANISMS:
        return [f"mechanism {cluster.mechanism!r} is none of {', '.join(MECHANISMS)}"]
    if cluster.mechanism == "OAUTHBEARER":
        return [] if cluster.token else ["OAUTHBEARER needs token_env or token_file"]
    if not (cluster.username and cluster.password):
        return [f"{cluster.mechanism} needs username, and password_env or password_file"]
    return []
