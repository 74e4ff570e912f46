"""The assignors for Java: in leaders as Python's answers, and in brokers (KIP-848) by rules."""

import base64
import json
import logging
import random
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.optimizer.assignor.plan_cases import Case, answered, by_chance, differences, read_cases
from tests.paths import ROOT
from tests.support.assignor_jar import assignor_jar, java

pytestmark = pytest.mark.live

Answer = dict[str, dict[str, list[int]]]
Call = dict[str, Any]


def answers_of(program: str, cases: Sequence[Mapping[str, Any]]) -> list[Any]:
    """What a program of the jar's tests answers: one process for all cases."""
    run = subprocess.run(
        [java(), "-XX:TieredStopAtLevel=1", "-cp", assignor_jar().tests, f"io.evenfleet.{program}"],
        input="".join(f"{json.dumps(case)}\n" for case in cases),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_the_jar_has_its_license() -> None:
    with zipfile.ZipFile(assignor_jar().jar) as packed:
        assert packed.read("META-INF/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_java_answers_as_the_cases_say() -> None:
    cases = read_cases()
    answers = answers_of("PlanCases", cases)
    pairs = zip(cases, answers, strict=True)
    assert [fault for case, other in pairs for fault in differences(case, other)] == []


def test_both_take_or_refuse_a_damaged_plan_alike(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "optimizer.live.plan_assignor")
    cases = [answered(case) for case in damaged(500)]
    pairs = zip(cases, answers_of("PlanCases", cases), strict=True)
    assert [fault for case, other in pairs for fault in differences(case, other)] == []
    assert 10 < sum(case["why"] is None for case in cases) < 490


PIECES = (
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\\u", b"\\ud800", b"\\u0000", b"0"),
    *(b"-", b"-0", b"1", b"00", b"1.0", b"1e2", b"9" * 20, b"true", b"null", b"NaN", b"{}"),
    *(b"[]", b'""', b'"t"', b'"a"', b"\n", b"\t", b"\x00", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80"),
    *(b"\xef\xbb\xbf", b'"version"', b'"members"', b'"topic_ids"', b'"protocol"', b"2", b"3"),
)


def damaged(count: int, seed: int = 19) -> Iterator[Case]:
    """Cases of sound plans, each with one to four changes in its file."""
    chance = random.Random(seed)
    sound = [case for case in read_cases() if case["why"] is None]
    for number in range(count):
        origin = chance.choice(sound)
        text = base64.b64decode(origin["plan"])
        for _ in range(chance.randint(1, 4)):
            text = _changed(chance, text)
        plan = base64.b64encode(text).decode()
        yield origin | {"name": f"{number} of {origin['name']}", "plan": plan}


def _changed(chance: random.Random, text: bytes) -> bytes:
    start = chance.randrange(len(text) + 1)
    end = min(len(text), start + chance.choice([0, 0, 1, 1, 2, 8, 40]))
    match chance.randrange(5):
        case 0:
            return text[:start] + text[end:]
        case 1:
            return text[:start] + text[start:end] * 2 + text[end:]
        case 2:
            return text[:start] + bytes([chance.randrange(256)]) + text[end:]
        case 3:
            digits = [at for at, byte in enumerate(text) if chr(byte).isdigit()] or [0]
            at = chance.choice(digits)
            return text[:at] + str(chance.randrange(12)).encode() + text[at + 1 :]
        case _:
            return text[:start] + chance.choice(PIECES) + text[end:]


def kafka_id(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(16, "big")).decode().rstrip("=")


TOPICS = ("t", "u", *(f"topic-{number}" for number in range(4)))
IDS = {name: kafka_id(at + 1000) for at, name in enumerate(TOPICS)}
NAMES = {topic_id: name for name, topic_id in IDS.items()}


def assigned_by_brokers(cases: Sequence[dict[str, Any]]) -> list[list[Answer]]:
    """What the broker's assignor assigns in each call of each case, by topics' names."""
    return [
        [
            {
                member: {NAMES[topic]: parts for topic, parts in by.items()}
                for member, by in call.items()
            }
            for call in calls
        ]
        for calls in answers_of("BrokerCases", cases)
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
    return dict(zip(cases, assigned_by_brokers(asked), strict=True))


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
    made = list(_by_chance())
    cases = [{"plans": {"g.json": text}, "calls": [asked]} for text, asked, _ in made]
    result = assigned_by_brokers(cases)
    for (_, asked, kept), (assigned,) in zip(made, result, strict=True):
        reads = {member["id"]: {NAMES[t] for t in member["topics"]} for member in asked["members"]}
        owner = {(t, p): m for m, by in assigned.items() for t, parts in by.items() for p in parts}
        read = set().union(*reads.values())
        sizes = {NAMES[topic]: count for topic, count in asked["topics"].items()}
        assert owner.keys() == {(t, p) for t in read for p in range(sizes[t])}
        assert sum(loads(assigned)) == len(owner)
        assert all(topic in reads[member] for (topic, _), member in owner.items())
        assert kept.items() <= owner.items()
        free = {item: member for item, member in owner.items() if item not in kept}
        assert not _improvable(
            free, reads, Counter(dict.fromkeys(reads, 0)) + Counter(owner.values())
        )


def _by_chance() -> Iterator[tuple[str, Call, dict[tuple[str, int], str]]]:
    """A plan, a group that it fits for the most part, and what fits of it; some are away."""
    chance = random.Random(848)
    for case in by_chance():
        dealt = GroupPlan.from_text(base64.b64decode(case["plan"])).members
        members = {item["instance"] or item["id"][:-37]: item for item in case["members"]}
        for name in chance.sample(sorted(members), chance.randint(0, len(members) // 2)):
            del members[name]
        there = {name: item["topics"] for name, item in members.items()}
        planned = {topic for part in dealt.values() for topic in part}
        read = {topic for topics in there.values() for topic in topics}
        entries = there.keys() & dealt.keys()
        fits = 2 * len(planned & read) > len(planned | read) and 2 * len(entries) > len(there)
        kept = {
            (topic, partition): f"{name}1"
            for name in entries
            for topic, parts in dealt[name].items()
            for partition in parts
            if fits
        }
        has = {name: item["owned"] for name, item in members.items()}
        yield plan(dealt), call(there, case["topics"], has), kept


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
