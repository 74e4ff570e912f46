from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.captures import ConsumerGroup, Member, MemberRow, Offset, OffsetRow
from spark.sources.kafka_text.subscriptions import (
    Subscriptions,
    infer_subscriptions,
    read_subscriptions,
)

Read = Callable[[str], Subscriptions]


@pytest.fixture
def group() -> ConsumerGroup:
    """a owns t and u, b owns t, c is idle; of `old` there is a commit and no owner."""
    group = ConsumerGroup("g")
    group.take_members(
        [
            MemberRow(Member("a", client_id="app"), 2, [("t", 0), ("u", 0)]),
            MemberRow(Member("b", client_id="app"), 1, [("t", 1)]),
            MemberRow(Member("c", client_id="other"), 0, []),
        ]
    )
    group.take_offsets([OffsetRow(("old", 0), Offset(5, 5, 0), None)])
    return group


@pytest.fixture
def read(group: ConsumerGroup, write: Callable[..., Path]) -> Read:
    groups = {"g": group, "h": ConsumerGroup("h")}
    return lambda text: read_subscriptions(write("s.csv", text), groups)


def test_union_is_all_that_the_group_owns_for_every_member(group: ConsumerGroup) -> None:
    assert infer_subscriptions(group, "union") == {(m, t) for m in "abc" for t in "tu"}


def test_owned_is_what_each_member_owns(group: ConsumerGroup) -> None:
    assert infer_subscriptions(group, "owned") == {("a", "t"), ("a", "u"), ("b", "t")}


def test_committed_offsets_alone_are_no_subscription(group: ConsumerGroup) -> None:
    assert "old" not in {topic for _, topic in infer_subscriptions(group, "union")}


def test_a_group_without_members_has_no_subscriptions() -> None:
    assert infer_subscriptions(ConsumerGroup("g"), "union") == set()


def test_the_file_names_members_by_id(read: Read) -> None:
    result = read("group,member_id,topic\ng,a,t\ng,b,t\ng,c,u\ng,a,t\n")
    assert result == ({"g": {("a", "t"), ("b", "t"), ("c", "u")}}, [], [])


def test_a_client_id_means_every_member_that_has_it(read: Read) -> None:
    result = read("topic,client_id,group\nt,app,g\nu,other,g\n")
    assert result == ({"g": {("a", "t"), ("b", "t"), ("c", "u")}}, [], [])


def test_with_both_columns_the_members_id_counts_where_there_is_one(read: Read) -> None:
    result = read("group,member_id,client_id,topic\ng,a,app,t\ng,,app,u\ng,c,,t\n")
    assert result.by_group == {"g": {("a", "t"), ("a", "u"), ("b", "u"), ("c", "t")}}


def test_quotes_spaces_marks_and_further_columns_are_no_trouble(read: Read) -> None:
    text = (
        '\ufeffGroup, Member_Id, Topic, Note\r\n"g", "a", "t", "so, so"\r\n\r\ng,b,t,\r\ng,c,t,\r\n'
    )
    result = read(text)
    assert result == ({"g": {("a", "t"), ("b", "t"), ("c", "t")}}, [], [])


def test_members_that_the_file_leaves_out_are_noted(read: Read) -> None:
    result = read("group,member_id,topic\ng,a,t\n")
    assert result.by_group == {"g": {("a", "t")}}
    (note,) = result.notes
    assert "no row for some members of 1 group (g)" in note


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("x,a,t", "no capture shows a group 'x'"),
        ("g,z,t", "group 'g' has no member with member_id 'z'"),
        ("h,a,t", "group 'h' has no member with member_id 'a'"),
        ("g,,t", "it names no member"),
        ("g,a,", "its topic is blank"),
        ("g,a", "it has 2 fields and the header 3"),
        ("g,a,t,u", "it has 4 fields and the header 3"),
        ("g,a,t/u", "'t/u' is no topic's name"),
        ('g,a,"t', "it is not CSV"),
    ],
)
def test_a_faulty_row_is_reported_with_its_line_and_the_rest_counts(
    read: Read, row: str, why: str
) -> None:
    result = read(f"group,member_id,topic\n{row}\ng,a,t\ng,b,t\ng,c,t\n")
    (line,) = result.unreadable_lines
    assert (line.line, line.text) == (2, row)
    assert why in line.why
    assert result.by_group == {"g": {("a", "t"), ("b", "t"), ("c", "t")}}


def test_a_group_with_nothing_but_faulty_rows_is_told_of_by_nothing(read: Read) -> None:
    assert read("group,member_id,topic\ng,z,t\n").by_group == {}


@pytest.mark.parametrize(
    ("header", "missing"),
    [
        ("", "group, topic, member_id or client_id"),
        ("group,member_id", "topic"),
        ("member_id,topic", "group"),
        ("group,topic", "member_id or client_id"),
        ("group;member_id;topic", "group, topic, member_id or client_id"),
    ],
)
def test_a_header_without_its_columns_is_refused(read: Read, header: str, missing: str) -> None:
    with pytest.raises(InputError, match=f"the header lacks {missing}; expected CSV"):
        read(f"{header}\n")


def test_a_header_with_a_column_twice_is_refused(read: Read) -> None:
    with pytest.raises(InputError, match="has a column twice"):
        read("group,topic,topic,member_id\n")
    with pytest.raises(InputError, match="is not CSV"):
        read('group,topic,"member_id\n')
