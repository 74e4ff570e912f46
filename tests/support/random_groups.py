"""Groups with all that makes Kafka's assignors differ, drawn by a seed."""

import base64
from dataclasses import replace
from random import Random

from optimizer import Group, Member, assign
from optimizer.model.answer import StrategyError

MOST_MEMBERS = 40
MOST_PARTITIONS = 400

Claim = tuple[str, int]

_TOPIC_NAMES = [
    *("orders", "clicks", "payments-eu", "a", "b", "aa", "Aa", "BB", "AaBB", "BBAa", "x.y", "x_y"),
    *("é", "日本", "\uff5e", "\U0001f600"),
]


def random_group(seed: str) -> Group:
    """A group that a leader may see; the same one for a seed."""
    draw = Random(seed)
    topics = _topics(draw)
    racks = [f"rack-{letter}" for letter in "abcd"[: draw.choice((0, 0, 1, 2, 3, 4))]]
    group = Group(
        topics=topics,
        members=_members(draw, topics, racks),
        replica_racks=_replica_racks(draw, topics, racks),
        topic_ids=_topic_ids(draw, topics),
    )
    return _with_owners(draw, group)


def _topics(draw: Random) -> dict[str, int]:
    names = draw.sample(_TOPIC_NAMES, draw.randint(1, 12))
    left = draw.choice((8, 40, 150, MOST_PARTITIONS))
    even = draw.random() < 0.3 and left // len(names)
    topics = {}
    for name in names:
        topics[name] = even or draw.randint(0, max(1, left // draw.randint(1, len(names))))
        left = max(0, left - topics[name])
    return topics


def _members(draw: Random, topics: dict[str, int], racks: list[str]) -> list[Member]:
    count = draw.choice((1, 2, 3, draw.randint(2, 8), draw.randint(5, 20), MOST_MEMBERS))
    kind = draw.randrange(5)
    ids = sorted({_member_id(draw, kind, at) for at in range(count)})
    draw.shuffle(ids)
    static = draw.choice((0, 0, 0.3, 1))
    subscriptions = _subscriptions(draw, topics, len(ids))
    return [
        Member(
            member_id,
            topics=subscription,
            instance_id=f"instance-{at * 7 % 50}" if draw.random() < static else None,
            rack=draw.choice([*racks, *racks, None, ""]) if racks else None,
        )
        for at, (member_id, subscription) in enumerate(zip(ids, subscriptions, strict=True))
    ]


def _member_id(draw: Random, kind: int, at: int) -> str:
    if kind == 0:
        return f"consumer-group-{at}-{draw.getrandbits(128):032x}"
    if kind == 1:
        return _base64(draw)
    if kind == 2:
        twins, of_one_hash = draw.choice(((3, 8), (6, MOST_MEMBERS)))
        return "".join(draw.choice(("Aa", "BB")) for _ in range(twins)) + str(at // of_one_hash)
    if kind == 3:
        return draw.choice("aé\uff5e\U0001f600") + str(at)
    return f"c{at}"


def _subscriptions(draw: Random, topics: dict[str, int], count: int) -> list[list[str]]:
    names = list(topics)
    if draw.random() < 0.1:
        names += ["vanished", "gone"]
    shapes = [draw.sample(names, draw.randint(1, len(names))) for _ in range(draw.randint(2, 5))]
    kind = draw.randrange(6)
    drawn = {
        0: lambda _: names,
        1: lambda _: names,
        2: lambda _: draw.choice(shapes),
        3: lambda _: draw.sample(names, draw.randint(1, len(names))),
        4: lambda at: [names[(at + step) % len(names)] for step in range(min(2, len(names)))],
        5: lambda at: names if at else draw.choice(shapes),
    }[kind]
    empty = draw.choice((0, 0, 0, 0.2))
    return [[] if draw.random() < empty else list(drawn(at)) for at in range(count)]


def _replica_racks(
    draw: Random, topics: dict[str, int], racks: list[str]
) -> dict[str, list[list[str]]]:
    everywhere = draw.random() < 0.2
    return {
        name: [
            racks if everywhere else draw.sample(racks, draw.randint(0, len(racks)))
            for _ in range(count)
        ]
        for name, count in topics.items()
        if racks and draw.random() < 0.9
    }


def _topic_ids(draw: Random, topics: dict[str, int]) -> dict[str, str]:
    kind = draw.randrange(3)
    if kind == 0:
        return {}
    return {n: f"{draw.getrandbits(128):032x}" if kind == 1 else _base64(draw) for n in topics}


def _base64(draw: Random) -> str:
    return base64.urlsafe_b64encode(draw.randbytes(16)).decode().rstrip("=")


def _with_owners(draw: Random, group: Group) -> Group:
    """Let members own something: what an assignor gave them before some changed, or anything."""
    kind = draw.randrange(6)
    owned: dict[str, list[Claim]] = {member.member_id: [] for member in group.members}
    if kind in {1, 2, 3}:
        owned = _assigned_before(draw, group)
    if kind in {3, 4}:
        for topic, count in group.topics.items():
            for partition in range(count):
                if draw.random() < 0.5:
                    owned[draw.choice(list(owned))].append((topic, partition))
    if kind == 5:
        owned = _by_remainder(draw, group)
    stale = draw.choice((0, 0, 0.4))
    newest = draw.choice((None, 0, 7))
    members = []
    for member in group.members:
        claims = list(dict.fromkeys(owned[member.member_id]))
        draw.shuffle(claims)
        generation = draw.choice((None, 0, 3, 6)) if draw.random() < stale else newest
        members.append(replace(member, owned=claims, generation=generation))
    return replace(group, members=members)


def _by_remainder(draw: Random, group: Group) -> dict[str, list[Claim]]:
    """Each owns partitions whose numbers share few buckets of a Java HashSet."""
    step = draw.choice((8, 16, 32, 64))
    return {
        member.member_id: [
            (topic, partition)
            for topic, count in group.topics.items()
            for partition in range(at, count if at < step else 0, step)
        ]
        for at, member in enumerate(group.members)
    }


def _assigned_before(draw: Random, group: Group) -> dict[str, list[Claim]]:
    """What the members owned when some of them weren't there, or subscribed to other topics."""
    earlier = [
        replace(member, topics=list(group.topics)) if draw.random() < 0.1 else member
        for member in group.members
        if draw.random() < 0.8
    ]
    leavers = [
        Member(f"left-{at}", draw.choice(group.members).topics) for at in range(draw.randint(0, 3))
    ]
    strategy = draw.choice(("sticky", "roundrobin", "uniform", "range", "cooperative-sticky"))
    try:
        plan = assign(replace(group, members=earlier + leavers), strategy).first_round
    except StrategyError:
        plan = {}
    return {member.member_id: plan.get(member.member_id, []) for member in group.members}
