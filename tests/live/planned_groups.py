"""Groups of members that cost little and go by a plan: two members and one thread each.

They join, assign by the plan in their file, send heartbeats, join anew when they are told to, and
find their coordinator again when it has moved, as consumers with a PlanAssignor do.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kafka.protocol.consumer.group import HeartbeatRequest, JoinGroupRequest, SyncGroupRequest

from optimizer.assignor.plan_file import GroupPlan, PlanFileError, Topics
from tests.live.raw_group import MEMBER_ID_REQUIRED, Wire, assignment, coordinators, subscription

KEYS = ("a", "b")
BEAT_EVERY = 0.3  # seconds
SESSION = 30_000  # milliseconds
_UUID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


class _AnewError(Exception):
    """The coordinator says that one has to join anew, or says nothing any more."""


class PlannedGroup(threading.Thread):
    """Members a and b of a group that reads one topic; `reads_plan` is whether its leader does."""

    def __init__(self, name: str, bootstrap: str, topic: str, file: Path) -> None:
        super().__init__(daemon=True, name=name)
        self.generation = 0
        self.owned: dict[str, list[int]] = {}
        self.reads_plan = True
        self._servers, self._topic, self._file = bootstrap, topic, file
        self._ended = threading.Event()
        self._ids = dict.fromkeys(KEYS, "")
        self._wires: dict[str, Wire] = {}

    def end(self) -> None:
        self._ended.set()

    def run(self) -> None:
        while not self._ended.is_set():
            try:
                if not self._wires:
                    self._connect()
                self._join_and_sync()
                while not self._ended.wait(BEAT_EVERY):
                    self._beat()
            except _AnewError:
                continue
            # the last is what kafka-python makes of an answer that is but an error
            except (OSError, TimeoutError, IndexError):
                self._disconnect()
                self._ended.wait(BEAT_EVERY)
        self._disconnect()

    def _connect(self) -> None:
        alive = ""
        for server in self._servers.split(","):
            try:
                alive = coordinators(server, [self.name])[self.name]
                break
            except OSError:
                continue
        if not alive:
            raise TimeoutError("no broker answers")
        self._wires = {key: Wire(alive, key) for key in KEYS}

    def _disconnect(self) -> None:
        for wire in self._wires.values():
            wire.close()
        self._wires = {}

    def _join_and_sync(self) -> None:
        for key in KEYS:
            self._wires[key].send(self._join(key))
        answers = {key: self._wires[key].receive() for key in KEYS}
        for key, answer in answers.items():
            if answer.error_code == MEMBER_ID_REQUIRED:
                self._ids[key] = answer.member_id
            elif answer.error_code:
                self._fail(key, answer.error_code)
        if any(answer.error_code for answer in answers.values()):
            raise _AnewError
        leading = [key for key in KEYS if answers[key].leader == answers[key].member_id]
        for key in KEYS:
            generation = answers[key].generation_id
            inputs = self._assign(answers[key].members) if key in leading else {}
            self._wires[key].send(self._sync(key, generation, inputs))
        for key in KEYS:
            answer = self._wires[key].receive()
            if answer.error_code:
                self._fail(key, answer.error_code)
                raise _AnewError
        if leading:  # or a guest leads, who is about to leave
            self.generation = answers[leading[0]].generation_id

    def _fail(self, key: str, code: int) -> None:
        if code == 25:  # UNKNOWN_MEMBER_ID
            self._ids[key] = ""
        elif code not in (22, 27):  # ILLEGAL_GENERATION, REBALANCE_IN_PROGRESS
            raise TimeoutError(f"error {code}: look for the coordinator again")

    def _assign(self, members: Sequence[Any]) -> dict[str, bytes]:
        ids = {_UUID.sub("", member.member_id): member.member_id for member in members}
        try:
            plan = GroupPlan.from_text(self._file.read_bytes()) if self.reads_plan else None
        except (OSError, PlanFileError):
            plan = None
        if plan is not None:
            self.owned = {key: plan.members[key].get(self._topic, []) for key in KEYS}
        return {
            ids[key]: assignment({self._topic: self.owned.get(key, [])})
            for key in KEYS
            if key in ids
        }

    def _beat(self) -> None:
        for key in KEYS:
            request = HeartbeatRequest(
                group_id=self.name,
                generation_id=self.generation,
                member_id=self._ids[key],
                group_instance_id=None,
            )
            answer = self._wires[key].ask(request)
            if answer.error_code:
                self._fail(key, answer.error_code)
                raise _AnewError

    def _join(self, key: str) -> JoinGroupRequest:
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(
            name="evenfleet-plan", metadata=subscription([self._topic])
        )
        return JoinGroupRequest(
            group_id=self.name,
            session_timeout_ms=SESSION,
            rebalance_timeout_ms=SESSION,
            member_id=self._ids[key],
            group_instance_id=None,
            protocol_type="consumer",
            protocols=[protocol],
        )

    def _sync(self, key: str, generation: int, entries: dict[str, bytes]) -> SyncGroupRequest:
        item = SyncGroupRequest.SyncGroupRequestAssignment
        return SyncGroupRequest(
            group_id=self.name,
            generation_id=generation,
            member_id=self._ids[key],
            group_instance_id=None,
            protocol_type="consumer",
            protocol_name="evenfleet-plan",
            assignments=[item(member_id=m, assignment=data) for m, data in entries.items()],
        )


@contextmanager
def running(groups: Sequence[PlannedGroup]) -> Iterator[None]:
    for group in groups:
        group.start()
    try:
        yield
    finally:
        for group in groups:
            group.end()
        for group in groups:
            group.join(20)


def plan_of(cluster: str, name: str, topic: str, a: Sequence[int], b: Sequence[int]) -> GroupPlan:
    members: dict[str, Topics] = {"a": {topic: list(a)}, "b": {topic: list(b)}}
    return GroupPlan(cluster, name, "by-hand", members)
