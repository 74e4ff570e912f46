"""Which groups are unsupported, of what kind they are, and what connectors are called."""

from itertools import product

import pytest

from spark.fleet import (
    CONNECT,
    TYPES,
    connector_topic,
    other_kind_of,
    type_of_protocol,
    why_unsupported,
)

KINDS = (None, *TYPES, "novel")
STRATEGIES = (None, "range", "stream")


def test_both_tell_the_same_groups() -> None:
    """With members and without."""
    rows = list(product(KINDS, STRATEGIES, (0, 1)))
    kinds = [other_kind_of(kind, strategy, members > 0) for kind, strategy, members in rows]
    unsupported = [kind not in (None, CONNECT) for kind in kinds]
    assert unsupported == [why_unsupported(*row) is not None for row in rows]
    # Streams on the classic protocol is known by its strategy, which an empty group hasn't
    empty = {kind for kind in KINDS if why_unsupported(kind, "stream", 0) is not None}
    assert empty == {"share", "streams", "other", "novel"}


@pytest.mark.parametrize(
    ("type_", "strategy", "kind"),
    [
        (None, None, None),
        ("classic", "range", None),
        ("consumer", "stream", None),  # some broker's own assignor
        (None, "stream", "streams"),
        ("classic", "stream", "streams"),
        ("streams", None, "streams"),
        ("connect", "sessioned", "connect"),
        ("Share", None, "share"),  # as Kafka's tools spell it
        ("novel", None, "other"),
    ],
)
def test_the_kind_in_a_word(type_: str | None, strategy: str | None, kind: str | None) -> None:
    assert other_kind_of(type_, strategy, has_members=True) == kind


def test_only_share_groups_have_several_owners_of_a_partition() -> None:
    reports = {kind: why_unsupported(kind, "stream", 2) or "" for kind in KINDS}
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
