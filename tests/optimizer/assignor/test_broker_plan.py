"""The broker's assignor (KIP-848), asked as a broker asks it."""

from __future__ import annotations

import base64
import json
import random
import subprocess
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.paths import ROOT
from tests.support.assignor_jar import assignor_jar, java

Answer = dict[str, dict[str, list[int]]]
Call = dict[str, Any]


def kafka_id(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(16, "big")).decode().rstrip("=")


IDS = {name: kafka_id(at + 1000) for at, name in enumerate("tuvwx")}
NAMES = {topic_id: name for name, topic_id in IDS.items()}


def answers(cases: Sequence[dict[str, Any]]) -> list[list[Answer]]:
    """What it assigns in each call of each case, by topics' names."""
    built = assignor_jar()
    run = subprocess.run(
        [java(), "-XX:TieredStopAtLevel=1", "-cp", built.tests, "io.evenfleet.BrokerCases"],
        input="".join(f"{json.dumps(case)}\n" for case in cases),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [
        [
            {
                item: {NAMES[topic]: parts for topic, parts in by.items()}
                for item, by in call.items()
            }
            for call in json.loads(line)
        ]
        for line in run.stdout.splitlines()
    ]


def plan(members: dict[str, Topics], **fields: Any) -> str:
    topics = {topic for part in members.values() for topic in part}
    row: dict[str, Any] = {"topic_ids": {topic: IDS[topic] for topic in topics}} | fields
    return GroupPlan("c", "g", "s", members, protocol="consumer", **row).to_text()


def call(
    members: Mapping[str, Sequence[str]],
    topics: Mapping[str, int],
    has: Mapping[str, Topics] | None = None,
    ids: str = "1",
    static: bool = True,
) -> Call:
    """A rebalance: topics by member, whose member ids end in `ids`, and what each has now."""
    return {
        "topics": {IDS[topic]: count for topic, count in topics.items()},
        "members": [
            {
                "id": f"{name}{ids}",
                "instance": name if static else None,
                "topics": [IDS[topic] for topic in read],
                "has": {IDS[t]: parts for t, parts in (has or {}).get(name, {}).items()},
            }
            for name, read in members.items()
        ],
    }


PLAN: dict[str, Topics] = {"a": {"t": [0]}, "b": {"t": [1, 2, 3]}, "c": {"t": [4, 5]}}
ALL = {name: ["t"] for name in PLAN}
SIX = {"t": 6}
PLANNED = {"a1": {"t": [0]}, "b1": {"t": [1, 2, 3]}, "c1": {"t": [4, 5]}}


@pytest.fixture(scope="module")
def rules() -> dict[str, list[Answer]]:
    """Answers to cases written by hand, of one process."""
    even: dict[str, Topics] = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}, "c": {"t": [4, 5]}}
    two = {name: ALL[name] for name in "ab"}
    second = call(ALL, SIX, ids="9")
    dynamic = plan(PLAN, member_ids={name: f"{name}1" for name in PLAN})
    cases = {
        "fits": ({"g.json": plan(PLAN)}, [call(ALL, SIX), call(ALL, SIX, even)]),
        "by member ids": ({"g.json": dynamic}, [call(ALL, SIX, static=False)]),
        "a guest": ({"g.json": plan(PLAN)}, [call({**ALL, "guest": []}, SIX)]),
        "one is away": ({"g.json": plan(PLAN)}, [call(two, SIX, PLAN)]),
        "one is new": ({"g.json": plan(PLAN)}, [call({**ALL, "d": ["t"]}, SIX, PLAN)]),
        "grown": ({"g.json": plan(PLAN)}, [call(ALL, {"t": 9}, PLAN)]),
        "deleted": ({"g.json": plan(PLAN)}, [call(ALL, {}, PLAN)]),
        "no ids": ({"g.json": plan(PLAN, topic_ids={})}, [call(ALL, SIX)]),
        "other topics": ({"g.json": plan(PLAN)}, [call({name: ["u"] for name in ALL}, {"u": 3})]),
        "damaged": ({"g.json": plan(PLAN)[:-9]}, [call(ALL, SIX)]),
        "hidden": ({".g.json": plan(PLAN), "index.json": plan(PLAN)}, [call(ALL, SIX)]),
        "two plans": ({"g.json": plan(PLAN), "h.json": plan(even)}, [call(ALL, SIX)]),
        "two groups": ({"g.json": plan(PLAN)}, [call(ALL, SIX), second, call(ALL, SIX), second]),
        "started anew": ({"g.json": plan(PLAN)}, [call(ALL, SIX), second, second]),
    }
    asked = [{"plans": plans, "calls": calls} for plans, calls in cases.values()]
    return dict(zip(cases, answers(asked), strict=True))


def loads(answer: Answer) -> list[int]:
    return sorted(sum(map(len, topics.values())) for topics in answer.values())


def test_a_plan_that_fits_is_assigned(rules: dict[str, list[Answer]]) -> None:
    assert rules["fits"] == [PLANNED, PLANNED]
    assert rules["by member ids"] == [PLANNED]
    assert rules["a guest"] == [{**PLANNED, "guest1": {}}]


def test_what_fits_is_kept_and_the_rest_is_placed(rules: dict[str, list[Answer]]) -> None:
    (away,) = rules["one is away"]
    assert away == {"a1": {"t": [0, 4, 5]}, "b1": {"t": [1, 2, 3]}}
    assert rules["one is new"] == [{**PLANNED, "d1": {}}]
    (grown,) = rules["grown"]
    assert all(set(PLANNED[name]["t"]) <= set(grown[name]["t"]) for name in PLANNED)
    assert loads(grown) == [3, 3, 3]
    assert rules["deleted"] == [{name: {} for name in PLANNED}]


@pytest.mark.parametrize("case", ["no ids", "damaged", "hidden", "two plans", "other topics"])
def test_without_a_plan_loads_are_even(rules: dict[str, list[Answer]], case: str) -> None:
    assert len(set(loads(rules[case][0]))) == 1


def test_never_two_groups_by_one_plan(rules: dict[str, list[Answer]]) -> None:
    """As soon as it shows that members of two lives have one name, neither has the plan."""
    assert [loads(answer) for answer in rules["two groups"][2:]] == [[2, 2, 2]] * 2
    anew = {f"{name[0]}9": part for name, part in PLANNED.items()}
    assert rules["started anew"] == [PLANNED, anew, anew]


def test_the_rest_is_as_even_as_subscriptions_allow() -> None:
    """All have an owner who reads it, what fits is kept, and no way leads to less."""
    chance = random.Random(848)
    made = [_by_chance(chance) for _ in range(150)]
    result = answers([{"plans": {"g.json": text}, "calls": [asked]} for text, asked, _ in made])
    for (_, asked, kept), (answer,) in zip(made, result, strict=True):
        reads = {member["id"]: {NAMES[t] for t in member["topics"]} for member in asked["members"]}
        owner = {(t, p): m for m, by in answer.items() for t, parts in by.items() for p in parts}
        read = set().union(*reads.values())
        sizes = {NAMES[topic]: count for topic, count in asked["topics"].items()}
        assert owner.keys() == {(t, p) for t in read for p in range(sizes[t])}
        assert sum(loads(answer)) == len(owner)
        assert all(topic in reads[member] for (topic, _), member in owner.items())
        assert kept.items() <= owner.items()
        free = {item: member for item, member in owner.items() if item not in kept}
        assert not _improvable(
            free, reads, Counter(dict.fromkeys(reads, 0)) + Counter(owner.values())
        )


def _by_chance(chance: random.Random) -> tuple[str, Call, dict[tuple[str, int], str]]:
    """A plan, a group that it fits for the most part, and what fits of it."""
    sizes = {topic: chance.randint(1, 8) for topic in "tuvwx"[: chance.randint(1, 5)]}
    names = [f"m{at}" for at in range(chance.randint(2, 7))]
    reads = {name: chance.sample(list(sizes), chance.randint(1, len(sizes))) for name in names}
    dealt: dict[str, Topics] = {name: {} for name in names}
    has: dict[str, Topics] = {name: {} for name in names}
    for topic, count in sizes.items():
        readers = [name for name in names if topic in reads[name]]
        for partition in range(count if readers else 0):
            for deal in (dealt, has):
                deal[chance.choice(readers)].setdefault(topic, []).append(partition)
    text = plan(dealt)
    away = set(chance.sample(names, chance.randint(0, len(names) // 2)))
    there = {name: reads[name] for name in names if name not in away}
    if chance.random() < 0.3:
        there["new"] = list(sizes)
    grown = {topic: count + chance.choice([0, 0, 3]) for topic, count in sizes.items()}
    planned = {topic for part in dealt.values() for topic in part}
    read = {topic for topics in there.values() for topic in topics}
    entries = set(there) - {"new"}
    fits = 2 * len(planned & read) > len(planned | read) and 2 * len(entries) > len(there)
    kept = {
        (topic, partition): f"{name}1"
        for name in entries
        for topic, parts in dealt[name].items()
        for partition in parts
        if fits
    }
    return text, call(there, grown, has), kept


def _improvable(
    free: Mapping[tuple[str, int], str], reads: Mapping[str, set[str]], load: Counter[str]
) -> bool:
    """Whether partitions could go, over any number of members, to one with two less."""
    gives = {member: {t for (t, _), owner in free.items() if owner == member} for member in reads}
    for start in reads:
        reached, new = {start}, [start]
        while new:
            member = new.pop()
            for other in reads:
                if other not in reached and gives[member] & reads[other]:
                    reached.add(other)
                    new.append(other)
        if any(load[other] <= load[start] - 2 for other in reached):
            return True
    return False


def test_the_jar_has_its_license() -> None:
    with zipfile.ZipFile(assignor_jar().jar) as packed:
        assert packed.read("META-INF/LICENSE") == (ROOT / "LICENSE").read_bytes()
