"""Encoded groups with a name that isn't valid UTF-8: found in Spark, before a worker reads them."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.fleet import escaped
from spark.wording import shortened_in_sql

NAMED = "named"
"""Column: whether the names of the group and of its cluster are valid."""

NAMES = {
    **{"member_ids": "member id", "instance_ids": "instance id", "racks": "rack"},
    **{"topics": "topic", "claimed_topics": "topic", "claimants": "member id"},
}
FACTS = {"state": "state", "group_strategy": "strategy", "type": "type"}
"""What an encoded group has of texts, in lists and on their own, and what each is called."""

TOLD = 3
"""So many names are told of each group."""


def readable(encoded: DataFrame) -> DataFrame:
    """The groups with all their texts escaped, and in place of `named` the column `unreadable`.

    That says which names aren't valid UTF-8, null if all are. Of a sound group all names are looked
    at together, in one text: no sequence of bytes reaches across the comma between two.
    """
    together = ", ".join([*NAMES, *FACTS])
    looked_at = encoded.selectExpr(
        "*", f"{NAMED} and is_valid_utf8(concat_ws(',', {together})) as sound"
    )
    spelled = {
        **{name: f"transform({name}, one -> {escaped('one')})" for name in NAMES},
        **{name: escaped(name) for name in FACTS},
    }
    columns = [
        f"if(sound, {name}, {spelled[name]}) as {name}" if name in spelled else f"`{name}`"
        for name in encoded.columns
        if name != NAMED
    ]
    return looked_at.selectExpr(*columns, f"if(sound, null, {_told()}) as unreadable")


def _told() -> str:
    """SQL text: the first names that aren't valid, each with what it is of."""
    lists = {**NAMES, **{f"array({name})": what for name, what in FACTS.items()}}
    faults = ", ".join(
        f"transform(transform(filter({names}, one -> not is_valid_utf8(one)), "
        f"one -> {escaped('one')}), one -> concat('{what} ', {shortened_in_sql('one')}))"
        for names, what in lists.items()
    )
    own = f"if({NAMED}, array(), array('the name of the group or of its cluster'))"
    some = f"array_join(slice(array_distinct(concat({own}, {faults})), 1, {TOLD}), ', ')"
    return f"concat('not valid UTF-8: ', {some})"
