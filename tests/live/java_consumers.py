"""Real consumers of Java's, many in a process."""

import subprocess
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping

from tests.live.consumers import Ownership
from tests.live.waiting import until
from tests.support.assignor_jar import assignor_jar, java


class JavaConsumers:
    """A process of Java with consumers in it; `member` is the part of their names behind `/`."""

    def __init__(self, ownership: Ownership) -> None:
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
        self._process = subprocess.Popen(
            [java(), *options, "-cp", assignor_jar().tests, "io.evenfleet.Consumers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.ownership = ownership
        self._members: set[tuple[str, str]] = set()
        self._closed: dict[str, threading.Event] = defaultdict(threading.Event)
        threading.Thread(target=self._read, daemon=True).start()

    def start(
        self, group: str, member: str, topics: Iterable[str], settings: Mapping[str, object]
    ) -> None:
        self._members.add((group, member))
        self._closed.pop(f"{group}/{member}", None)
        spec = [f"{key}={value}" for key, value in ({"group.id": group} | {**settings}).items()]
        self._say("start", f"{group}/{member}", ",".join(topics), *spec)

    def rejoin(self, group: str, member: str) -> None:
        self._say("rejoin", f"{group}/{member}")

    def close(self, group: str, member: str) -> None:
        self._say("close", f"{group}/{member}")
        until(self._closed[f"{group}/{member}"].is_set, f"{group}/{member} is closed")

    def kill(self) -> None:
        """All its consumers are gone, and say good-bye to nobody."""
        self._process.kill()
        self._process.wait()
        for member in self._members:
            self.ownership.note_death(*member)

    def _say(self, *words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            stamp, name, what, more = line.rstrip("\n").split("\t")
            group, _, member = name.partition("/")
            match what:
                case "!":
                    self.ownership.failures.append(f"{name}: {more}")
                case ".":
                    self._closed[name].set()
                case _:
                    pairs = [item.rpartition(":") for item in more.split(",") if item]
                    partitions = [(topic, int(number)) for topic, _, number in pairs]
                    self.ownership.note(group, member, what == "+", partitions, int(stamp) / 1000)
