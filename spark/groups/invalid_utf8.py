"""Encoded groups with a name that isn't valid UTF-8: found in Spark, before a worker reads them."""

from pyspark.sql import DataFrame

from spark.fleet import spelled
from spark.text import shortened

NAMED = "named"
"""Column: whether the names of the group and of its cluster are valid."""

NAMES = {
    **{"member_ids": "member id", "instance_ids": "instance id", "racks": "rack"},
    **{"topics": "topic", "claimed_topics": "topic", "claimants": "member id"},
}
TEXT_COLUMNS = {"state": "state", "group_strategy": "strategy", "type": "type"}
"""What an encoded group has of texts, in lists and on their own, and what each is called."""

NAMES_SHOWN = 3
"""Names listed for each group, at most."""


class GroupEndedError(Exception):
    """Solving a group ended its process; it stands in the group's `invalid_utf8` from then on."""


OF_GROUP = "the name of the group or of its cluster"


def readable(encoded: DataFrame) -> DataFrame:
    """The groups without invalid texts, and in place of `named` the column `invalid_utf8`.

    It has the bytes of such texts, for `why_invalid_utf8`; it is null if all are valid. Of a sound
    group all texts are examined together, in one: no sequence of bytes reaches across the comma
    between two. Of any other no text is kept; its lists are as long as they were.
    """
    name_list = ", ".join([*NAMES, *TEXT_COLUMNS])
    looked_at = encoded.selectExpr(
        "*", f"{NAMED} and is_valid_utf8(concat_ws(',', {name_list})) as sound"
    )
    without = {
        **{name: f"transform({name}, one -> '')" for name in NAMES},
        **dict.fromkeys(TEXT_COLUMNS, "null"),
    }
    columns = [
        f"if(sound, {name}, {without[name]}) as {name}" if name in without else f"`{name}`"
        for name in encoded.columns
        if name != NAMED
    ]
    return looked_at.selectExpr(*columns, f"if(sound, null, {_bytes()}) as invalid_utf8")


def _bytes() -> str:
    """SQL text: what each text that isn't valid is, and its bytes, all in one; NUL in between."""
    lists = {**NAMES, **{f"array({name})": what for name, what in TEXT_COLUMNS.items()}}
    own = f"if({NAMED}, array(), array('{OF_GROUP}'))"
    of_lists = ", ".join(
        f"transform({names}, one -> if(is_valid_utf8(one), null, concat('{what} ', one)))"
        for names, what in lists.items()
    )
    return f"cast(array_join(concat({own}, {of_lists}), decode(X'00', 'UTF-8')) as binary)"


def why_invalid_utf8(texts: bytes | GroupEndedError | None) -> str | None:
    """The reason why a group can't be read, from its `invalid_utf8`; None if it can.

    Such a name is spelled as everywhere: see `spark.fleet.spelled`. Raises GroupEndedError for a
    group that ended its process.
    """
    if isinstance(texts, GroupEndedError):
        raise texts
    if texts is None:
        return None
    names = [*dict.fromkeys(texts.split(b"\0"))][:NAMES_SHOWN]
    reports = (shortened(spelled(name)) for name in names)
    return f"not valid UTF-8: {', '.join(reports)}"
