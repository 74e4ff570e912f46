"""Members of classic groups that say exactly what a test wants, byte by byte.

Each member has a connection of its own, because a broker holds back the answer to a join.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import Any

from kafka.protocol.consumer.group import (
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    JoinGroupResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)
from kafka.protocol.metadata import FindCoordinatorRequest, FindCoordinatorResponse

SESSION = 1_800_000  # milliseconds, the most that brokers allow: nobody sends heartbeats here
MEMBER_ID_REQUIRED = 79
LOADING = (14, 15, 16)  # a coordinator that has become one just now
RESPONSES = {
    JoinGroupRequest: (JoinGroupResponse, 7),
    SyncGroupRequest: (SyncGroupResponse, 5),
    FindCoordinatorRequest: (FindCoordinatorResponse, 4),
    HeartbeatRequest: (HeartbeatResponse, 4),
}


class Wire:
    """A connection that carries one request at a time."""

    def __init__(self, server: str, client_id: str = "raw") -> None:
        host, port = server.split(":")
        self._socket = socket.create_connection((host, int(port)), timeout=20)
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
        (size,) = struct.unpack(">i", self._read(4))
        return response.decode(self._read(size), version=version, header=True)

    def ask(self, request: Any) -> Any:
        self.send(request)
        return self.receive()

    def close(self) -> None:
        self._socket.close()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise ConnectionError("the broker closed the connection")
            data += more
        return data


def coordinators(bootstrap: str, groups: Sequence[str]) -> dict[str, str]:
    """`host:port` of the coordinator of each group, once there are any."""
    wire = Wire(bootstrap.partition(",")[0])
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            answer = wire.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=list(groups)))
            if not any(coordinator.error_code for coordinator in answer.coordinators):
                return {
                    coordinator.key: f"{coordinator.host}:{coordinator.port}"
                    for coordinator in answer.coordinators
                }
            time.sleep(0.2)
    finally:
        wire.close()
    raise TimeoutError("the groups have no coordinators")


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
        self._wires = wires
        self._type = protocol_type
        self._strategy = strategy

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
            inputs = handed if self.members[at] == self._leader else {}
            self._wires[at].send(self._sync(at, inputs))
        for at in order:
            answer = self._wires[at].receive()
            assert not answer.error_code, answer

    def begin_rebalance(self, metadata: bytes) -> None:
        """One asks to join anew, with other metadata, and the rest don't: PreparingRebalance."""
        self._wires[1].send(self._join(1, metadata))
        time.sleep(0.2)

    def _ids(self, metadata: Sequence[bytes]) -> None:
        """Member ids, which the coordinator gives; the first member joins alone, at once."""
        for at, data in enumerate(metadata):
            self.members.append("")
            answer = self._wires[at].ask(self._join(at, data))
            for _ in range(100):
                if answer.error_code not in LOADING:
                    break
                time.sleep(0.1)
                answer = self._wires[at].ask(self._join(at, data))
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


def subscription(
    topics: Sequence[str], generation: int = -1, rack: str | None = None, version: int = 3
) -> bytes:
    """Metadata as Java's consumer sends it, with nothing owned."""
    data = struct.pack(">hi", version, len(topics)) + b"".join(map(text, topics))
    return data + struct.pack(">iii", -1, 0, generation) + text(rack)


def assignment(owned: Mapping[str, Sequence[int]]) -> bytes:
    """What the leader's assignor hands to a member."""
    data = struct.pack(">hi", 1, len(owned))
    for topic, numbers in owned.items():
        data += text(topic) + struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)
    return data + struct.pack(">i", -1)


def text(value: str | None) -> bytes:
    if value is None:
        return struct.pack(">h", -1)
    return struct.pack(">h", len(value.encode())) + value.encode()
