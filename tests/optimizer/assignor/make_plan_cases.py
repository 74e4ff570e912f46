"""Writes tests/data/plan_cases.jsonl.gz: python -m tests.optimizer.assignor.make_plan_cases.

Cases written by hand for each rule, and groups by chance. What they answer is Python's; Java's
assignor, which was written from the rules and not from this code, has to say the same.
"""

from __future__ import annotations

import json
import logging
import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from optimizer.assignor.membership import Mark
from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.optimizer.assignor.plan_cases import Case, answer, case, member, write_cases

ID, OTHER_ID = "ERERESIiMzNERFVVVVVVVQ", "AAAAAAAAAAAAAAAAAAAAAQ"
TWO = {"t": 4, "u": 2}
READ = ["t", "u"]
PLAN: dict[str, Topics] = {"a": {"t": [3], "u": [0, 1]}, "b": {"t": [0, 1, 2]}}


def dynamic(client_id: str, number: int = 1) -> str:
    return f"{client_id}-{UUID(int=number)}"


A, B, C = (dynamic(name) for name in "abc")
BOTH = [member(A, READ), member(B, READ)]


def text(members: dict[str, Topics], group: str = "g") -> str:
    return GroupPlan("c", group, "s1", members, topic_ids={"t": ID}).to_text()


def stated(**fields: Any) -> str:
    plan = {**json.loads(text(PLAN)), **fields}
    return json.dumps({key: value for key, value in plan.items() if value is not ...})


def of_files() -> Iterator[tuple[str, str | bytes]]:
    """Files that can't be read, or nearly can't."""
    yield from {
        "empty": "",
        "space": " \n",
        "cut": text(PLAN)[:-5],
        "more follows": text(PLAN) + "{}",
        "space follows": text(PLAN) + " \t\r\n",
        "no-break space follows": text(PLAN) + "\u00a0",
        "a byte order mark": "\ufeff" + text(PLAN),
        "UTF-16": text(PLAN).encode("utf-16"),
        "UTF-8 that isn't": text(PLAN).encode() + b"\xff",
        "a surrogate in UTF-8": text(PLAN).replace("s1", "\ud800"),
        "null": "null",
        "array": "[]",
        "number": "7",
        "other format": stated(format="other"),
        "no format": stated(format=...),
        "format is a list": stated(format=["evenfleet-plan"]),
        "no version": stated(version=...),
        "version 0": stated(version=0),
        "version 1": stated(version=1),
        "version 1 with nonsense of version 2": stated(version=1, topic_ids=7, protocol=8),
        "version 3": stated(version=3),
        "version true": stated(version=True),
        "version 2.0": stated(version=2.0),
        "version as a text": stated(version="2"),
        "version of many digits": stated().replace('"version": 2', '"version": 1' + "0" * 17),
        "cluster is null": stated(cluster=None),
        "no group": stated(group=...),
        "snapshot is a number": stated(snapshot=1),
        "no members": stated(members=...),
        "members is a list": stated(members=[]),
        "no member at all": stated(members={}),
        "a member's part is a list": stated(members={"a": []}),
        "partitions are a text": stated(members={"a": {"t": "0"}}),
        "partitions are an object": stated(members={"a": {"t": {}}}),
        "a partition is true": stated(members={"a": {"t": [0, True]}}),
        "a partition is 0.0": stated(members={"a": {"t": [0.0]}}),
        "a partition is null": stated(members={"a": {"t": [None]}}),
        "a partition is -0": stated().replace('"u": [0, 1]', '"u": [-0, 1]'),
        "a partition is 00": stated().replace('"u": [0, 1]', '"u": [00, 1]'),
        "a partition is +0": stated().replace('"u": [0, 1]', '"u": [+0, 1]'),
        "a partition is 1e0": stated().replace('"u": [0, 1]', '"u": [0, 1e0]'),
        "a partition is 1.": stated().replace('"u": [0, 1]', '"u": [0, 1.]'),
        "a partition is .1": stated().replace('"u": [0, 1]', '"u": [0, .1]'),
        "a partition is -": stated().replace('"u": [0, 1]', '"u": [0, -]'),
        "a partition is -1": stated(members={"a": {"t": [-1]}}),
        "a partition is there twice": stated(members={"a": {"t": [0]}, "b": {"t": [0]}}),
        "a partition is missing": stated(members={"a": {"t": [0, 2]}}),
        "a partition of 41 digits": stated(members={"a": {"t": [10**40]}}),
        "a number of 4300 digits": stated(comment=0).replace(": 0}", ": " + "1" * 4300 + "}"),
        "a number of 4301 digits": stated(comment=0).replace(": 0}", ": " + "1" * 4301 + "}"),
        "a huge exponent": stated(comment=0).replace('"comment": 0', '"comment": 1e999999'),
        "NaN": stated(comment=float("nan")),
        "Infinity": stated(comment=float("inf")),
        "minus Infinity": stated(comment=-float("inf")),
        "other keys": stated(comment=[{"x": None}, True, False, -1.5e-3, "\u20ac"]),
        "99 levels": stated(comment=0).replace('"comment": 0', '"comment": ' + "[" * 99 + "]" * 99),
        "101 levels": stated(comment=0).replace(
            '"comment": 0', '"comment": ' + "[" * 100 + "]" * 100
        ),
        "a thousand levels": "[" * 1000 + "]" * 1000,
        "a hundred thousand levels": "[" * 100_000,
        "a key twice": '{"members": {"a": {}, "b": {}, "a": {}, "b": {}, "a": {}}}',
        "a key twice, spelled in two ways": '{"a": 0, "\\u0061": 1}',
        "a key without quotes": "{a: 1}",
        "single quotes": "{'a': 1}",
        "a comma too many": '{"a": [1,]}',
        "a comma too many in an object": '{"a": 1,}',
        "no comma": '{"a": [1 2]}',
        "no colon": '{"a" 1}',
        "a line break in a text": '{"a": "\n"}',
        "no such escape": '{"a": "\\x41"}',
        "an escape that ends too early": '{"a": "\\u00',
        "an escape of odd digits": '{"a": "\\u00_1"}',
        "an escape of a fullwidth digit": '{"a": "\\u000\uff11"}',
        "nul": '{"a": nul}',
        "True": '{"a": True}',
        "a comment": "// plan\n" + text(PLAN),
        "no protocol": stated(protocol=...),
        "protocol share": stated(protocol="share"),
        "protocol is a list": stated(protocol=["classic"]),
        "protocol consumer": stated(protocol="consumer"),
        "no topic_ids": stated(topic_ids=...),
        "topic_ids is null": stated(topic_ids=None),
        "no topic id is known": stated(topic_ids={}),
        "a topic id is a number": stated(topic_ids={"t": 7}),
        "a topic id is too short": stated(topic_ids={"t": ID[:-1]}),
        "a topic id has bits too many": stated(topic_ids={"t": ID[:-1] + "B"}),
        "a topic id of base64's other signs": stated(topic_ids={"t": "+/" + ID[2:]}),
        "two topics of one id": stated(topic_ids={"t": ID, "u": ID}),
        "ids of topics that aren't planned": stated(topic_ids={"x": ID, "u": OTHER_ID}),
        "member_ids is a list": stated(member_ids=[]),
        "member_ids is null": stated(member_ids=None),
        "member_ids of a stranger": stated(member_ids={"x": "1"}),
        "two members of one id": stated(member_ids={"a": "1", "b": "1"}),
        "a member id is null": stated(member_ids={"a": None}),
        "member_ids": stated(member_ids={"a": "1", "b": "2"}),
    }.items()


def of_groups() -> Iterator[Case]:
    """Groups that a sound plan fits, or doesn't."""
    good = text(PLAN)
    yield case("fits", good, BOTH, TWO)
    yield case("no member", good, [], TWO)
    yield case("nobody anywhere", text({}), [], {})
    yield case("a member is missing", good, BOTH[:1], TWO)
    yield case("a member is new", good, [*BOTH, member(C, READ)], TWO)
    yield case("two are new", good, [member(C, READ), member("B", READ), *BOTH], TWO)
    yield case("two of one key", good, [*BOTH, member(dynamic("a", 2), READ)], TWO)
    yield case(
        "two keys twice",
        good,
        [*BOTH, member(dynamic("b", 2), READ), member(dynamic("a", 2), READ)],
        TWO,
    )
    yield case("a topic has grown", good, BOTH, {"t": 5, "u": 2})
    yield case("a topic is gone", good, BOTH, {"t": 4})
    yield case("all topics are gone", good, BOTH, {})
    yield case("a topic is new", good, [member(A, [*READ, "v"]), BOTH[1]], {**TWO, "v": 1})
    yield case("a topic is new and unknown", good, [member(A, [*READ, "v"]), BOTH[1]], TWO)
    yield case("unsubscribed", good, [member(A, ["t"]), BOTH[1]], TWO)
    yield case("nobody reads a topic", good, [member(A, ["t"]), member(B, ["t"])], TWO)
    yield case("another group's", text(PLAN, "x"), BOTH, TWO)
    yield case("a guest that reads nothing", good, [*BOTH, member(C, [])], TWO)
    yield case("a guest, and no plan", "", [*BOTH, member(C, [])], TWO)
    yield case("a planned member reads nothing", good, [BOTH[0], member(B, [])], TWO)
    idle = text({**PLAN, "c": {}})
    yield case("an idle member", idle, [*BOTH, member(C, ["u"])], TWO)
    yield case("an idle member that reads nothing", idle, [*BOTH, member(C, [])], TWO)
    empty = text({**PLAN, "a": {**PLAN["a"], "v": []}})
    yield case("a topic of no partitions", empty, BOTH, TWO)
    static = [member("x", READ, instance="a"), member("y", READ, instance="b")]
    yield case("static members", good, static, TWO)
    yield case("static and dynamic ones", good, [static[0], BOTH[1]], TWO)
    yield case("an empty instance id", good, [member(A, READ, instance=""), BOTH[1]], TWO)
    yield case(
        "an instance id that looks like a member id",
        text({A: PLAN["a"], "b": PLAN["b"]}),
        [member("x", READ, instance=A), BOTH[1]],
        TWO,
    )
    yield case("a member id without UUID", good, [member("a", READ), BOTH[1]], TWO)
    yield case("a line break after the UUID", good, [member(A + "\n", READ), BOTH[1]], TWO)
    yield case("a UUID in capitals", good, [member(A.upper(), READ), BOTH[1]], TWO)
    for number, name in enumerate(
        [
            "it's",
            'say "x"',
            "'\"",
            "a\\b",
            "\n\r\t\x1b\x7f",
            "\xa0\xad",
            "\u202e",
            "ü€",
            "\U0001f600",
        ]
    ):
        odd = text({name: PLAN["a"], "b": PLAN["b"]})
        yield case(f"odd name {number}", odd, [member("x", READ, instance=name), BOTH[1]], TWO)
        yield case(f"odd name {number} is missing", odd, BOTH[1:], TWO)
    lone = stated(members={"\ud800": PLAN["a"], "b": PLAN["b"]})
    yield case("half a character in a name", lone, BOTH, TWO)
    order = text({"\uff5e": {}, "\U00010000": {}, "z": PLAN["b"], "y": PLAN["a"]})
    yield case("the first missing one, by code point", order, [member("w", READ)], TWO)
    yield case(
        "the first new one, by code point",
        good,
        [*BOTH, member("\uff5e", READ), member("\U00010000", READ)],
        TWO,
    )


def of_claims() -> Iterator[Case]:
    """Under the cooperative protocol nobody gets what another still has."""
    swapped = text({"a": PLAN["b"], "b": PLAN["a"]})
    has_a = {"t": [3], "u": [0, 1]}
    has_b = {"t": [0, 1, 2]}

    def both(name: str, b: dict[str, Any], plan: str = swapped) -> Case:
        return case(name, plan, [member(A, READ, has_a, generation=5, user_data=fine(A)), b], TWO)

    def fine(member_id: str) -> bytes:
        return Mark("x", 1, member_id).encode()

    yield both("swap", member(B, READ, has_b, generation=5, user_data=fine(B)))
    yield both("one has lost all", member(B, READ, generation=-1, user_data=Mark("x", 1).encode()))
    yield both(
        "one fell out and came back",
        member(B, READ, has_b, generation=5, user_data=fine(dynamic("b", 9))),
    )
    yield both("one was late", member(B, READ, has_b, generation=4, user_data=fine(B)))
    missed = Mark("x", 2, B).encode()
    yield both("one missed an assignment", member(B, READ, has_b, generation=4, user_data=missed))
    for number, data in enumerate(
        [b"null", b"[", b"[[[[", b'["x", true, 3]', b'["x", true, "y"]', b'["x", 1.0, "y"]']
    ):
        yield both(
            f"odd user data {number}", member(B, READ, has_b, generation=5, user_data=data)
        ) | {"assignment": None}
    taken = member(B, READ, {"t": [3]}, generation=6, user_data=fine(B))
    yield both("two claim one, the newer has it", taken)
    same = member(B, READ, {"t": [3]}, generation=5, user_data=fine(B))
    yield both("two of one generation claim one", same)
    yield both(
        "claims of what isn't read any more",
        member(B, ["t"], {"t": [0], "u": [0]}, generation=5, user_data=fine(B)),
        text({"a": {"t": [1, 2, 3], "u": [0, 1]}, "b": {"t": [0]}}),
    )
    yield both(
        "claims of what isn't there any more",
        member(B, [*READ, "gone"], {"t": [0, 9], "gone": [0]}, generation=5, user_data=fine(B)),
    )
    for plan, name in ((swapped, "by plan"), ("", "without")):
        claims = [
            member(A, READ, user_data=sticky_data({"t": [0, 1, 2]}, 4)),
            member(B, READ, user_data=sticky_data({"t": [3], "u": [0]}, 4)),
        ]
        yield case(f"Java's own memory, {name}", plan, claims, TWO) | {"first_round": None}


def sticky_data(claims: Mapping[str, Sequence[int]], generation: int) -> bytes:
    """As Java's StickyAssignor sends it."""
    data = struct.pack(">i", len(claims))
    for topic, partitions in claims.items():
        name = topic.encode()
        data += struct.pack(f">h{len(name)}s", len(name), name)
        data += struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    return data + struct.pack(">i", generation)


def by_chance(count: int) -> Iterator[Case]:
    """Groups and plans, most of which fit."""
    chance = random.Random(19)
    for number in range(count):
        topics = {f"topic-{at}": chance.randint(1, 9) for at in range(chance.randint(1, 4))}
        names = [f"m{at}" for at in range(chance.randint(1, 7))]
        reads = {name: _some(chance, list(topics)) for name in names}
        plan = _dealt(chance, topics, reads)
        before = _dealt(chance, topics, reads)
        for topic in topics:
            if not any(topic in read for read in reads.values()):
                for parts in (plan, before):
                    for part in parts.values():
                        part.pop(topic, None)
        members = [
            member(
                dynamic(name, at) if at % 2 else f"static-{at}",
                reads[name],
                before[name],
                instance=None if at % 2 else name,
                generation=7,
                user_data=Mark("x", 1, "").encode(),
            )
            for at, name in enumerate(names)
        ]
        if number % 3 == 0:
            members = [
                item | {"owned": {}, "generation": -1, "user_data": None} for item in members
            ]
        match number % 8:
            case 1:
                members.pop()
            case 2:
                members.append(member(dynamic("new"), list(topics)))
            case 4:
                topics[next(iter(topics))] += 1
        chance.shuffle(members)
        yield case(f"by chance {number}", text(plan), members, topics)


def _some(chance: random.Random, topics: list[str]) -> list[str]:
    return (
        topics if chance.random() < 0.5 else chance.sample(topics, chance.randint(1, len(topics)))
    )


def _dealt(
    chance: random.Random, topics: Mapping[str, int], reads: Mapping[str, Sequence[str]]
) -> dict[str, Topics]:
    """Each partition to one who reads its topic."""
    dealt: dict[str, Topics] = {name: {} for name in reads}
    for topic, count in topics.items():
        readers = [name for name, read in reads.items() if topic in read]
        for partition in range(count if readers else 0):
            dealt[chance.choice(readers)].setdefault(topic, []).append(partition)
    return dealt


def cases() -> Iterator[Case]:
    for name, plan in of_files():
        yield case(f"file: {name}", plan, BOTH, TWO)
    yield from of_groups()
    yield from of_claims()
    yield from by_chance(160)


if __name__ == "__main__":
    logging.disable()
    made = [answer(item) | item for item in cases()]
    assert len({item["name"] for item in made}) == len(made)
    write_cases(made)
    print(f"{len(made)} cases, of which {sum(item['why'] is None for item in made)} use the plan")
