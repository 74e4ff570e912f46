"""Cases of plans and groups that Python's assignor and Java's answer alike, kept in a file.

A line of JSON each: `plan` (the file's bytes in base64), `group` (its name), `topics` (partitions
by topic), `members` (id, instance, topics, owned, generation, user_data in base64), and the
answers: `why` the plan isn't used (null: it is), `assignment` (eager) and `first_round`
(cooperative), partitions by member and topic. Null stands for an answer that isn't asked: a member
tells Java's eager assignor by user data what it tells the cooperative one by Kafka's own fields.
"""

from __future__ import annotations

import base64
import gzip
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from optimizer.assignor.plan_assignor import PlanAssignor
from optimizer.assignor.plan_faults import TOO_DEEP
from tests.optimizer.assignor.leader import Cluster, joined, owned
from tests.paths import DATA

Case = dict[str, Any]

FILE = DATA / "plan_cases.jsonl.gz"

UNSOUND = "it isn't sound JSON"
"""How a reason begins that each reader gives in its own words."""


def read_cases() -> list[Case]:
    with gzip.open(FILE, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def write_cases(cases: Iterable[Case]) -> None:
    text = "".join(f"{json.dumps(case)}\n" for case in cases)
    FILE.write_bytes(gzip.compress(text.encode("ascii"), mtime=0))


def member(
    member_id: str,
    topics: Sequence[str],
    owned: Mapping[str, Sequence[int]] | None = None,
    *,
    instance: str | None = None,
    generation: int = -1,
    user_data: bytes | None = None,
) -> dict[str, Any]:
    return {
        "id": member_id,
        "instance": instance,
        "topics": list(topics),
        "owned": {topic: list(partitions) for topic, partitions in (owned or {}).items()},
        "generation": generation,
        "user_data": None if user_data is None else base64.b64encode(user_data).decode(),
    }


def case(
    name: str,
    plan: str | bytes,
    members: Sequence[dict[str, Any]],
    topics: Mapping[str, int],
    group: str = "g",
) -> Case:
    data = plan.encode("utf-8", "surrogatepass") if isinstance(plan, str) else plan
    return {
        "name": name,
        "group": group,
        "topics": dict(topics),
        "members": list(members),
        "plan": base64.b64encode(data).decode(),
    }


def answer(inputs: Case) -> Case:
    """What Python's assignor answers."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_bytes(base64.b64decode(inputs["plan"]))
        (assignment, report), (first_round, _) = (
            _assigned(inputs, file, cooperative) for cooperative in (False, True)
        )
    why = None if report.startswith("of snapshot") else report.partition(": ")[2]
    return {"why": why, "assignment": assignment, "first_round": first_round}


def _assigned(inputs: Case, file: Path, cooperative: bool) -> tuple[dict[str, Any], str]:
    assignor = PlanAssignor(file, inputs["group"], cooperative=cooperative, timeout=60)
    assignor.metadata({topic for member in inputs["members"] for topic in member["topics"]})
    members = [
        joined(
            item["id"],
            item["topics"],
            item["owned"],
            instance_id=item["instance"],
            generation=item["generation"],
            user_data=None if item["user_data"] is None else base64.b64decode(item["user_data"]),
        )
        for item in inputs["members"]
    ]
    result: dict[str, dict[str, list[int]]] = {}
    for member_id, partitions in owned(assignor.assign(Cluster(inputs["topics"]), members)).items():
        by_topic = result.setdefault(member_id, {})
        for topic, partition in partitions:
            by_topic.setdefault(topic, []).append(partition)
    return result, assignor._last_report


def differences(inputs: Case, answered: Case) -> list[str]:
    """What of an answer isn't as the case has it."""
    result = [
        f"{inputs['name']}: {what} is {answered[what]}, not {inputs[what]}"
        for what in ("assignment", "first_round")
        if inputs.get(what) is not None and answered[what] != inputs[what]
    ]
    if not same_reason(inputs["why"], answered["why"]):
        result.append(f"{inputs['name']}: the reason is {answered['why']!r}, not {inputs['why']!r}")
    return result


def same_reason(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return one is other
    # what is unsound and too deep as well is told as what is met first
    return one == other or all(why == TOO_DEEP or why.startswith(UNSOUND) for why in (one, other))
