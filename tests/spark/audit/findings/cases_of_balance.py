"""Fleets for findings about who owns how much, by finding."""

from __future__ import annotations

from tests.spark.audit.findings.place import Build, Cases, TableStore, Told, owning

TWO = {"a": ["t"], "b": ["t"]}
THREE = {**TWO, "c": ["t"]}


def shared(**partitions: range) -> Build:
    """Topic t, of which two members own so many partitions."""

    def build(place: TableStore) -> None:
        place.topic("t", sum(map(len, partitions.values())))
        place.group(TWO, owning("t", **partitions))

    return build


def among_three(topic: int, **partitions: range) -> Build:
    """A topic of that size, of which up to three members own so many partitions."""

    def build(place: TableStore) -> None:
        place.topic("t", topic)
        place.group(THREE, owning("t", **partitions))

    return build


def by_range(*sizes: int, strategy: str = "range") -> Build:
    """Two members that read topics of these sizes."""

    def build(place: TableStore) -> None:
        names = [f"t{number}" for number in range(len(sizes))]
        for name, size in zip(names, sizes, strict=True):
            place.topic(name, size)
        place.group({"a": names, "b": names}, strategy=strategy)

    return build


def eagerly(partitions: int, strategy: str) -> Build:
    def build(place: TableStore) -> None:
        place.topic("t", partitions)
        half = partitions // 2
        claims = owning("t", a=range(half), b=range(half, partitions))
        place.group(TWO, claims, strategy=strategy)

    return build


def weighing(*weights: float, a: range) -> Build:
    """Topic t of such partitions, of which a owns some and b the others."""

    def build(place: TableStore) -> None:
        place.topic("t", len(weights), weight=weights)
        b = [number for number in range(len(weights)) if number not in a]
        place.group(TWO, owning("t", a=a, b=b))

    return build


def on_hosts(hosts: str) -> Build:
    """The members on the first host have two partitions of topic t each, those on y one."""

    def build(place: TableStore) -> None:
        owners = [member for member, host in enumerate(hosts) for _ in range(2 - (host == "y"))]
        place.topic("t", len(owners))
        claims = [("t", number, f"m{member}") for number, member in enumerate(owners)]
        place.group({f"m{member}": ["t"] for member in range(len(hosts))}, claims)
        for row in place.fleets.now.rows["members"]:
            if row["cluster"] == place.cluster:
                row["host"] = f"/{hosts[int(row['member_id'][1:])]}"

    return build


CASES = {
    "unbalanced-weight": Cases(
        Told(
            *("info", "group g", 1.6, 1.25),
            "One member of group g carries a weight of 8.0 where 5.0 would do; for that 2 "
            "partitions must move.",
        ),
        fires=weighing(4.0, 4.0, 1.0, 1.0, a=range(2)),
        nearly=weighing(3.0, 3.0, 2.0, 2.0, a=range(2)),
        never=weighing(3.0, 2.0, 2.0, 3.0, a=range(2)),
    ),
    "hot-partition": Cases(
        Told(
            *("info", "partition t-0", 1.5, 1.5),
            "Partition t-0 weighs 9.0, more than the fair share of any member of group g, 6.0: no "
            "assignment can even that out.",
        ),
        fires=weighing(9.0, 1.0, 1.0, 1.0, a=range(1)),
        nearly=weighing(8.0, 2.0, 1.0, 1.0, a=range(1)),
        never=weighing(1.0, 1.0, 1.0, 1.0, a=range(2)),
    ),
    "unbalanced": Cases(
        Told(
            *("warning", "group g", 1.5, 1.25),
            "One member of group g has 6 partitions where 4 would do; for that 2 partitions must "
            "move.",
        ),
        fires=shared(a=range(6), b=range(6, 8)),
        nearly=shared(a=range(5), b=range(5, 8)),
        never=shared(a=range(4), b=range(4, 8)),
    ),
    "uneven-hosts": Cases(
        Told(
            *("info", "group g", 8 / 6, 1.25),
            "Host x has 8 partitions of group g where 6 would do; for that 2 partitions must move.",
        ),
        fires=on_hosts("xxxxyyyy"),
        # 6 partitions where 5 would do
        nearly=on_hosts("xxxyyy"),
        never=on_hosts("xwvzxwvz"),
    ),
    "idle-members": Cases(
        Told(
            *("warning", "group g", 1, 1),
            "1 of the 3 members of group g owns nothing while one has 3 partitions; the best "
            "assignment has work for 1 of them.",
        ),
        fires=among_three(6, a=range(3), b=range(3, 6)),
        # nobody has several: the third partition is with nobody
        nearly=among_three(3, a=range(1), b=range(1, 2)),
        never=among_three(3, a=range(1), b=range(1, 2), c=range(2, 3)),
    ),
    "spare-members": Cases(
        Told(
            *("info", "group g", 1, 1),
            "1 of the 3 members of group g can't own anything under any strategy: there are more "
            "members than partitions for them (2 in all).",
        ),
        fires=among_three(2, a=range(1), b=range(1, 2)),
        # one is idle, and needn't be
        nearly=among_three(3, a=range(2), b=range(2, 3)),
        never=among_three(6, a=range(2), b=range(2, 4), c=range(4, 6)),
    ),
    "topic-on-one-member": Cases(
        Told(
            *("info", "topic t", 0.75, 0.6),
            "Member a of group g has 9 of the 12 partitions of topic t, to which 3 members "
            "subscribe.",
        ),
        fires=among_three(12, a=range(9), b=range(9, 11), c=range(11, 12)),
        nearly=among_three(12, a=range(7), b=range(7, 10), c=range(10, 12)),
        never=among_three(12, a=range(4), b=range(4, 8), c=range(8, 12)),
    ),
    "range-skew": Cases(
        Told(
            *("warning", "group g", 2, 1.25),
            "Range deals out each of the 4 topics of group g from the same first member on: "
            "the first member gets 4 partitions, the last 0, the mean is 2.0.",
        ),
        fires=by_range(1, 1, 1, 1),
        # 4 of 5 partitions are but one more than has to be
        nearly=by_range(1, 1, 3),
        never=by_range(1, 1, 1, 1, strategy="cooperative-sticky"),
    ),
    "eager-rebalances": Cases(
        Told(
            *("info", "group g", 200, 200),
            "All 200 partitions of group g stop at each rebalance of its 2 members: sticky is an "
            "eager strategy.",
        ),
        fires=eagerly(200, "sticky"),
        nearly=eagerly(199, "sticky"),
        never=eagerly(200, "cooperative-sticky"),
    ),
}
