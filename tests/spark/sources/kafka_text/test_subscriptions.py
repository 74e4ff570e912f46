from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.captures import CliGroup, CliMember, MemberRow, Offset, OffsetRow
from spark.sources.kafka_text.subscriptions import (
    CsvSubscriptions,
    infer_subscriptions,
)

Read = Callable[[str], CsvSubscriptions]


@pytest.fixture
def group() -> CliGroup:
    """a owns t and u, b owns t, c is idle; of `old` there is a commit and no owner."""
    group = CliGroup("g")
    group.take_members(
        [
            MemberRow(CliMember("a", client_id="app"), 2, [("t", 0), ("u", 0)]),
            MemberRow(CliMember("b", client_id="app"), 1, [("t", 1)]),
            MemberRow(CliMember("c", client_id="other"), 0, []),
        ]
    )
    group.take_offsets([OffsetRow(("old", 0), Offset(5, 5, 0), None)])
    return group


@pytest.fixture
def read(group: CliGroup, write: Callable[..., Path]) -> Read:
    groups = {"g": group, "h": CliGroup("h")}
    return lambda text: CsvSubscriptions(groups).read([write("s.csv", text)])


def test_union_is_all_that_the_group_owns_for_every_member_owned_what_each_does(
    group: CliGroup,
) -> None:
    """Committed offsets alone are no subscription."""
    assert infer_subscriptions(group, "union") == {(m, t) for m in "abc" for t in "tu"}
    assert infer_subscriptions(group, "owned") == {("a", "t"), ("a", "u"), ("b", "t")}
    assert infer_subscriptions(CliGroup("g"), "union") == set()


EACH = {("a", "t"), ("b", "t"), ("c", "u")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("group,member_id,topic\ng,a,t\ng,b,t\ng,c,u\ng,a,t\n", EACH),
        # a client's id means every member that has it
        ("topic,client_id,group\nt,app,g\nu,other,g\n", EACH),
        # with both columns the member's id counts where there is one
        (
            "group,member_id,client_id,topic\ng,a,app,t\ng,,app,u\ng,c,,t\n",
            {("a", "t"), ("a", "u"), ("b", "u"), ("c", "t")},
        ),
        # quotes, spaces, marks and further columns
        (
            '\ufeffGroup, Member_Id, Topic, Note\r\n"g", "a", "t", "so, so"\r\n\r\n'
            "g,b,t,\r\ng,c,u,\r\n",
            EACH,
        ),
    ],
)
def test_the_file_names_members_by_id_or_by_client(
    read: Read, text: str, expected: set[tuple[str, str]]
) -> None:
    result = read(text)
    assert (result.by_group, result.notes, result.unreadable_lines) == ({"g": expected}, [], [])


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
    assert read(f"group,member_id,topic\n{row}\n").by_group == {}  # inferred, not empty


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        ("", "the header lacks group, topic, member_id or client_id; expected CSV"),
        ("group,member_id", "the header lacks topic; expected CSV"),
        ("member_id,topic", "the header lacks group; expected CSV"),
        ("group,topic", "the header lacks member_id or client_id; expected CSV"),
        ("group;member_id;topic", "separated by ';': separate them by commas"),
        ("group,topic,topic,member_id", "has a column twice"),
        ('group,topic,"member_id', "is not CSV"),
    ],
)
def test_a_header_without_its_columns_is_refused(read: Read, header: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        read(f"{header}\n")
