"""Of what kind groups are, which are coupled, and which type of column stands for which."""

import random
from collections import Counter
from itertools import product

import pytest
from pyspark.sql import types as t

from spark.fleet import (
    CONNECT,
    HUB,
    TYPES,
    components,
    connector_topic,
    other_kind_of,
    type_of_protocol,
    why_unsupported,
)
from spark.fleet.schemas import TABLES, misfit

KINDS = (None, *TYPES, "novel")
STRATEGIES = (None, "range", "stream")
THREAD = "app-0c9a-StreamThread-12-consumer"
CLIENTS: tuple[list[str | None], ...] = ([], [None], ["till"], ["till", THREAD])


def test_both_tell_the_same_groups() -> None:
    """With members and without."""
    rows = list(product(KINDS, STRATEGIES, CLIENTS))
    kinds = [other_kind_of(*row) for row in rows]
    unsupported = [kind not in (None, CONNECT) for kind in kinds]
    assert unsupported == [why_unsupported(*row) is not None for row in rows]
    # Streams on the classic protocol is known by its strategy, which an empty group hasn't
    empty = {kind for kind in KINDS if why_unsupported(kind, "stream", []) is not None}
    assert empty == {"share", "streams", "other", "novel"}


@pytest.mark.parametrize(
    ("type_", "strategy", "clients", "kind"),
    [
        (None, None, [None], None),
        ("classic", "range", [None], None),
        ("consumer", "stream", [None], None),  # some broker's own assignor
        (None, "stream", [None], "streams"),
        ("classic", "stream", [None], "streams"),
        ("streams", None, [None], "streams"),
        (None, None, [None, THREAD], "streams"),
        ("classic", "range", [f"_confluent-ksql-prod_query_CTAS_7-{THREAD}"], "streams"),
        ("classic", "range", ["app-StreamThread-1-producer", f"{THREAD}-2"], None),
        ("consumer", None, [THREAD], None),
        ("connect", "sessioned", [None], "connect"),
        ("Share", None, [None], "share"),  # as Kafka's tools spell it
        ("novel", None, [None], "other"),
    ],
)
def test_the_kind_in_a_word(
    type_: str | None, strategy: str | None, clients: list[str | None], kind: str | None
) -> None:
    assert other_kind_of(type_, strategy, clients) == kind


def test_only_share_groups_have_several_owners_of_a_partition() -> None:
    reports = {kind: why_unsupported(kind, "stream", ["a", "b"]) or "" for kind in KINDS}
    assert [kind for kind, why in reports.items() if "no one owner" in why] == ["share"]
    assert "one owner each" in reports["streams"] and "one owner each" in reports["classic"]
    assert "'novel'" in reports["novel"]


@pytest.mark.parametrize(
    ("protocol", "kind"),
    [("consumer", "classic"), ("", "classic"), ("connect", "connect"), ("sr", "other")],
)
def test_the_type_by_what_members_speak(protocol: str, kind: str) -> None:
    assert type_of_protocol(protocol) == kind


def test_no_two_connectors_of_one_cluster_share_a_name() -> None:
    assert connector_topic("connect-prod", "orders sink") == "connect-prod/orders sink"
    parts = ("a", "a/", "/a", "a/a", "a%2F", "a%", "%2Fa", "/")
    names = {connector_topic(group, name) for group, name in product(parts, parts)}
    assert len(names) == len(parts) ** 2


def by_force(reads: set[tuple[str, str]]) -> dict[str, str]:
    readers = Counter(topic for _, topic in reads)
    ties = {(group, topic) for group, topic in reads if readers[topic] <= HUB}
    result = {}
    for group, _ in reads:
        reached = {group}
        while True:
            topics = {topic for other, topic in ties if other in reached}
            more = reached | {other for other, topic in ties if topic in topics}
            if more == reached:
                break
            reached = more
        result[group] = min(reached)
    return result


def test_each_group_has_the_first_that_it_reaches() -> None:
    chance = random.Random(3)
    for _ in range(100):
        count, topics = chance.randrange(1, 60), chance.choice([3, 30, 200])
        reads = {
            (f"g{number}", f"t{chance.randrange(topics)}")
            for number in range(count)
            for _ in range(chance.randrange(1, 4))
        }
        groups, read = zip(*reads, strict=True)
        assert components(groups, read) == by_force(reads)


INT, LONG, SHORT, TEXT = t.IntegerType(), t.LongType(), t.ShortType(), t.StringType()
REAL, FLOAT, FLAG = t.DoubleType(), t.FloatType(), t.BooleanType()
DECIMAL, DATE, NOTHING = t.DecimalType(10, 2), t.DateType(), t.NullType()


FITS = {
    INT: (INT, LONG, SHORT, NOTHING),
    LONG: (INT, LONG, SHORT),
    REAL: (REAL, FLOAT, DECIMAL, INT, LONG),
    t.ArrayType(INT): tuple(t.ArrayType(kind) for kind in (INT, LONG, NOTHING)),
    TEXT: (TEXT,),
    FLAG: (FLAG,),
}
MISFITS = {
    INT: (TEXT, REAL, FLAG, DECIMAL, t.ArrayType(INT)),
    TEXT: (INT, DATE, t.BinaryType()),
    REAL: (TEXT, FLAG),
    FLAG: (TEXT, INT),
    t.ArrayType(INT): (INT, TEXT, t.ArrayType(TEXT)),
}


@pytest.mark.parametrize("wanted", FITS)
def test_what_stands_for_a_type(wanted: t.DataType) -> None:
    assert [kind for kind in FITS[wanted] if misfit(kind, wanted)] == []
    others = MISFITS.get(wanted, ())
    assert [kind for kind in others if misfit(kind, wanted)] == [*others]


def test_keys_are_required() -> None:
    for table in TABLES.values():
        assert table.keys
        assert all(column.required for column in table.columns if column.key)
