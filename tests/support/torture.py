"""The torture store: a fleet with every oddity, by the hour, on which each command runs once."""

from pathlib import Path
from typing import Any

from tests.support.fleets import SNAPSHOT, Fleet, odd, write_files
from tests.support.odd_groups import CAFE, odd_groups
from tests.support.said import Said
from tests.support.small import EARLIER

HOURS = ("20261121T040000Z", EARLIER, SNAPSHOT)

SPELLED = r"caf\xe9"
TWIN, SURROGATE = odd(b"caf\xe8"), odd(b"caf\xed\xa0\x80")
RAW = odd(b"\xff")
"""Names that aren't valid UTF-8; how the first is shown."""

ALIKE = r"d\xe9j\xe0"
"""A valid name that is another one spelled: the two can't be told apart, and are one row."""

HOSTILE = (
    '"><script>alert(1)</script>\nx|=,{}%`\'"\\ [red]\r\t\x1b[2J\x1b]0;x\x07'
    "\x7f\x85\u2028\u202e\u2066\u200f\ufffe\U000e0041e\u0301"
)
"""What would break a page, a table, a terminal or a file."""

LENGTH = 3_000


UTF8 = {
    SPELLED: "the name of the group or of its cluster",
    r"caf\xe8": "the name of the group or of its cluster",
    r"caf\xed\xa0\x80": "the name of the group or of its cluster",
    "everything": r"member id caf\xe9, member id caf\xe92, topic caf\xe8",
    **{"its-claim": r"member id \xff\\", "its-instance": r"instance id caf\xe9"},
    **{"its-member": r"member id caf\xe9", "its-rack": r"rack caf\xe9"},
    "its-state": r"state caf\xe9, strategy \xf0\x9f",
    **{"its-topic": r"topic caf\xe9", "its-type": r"type caf\xe9"},
}
"""What isn't valid UTF-8 of groups in cluster c."""

TOPICS = "bad-id double gaps hex negative shared two-ids"
HEX_READERS = "0 4 5 6 7 8 9 10 11"
STATUSES = {
    **dict.fromkeys([("c", group) for group in UTF8] + [(r"\xff", "g")], "invalid"),
    **{("c", f"reads-{topic}"): "invalid" for topic in TOPICS.split()},
    **{("c", f"drawn-{number}"): "invalid" for number in HEX_READERS.split()},
    **{("c", group): "invalid" for group in ("same-ids", "strangers", "twice", "unknown", ALIKE)},
    **{("c", f"of-{kind}"): "unsupported" for kind in ("Share", "novel", "other", "streams")},
    **{("c", "streams-classic"): "unsupported", ("c", "inferred"): "inferred"},
    **{("c", "empty"): "empty", ("c", "only-claims"): "empty", ("west", "nobody"): "empty"},
    ("c", "rebalancing"): "rebalancing",
}
"""Of each group that isn't ok."""


def hostile(kind: str) -> str:
    return f"{kind}{HOSTILE}"


def long(kind: str, number: int = 0) -> str:
    """Names of one kind are alike at both ends."""
    half = "x" * (LENGTH // 2)
    return f"{kind}{half}{number}{half}"


EVIL, LONG = hostile("cluster"), long("cluster")
LONG_GROUPS = [long("group", number) for number in range(3)]
STATUSES[LONG, LONG_GROUPS[2]] = "invalid"

CLUSTERS = {
    **{"c": SNAPSHOT, "d": SNAPSHOT, "west": SNAPSHOT, EVIL: SNAPSHOT, LONG: SNAPSHOT},
    **{r"\xff": EARLIER, "old": EARLIER},
}
"""The newest snapshot of each cluster, as they are shown."""


READ = " clusters; 20261121T050000Z of 2 clusters (\\xff, old).\n"
"""How the sentence ends by which each command says what it has read."""


def check_harmless(said: Said, code: int = 0) -> Said:
    """Nothing reaches the terminal that isn't printed there, lines' ends aside."""
    assert said.code == code, said.err
    assert {c for c in said.out + said.err if not c.isprintable() and c != "\n"} == set()
    assert "\ufffd" not in said.out + said.err
    return said


def torture_fleet(hour: int) -> Fleet:
    """All clusters of an hour; `old` and one of an odd name are only in the second."""
    fleet = odd_groups()
    _invalid(fleet)
    _evil(fleet)
    _long(fleet)
    _west(fleet, hour)
    if hour == 1:
        fleet.topic("t", 2, "old")
        fleet.group("left", {"a": ["t"], "b": ["t"]}, _all_of("t", "aa"), "old")
        fleet.topic("t", 2, RAW).group("g", {"a": ["t"]}, _all_of("t", "aa"), RAW)
    return fleet


def write_torture(store: Path) -> Path:
    """The store of all hours; gives it back."""
    for hour, snapshot in enumerate(HOURS):
        write_files(torture_fleet(hour).tables(), store, snapshot)
    return store


def _all_of(topic: str, owners: str) -> list[tuple[str, int, str]]:
    """The claims on a topic by the letters of its owners, `-` for none."""
    return [(topic, n, owner) for n, owner in enumerate(owners) if owner != "-"]


def _invalid(fleet: Fleet) -> None:
    """A group for each name that isn't valid UTF-8, and two for which it doesn't matter."""
    readers, claims = {"a": ["t"], "b": ["t"]}, _all_of("t", "aa")
    fleet.topic(CAFE, 1).topic(TWIN, 1)
    fleet.rows["partitions"][-1]["leader"] = -1
    columns = {"its-client": "client_id", "its-host": "host"}
    columns |= {"its-instance": "instance_id", "its-rack": "rack"}
    for name in (TWIN, SURROGATE, odd(b"d\xe9j\xe0"), ALIKE, *columns):
        fleet.group(name, readers, claims)
    for row in fleet.rows["members"]:
        if row["group"] in columns:
            row[columns[row["group"]]] = CAFE
    fleet.group("its-type", readers, claims, type=CAFE)
    members = {CAFE: [CAFE], CAFE + "2": [TWIN]}
    fleet.group("everything", members, [(CAFE, 0, CAFE)], state=TWIN, strategy=SURROGATE)


def _evil(fleet: Fleet) -> None:
    """One group, all of whose names are hostile, with troubles of several kinds."""
    topic, idle, busy = map(hostile, ("topic", "idle", "busy"))
    claims = [*_all_of(topic, "bbb"), (topic, 2, "gone")]
    names = {"b": busy, "gone": hostile("gone")}
    owned = [(name, number, names[owner]) for name, number, owner in claims]
    members = {idle: [topic], busy: [topic]}
    fleet.topic(topic, 4, EVIL).group(
        hostile("group"), members, owned, EVIL, strategy=hostile("range")
    )
    for row in fleet.rows["members"][-2:]:
        row |= {name: hostile(name) for name in ("client_id", "host", "instance_id", "rack")}
        row["instance_id"] += row["member_id"]


def _long(fleet: Fleet) -> None:
    """Two groups of which one member has all, and one that is invalid for a name."""
    topic, a, b = map(long, ("topic", "a", "b"))
    fleet.topic(topic, 4, LONG)
    for name in LONG_GROUPS[:2]:
        fleet.group(name, {a: [topic], b: [topic]}, [(topic, n, a) for n in range(4)], LONG)
    fleet.group(LONG_GROUPS[2], {a: [topic]}, cluster=LONG)
    fleet.add("members", cluster=LONG, group=LONG_GROUPS[2], member_id=a)


def _west(fleet: Fleet, hour: int) -> None:
    """Groups with a past: nothing is odd about their names."""
    sizes = {"t": 4, "u": 2, "pay": 2, "orders": 2, "flow": 6, "lop": 18, "steep": 24}
    sizes |= {"heavy": 12, "sized": 4, "wide": 30, "big": 9, "small": 3}
    for topic, size in sizes.items():
        fleet.topic(topic, size, "west")
    fleet.topic("__consumer_offsets", 1, "west")
    owners = {
        "restless": ("t", ("aabb", "abab", "aaaa")[hour], "ab"),
        "cured": ("t", ("aabb", "cccc", "aaab")[hour], ("ab", "abc", "ab")[hour]),
        "even": ("u", "ab", "ab"),
        "pay-1": ("pay", "aa", "ab"),
        "pay-2": ("pay", "aa", "ab"),
        "late": ("orders", "ab", "ab"),
        "app": ("flow", "aaabbb", "ab"),
        "lopsided": ("lop", "a" * 12 + "b" * 3 + "d" * 3, "abcd"),
        "steep": ("steep", "a" * 8 + "b" * 4 + "c" * 4 + "d" * 4 + "e" * 4, "abcdefgh"),
        "heavy": ("heavy", "a" * 12, "ab"),
        "sized": ("sized", "aabc", "abc"),
    }
    for name, (topic, of, members) in owners.items():
        generation = hour + 1 if name == "restless" else 1
        facts: dict[str, Any] = {"state": "Stable", "strategy": "range", "generation": generation}
        fleet.group(name, {key: [topic] for key in members}, _all_of(topic, of), "west", **facts)
    wide = {f"m-{number:02d}": ["wide"] for number in range(30)}
    fleet.group("wide", wide, [("wide", number, "m-00") for number in range(30)], "west")
    both = {key: ["big", "small"] for key in "abcd"}
    fleet.group("split", both, _all_of("big", "a" * 9) + _all_of("small", "bbb"), "west")
    fleet.group("one", {"a": ["big"]}, _all_of("big", "a"), "west").group("nobody", {}, (), "west")
    fleet.group("pay-1", {"a": ["t"], "b": ["t"]}, _all_of("t", "aaaaa"), "d")
    _facts_of_west(fleet)
    _offsets_of_west(fleet, hour)


def _facts_of_west(fleet: Fleet) -> None:
    """Brokers, racks, hosts, weights, capacities and settings."""
    for broker, rack in ((1, "r1"), (2, "r2"), (7, None)):
        fleet.add("brokers", cluster="west", broker=broker, rack=rack, host=f"h{broker}")
    for row in fleet.rows["partitions"]:
        if row["cluster"] == "west":
            replicas = [1, 2] if row["partition"] % 2 else [2, 1]
            in_sync = replicas[:1] if row["topic"] == "u" else replicas
            racks = {"leader_rack": f"r{replicas[0]}", "replica_racks": ["r1", "r2"]}
            row.update({"leader": replicas[0], "replicas": replicas, "isr": in_sync} | racks)
            weights = {"heavy": (50.0, 30.0, *[2.0] * 10), "sized": (6.0, 4.0, 1.0, 1.0)}
            row["weight"] = weights.get(row["topic"], [1.0] * 30)[row["partition"]]
            if row["topic"] == "__consumer_offsets":
                row |= {"leader": 7, "replicas": [7], "isr": [7]}
    for row in fleet.rows["members"]:
        if row["cluster"] == "west":
            number = "abcdefgh".find(row["member_id"])
            row |= {"rack": "r2" if number % 2 else "r1", "host": f"/10.0.0.{number + 2}"}
            row |= {"client_id": row["member_id"]}
            row["capacity"] = 2.0 if (row["group"], number) == ("sized", 1) else None
    fleet.add(
        "configs", cluster="west", scope="topic", name="u", key="min.insync.replicas", value="2"
    )


def _offsets_of_west(fleet: Fleet, hour: int) -> None:
    """`late` falls behind by 36 records an hour; `app` reads 10 a second of each partition."""
    second = hour * 3600
    rows = {
        ("late", "orders", 0): (2 * second, 2 * second + 36 * hour),
        ("late", "orders", 1): (2 * second, 2 * second),
        ("split", "big", 0): (0, 900),
        ("one", "big", 0): (5, 900),
        **{("app", "flow", n): (10 * second, 10 * second) for n in range(6)},
    }
    for (group, topic, partition), (committed, end) in rows.items():
        place = {"cluster": "west", "group": group, "topic": topic, "partition": partition}
        fleet.add("offsets", **place, committed_offset=committed, end_offset=end)
