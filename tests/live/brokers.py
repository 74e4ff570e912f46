"""Real Kafka brokers on this machine's loopback, for as long as a test needs them."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyspark
from kafka import KafkaAdminClient
from kafka.errors import KafkaError
from pyspark.sql import SparkSession

from spark.graph.fleet_graph import coordinate
from tests.live.second_tries import second_try
from tests.live.waiting import MOST, NotReadyError, until
from tests.support.assignor_jar import java
from tests.support.locks import resolving

START_WITHIN = 50.0  # seconds: two tries take less than two minutes
CLUSTER_ID = "ZXZlbmZsZWV0LXRlc3RzMA"
HEAP = "-Xmx320m"
USER, PASSWORD = "reader", "correct-horse-battery"
"""Who may come in at the secure listeners, by any mechanism; tokens are of anybody."""

# A JVM that starts soon; Kafka's errors go to standard output.
JAVA_OPTIONS = [
    HEAP,
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
    "-Dlog4j2.level=ERROR",
]

SETTINGS = """
process.roles=broker,controller
node.id={node}
listeners=PLAINTEXT://127.0.0.1:{port},SECURE://127.0.0.1:{secure},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},SECURE://127.0.0.1:{secure}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL
listener.name.secure.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER
listener.name.secure.plain.sasl.jaas.config=\
  org.apache.kafka.common.security.plain.PlainLoginModule \
  required user_{user}="{password}";
listener.name.secure.scram-sha-256.sasl.jaas.config=\
  org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.secure.scram-sha-512.sasl.jaas.config=\
  org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.secure.oauthbearer.sasl.jaas.config=\
  org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule \
  required unsecuredLoginStringClaim_sub="broker";
listener.name.secure.ssl.keystore.type=PKCS12
listener.name.secure.ssl.keystore.location={keys}
listener.name.secure.ssl.keystore.password={password}
controller.quorum.voters={voters}
broker.rack={rack}
log.dirs={folder}/data
offsets.topic.num.partitions={offsets_partitions}
offsets.topic.replication.factor={count}
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.coordinator.rebalance.protocols=classic,consumer,share,streams
group.coordinator.threads=1
group.min.session.timeout.ms=1000
group.consumer.heartbeat.interval.ms=1000
group.consumer.min.heartbeat.interval.ms=500
broker.heartbeat.interval.ms=500
broker.session.timeout.ms={session}
controlled.shutdown.enable=false
auto.create.topics.enable=false
num.network.threads=2
num.io.threads=2
num.partitions=1
log.cleaner.dedupe.buffer.size=2097152
"""


def kafka_jars(spark: SparkSession) -> list[str]:
    """The jars of a broker and of Kafka's tools, brought by Spark's own resolver.

    The session's stay as they were.

    Raises what Py4J makes of Java's exception when they can't be had.
    """
    jvm = spark._jvm
    assert jvm is not None
    resolver = jvm.org.apache.spark.util.DependencyUtils
    with resolving():
        result = [
            resolver.resolveMavenDependencies(jvm.java.net.URI(f"ivy://{coordinate(name)}"))
            for name in ("kafka", "kafka-tools")
        ]
    return [str(items.apply(at)) for items in result for at in range(items.size())]


def jars_of_pyspark() -> list[str]:
    """Scala's library, which no resolver of Spark's brings, and what prints Kafka's log."""
    names = ("scala-library-", "slf4j-api-", "log4j-slf4j2-impl-")
    folder = Path(pyspark.__file__).parent / "jars"
    return [str(jar) for name in names for jar in folder.glob(f"{name}*.jar")]


class Brokers:
    """A cluster of `count` brokers; `racks` names a rack for each.

    `with Brokers(jars, 3, racks=["a", "b", "c"]) as brokers:` ends them, and so does the end of
    this process, however it comes about. `settings` are lines of server.properties, in which
    `{folder}` is the brokers' common folder. Brokers that don't start are tried once more, under
    other ports.
    """

    def __init__(
        self,
        jars: Sequence[str],
        count: int = 1,
        racks: Sequence[str] = (),
        settings: str = "",
    ) -> None:
        self._settings = settings
        self._racks = [*racks, *[""] * (count - len(racks))]
        self._count = count
        # PySpark's come first: its SLF4J finds its Log4j, and that of Kafka's jars is older
        self._java = [java(), *JAVA_OPTIONS, "-cp", os.pathsep.join([*jars_of_pyspark(), *jars])]
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._watchdogs: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def bootstrap(self) -> str:
        """All brokers as `host:port,host:port`."""
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    @property
    def secure_bootstrap(self) -> str:
        """The listeners with TLS and SASL, whose certificate `ca_file` vouches for."""
        return ",".join(f"127.0.0.1:{port}" for port in self._secure)

    @property
    def ca_file(self) -> Path:
        return self.folder / "ca.pem"

    def __enter__(self) -> Brokers:
        second_try("brokers", self._begin, self._count)
        return self

    def _begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="evenfleet-brokers-"))
        ports = _free_ports(3 * self._count)
        self.ports, self._secure, self._controllers = (ports[at::3] for at in range(3))
        try:
            self._make_certificate()
            self._format()
            for node in range(1, self._count + 1):
                self._launch(node)
            self._await(self._count)
        except BaseException:
            self._end()
            raise

    def __exit__(self, *_: object) -> None:
        self._end()

    def admin(self) -> KafkaAdminClient:
        return KafkaAdminClient(bootstrap_servers=self.bootstrap.split(","))

    def create(self, topics: Mapping[str, int]) -> None:
        """Make topics of these numbers of partitions, of which each broker has a replica."""
        with self.admin() as admin:
            entries = {
                name: {"num_partitions": count, "replication_factor": self._count}
                for name, count in topics.items()
            }
            admin.create_topics(entries, wait_for_metadata=True)

    def kill(self, node: int) -> None:
        """End broker `node` (1, 2, …) by SIGKILL: it says good-bye to nobody."""
        process = self._running.pop(node)
        process.kill()
        process.wait()
        watchdog = self._watchdogs.pop(node)
        watchdog.kill()
        watchdog.communicate()

    def start(self, node: int) -> None:
        """Start a broker that was killed; returns when the cluster has it again."""

        def begin() -> None:
            if node in self._running:
                self.kill(node)
            self._launch(node)
            self._await(len(self._running))

        second_try("brokers", begin)

    def check(self) -> None:
        """NotReadyError if a broker has ended by itself."""
        for node, process in self._running.items():
            if process.poll() is not None:
                raise NotReadyError(f"Broker {node} has ended by itself:\n{self.log(node)}")

    def tool(self, name: str, *words: object) -> str:
        """What one of Kafka's own tools prints (`org.apache.kafka.tools.…`); it has to succeed."""
        command = [*self._java, f"org.apache.kafka.tools.{name}"]
        command += ["--bootstrap-server", self.bootstrap, *map(str, words)]
        output = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST)
        assert output.returncode == 0, output.stdout + output.stderr
        return output.stdout + output.stderr

    @contextlib.contextmanager
    def paused(self, node: int) -> Iterator[None]:
        """Let broker `node` hang: its connections stay open and nothing answers."""
        process = self._running[node]
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def _make_certificate(self) -> None:
        """One certificate for all, signed by itself."""
        tool = str(Path(java()).with_name("keytool")) if "/" in java() else "keytool"
        store = ["-keystore", str(self._keys), "-storetype", "PKCS12", "-storepass", PASSWORD]
        identity = ["-dname", "CN=localhost", "-ext", "SAN=ip:127.0.0.1", "-validity", "2"]
        for words in (
            ["-genkeypair", "-keyalg", "EC", *identity],
            ["-exportcert", "-rfc", "-file", str(self.ca_file)],
        ):
            command = [tool, *words, "-alias", "broker", *store]
            subprocess.run(command, check=True, capture_output=True, timeout=START_WITHIN)

    @property
    def _keys(self) -> Path:
        return self.folder / "keys.p12"

    def _format(self) -> None:
        """Write settings and make the folders of data ready, all at a time."""
        nodes = range(1, self._count + 1)
        voters = ",".join(f"{n}@127.0.0.1:{self._controllers[n - 1]}" for n in nodes)
        tools = []
        for node in nodes:
            folder = self.folder / str(node)
            folder.mkdir()
            text = SETTINGS.format(
                node=node,
                port=self.ports[node - 1],
                secure=self._secure[node - 1],
                controller=self._controllers[node - 1],
                keys=self._keys,
                user=USER,
                password=PASSWORD,
                voters=voters,
                rack=self._racks[node - 1],
                folder=folder,
                count=self._count,
                # each costs a broker a log, and several show that groups have coordinators
                offsets_partitions=2 * self._count,
                # of many, one that is away is to be missed soon; one alone never, however busy
                session=60_000 if self._count == 1 else 6000,
            )
            text += self._settings.format(folder=self.folder)
            (folder / "server.properties").write_text(text)
            format_it = ["format", "-t", CLUSTER_ID, "-c", str(folder / "server.properties")]
            command = [*self._java, "kafka.tools.StorageTool", *format_it]
            tools.append((node, self._open(node, command)))
        for node, tool in tools:
            if tool.wait(START_WITHIN):
                raise NotReadyError(f"kafka.tools.StorageTool failed:\n{self.log(node)}")

    def _launch(self, node: int) -> None:
        settings = str(self.folder / str(node) / "server.properties")
        process = self._open(node, [*self._java, "kafka.Kafka", settings])
        self._running[node] = process
        self._watchdogs[node] = _watchdog(process.pid)

    def _open(self, node: int, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{node}.log").open("ab") as log:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder / str(node),
                start_new_session=True,  # Ctrl-C is for pytest, which then ends the brokers
            )

    def _await(self, count: int) -> None:
        """Until `count` brokers have registered and each answers."""

        def ready() -> bool:
            self.check()
            return all(map(self._answers, self._running)) and self._registered() == count

        until(ready, f"{count} brokers of {self.folder} answer", seconds=START_WITHIN)

    def _answers(self, node: int) -> bool:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.ports[node - 1]), timeout=1).close()
            return True
        return False

    def _registered(self) -> int:
        try:
            with self.admin() as admin:
                return len(admin.describe_cluster()["brokers"])
        except KafkaError:
            return 0

    def log(self, node: int) -> str:
        """What broker `node` printed last."""
        return (self.folder / f"{node}.log").read_text(errors="replace")[-4000:]

    def _end(self) -> None:
        """Kill all that run: nobody needs their data."""
        for node in list(self._running):
            self.kill(node)
        shutil.rmtree(self.folder, ignore_errors=True)


def _watchdog(pid: int) -> subprocess.Popen[bytes]:
    """A shell that kills process `pid` when this process is no more: its pipe closes then."""
    return subprocess.Popen(
        ["sh", "-c", f"read -r _; kill -9 {pid}"],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, and that no outgoing connection is given by the system.

    Else one could take that of a broker which is down for a moment.
    """
    result: list[int] = []
    for port in random.sample(range(20_000, 32_000), 12_000):
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            result.append(port)
        if len(result) == count:
            return result
    raise RuntimeError(f"there are no {count} free ports from 20000 to 32000")
