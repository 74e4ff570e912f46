"""Members of classic groups that say exactly what a test wants, byte by byte.

Each member has a connection of its own, because a broker holds back the answer to a join.
"""

import socket
import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from kafka.protocol.consumer.group import (
    JoinGroupRequest,
    JoinGroupResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

from tests.live.waiting import until

SESSION = 1_800_000  # milliseconds, the most that brokers allow: nobody sends heartbeats here
MEMBER_ID_REQUIRED = 79
LOADING = (14, 15, 16)  # a coordinator that has become one just now
RESPONSES = {
    JoinGroupRequest: (JoinGroupResponse, 7),
    SyncGroupRequest: (SyncGroupResponse, 5),
    FindCoordinatorRequest: (FindCoordinatorResponse, 4),
}


class Wire:
    """A connection that carries one request at a time."""

    def __init__(self, server: str, client_id: str = "raw") -> None:
        host, port = server.split(":")
        self._socket = socket.create_connection((host, int(port)), timeout=20)
        self._answers = self._socket.makefile("rb")
        self._client_id = client_id
        self._awaited: Any = None

    def send(self, request: Any) -> None:
        response, version = RESPONSES[type(request)]
        request.API_VERSION = version
        request.with_header(correlation_id=1, client_id=self._client_id)
        self._socket.sendall(request.encode(framed=True, header=True))
        self._awaited = (response, version)

    def receive(self) -> Any:
        response, version = self._awaited
        return response.decode(self._frame(), version=version, header=True)

    def ask(self, request: Any) -> Any:
        self.send(request)
        return self.receive()

    def exchange(self, frame: bytes) -> bytes:
        """What comes back for bytes, without the lengths of both."""
        self._socket.sendall(struct.pack(">i", len(frame)) + frame)
        return self._frame()

    def close(self) -> None:
        self._socket.close()

    def _frame(self) -> bytes:
        size = self._answers.read(4)
        data = self._answers.read(*struct.unpack(">i", size)) if len(size) == 4 else None
        if not data:
            raise ConnectionError("the broker closed the connection")
        return data


def coordinators(bootstrap: str, groups: Sequence[str]) -> dict[str, str]:
    """`host:port` of the coordinator of each group, once there are any."""
    wire = Wire(bootstrap.partition(",")[0])
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=list(groups))
    found: list[Any] = []

    def answered() -> bool:
        found[:] = wire.ask(request).coordinators
        return not any(item.error_code for item in found)

    try:
        until(answered, "the groups have coordinators", seconds=20)
    finally:
        wire.close()
    return {item.key: f"{item.host}:{item.port}" for item in found}


@contextmanager
def wires_of(
    bootstrap: str, groups: Sequence[str], members: int
) -> Iterator[dict[str, list[Wire]]]:
    """Connections to the coordinator of each group, one a member, open until the end."""
    server = coordinators(bootstrap, groups)
    with ExitStack() as opened:
        made = {g: [Wire(server[g], f"{g}-{n}") for n in range(members)] for g in groups}
        for wires in made.values():
            for wire in wires:
                opened.callback(wire.close)
        yield made


class RawGroup:
    """A group of members on given connections."""

    def __init__(
        self,
        name: str,
        wires: Sequence[Wire],
        protocol_type: str = "consumer",
        strategy: str = "range",
    ) -> None:
        self.name = name
        self.members: list[str] = []
        self.generation = -1
        self._wires, self._type, self._strategy = wires, protocol_type, strategy

    def join(self, metadata: Sequence[bytes]) -> None:
        """All join, with these bytes as metadata; the group is then CompletingRebalance."""
        self._ids(metadata)
        last = len(self.members) - 1
        for at in range(last, -1, -1):  # the first, who is there already, completes the join
            if at == 0 and last:
                time.sleep(0.05)
            self._wires[at].send(self._join(at, metadata[at]))
        answers = [self._wires[at].receive() for at in range(last + 1)]
        assert not any(answer.error_code for answer in answers), answers
        generations = {answer.generation_id for answer in answers}
        assert len(generations) == 1, generations
        (self.generation,) = generations
        self._leader = answers[0].leader

    def sync(self, assignments: Sequence[bytes]) -> None:
        """The leader hands out these bytes; the group is then Stable."""
        handed: Mapping[str, bytes] = dict(zip(self.members, assignments, strict=True))
        order = sorted(range(len(self.members)), key=lambda at: self.members[at] != self._leader)
        for at in order:
            leads = self.members[at] == self._leader
            self._wires[at].send(self._sync(at, handed if leads else {}))
        for at in order:
            answer = self._wires[at].receive()
            assert not answer.error_code, answer

    def form(self, metadata: Sequence[bytes], assignments: Sequence[bytes]) -> None:
        """Join and sync."""
        self.join(metadata)
        self.sync(assignments)

    def begin_rebalance(self, metadata: bytes) -> None:
        """One asks to join anew, with other metadata, and the rest don't: PreparingRebalance."""
        self._wires[1].send(self._join(1, metadata))
        time.sleep(0.2)

    def _ids(self, metadata: Sequence[bytes]) -> None:
        """Member ids, which the coordinator gives; the first member joins alone, at once."""
        for at, data in enumerate(metadata):
            self.members.append("")
            answers: list[Any] = []

            def loaded(at: int = at, data: bytes = data, answers: list[Any] = answers) -> bool:
                answers[:] = [self._wires[at].ask(self._join(at, data))]
                return answers[0].error_code not in LOADING

            until(loaded, f"the coordinator of {self.name} has loaded its groups", seconds=20)
            (answer,) = answers
            assert answer.error_code == MEMBER_ID_REQUIRED, answer
            self.members[at] = answer.member_id
            if at == 0 and len(metadata) > 1:
                assert not self._wires[0].ask(self._join(0, data)).error_code

    def _join(self, at: int, metadata: bytes) -> JoinGroupRequest:
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(name=self._strategy, metadata=metadata)
        return JoinGroupRequest(
            group_id=self.name,
            session_timeout_ms=SESSION,
            rebalance_timeout_ms=SESSION,
            member_id=self.members[at],
            group_instance_id=None,
            protocol_type=self._type,
            protocols=[protocol],
        )

    def _sync(self, at: int, handed: Mapping[str, bytes]) -> SyncGroupRequest:
        item = SyncGroupRequest.SyncGroupRequestAssignment
        return SyncGroupRequest(
            group_id=self.name,
            generation_id=self.generation,
            member_id=self.members[at],
            group_instance_id=None,
            protocol_type=self._type,
            protocol_name=self._strategy,
            assignments=[item(member_id=m, assignment=data) for m, data in handed.items()],
        )
