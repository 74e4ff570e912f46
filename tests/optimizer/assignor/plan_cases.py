"""Cases of plans and groups that Python's assignor and Java's answer alike, kept in a file.

Half were written by hand, for each rule and each way of a file to be damaged; groups "by chance"
are random ones, of which most fit their plan. When a rule changes, or with a file of new cases:

    python -m tests.optimizer.assignor.plan_cases [NEW.jsonl]

answers all of them as Python does now. Java's assignor, which was written from the rules and not
from this code, has to say the same.

A line of JSON each: `plan` (the file's bytes in base64), `group` (its name), `topics` (partitions
by topic), `members` (id, instance, topics, owned, generation, user_data in base64), and the
answers: `why` the plan isn't used (null: it is), `assignment` (eager) and `first_round`
(cooperative), partitions by member and topic. Null stands for an answer that isn't asked: a member
tells Java's eager assignor by user data what it tells the cooperative one by Kafka's own fields.
"""

import base64
import gzip
import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

from optimizer.assignor.plan_assignor import PlanAssignor
from optimizer.assignor.plan_file import TOO_DEEP
from tests.optimizer.assignor.leader import Cluster, joined, owned
from tests.paths import DATA

Case = dict[str, Any]

FILE = DATA / "plan_cases.jsonl.gz"

ANSWERS = ("assignment", "first_round")

UNSOUND = "it isn't sound JSON"
"""How a reason begins that each reader gives in its own words."""


def read_cases() -> list[Case]:
    with gzip.open(FILE, "rt", encoding="ascii") as lines:
        return [json.loads(line) for line in lines]


def by_chance() -> list[Case]:
    """Groups and plans that are random, most of which fit."""
    return [case for case in read_cases() if case["name"].startswith("by chance")]


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
        for what in ANSWERS
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


def answered(inputs: Case) -> Case:
    """The case with Python's answers, as far as they are asked."""
    unasked = {what: None for what in ANSWERS if inputs.get(what, ...) is None}
    return inputs | answer(inputs) | unasked


def main() -> None:
    logging.disable()
    new = [
        json.loads(line) for file in sys.argv[1:] for line in Path(file).read_text().splitlines()
    ]
    cases = [answered(item) for item in [*read_cases(), *new]]
    assert len({item["name"] for item in cases}) == len(cases)
    text = "".join(f"{json.dumps(item)}\n" for item in cases)
    FILE.write_bytes(gzip.compress(text.encode("ascii"), mtime=0))


if __name__ == "__main__":
    main()
