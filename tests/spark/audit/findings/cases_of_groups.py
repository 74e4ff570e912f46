"""Clusters for findings about one group, by finding."""

from spark.audit.thresholds import Copartitioned
from spark.groups.memory import BEYOND_LIMIT
from spark.settings import FleetConsumers, GroupConsumers
from tests.spark.audit.findings.clusters import (
    Cases,
    changed,
    claimed,
    commit,
    commits,
    joining,
    owned,
    reading,
)

EAST_AND_WEST = {"rack": ("east", "west")}
GENERATIONS = {"a": 3, "b": 3}
APART = {"a": ["t"], "b": ["u"]}
FOUR = {f"t{number}": 1 for number in range(4)}
SIZES = {"orders": 4, "payments": 6}

BALANCE = {
    "unbalanced-weight": Cases(
        *("warning", "group g", 1.6, 1.5),
        "One member of group g carries a weight of 8.0, 5.0 would do; fixing it moves 2 "
        "partitions.",
        fires=owned("aabb", weight=(4.0, 4.0, 1.0, 1.0)),
        nearly=owned("aabb", weight=(3.0, 3.0, 2.0, 2.0)),
        never=owned("aabb", weight=(3.0, 2.0, 2.0, 3.0)),
    ),
    "hot-partition": Cases(
        *("info", "partition t-0", 1.5, 1.5),
        "Partition t-0 weighs 9.0, more than the fair share of any member of group g, 6.0: no "
        "assignment can even that out.",
        fires=owned("abbb", weight=(9.0, 1.0, 1.0, 1.0)),
        nearly=owned("abbb", weight=(8.0, 2.0, 1.0, 1.0)),
        never=owned("aabb", weight=(1.0, 1.0, 1.0, 1.0)),
    ),
    "unbalanced": Cases(
        *("warning", "group g", 1.5, 1.25),
        "One member of group g has 6 partitions, 4 would do; fixing it moves 2.",
        fires=owned("aaaaaabb"),
        nearly=owned("a" * 12 + "b" * 10),
        never=owned("aaaabbbb"),
    ),
    "uneven-hosts": Cases(
        *("info", "group g", 8 / 6, 1.25),
        "Host x has 8 partitions of group g, 6 would do; fixing it moves 2.",
        fires=owned("aabbccddefgh", members={"host": ("/x", "/x", "/x", "/x", *["/y"] * 4)}),
        # 6 partitions where 5 would do
        nearly=owned("aabbccdef", members={"host": ("/x", "/x", "/x", *["/y"] * 3)}),
        never=owned("aabbccddeeffgghh", members={"host": ("/x", "/w", "/v", "/z") * 2}),
    ),
    "idle-members": Cases(
        *("info", "group g", 1, 1),
        "1 of the 3 members of group g owns nothing while one has 3 partitions; the best "
        "assignment has work for 1 of them.",
        fires=owned("aaabbb", "abc"),
        # nobody has several: the third partition is with nobody
        nearly=owned("ab-", "abc"),
        never=owned("abc"),
    ),
    "spare-members": Cases(
        *("info", "group g", 1, 1),
        "1 of the 3 members of group g can't own anything under any strategy: its topics have 2 "
        "partitions in all.",
        fires=owned("ab", "abc"),
        # one is idle, and needn't be
        nearly=owned("aab", "abc"),
        never=owned("aabbcc"),
    ),
    "topic-on-one-member": Cases(
        *("info", "topic t", 0.75, 0.6),
        "Member a of group g has 9 of the 12 partitions of topic t, to which 3 members subscribe.",
        fires=owned("aaaaaaaaabbc"),
        nearly=owned("aaaaaaabbbcc"),
        never=owned("aaaabbbbcccc"),
    ),
    "range-skew": Cases(
        *("warning", "group g", 2, 1.25),
        "Range assigns each of the 4 topics of group g from the same member on: the first member "
        "gets 4 partitions, the last 0 (mean 2.0).",
        fires=reading(FOUR, strategy="range"),
        # 4 of 5 partitions are but one more than has to be
        nearly=reading({"t0": 1, "t1": 1, "t2": 3}, strategy="range"),
        never=reading(FOUR, strategy="cooperative-sticky"),
    ),
    "another-assignor": Cases(
        *("info", "group g", 1, 1),
        "Group g calls its assignor range, and its assignment isn't what Kafka's range gives: it "
        "is another client's.",
        # as kafka-go's: the last members have more
        fires=owned("aabbb", strategy="range", state="Stable"),
        # it may be on its way
        nearly=owned("aabbb", strategy="range", state="CompletingRebalance"),
        never=owned("aaabb", strategy="range", state="Stable"),
    ),
    "eager-rebalances": Cases(
        *("info", "group g", 200, 200),
        "All 200 partitions of group g stop at each rebalance of its 2 members: sticky is an eager "
        "strategy.",
        fires=owned("ab" * 100, strategy="sticky"),
        nearly=owned("ab" * 99 + "b", strategy="sticky"),
        never=owned("ab" * 100, strategy="cooperative-sticky"),
    ),
}

OWNERS = {
    "unread-partitions": Cases(
        *("warning", "topic t", 2, 1),
        "No member of group g reads 2 partitions of topic t, to which it subscribes (the first is "
        "t-1).",
        fires=claimed(("t", 0, "a")),
        # two read it, and one is gone a moment ago; nobody wants to read u
        nearly=claimed(("t", 0, "a"), ("t", 1, "a"), ("t", 1, "b"), ("t", 2, "gone")),
        never=claimed(("t", 0, "a"), ("t", 1, "b"), ("t", 2, "b")),
    ),
    "owner-gone": Cases(
        *("warning", "member gone", 2, 1),
        "Member gone has left group g and still owns 2 partitions.",
        fires=claimed(("t", 0, "a"), ("t", 1, "gone"), ("t", 2, "gone")),
        # somebody has taken over since
        nearly=claimed(("t", 0, "gone", 2), ("t", 0, "a", 3)),
        never=claimed(("t", 0, "a"), ("t", 1, "b")),
    ),
    "owner-not-subscribed": Cases(
        *("warning", "member b", 2, 1),
        "Member b of group g owns 2 partitions of topics to which it doesn't subscribe.",
        fires=claimed(*(("t", 0, "a"), ("t", 1, "b"), ("t", 2, "b"), ("u", 0, "b")), members=APART),
        # the claim of who has left off the topic is older
        nearly=claimed(("t", 0, "b", 2), ("t", 0, "a", 3), members=APART),
        never=claimed(("t", 0, "a"), ("u", 0, "b"), members=APART),
    ),
    "claimed-twice": Cases(
        *("critical", "topic t", 1, 1),
        "Two members of group g both own 1 partition of topic t (t-1: a, b).",
        fires=claimed(("t", 0, "a"), ("t", 1, "a"), ("t", 1, "b"), generations=GENERATIONS),
        nearly=claimed(("t", 1, "a", 3), ("t", 1, "b", 2), generations=GENERATIONS),
        # a row that is there twice is one claim
        never=claimed(("t", 0, "a"), ("t", 1, "b"), ("t", 1, "b"), generations=GENERATIONS),
    ),
    "stale-claims": Cases(
        *("warning", "member b", 2, 1),
        "Member b claims 2 partitions by generation 2 while group g is at generation 3.",
        # one claim states its generation, the other has its member's
        fires=claimed(
            *(("t", 0, "a"), ("t", 1, "b", 2), ("t", 2, "b")), generations={"a": 3, "b": 2}
        ),
        # who is gone will not rejoin
        nearly=claimed(("t", 0, "a", 3), ("t", 1, "gone", 2), generations=GENERATIONS),
        never=claimed(("t", 0, "a", 3), ("t", 1, "b", 3), generations=GENERATIONS),
    ),
    "avoidable-moves": Cases(
        *("info", "group g", 4, 1),
        "4 partitions of group g changed hands since the snapshot before although their owners "
        "stayed; the best balance would have taken none of these moves.",
        fires=changed("aabb", "bbaa"),
        # as many moves as balance takes
        nearly=changed("aaaa", "aabb", readers="ab"),
        never=changed("aabb", "aabb"),
    ),
    "restarting-members": Cases(
        *("info", "group g", 1, 1),
        "1 member of group g left since the snapshot before and 2 came, all without a static id: 2 "
        "partitions were handed on for it.",
        fires=changed("aabb", "aacd"),
        # who left had nothing
        nearly=changed("aaaa", "aacc", readers="ab"),
        never=changed("aabb", "aacc", static=True),
    ),
    "instance-id-twice": Cases(
        *("critical", "instance one", 2, 2),
        "2 members of group g have the instance id one.",
        fires=owned("ab", members={"instance_id": ("one", "one")}),
        nearly=owned("ab", members={"instance_id": ("one", None)}),
        never=owned("ab", members={"instance_id": ("one", "two")}),
    ),
}

LAG = {
    "lag-on-few-partitions": Cases(
        *("warning", "topic t", 0.8, 0.8),
        "One of the 10 partitions of topic t has 80 % of the 10,000 records that group g lags "
        "behind there; the worst is t-3.",
        fires=owned("abcabcabca", lags=(0, 2000, 0, 8000, 0, 0, 0, 0, 0, 0)),
        # a record less
        nearly=owned("abcabcabca", lags=(0, 1999, 0, 8000, 0, 0, 0, 0, 0, 0)),
        # how far one is behind nobody knows: that leaves nine
        never=owned("abcabcabca", lags=(0, 2000, 0, 8000, 0, 0, 0, 0, 0, None)),
    ),
    "lag-on-one-member": Cases(
        *("info", "member b", 0.7, 0.6),
        "Member b, one of 3 with partitions in group g, has 70 % of the group's lag: 7,000 records "
        "of 10,000.",
        fires=owned("abcabc", lags=(1500, 3500, 0, 1500, 3500, 0)),
        nearly=owned("abcabc", lags=(2001, 3000, 0, 2000, 2999, 0)),
        never=owned("abcabc", lags=(5000, 5000, 5000, 0, 0, 0)),
    ),
    "stalled-partitions": Cases(
        *("critical", "topic t", 1, 1),
        "No commits of group g since the last snapshot on 1 partition of topic t, while records "
        "keep arriving (worst: t-0 at offset 100, 200 records behind).",
        fires=commits(commit(100, 300), before=commit(100, 200)),
        # nothing is written either
        nearly=commits(commit(100, 300), before=commit(100, 300)),
        # the group has left this topic, and its offsets remain
        never=commits(commit(100, 300), before=commit(100, 200), reads=False),
    ),
    "offset-beyond-end": Cases(
        *("critical", "topic t", 1, 1),
        "Group g has committed an offset beyond the end on 1 partition of topic t: t-1 is 1 record "
        "beyond 100, at 101; its offsets are in __consumer_offsets-0, led by broker 7, the likely "
        "coordinator.",
        # earlier versions stated a lag of 0
        fires=commits(commit(100, 100, lag=0), commit(101, 100, lag=0), keeper=7),
        # all is read
        nearly=commits(commit(100, 100, lag=0), commit(100, 100, lag=0), keeper=7),
        # the group has left this topic
        never=commits(commit(100, 100, lag=0), commit(101, 100, lag=0), keeper=7, reads=False),
    ),
    "offset-before-start": Cases(
        *("critical", "topic t", 1, 1),
        "Records were deleted before group g read them, on 1 partition of topic t: 30 records of "
        "t-0, which begins at 130; the group's offset is 100.",
        fires=commits(commit(100, 200, start=130)),
        # the next one is the first that is left
        nearly=commits(commit(100, 200, start=100)),
        never=commits(commit(100, 200)),
    ),
}

BROKERS = {
    "one-leader": Cases(
        *("info", "member a", 4, 4),
        "All 4 partitions of member a of group g are led by broker 1.",
        fires=owned("aaaa", leader=(1, 1, 1, 1), brokers=2),
        nearly=owned("aaa", leader=(1, 1, 1), brokers=2),
        # there is no other broker
        never=owned("aaaa", leader=(1, 1, 1, 1), brokers=1),
    ),
    "cross-rack-reads": Cases(
        *("info", "group g", 0.5, 0.25),
        "5 of 8 partitions of group g are read across racks; up to 4 of them could be local "
        "without a change of loads.",
        fires=owned(
            "aaaabbbb",
            leader_rack=("west", "west", "west", "east", "east", "east", "west", "west"),
            members=EAST_AND_WEST,
        ),
        # three could be local, one less than counts: no member is where one of the leaders is
        nearly=owned(
            "aaabbb",
            leader_rack=("north", "west", "east", "east", "east", "west"),
            members=EAST_AND_WEST,
        ),
        # half is read across, as all is led in one rack
        never=owned("aaaabbbb", leader_rack=["west"] * 8, members=EAST_AND_WEST),
    ),
}

MOST_SESSION = (("broker", "1", "group.max.session.timeout.ms", "60000"),)

SETTINGS = {
    "unequal-topics": Cases(
        *("critical", "topics orders, payments", 2, 1),
        "Group g joins topics by partition number, and their numbers of partitions differ "
        "(orders: 4, payments: 6): the same key is on different partitions.",
        fires=reading(SIZES, {"a": ["orders", "payments"], "b": ["orders"]}),
        nearly=reading(SIZES, {"a": ["orders"], "b": ["orders"]}),
        never=reading({"orders": 4, "payments": 4}),
    ),
    "joined-apart": Cases(
        *("critical", "topics orders, payments", 1, 1),
        "Group g joins topics by partition number, and 1 number of theirs is not with one member: "
        "orders-1 belongs to b and payments-1 belongs to a.",
        fires=joining(orders="ab", payments="aa", shipments="bb"),
        # nobody has payments-1
        nearly=joining(orders="ab", payments="a-"),
        never=joining(orders="ab", payments="ab"),
    ),
    "session-timeout": Cases(
        *("warning", "group g", 2.9, 3),
        "The session time-out of group g, 29,000 ms, is 2.9 times its heartbeat interval of 10,000 "
        "ms.",
        **dict.fromkeys(("fires", "nearly", "never"), owned("ab")),
    ),
    "poll-interval": Cases(
        *("warning", "group g", 1.05, 1.1),
        "Group g may take 210,000 ms between polls, 1.1 times the 200,000 ms that it needs to "
        "process one.",
        **dict.fromkeys(("fires", "nearly", "never"), owned("ab")),
    ),
    "session-timeout-outside": Cases(
        *("critical", "group g", 1.5, 1),
        "The session time-out of group g, 90,000 ms, is more than the 60,000 ms that brokers allow"
        ": no member can join.",
        fires=owned("ab", configs=MOST_SESSION),
        nearly=owned("ab"),
        never=owned("ab"),
    ),
    "restart-outlasts-session": Cases(
        *("warning", "group g", 2, 1),
        "A restart keeps members of group g away for 90,000 ms, and sessions end after 45,000 ms: "
        "its 2 static members gain nothing by their instance ids.",
        fires=owned("ab", members={"instance_id": ("one", "two")}),
        nearly=owned("ab"),
        never=owned("ab", members={"instance_id": ("one", "two")}),
    ),
    "client-defect": Cases(
        *("critical", "issue KAFKA-7026", 3, 3),
        "Group g uses sticky of Kafka's clients 2.2.2, which have KAFKA-7026: a member that comes "
        "back with an old assignment keeps it, so that two members read the same partition.",
        fires=owned("ab", strategy="sticky"),
        nearly=owned("ab", strategy="sticky"),
        never=owned("ab", strategy="range"),
    ),
}

UNJUDGED = {
    "invalid-group": Cases(
        *("warning", "group g", 1, 1),
        "Group g can't be judged: the group is listed twice.",
        fires=owned("ab", listed=2),
        nearly=owned("ab", state="PreparingRebalance"),
        never=owned("ab"),
    ),
    "failed-group": Cases(
        *("warning", "group g", 1, 1),
        f"Group g can't be judged, solving it failed: {BEYOND_LIMIT}.",
        fires=owned("ab"),
        nearly=owned("ab", listed=2),
        never=owned("ab"),
    ),
}

CASES = BALANCE | OWNERS | LAG | BROKERS | SETTINGS | UNJUDGED

OF_TIMEOUTS = {
    "session-timeout": (
        ("session_timeout_ms", "heartbeat_interval_ms"),
        ((29_000, 10_000), (30_000, 10_000), (45_000, 3000)),
    ),
    "poll-interval": (
        ("max_poll_interval_ms", "processing_time_ms"),
        ((210_000, 200_000), (220_000, 200_000), (300_000, 10)),
    ),
    "session-timeout-outside": (
        ("session_timeout_ms", "group_max_session_timeout_ms"),
        ((90_000, None), (60_000, 60_000), (45_000, 60_000)),
    ),
    "restart-outlasts-session": (
        ("restart_ms", "session_timeout_ms"),
        ((90_000, 45_000), (90_000, 45_000), (30_000, 45_000)),
    ),
}
"""The time-outs of the clusters of a finding: where it fires, where it nearly does, and never."""

TIMES = (*OF_TIMEOUTS["session-timeout"][0], *OF_TIMEOUTS["poll-interval"][0])


def timeouts(match: str, cluster: str, values: tuple, names: tuple = TIMES) -> GroupConsumers:
    return GroupConsumers(match, {k: v for k, v in zip(names, values) if v}, cluster=cluster)  # noqa: B905


TIMEOUTS = tuple(
    timeouts("*", f"{finding}-{case}", values, names)
    for finding, (names, of_cases) in OF_TIMEOUTS.items()
    for case, values in zip(("fires", "nearly", "never"), of_cases, strict=True)
)
CONSUMERS = FleetConsumers(
    rules=tuple(
        GroupConsumers("g", {"client_version": version}, cluster=f"client-defect-{case}")
        for case, version in {"fires": "2.2.2", "nearly": "2.3.0", "never": "2.2.2"}.items()
    )
)
JOINS = ("unequal-topics", "joined-apart")
COPARTITIONED = tuple(Copartitioned(("orders", "payments"), cluster=f"{n}-*") for n in JOINS)
