"""Groups of every odd kind in one fleet, which two readers have to read alike."""

import random
from typing import Any

from tests.support.fleets import Fleet, odd

HEX = "0123456789abcdef0123456789abcdef"
BASE64 = "ASNFZ4mrze8BI0VniavN7w"
OTHER = "f" * 32
CAFE = odd(b"caf\xe9")

BOTH = {"a": ["t"], "b": ["t", "u"]}


def odd_groups() -> Fleet:
    """Cluster c, and d, whose names of groups and topics are the same as some of c."""
    fleet = Fleet().topic("t", 4).topic("u", 3).topic("t", 5, cluster="d")
    _topics(fleet)
    fleet.group("plain", BOTH, [("t", n, "a") for n in range(4)], strategy="range")
    fleet.group("plain", {"z": ["t"]}, [("t", 4, "z", 3)], cluster="d", coordinator=2)
    claims: list[tuple[Any, ...]] = [
        ("t", 0, "a", 2),
        ("t", 0, "b", 3),
        ("t", 1, "a", 1),
        ("t", 1, "b", 1),
    ]
    claims += [("t", 2, None), ("t", 3, "gone"), ("t", 3, "went", 9), ("u", 7, "b"), ("u", -1, "b")]
    fleet.group("claims", BOTH, claims, generations={"a": 2}, type="Consumer")
    fleet.group("unread", {"a": ["t"]}, [("u", 2, "a"), ("nowhere", 3, "a"), ("nowhere", 9, "x")])
    fleet.group("vanished", {"a": ["t", "gone-topic"], "b": []}, state="Stable")
    fleet.group("empty", {}, [("t", 0, "left")], state="Empty")
    fleet.group("rebalancing", BOTH, state="PreparingRebalance")
    fleet.group("unknown", BOTH, state="Unknown: no permission")
    fleet.group("inferred", BOTH, subscriptions_inferred=True)
    fleet.group("twice", BOTH, state="Stable").add("groups", group="twice", strategy="sticky")
    for kind in ("connect", "Share", "streams", "other", "novel"):
        fleet.group(f"of-{kind}", BOTH, [("t", 0, "a")], type=kind, strategy="sessioned")
    fleet.group("streams-classic", BOTH, [("t", 1, "b")], strategy="stream")
    fleet.group("same-ids", {"a": ["t"]}).add("members", group="same-ids", member_id="a")
    fleet.add("subscriptions", group="strangers", member_id="who", topic="t")
    fleet.add("assignments", group="only-claims", topic="t", partition=0, member_id="m")
    for topic in ("gaps", "negative", "double", "two-ids", "bad-id", "shared", "hex", "racked"):
        fleet.group(f"reads-{topic}", {"a": [topic, "t"], "b": [topic]}, [(topic, 0, "b")])
    for name in ("Ünï ☃", "a\\b", "50%_*?", "'quoted\"", "", "x" * 400, r"caf\xe9 "):
        fleet.group(name, {f"{name}-1": ["t"], "m": ["t"]}, [("t", 0, f"{name}-1")])
    fleet.group(CAFE, BOTH).group("its-member", {CAFE: ["t"]}, [("t", 0, CAFE)])
    fleet.group("its-topic", {"a": [CAFE]}).group("its-claim", BOTH, [("t", 0, odd(b"\xff\\"))])
    fleet.group("its-state", BOTH, state=CAFE, strategy=odd(b"\xf0\x9f"))
    fleet.group("own-rack", {"a": ["racked"], "b": ["racked"]}, [("racked", 1, "a")])
    for row in fleet.rows["members"]:
        if row["group"] == "own-rack":
            row |= {"rack": row["member_id"], "instance_id": f"i-{row['member_id']}"}
    return _random(fleet)


def _topics(fleet: Fleet) -> None:
    fleet.topic("gaps", [0, 2]).topic("negative", [-1, 0]).topic("double", [0, 0, 1])
    fleet.topic("__consumer_offsets", 50).topic("__consumer_offsets", 3, cluster="d")
    for row in fleet.rows["partitions"]:
        if row["topic"] == "__consumer_offsets" and row["partition"] % 3:
            row["leader"] = row["partition"] % 5
    ids: dict[str, list[str | None]] = {
        "two-ids": [HEX, OTHER],
        "bad-id": ["no id", HEX[::-1]],
        "shared": [HEX[::-1], None],
    }
    ids |= {"shares": [HEX[::-1].upper()], "hex": [BASE64, HEX.upper(), None]}
    for topic, values in ids.items():
        for number, topic_id in enumerate(values):
            fleet.add("partitions", topic=topic, partition=number, topic_id=topic_id)
    racks = [("a", ["b", "a"]), (None, ["a", None, "b"]), ("b", None), (None, None), ("a", [])]
    racks += [("b", ["b", "a"]), (CAFE, [CAFE, "a"])]
    for number, (leader, replicas) in enumerate(racks):
        facts = {"leader_rack": leader, "replica_racks": replicas}
        fleet.add("partitions", topic="racked", partition=number, **facts)


def _random(fleet: Fleet) -> Fleet:
    """Some more, of claims and subscriptions that were drawn."""
    draw = random.Random(14)
    topics = ["t", "u", "hex", "racked", "old"]
    for name_ in range(12):
        names = [f"m-{item}" for item in range(draw.randint(1, 5))]
        members = {name: draw.sample(topics, draw.randint(0, 3)) for name in names}
        claims = [
            (draw.choice(topics), number, draw.choice([*names, "gone"]), draw.choice([None, 1, 2]))
            for number in draw.choices(range(7), k=draw.randint(0, 8))
        ]
        generations = {name: draw.randint(1, 3) for name in names if draw.random() < 0.5}
        facts = (f"drawn-{name_}", members, claims)
        fleet.group(*facts, generations=generations, hidden_topics=[])  # "old" was deleted
    return fleet
